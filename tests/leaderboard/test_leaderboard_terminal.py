"""A board in a terminal: every score once, within the width, no heading broken in a word."""

from __future__ import annotations

import re

import pytest
from made_runs import run

from evaluate_shelf.leaderboard.boards import Board, boards
from evaluate_shelf.leaderboard.forms import FACTS, task_heading
from evaluate_shelf.leaderboard.terminal_table import for_terminal
from evaluate_shelf.registry.tasks import load_tasks

NAMES = ["tf", "a name of a model, dim 128, int8, cls pooling (run 0123456789ab)", "n" * 50]
WIDTHS = [60, 80, 100, 140, 1000]


@pytest.fixture(scope="module")
def found() -> list[Board]:
    """A board of every task, and a smoke board of one."""
    tasks = [task.id for task in load_tasks().values() if not task.optional]
    made = []
    for model, name in enumerate(NAMES):
        values = [round(0.1 * model + 0.001 * number + 0.2, 3) for number in range(len(tasks))]
        made.append(
            run(name, {t: (v, v - 0.1, v + 0.1) for t, v in zip(tasks, values, strict=True)})
        )
    return boards([*made, run("tf", {tasks[0]: (0.5, 0.4, 0.6)}, limit=7)])


def rows(text: str) -> list[list[str]]:
    """Cells of every line of a table."""
    lines = [re.split("[│┃]", line) for line in text.splitlines() if line[:1] in "│┃" and line]
    return [[cell.strip() for cell in line[1:-1]] for line in lines]


@pytest.mark.parametrize("width", WIDTHS)
def test_it_fits_its_width(found: list[Board], width: int) -> None:
    assert max(map(len, for_terminal(found, width).splitlines())) <= width


@pytest.mark.parametrize("width", WIDTHS)
def test_every_score_stands_in_it_once(found: list[Board], width: int) -> None:
    whole = found[0]
    cells = [cell for line in rows(for_terminal(found[:1], width)) for cell in line]
    shown = sorted(float(match[1]) for c in cells if (match := re.match(r"(-?[\d.]+) #", c)))
    scores = sorted(cell.value or 0 for row in whole.rows for cell in row.cells.values())
    assert shown == pytest.approx(scores)
    means = [f"{row.mean:.3f}" for row in whole.rows]
    assert [cell for cell in cells if cell in means] == means


def headings(text: str) -> list[list[str]]:
    """Lines of each heading of each table."""
    found: list[list[str]] = []
    columns: list[list[str]] = []
    for line in text.splitlines():
        if line.startswith("┏"):
            columns = [[] for _ in line.split("┳")]
        elif line.startswith("┃"):
            for lines, cell in zip(columns, line.split("┃")[1:-1], strict=True):
                lines.extend([cell.strip()] if cell.strip() else [])
        elif line.startswith("┡"):
            found.extend(columns)
    return found


@pytest.mark.parametrize("width", WIDTHS)
def test_headings_are_broken_behind_underscores_and_spaces_alone(
    found: list[Board], width: int
) -> None:
    shown = set()
    for lines in headings(for_terminal(found[:1], width)):
        # A line either goes on behind its underscore or ends a word.
        shown.add("".join(line if line.endswith("_") else f"{line} " for line in lines).strip())
    assert shown == {*FACTS, *(task_heading(task) for task in found[0].tasks)}


@pytest.mark.parametrize("width", WIDTHS)
def test_the_legend_stands_once_and_last(found: list[Board], width: int) -> None:
    words = " ".join(for_terminal(found, width).split())
    assert words.count("overlap may differ all the same") == 1
    assert words.index("In brackets") > max(words.rindex("┘"), words.rindex("Mean:"))


def test_a_facet_is_shown_after_the_other(found: list[Board]) -> None:
    text = for_terminal(found[:1], 80)
    facets = [line for line in text.splitlines() if line in {t.facet for t in found[0].tasks}]
    assert list(dict.fromkeys(facets)) == list(dict.fromkeys(t.facet for t in found[0].tasks))
    # None comes back once another one has begun.
    assert [f for i, f in enumerate(facets) if i == 0 or facets[i - 1] != f] == list(
        dict.fromkeys(facets)
    )
