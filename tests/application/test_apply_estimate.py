"""An estimate only from records that carry a class, and only from enough of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import accuracy_score, f1_score

from evaluate_shelf.application.assignments import Assignment, Guess
from evaluate_shelf.application.estimate import (
    FEWEST,
    Estimate,
    Outcomes,
    estimate,
    wilson_interval,
)
from evaluate_shelf.application.outcome import Outcome
from evaluate_shelf.records.report import RecordReport
from evaluate_shelf.registry.protocols import load_protocol

LABELS = ["H", "P", "Q"]
Case = tuple[str | None, str | None, float]


def assigned(own: str | None, label: str | None, probability: float) -> Assignment:
    guesses = (Guess(label, probability),) if label else ()
    return Assignment(0, "a.mrc", 1, "1", "A book", own, guesses, "" if label else "no text")


def estimated(cases: list[Case], replicates: int = 100) -> Estimate:
    protocol = load_protocol()
    bootstrap = protocol.bootstrap.model_copy(update={"replicates": replicates})
    outcomes = Outcomes(LABELS)
    for case in cases:
        outcomes.add(assigned(*case))
    return estimate(outcomes, protocol.model_copy(update={"bootstrap": bootstrap}))


def drawn(number: int, seed: int = 7) -> list[Case]:
    """Records whose class is right as often as its probability says."""
    random = np.random.default_rng(seed)
    cases: list[Case] = []
    for _ in range(number):
        own, probability = str(random.choice(LABELS)), float(random.uniform(0.4, 1.0))
        other = str(random.choice([label for label in LABELS if label != own]))
        cases.append((own, own if random.random() < probability else other, probability))
    return cases


def test_accuracy_and_macro_f1_are_those_of_scikit_learn() -> None:
    cases = drawn(200)
    own, given, _ = (list(column) for column in zip(*cases, strict=True))
    found = estimated(cases)
    assert found.accuracy is not None
    assert found.macro_f1 is not None
    assert found.accuracy.value == pytest.approx(accuracy_score(own, given))
    assert found.macro_f1.value == pytest.approx(f1_score(own, given, average="macro"))
    for measure in (found.accuracy, found.macro_f1):
        assert measure.low is not None
        assert measure.high is not None
        assert measure.low < measure.value < measure.high


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.just(None), st.sampled_from([*LABELS, None]), st.floats(0, 1)), max_size=80
    )
)
def test_records_without_a_class_change_nothing(without: list[Case]) -> None:
    cases = drawn(40)
    assert estimated([*without, *cases], 20) == estimated(cases, 20)


def test_without_any_class_there_is_no_estimate() -> None:
    outcomes = Outcomes(LABELS)
    for _ in range(100):
        outcomes.add(assigned(None, "P", 0.9))
    assert not outcomes.seen


@pytest.mark.parametrize("number", [1, 5, FEWEST - 1])
def test_few_records_are_counted_and_nothing_more(number: int) -> None:
    found = estimated([("P", "P", 0.99)] * number)
    assert found.records == number
    assert found.classes == 1
    assert (found.accuracy, found.macro_f1, found.bands, found.by_class) == (None, None, (), {})
    text = outcome_of(found).to_text()
    assert "accuracy" not in text
    assert str(FEWEST) in text


def test_thirty_records_are_enough() -> None:
    assert estimated(drawn(FEWEST)).accuracy is not None


def test_resamples_of_equal_outcomes_give_no_interval() -> None:
    found = estimated([("P", "P", 0.9)] * 50)
    assert found.accuracy == (1.0, None, None)
    (band,) = found.bands
    assert band.share.low is not None
    assert band.share.low < 1.0 == band.share.high


def test_bands_say_how_often_the_model_is_right() -> None:
    cases = drawn(5000)
    found = estimated(cases, 2)
    assert sum(band.share.records for band in found.bands) == len(cases)
    for band in found.bands:
        inside = [(o, g, p) for o, g, p in cases if band.low <= p < band.high]
        assert band.share.records == len(inside)
        assert band.share.right == sum(own == given for own, given, _ in inside)
        assert band.mean_probability == pytest.approx(np.mean([p for _, _, p in inside]))
        assert band.share.low is not None
        assert band.share.high is not None
        # The cases are calibrated.
        assert band.share.low - 0.02 < band.mean_probability < band.share.high + 0.02


def test_a_thin_band_and_a_thin_class_have_no_share() -> None:
    cases = [*[("P", "P", 0.95)] * 40, *[("H", "P", 0.45)] * 3]
    found = estimated(cases, 10)
    thin, thick = found.bands
    assert (thin.share.records, thin.share.right, thin.share.value) == (3, 0, None)
    assert thick.share.value == 1.0
    assert list(found.by_class) == ["P"]


def test_probability_one_is_in_the_last_band() -> None:
    found = estimated([("P", "P", 1.0)] * 30, 2)
    assert [(band.low, band.high) for band in found.bands] == [(0.9, 1.0)]


def test_classes_that_the_model_cannot_give_count_nowhere_else() -> None:
    cases = drawn(60)
    others: list[Case] = [("Z", "P", 0.9), ("Z", None, 0.0), ("A", "H", 0.2)]
    found, alone = estimated([*others, *cases]), estimated(cases)
    assert found.unknown_classes == {"A": 1, "Z": 2}
    assert found._replace(unknown_classes={}) == alone


def test_records_that_were_given_none_are_counted() -> None:
    found = estimated([*drawn(40), ("P", None, 0.0), (None, None, 0.0)])
    assert (found.records, found.not_given) == (40, 1)


@pytest.mark.parametrize(("right", "records"), [(0, 30), (30, 30), (7, 31), (500, 1000)])
def test_wilson_s_interval_is_that_of_scipy(right: int, records: int) -> None:
    theirs = binomtest(right, records).proportion_ci(0.95, method="wilson")
    assert wilson_interval(right, records, 0.95) == pytest.approx((theirs.low, theirs.high))


def outcome_of(found: Any) -> Outcome:
    return Outcome("0", "tfidf", "0", RecordReport(), 0, {}, found, ())


def test_an_estimate_as_json_has_no_nan() -> None:
    import json

    text = json.dumps(outcome_of(estimated(drawn(100))).to_dict(), allow_nan=False)
    assert json.loads(text)["estimate"]["accuracy"]["value"] > 0
