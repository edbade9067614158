"""A comparison as text: it fits, names stay apart, and what was not run is counted."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from evaluate_shelf.comparison.correction import corrected
from evaluate_shelf.comparison.drafts import draft_of_mean
from evaluate_shelf.comparison.results import Comparison, Contest, MeanContest, TaskContest
from evaluate_shelf.comparison.words import for_terminal
from evaluate_shelf.printable import columns, shortened
from evaluate_shelf.registry.protocols import load_protocol

SKIPPED = "skipped: the model gives no vectors"
LONG = "an-organisation-of-some-length/all-models-of-it-begin-alike-and-end, dim "
PLAIN = ["tf", "tfidf", "bm25", "wordllama"]
NAMES = {
    "plain": PLAIN,
    "long": [f"{LONG}{number} (run {number:012})" for number in (64, 128, 256)],
    "wide": ["図書館の本を読む大きなモデル" * 4, "ß" * 90, "e\u0301" * 90],
    "unbroken": ["x" * 300, "y" * 300, "z" * 299],
    "many": [f"{LONG}{number}" for number in range(1, 25)],
}


def contest(models: list[str]) -> Contest:
    scores = np.random.default_rng(len(models)).uniform(size=(30, len(models)))
    tasks = [f"t{number:02}" for number in range(30)]
    draft = draft_of_mean(models, tasks, scores, load_protocol().bootstrap)
    [found] = corrected([draft], 0.95)
    return found


def comparison(models: list[str], lacking: dict[str, str], limit: int | None = None) -> Comparison:
    own = contest(models)
    task = TaskContest("lcc_retrieval", "retrieval", "subject", "ndcg_at_10", False, own, lacking)
    mean = MeanContest(("lcc_retrieval", "form_retrieval"), own, dict.fromkeys(lacking, ("t",)))
    number = len(own.differences)
    return Comparison("aaaa", "all", "shelf-1", limit, 0.95, 2000, 42, number, (task,), mean)


def tables(text: str) -> list[list[str]]:
    """Lines of each table, its heading first."""
    lines = text.splitlines()
    heads = [number for number, line in enumerate(lines) if line.startswith("  model ")]
    return [lines[head : head + 1 + text_rows(lines[head + 1 :])] for head in heads]


def text_rows(lines: list[str]) -> int:
    row = re.compile(r"  \S.*\s\d\.\d{3}\s+(–|-?\d\.\d{3} to \d\.\d{3})\s+\d+( to \d+)?\s+\w+")
    return next((n for n, line in enumerate(lines) if not row.fullmatch(line)), len(lines))


@pytest.mark.parametrize("width", [60, 80, 100, 160])
@pytest.mark.parametrize("kind", NAMES)
def test_names_break_no_columns(kind: str, width: int) -> None:
    models = NAMES[kind]
    text = for_terminal(comparison(models, {f"{LONG}{n} lacks": SKIPPED for n in range(9)}), width)
    assert max(map(cell_len, text.splitlines())) <= width
    for table in tables(text):
        assert len(table) == 1 + len(models)
        # Scores stand under each other, as columns of a terminal count them.
        ends = {cell_len(re.match(r".*?\s\d\.\d{3}(?=\s)", row)[0]) for row in table[1:]}  # type: ignore[index]
        assert len(ends) == 1
        shown = [re.split(r"\s{2,}", row.strip())[0] for row in table[1:]]
        assert len(set(shown)) == len(models)


def test_models_that_were_not_run_are_counted_in_one_line() -> None:
    lacking = {f"unrun {number}": "not run" for number in range(20)}
    text = for_terminal(comparison(PLAIN, {**lacking, "bm25l": SKIPPED}), 100)
    of_task = text[text.index("\nlcc_retrieval (") :]
    assert "unrun" not in of_task
    assert of_task.count("20 models not run") == 1
    assert re.search(rf"{re.escape(SKIPPED)}: bm25l\.", of_task)
    alone = for_terminal(comparison(PLAIN, {"unrun": "not run"}), 100)
    assert "1 model not run" in alone


def test_each_reason_stands_once_with_the_models_that_have_it() -> None:
    lacking = {f"sparse {n}": SKIPPED for n in range(4)} | {"broken": "failed: out of memory"}
    text = " ".join(for_terminal(comparison(PLAIN, lacking), 100).split())
    assert text.count(SKIPPED) == 1
    assert f"{SKIPPED}: sparse 0; sparse 1; sparse 2; sparse 3." in text
    assert "failed: out of memory: broken." in text
    many = {f"sparse {n}": SKIPPED for n in range(40)}
    text = " ".join(for_terminal(comparison(PLAIN, many), 100).split())
    assert "sparse 9; 30 more" in text


@pytest.mark.parametrize("limit", [None, 1, 40])
def test_one_is_singular(limit: int | None) -> None:
    text = for_terminal(comparison(["a", "b"], {}, limit), 100)
    assert not re.search(r"\b1 (models|tasks|documents|differences|items|units)\b", text)


@given(st.text(max_size=80), st.integers(8, 60))
def test_a_shortened_name_fits_and_keeps_both_ends(name: str, longest: int) -> None:
    shown = shortened(name, longest)
    assert columns(shown) <= longest
    whole = shortened(name, 10_000)
    if "…" in shown and "…" not in whole:
        begin, end = shown.split("…")
        assert whole.startswith(begin)
        assert whole.endswith(end)
    else:
        assert shown == whole or "…" in whole


@pytest.mark.parametrize("least", [0.05, 2.2])
def test_no_difference_is_promised_that_no_two_scores_have(least: float) -> None:
    of_mean = replace(
        contest(PLAIN), smallest_difference=least, smallest_difference_with_power=1.3 * least
    )
    whole = comparison(PLAIN, {})
    text = for_terminal(
        replace(whole, tasks=(), mean=MeanContest(("a", "b"), of_mean, {})), width=100
    )
    numbers = [float(number) for number in re.findall(r"\d\.\d{3}", text)]
    assert max(numbers) <= 1
    assert ("0.050" in text) == (least < 1)


@pytest.mark.parametrize(("n_units", "rough"), [(59, True), (99, True), (100, False)])
def test_few_units_are_said_to_be_few(n_units: int, rough: bool) -> None:
    whole = comparison(PLAIN, {})
    [task] = whole.tasks
    few = replace(task, contest=replace(task.contest, n_units=n_units))
    assert (
        "fewer than 100 units"
        in " ".join(for_terminal(replace(whole, tasks=(few,)), width=100).split())
    ) == rough
