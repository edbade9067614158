# ruff: noqa: D103 - the names of attacks say what is wrong
"""Scores that do not follow from the items. All hashes are those of the forged files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.hostile.forging import (
    RETRIEVAL,
    Contents,
    score_rows_of,
    with_scores,
    zipped,
)
from benchmarks.hostile.payloads import TEXTS
from builders.draws import Draws


def a_better_score(draws: Draws, run: Contents) -> bytes:
    return _other_score(draws, run, lambda row: {"value": (1 + row["value"]) / 2})


def a_score_that_is_a_little_better(draws: Draws, run: Contents) -> bytes:
    more = draws.choice([1e-8, 1e-6, 1e-3])
    return _other_score(draws, run, lambda row: {"value": row["value"] + more})


def a_narrower_interval(draws: Draws, run: Contents) -> bytes:
    def narrower(row: dict[str, Any]) -> dict[str, Any]:
        if row["low"] is None:
            return {"low": row["value"], "high": row["value"]}
        middle = (row["low"] + row["high"]) / 2
        return draws.choice([{"low": middle}, {"high": middle}, {"low": None, "high": None}])

    return _other_score(draws, run, narrower)


def another_chance_level(draws: Draws, run: Contents) -> bytes:
    level = draws.choice([0.0, -0.5, 0.123, 1.0])
    return _other_score(draws, run, lambda _: {"chance_level": level})


def other_counts(draws: Draws, run: Contents) -> bytes:
    change: dict[str, Any] = draws.choice(
        [
            {"n": 10**6},
            {"n": 0},
            {"n_units": 1},
            {"n_units": -5},
            {"unit": "document"},
            {"level": 0.5},
            {"n": 2**62},
        ]
    )
    return _other_score(draws, run, lambda _: change)


def a_score_that_is_none(draws: Draws, run: Contents) -> bytes:
    bad = draws.choice([float("nan"), float("inf"), -float("inf"), 1e300, 5.0, -3.0, None])
    field = draws.choice(["value", "low", "high", "chance_level"])
    if bad is None:
        field = draws.choice(["value", "task", "metric", "primary", "n"])
    return _other_score(draws, run, lambda _: {field: bad})


def scores_of_another_task(draws: Draws, run: Contents) -> bytes:
    rows = score_rows_of(run)
    kind = draws.integer(6)
    if kind == 0:
        rows.append({**rows[0], "task": "form_retrieval"})
    elif kind == 1:
        rows = [row for row in rows if row["task"] != RETRIEVAL]
    elif kind == 2:
        rows.append(rows[0])
    elif kind == 3:
        rows = rows[::-1]
    elif kind == 4:
        del rows[draws.integer(len(rows))]
    else:
        rows[0], rows[1] = (
            {**rows[0], "metric": rows[1]["metric"]},
            {**rows[1], "metric": rows[0]["metric"]},
        )
    return _zipped_scores(run, rows)


def another_primary_metric(draws: Draws, run: Contents) -> bytes:
    rows = score_rows_of(run)
    for row in rows:
        row["primary"] = not row["primary"]
    return _zipped_scores(run, rows)


def a_text_among_the_scores(draws: Draws, run: Contents) -> bytes:
    text = draws.choice([own for own in TEXTS if "\ud800" not in own])
    field = draws.choice(["task", "metric", "unit"])
    return _other_score(draws, run, lambda _: {field: text})


def no_scores(draws: Draws, run: Contents) -> bytes:
    return _zipped_scores(run, [])


def a_hundred_thousand_scores(draws: Draws, run: Contents) -> bytes:
    return _zipped_scores(run, score_rows_of(run)[:1] * 100_000)


# Items with the scores of others


def _other_score(
    draws: Draws, run: Contents, change: Callable[[dict[str, Any]], dict[str, Any]]
) -> bytes:
    rows = score_rows_of(run)
    for number in draws.shuffled(range(len(rows))):
        changed = {**rows[number], **change(rows[number])}
        if changed != rows[number]:
            rows[number] = changed
            break
    return _zipped_scores(run, rows)


def _zipped_scores(run: Contents, rows: list[dict[str, Any]]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return zipped(with_scores(run, rows, Path(folder)))


ATTACKS = (
    a_better_score,
    a_score_that_is_a_little_better,
    a_narrower_interval,
    another_chance_level,
    other_counts,
    a_score_that_is_none,
    scores_of_another_task,
    another_primary_metric,
    a_text_among_the_scores,
    no_scores,
    a_hundred_thousand_scores,
)
"""Each takes draws and a run's files, and gives an archive."""
