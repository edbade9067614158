"""The verdict on a task, and that the registry says the same of the published panel."""

from __future__ import annotations

import csv
import dataclasses
import functools
import io
import re
import shutil
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_runs import run
from scipy.stats import spearmanr

from evaluate_shelf.comparison.results import Comparison, Contest, Standing, TaskContest
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.report_cards.card import Card, card_of, cards_of
from evaluate_shelf.report_cards.forms import as_csv, as_values
from evaluate_shelf.report_cards.settings import load_card_settings
from evaluate_shelf.report_cards.words import for_terminal
from evaluate_shelf.reported.runs import reported_runs
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.runs.schema import SCORES_SCHEMA
from evaluate_shelf.transfer.members import members
from evaluate_shelf.transfer.settings import load_transfer

TASKS = load_tasks()
CORPORA = ["all", "transfer_gutenberg", "transfer_lcshbench"]


def panel(corpus: str, name: str = "distinct") -> tuple[Run, ...]:
    return members(reported_runs(corpus), load_transfer().panel(name)).runs


@functools.cache
def reported_cards(corpus: str, name: str = "distinct") -> list[Card]:
    return cards_of(panel(corpus, name))


@pytest.mark.parametrize("name", ["distinct", "all", "weights", "restricted"])
@pytest.mark.parametrize("corpus", CORPORA)
def test_the_registry_says_what_the_reported_panel_does(corpus: str, name: str) -> None:
    cards = reported_cards(corpus, name)
    assert {card.task: (card.verdict == "control") for card in cards} == {
        card.task: TASKS[card.task].control for card in cards
    }
    assert {card.verdict for card in cards} <= {"separates models", "control"}


def test_every_control_that_was_published_is_among_them() -> None:
    verdicts = {card.task: card.verdict for card in reported_cards("all")}
    assert {task for task, verdict in verdicts.items() if verdict == "control"} == {
        "register_clustering",
        "geographic_clustering",
        "geographic_clustering_conditional",
        "same_register_pairs",
        "same_audience_pairs",
    }
    assert len(verdicts) == 23


@pytest.mark.parametrize(
    ("effect", "agree"), [(0.13, False), (0.15, True), (0.29, True), (0.31, False)]
)
def test_how_far_the_limit_may_move_until_the_registry_is_contradicted(
    effect: float, agree: bool
) -> None:
    """0.2 stands well within; nearest are audience pairs below and category clustering above."""
    settings = load_card_settings()._replace(smallest_effect=effect)
    cards = cards_of(panel("all"), settings=settings)
    against = {card.task for card in cards if (card.verdict == "control") != card.control}
    assert (against == set()) is agree
    assert against <= {
        "same_audience_pairs",
        "lcgft_clustering",
        "instruction_same_topic_diff_subject",
    }


def made(task: str, values: list[float], **changes: Any) -> list[Run]:
    """A run a value, with intervals of a width, or none, and a shuffled control."""
    half = changes.pop("half", 0.01)
    controls = changes.pop("controls", [None] * len(values))
    runs = []
    for number, (value, control) in enumerate(zip(values, controls, strict=True)):
        own = run(f"m{number}", {task: (value, value, value)}, **changes)
        ends = (None, None) if half is None else (value - half, value + half)
        changed = dict(zip(("low", "high", "chance_level"), (*ends, control), strict=True))
        rows = [{**row, **changed} for row in own.scores.to_pylist()]
        table = pa.Table.from_pylist(rows, schema=SCORES_SCHEMA)
        runs.append(dataclasses.replace(own, scores=table))
    return runs


def card(task: str, values: list[float], **changes: Any) -> Card:
    return card_of(TASKS[task], made(task, values, **changes))


FIVE = [0.60, 0.65, 0.70, 0.75, 0.80]


