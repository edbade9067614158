"""That no single model decides, against the rule applied without each model in turn."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

import numpy as np
import pytest

from evaluate_shelf.registry.tasks import Task, load_tasks
from evaluate_shelf.report_cards.effects import effect_of, score_with
from evaluate_shelf.report_cards.evidence import Evidence, evidence_of
from evaluate_shelf.report_cards.scores import PanelScore
from evaluate_shelf.report_cards.settings import load_card_settings
from evaluate_shelf.report_cards.telling import telling_of
from evaluate_shelf.report_cards.verdict import Judged, verdict_of

TASKS = load_tasks()
SETTINGS = load_card_settings()

# A task of each rule of chance: fixed for AUC and ARI, of labels, of answers.
KINDS = ["same_lcc_pairs", "lcc_clustering", "lcc_retrieval", "lcc_classification"]

# Distances from chance, few of them, so that ties are frequent and limits are near.
STEPS = [-0.06, -0.03, 0.0, 0.01, 0.03, 0.06, 0.1, 0.2]
HALVES = [None, 0.001, 0.02, 0.1]
Drawn = list[tuple[float, float | None, float | None]]


def panels(number: int) -> Iterator[Drawn]:
    """Panels of five to fourteen models: distances of score and control, half an interval."""
    draws = np.random.Generator(np.random.PCG64(7))
    columns = (STEPS, [None, *STEPS], HALVES)
    for _ in range(number):
        models = range(draws.integers(5, 15))
        yield [tuple(own[draws.integers(len(own))] for own in columns) for _ in models]  # type: ignore[misc]


def side(task: Task, scores: list[PanelScore]) -> str | None:
    """What the middle of a panel comes to, as report_cards.yaml has it."""
    rule, smallest = SETTINGS.metrics[task.primary_metric], SETTINGS.smallest_effect
    controls = [own.control for own in scores if own.control is not None]
    measured = median(controls) if controls else None
    chance = task.chance_level
    if rule.chance != "fixed" and measured is not None and 0 < measured < 1:
        chance = measured
    if chance is None:
        chance = SETTINGS.chance_levels[task.id].level
    widths = [own.high - own.low for own in scores if None not in (own.low, own.high)]  # type: ignore[operator]
    error = median(widths) / 2 if widths else 0.0
    expected = chance if rule.chance == "fixed" else measured
    if rule.chance != "of_answers" and expected is not None:
        off = [
            level
            for level in controls
            if abs(level - expected) > error
            and abs(effect_of(rule.scale, level, chance=expected, n_labels=task.n_labels))
            >= smallest
        ]
        if len(off) > len(controls) / 2:
            return "broken"
    limit = score_with(rule.scale, smallest, chance=chance, n_labels=task.n_labels)
    return "control" if median(own.value for own in scores) < limit else "separates models"


def panel(task: Task, drawn: Drawn) -> list[PanelScore]:
    chance = 0.1 if task.chance_level is None else task.chance_level
    found = [
        PanelScore(
            f"m{number:04}",
            chance + value,
            None if half is None else chance + value - half,
            None if half is None else chance + value + half,
            None if control is None else max(0.0, chance + control),
        )
        for number, (value, control, half) in enumerate(drawn)
    ]
    return sorted(found, key=lambda own: (-own.value, own.model))


def judged(task: Task, scores: list[PanelScore]) -> tuple[Judged, int]:
    """The verdict, and how often a panel was summed up for it."""
    weighed: list[int] = []

    def weigh(some: list[PanelScore]) -> Evidence:
        weighed.append(len(some))
        return evidence_of(task, some, telling=telling_of(None, task, scores), settings=SETTINGS)

    return verdict_of(scores, [], weigh, SETTINGS), len(weighed)


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_model_that_would_decide_is_named(kind: str) -> None:
    task, named = TASKS[kind], 0
    for drawn in panels(1500):
        scores = panel(task, drawn)
        (verdict, reason), _ = judged(task, scores)
        whole = side(task, scores)
        deciding = [
            own.model
            for place, own in enumerate(scores)
            if side(task, [*scores[:place], *scores[place + 1 :]]) != whole
        ]
        if deciding:
            named += 1
            assert verdict is None
            assert f"without {deciding[0]} " in reason
        else:
            assert "would decide" not in reason
            assert verdict == whole or (verdict, whole) == (None, "separates models")
    assert 100 < named < 1400


@pytest.mark.parametrize("kind", KINDS)
def test_many_models_are_not_summed_up_once_a_model(kind: str) -> None:
    drawn = [
        (STEPS[n % 8] + n / 1e6, STEPS[n * 5 % 8] + n / 1e7, 0.01 + n / 1e6) for n in range(600)
    ]
    task = TASKS[kind]
    _, times = judged(task, panel(task, drawn))
    assert times < 60
