"""Margins of the lexical probe, against scikit-learn, and the levels that they give."""

from __future__ import annotations

import numpy as np
from breakdown_oracles import columns_of
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from evaluate_shelf.diagnostics.breakdown.difficulty import (
    Labelled,
    levels_of,
    margins_in,
    margins_of,
)
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.registry.protocols import load_protocol


def test_margins_are_those_of_scikit_learn(made) -> None:
    protocol = load_protocol()
    data = TaskData(made.release, "v0_4_core")
    train, test = (columns_of(part, "text", "lcc_code") for part in (data.train, data.test))
    found = margins_of(
        Labelled(data.train, train["lcc_code"]), Labelled(data.test, test["lcc_code"]), protocol, ""
    )
    weights = TfidfVectorizer(**protocol.tfidf.model_dump())
    probe = LogisticRegression(C=protocol.probe.C, max_iter=5000, tol=1e-9)
    probe.fit(weights.fit_transform(train["text"]), train["lcc_code"])
    probabilities = probe.predict_proba(weights.transform(test["text"]))
    expected = []
    for row, gold in zip(probabilities, test["lcc_code"], strict=True):
        place = list(probe.classes_).index(gold)
        expected.append(row[place] - max(np.delete(row, place)))
    np.testing.assert_allclose(found, expected, atol=2e-3)


def test_a_document_without_a_label_has_no_margin(made) -> None:
    data = TaskData(made.release, "v0_4_core")
    train, test = (part.column("lcc_code") for part in (data.train, data.test))
    asked = Labelled(data.test, [None, *test[1:]])
    margins = margins_of(Labelled(data.train, train), asked, load_protocol(), "")
    assert np.isnan(margins[0])
    assert not np.isnan(margins[1:]).any()


@given(st.integers(2, 5), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_a_margin_is_positive_where_the_probe_is_right(classes: int, n: int, seed: int) -> None:
    draws = np.random.default_rng(seed)
    probabilities = draws.dirichlet(np.ones(classes), size=n)
    gold = draws.integers(classes + 1, size=n)
    margins = margins_in(probabilities, gold)
    assert ((margins > 0) == (probabilities.argmax(axis=1) == gold)).all()
    assert (np.abs(margins) <= 1).all()


@given(st.lists(st.floats(-1, 1) | st.just(float("nan")), min_size=1, max_size=40))
def test_levels_follow_their_definition(margins: list[float]) -> None:
    values = np.array(margins)
    known = values[~np.isnan(values)]
    for value, level in zip(values, levels_of(values), strict=True):
        if np.isnan(value):
            assert level == -1
            continue
        lower, upper = np.quantile(known, [1 / 3, 2 / 3])
        hard = value < 0 or value <= lower
        assert level == (0 if hard else 2 if value >= upper else 1)


def test_a_probe_that_is_always_right_gives_three_equal_parts() -> None:
    levels = levels_of(np.linspace(0.1, 1.0, 300))
    assert np.bincount(levels).tolist() == [100, 100, 100]