def test_a_panel_above_chance_whose_ends_are_told_apart() -> None:
    found = card("same_lcc_pairs", FIVE)
    assert found.verdict == "separates models"
    assert (found.best_model, found.worst_model) == ("m4", "m0")
    assert (found.best, found.median, found.worst) == (0.80, 0.70, 0.60)
    assert found.spread == pytest.approx(0.20)
    assert found.interval_width == pytest.approx(0.02)
    assert found.width_to_spread == pytest.approx(0.1)
    assert found.told_apart == 1.0


def test_one_model_that_stands_out_makes_no_task() -> None:
    assert card("same_lcc_pairs", [0.50, 0.51, 0.52, 0.53, 0.95]).verdict == "control"
    # Nor do scores below chance.
    assert card("lcc_retrieval", [0.01, 0.02, 0.02, 0.02, 0.03]).verdict == "control"


def test_a_panel_that_is_all_alike_gets_no_verdict() -> None:
    found = card("same_lcc_pairs", FIVE, half=0.2)
    assert found.verdict is None
    assert found.agrees is None
    assert found.told_apart == 0.0


def test_too_few_models_give_no_verdict() -> None:
    assert card("same_lcc_pairs", FIVE[:4]).verdict is None


@pytest.mark.parametrize(
    ("task", "values", "controls", "broken"),
    [
        ("same_lcc_pairs", FIVE, [0.50] * 5, False),
        ("same_lcc_pairs", FIVE, [0.58] * 5, True),
        ("same_lcc_pairs", FIVE, [0.42] * 5, True),
        ("same_lcc_pairs", FIVE, [0.50, 0.50, 0.50, 0.50, 0.9], False),
        ("lcc_clustering", [0.1, 0.2, 0.3, 0.4, 0.5], [0.001] * 5, False),
        ("lcc_clustering", [0.1, 0.2, 0.3, 0.4, 0.5], [0.05] * 5, True),
        # Uneven labels move chance, of all models alike.
        ("lcc_retrieval", [0.5, 0.6, 0.7, 0.8, 0.9], [0.36, 0.36, 0.36, 0.35, 0.35], False),
        # One control that is off is one run's error, two of five are no majority.
        ("lcc_retrieval", [0.5, 0.6, 0.7, 0.8, 0.9], [0.05, 0.05, 0.05, 0.05, 0.2], False),
        ("lcc_retrieval", [0.5, 0.6, 0.7, 0.8, 0.9], [0.05, 0.05, 0.05, 0.01, 0.2], False),
        # The order of the models is still in their controls.
        ("lcc_retrieval", [0.5, 0.6, 0.7, 0.8, 0.9], [0.05, 0.07, 0.2, 0.5, 0.7], True),
        ("lcc_classification", [0.5, 0.6, 0.7, 0.8, 0.9], [0.02, 0.03, 0.04, 0.06, 0.1], False),
    ],
)
def test_a_shuffled_control_that_is_not_at_chance_is_broken(
    task: str, values: list[float], controls: list[float], broken: bool
) -> None:
    found = card(task, values, controls=controls)
    assert (found.verdict == "broken") is broken, found.reason
    assert found.measured_chance == median(controls)


def test_a_control_of_few_documents_may_miss_chance_by_its_noise() -> None:
    assert card("same_lcc_pairs", FIVE, controls=[0.58] * 5, half=0.09).verdict != "broken"


def without_score(status: str, reason: str, models: int) -> list[Run]:
    """Runs on which one task ended so, and another was done."""
    ended = {"lcc_clustering": {"status": status, "reason": reason}}
    return [run(f"m{n}", {"lcc_retrieval": (0.5, 0.4, 0.6)}, tasks=ended) for n in range(models)]


def test_a_task_that_no_model_of_a_panel_has_a_score_on_is_broken() -> None:
    undefined = card("lcc_clustering", [float("nan")] * 5)
    assert (undefined.verdict, undefined.models, len(undefined.unscored)) == ("broken", 0, 5)
    cards = {one.task: one for one in cards_of(without_score("failed", "no memory", 5))}
    failed = cards["lcc_clustering"]
    assert (failed.verdict, failed.best) == ("broken", None)
    # Of which run that is said.
    assert "no memory" in failed.reason
    assert str(Path("runs") / "m0") in failed.reason
    # A task that every model skips says nothing of itself.
    skipped = cards_of(without_score("skipped", "no vectors", 5))
    assert [one.task for one in skipped] == ["lcc_retrieval"]


@pytest.mark.parametrize("models", [1, 4])
def test_models_fewer_than_a_panel_break_no_task(models: int) -> None:
    cards = {one.task: one for one in cards_of(without_score("failed", "no memory", models))}
    assert cards["lcc_clustering"].verdict is None
    assert "no memory" in cards["lcc_clustering"].reason
    off = card("same_lcc_pairs", FIVE[:models], controls=[0.9] * models)
    assert off.verdict is None


def test_a_score_that_one_model_lacks_is_named_and_breaks_nothing() -> None:
    found = card("lcc_clustering", [0.1, 0.2, 0.3, 0.4, 0.5, float("nan")])
    assert (found.verdict, found.models) == ("separates models", 5)
    assert [one.model for one in found.unscored] == ["m5"]
    assert str(Path("runs") / "m5") in for_terminal([[found]], 400)


# A task of each rule of chance: fixed for AUC and ARI, of labels, of answers.
KINDS = ["same_lcc_pairs", "lcc_clustering", "lcc_retrieval", "lcc_classification"]
SCORES = st.floats(0.01, 0.99)
PANELS = st.lists(st.tuples(SCORES, SCORES), min_size=5, max_size=9)


@given(st.sampled_from(KINDS), PANELS, st.tuples(SCORES, SCORES), st.sampled_from([0.001, 0.05]))
def test_one_model_more_never_turns_a_verdict_into_another(
    task: str, panel: list[tuple[float, float]], more: tuple[float, float], half: float
) -> None:
    """Whatever it scores, and whatever its own control is."""

    def verdict(models: list[tuple[float, float]]) -> str | None:
        values, controls = zip(*models, strict=True)
        return card(task, list(values), controls=list(controls), half=half).verdict

    before, after = verdict(panel), verdict([*panel, more])
    assert before is None or after is None or after == before


@pytest.mark.parametrize("task", KINDS)
@pytest.mark.parametrize("control", [0.0, 0.001, 0.3, 0.9])
def test_a_model_that_reads_nothing_leaves_a_clear_verdict_alone(task: str, control: float) -> None:
    """As one that gives every text the same vector: its score is its control, both may be off."""
    chance = {"same_lcc_pairs": 0.5, "lcc_clustering": 0.0}.get(task, 0.05)
    level, clear = [chance] * 6, [0.70, 0.75, 0.80, 0.85, 0.90, 0.95]
    low = [chance + 0.001 * n for n in range(6)]
    for values, verdict in ((clear, "separates models"), (low, "control")):
        for toy in (control, chance):
            found = card(task, [*values, toy], controls=[*level, control])
            assert found.verdict == verdict, found.reason


def test_a_median_that_hangs_on_one_model_gives_no_verdict() -> None:
    hanging = [0.50, 0.52, 0.57, 0.70, 0.75]
    found = card("same_lcc_pairs", hanging)
    assert found.verdict is None
    assert "m4" in found.reason
    assert card("same_lcc_pairs", [*hanging, 0.60, 0.62]).verdict == "separates models"


@given(st.lists(st.floats(0.5, 0.55), min_size=1, max_size=4))
def test_models_at_chance_separate_no_models(at_chance: list[float]) -> None:
    alike = [0.70, 0.701, 0.702, 0.703, 0.704, 0.705]
    assert card("same_lcc_pairs", alike).verdict is None
    assert card("same_lcc_pairs", [*alike, *at_chance]).verdict is None
    assert card("same_lcc_pairs", [*alike, 0.60, *at_chance]).verdict == "separates models"
    # Nor where there is no interval to tell them by.
    assert card("same_lcc_pairs", [*alike, *at_chance], half=None).verdict is None
    assert (
        card("same_lcc_pairs", [*alike, 0.60, *at_chance], half=None).verdict == "separates models"
    )


def test_scores_are_measured_from_the_chance_that_was_measured() -> None:
    values = [0.30, 0.36, 0.38, 0.40, 0.60]
    assert card("lcc_retrieval", values).verdict == "separates models"
    uneven = card("lcc_retrieval", values, controls=[0.36] * 5)
    assert (uneven.chance, uneven.chance_source, uneven.verdict) == (0.36, "measured", "control")
    # The number that holds for any labels is not replaced by a noisy one.
    pairs = card("same_lcc_pairs", FIVE, controls=[0.51] * 5)
    assert (pairs.chance, pairs.chance_source) == (0.5, "tasks.yaml")


def test_chance_where_the_registry_has_none() -> None:
    found = card("topic_classification", [0.2, 0.3, 0.4, 0.5, 0.6])
    assert (found.nominal_chance, found.chance_source) == (None, "report_cards.yaml")
    # F1 of an answer that ignores the text, the best of which says yes always; 4 topics of 112.
    share = 4 / 112
    assert found.chance == pytest.approx(2 * share / (1 + share), abs=5e-4)


def test_reported_scores_get_nothing_that_needs_items() -> None:
    for found in reported_cards("all"):
        assert found.reported
        assert found.told_apart is found.told_apart_by is None
        assert found.interval_width is found.width_to_spread is found.measured_chance is None


def test_agreement_is_with_the_facet_s_other_formulations() -> None:
    runs = panel("all")
    found = {one.task: one for one in reported_cards("all")}["lcc_clustering"]
    assert {one.task for one in found.agreement} == {
        "lcc_retrieval",
        "instruction_same_subject_diff_form",
        "lcc_classification",
        "same_lcc_pairs",
    }
    rows = [{r["task"]: r["value"] for r in one.scores.to_pylist() if r["primary"]} for one in runs]
    for one in found.agreement:
        both = np.array(
            [
                (own["lcc_clustering"], own[one.task])
                for own in rows
                if {"lcc_clustering", one.task} <= set(own)
            ]
        )
        assert one.n == len(both)
        assert one.spearman == pytest.approx(spearmanr(both[:, 0], both[:, 1]).statistic)
        assert one.low is not None
        assert one.high is not None
        assert one.low <= one.spearman <= one.high


def filled(kind: Any, **values: Any) -> Any:
    """A result in which only what a card reads is there."""
    return kind(**{**dict.fromkeys(field.name for field in dataclasses.fields(kind)), **values})


def compared(task: str, groups: list[tuple[str, ...]]) -> Comparison:
    standings = tuple(
        filled(Standing, model=f"m{n}", groups=letters) for n, letters in enumerate(groups)
    )
    contest = filled(Contest, standings=standings)
    found: Comparison = filled(Comparison, tasks=(filled(TaskContest, task=task, contest=contest),))
    return found


def test_ranks_are_told_apart_by_tests_where_there_are_some() -> None:
    runs = made("same_lcc_pairs", FIVE, half=0.2)
    groups = [("a",), ("a",), ("a", "b"), ("b",), ("c",)]
    found = card_of(TASKS["same_lcc_pairs"], runs, compared("same_lcc_pairs", groups))
    assert (found.told_apart, found.told_apart_by) == (0.25, "tests")
    assert found.verdict == "separates models"
    other = card_of(TASKS["same_lcc_pairs"], runs, compared("same_form_pairs", groups))
    assert (other.told_apart, other.told_apart_by) == (0.0, "intervals")


@given(st.lists(st.floats(0, 1), min_size=5, max_size=9), st.floats(0, 0.3))
def test_intervals_tell_neighbours_apart_when_they_do_not_overlap(
    values: list[float], half: float
) -> None:
    found = card("same_lcc_pairs", values, half=half)
    ordered = sorted(values, reverse=True)
    apart = [above - half > below + half for above, below in pairwise(ordered)]
    assert found.told_apart == pytest.approx(sum(apart) / len(apart))


def test_runs_of_two_boards_have_no_card() -> None:
    runs = [*made("same_lcc_pairs", FIVE), *made("same_lcc_pairs", FIVE, release="bbbb")]
    with pytest.raises(ShelfError, match="2 boards"):
        card_of(TASKS["same_lcc_pairs"], runs)


@pytest.mark.parametrize("width", [60, 80, 120, 400])
def test_a_table_fits_its_terminal_and_names_every_task(width: int) -> None:
    cards = reported_cards("all")
    text = for_terminal([cards], width)
    assert max(map(len, text.splitlines())) <= width
    words = "".join(text.split())
    assert all(f"{one.median:.3f}" in text for one in cards)
    assert all(one.reason.replace(" ", "") in words for one in cards if one.verdict == "control")


def test_every_word_and_mark_of_a_table_is_explained_under_it() -> None:
    boards = {
        "separates": [card("same_lcc_pairs", FIVE)],
        "control": [card("same_register_pairs", [0.5, 0.501, 0.502, 0.503, 0.504])],
        "broken": [card("same_lcc_pairs", FIVE, controls=[0.9] * 5)],
        "none": [card("same_lcc_pairs", FIVE[:2])],
        "!": [card("same_register_pairs", FIVE)],
    }
    for word, board in boards.items():
        lines = for_terminal([board], 400).splitlines()
        explained = {line.partition(":")[0] for line in lines}
        assert word in explained
        # And nothing that does not occur.
        others = set(boards) - {word, "separates"}
        assert not explained & others
    (few,) = boards["none"]
    assert "3 more" in few.reason


def test_one_is_not_many() -> None:
    found = card("same_lcc_pairs", FIVE[:1])
    text = for_terminal([[found]], 400) + found.reason
    assert re.findall(r"\b1 (models|tasks|columns|runs)\b", text) == []


def test_values_are_ready_for_json() -> None:
    for found in reported_cards("all"):
        values = as_values(found)
        assert values["agrees"] is True
        assert all(value == value for value in values.values())


def test_a_csv_holds_every_figure_of_a_card() -> None:
    computed = card("lcc_retrieval", [0.30, 0.36, 0.38, 0.40, 0.60], controls=[0.36] * 5)
    lacking = card("lcc_clustering", [0.1, 0.2, 0.3, 0.4, float("nan")])
    cards = [*reported_cards("all"), computed, lacking]
    rows = list(csv.DictReader(io.StringIO(as_csv(cards))))
    for found, row in zip(cards, rows, strict=True):
        values = as_values(found)
        assert set(row) == set(values)
        for key, value in values.items():
            if isinstance(value, float):
                assert float(row[key]) == value
            elif value is None or isinstance(value, (str, int)):
                assert row[key] == ("" if value is None else str(value))
        for other in found.agreement:
            assert f"{other.task}: {other.spearman!r}" in row["agreement"]
        assert all(one.why in row["unscored"] for one in found.unscored)


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("smallest_effect: 0.2", "smallest_effect: -1", "smallest_effect"),
        ("fewest_models: 5", "fewest_models: 2", "fewest_models"),
        ("  - id: ari_pooled", "  - id: ari", "metrics"),
        ("task: topic_classification", "task: no_such_task", "no_such_task"),
        ("task: topic_classification", "task: lcc_retrieval", "has a level"),
        ("scale: shift", "scale: guess", "scale"),
    ],
)
def test_a_damaged_rule(tmp_path: Path, old: str, new: str, part: str) -> None:
    folder = Path(shutil.copytree(config_folder(), tmp_path / "configs"))
    file = folder / "report_cards.yaml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(ShelfError, match=part) as caught:
        load_card_settings(folder)
    assert str(file) in str(caught.value)
