"""The leaderboard flatters nobody: means of the same tasks, ranks from intervals, own boards."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from made_runs import run
from markdown_it import MarkdownIt

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.leaderboard.boards import boards, tasks_of_the_mean
from evaluate_shelf.leaderboard.forms import as_csv, as_markdown, as_values
from evaluate_shelf.leaderboard.terminal_table import for_terminal
from evaluate_shelf.printable import one_line

A = {"lcc_classification": (0.8, 0.75, 0.85), "lcc_retrieval": (0.5, 0.45, 0.55)}


def test_a_model_without_a_task_is_not_flattered_by_leaving_it_out() -> None:
    weak = run("weak", {"lcc_retrieval": (0.6, 0.55, 0.65)})
    (board,) = boards([weak, run("strong", A), run("second", A)])
    assert board.shared == ("lcc_retrieval", "lcc_classification")
    assert [row.name for row in board.rows] == ["strong", "second", "weak"]
    means = {row.name: row.mean for row in board.rows}
    assert means == {"strong": pytest.approx(0.65), "second": pytest.approx(0.65), "weak": None}
    assert {row.name: row.coverage for row in board.rows} == {"strong": 2, "second": 2, "weak": 1}


def test_models_without_a_mean_stand_by_coverage() -> None:
    wide = {**A, "form_retrieval": (0.1, 0.1, 0.1)}
    one = run("one", {"lcc_retrieval": (0.9, 0.8, 1.0)})
    two = run("two", {"lcc_classification": (0.1, 0.1, 0.1), "form_retrieval": (0.1, 0.1, 0.1)})
    (board,) = boards([one, two, run("a", wide), run("b", wide)])
    assert [row.name for row in board.rows] == ["a", "b", "two", "one"]


SETS = st.lists(st.sets(st.sampled_from("abcde"), min_size=0), min_size=1, max_size=6)


@given(SETS)
def test_the_tasks_of_a_mean_do_not_depend_on_the_order_of_the_models(sets: list[set[str]]) -> None:
    tasks = tasks_of_the_mean(sets)
    assert tasks == tasks_of_the_mean(sets[::-1])
    everyone = set.intersection(*sets)
    size = len(tasks) * sum(tasks <= own for own in sets)
    if tasks:
        # No fewer scores are in a mean than if it were over what all models share.
        assert size >= len(everyone) * len(sets) or tasks < everyone
        assert any(tasks <= own for own in sets)


@given(SETS, st.integers(2, 4))
def test_a_model_with_more_or_fewer_tasks_takes_no_mean_from_many(
    sets: list[set[str]], factor: int
) -> None:
    many = [{"v", "w", "x", "y", "z"}] * factor * len(sets)
    assert tasks_of_the_mean([*many, *sets, {"v"}]) == {"v", "w", "x", "y", "z"}
    assert tasks_of_the_mean([*many, {*many[0], "more"}]) == many[0]


def test_no_task_in_common_gives_no_mean() -> None:
    (board,) = boards(
        [
            run("one", {"lcc_retrieval": (0.6, 0.55, 0.65)}),
            run("two", {"lcc_classification": (0.6, 0.55, 0.65)}),
        ]
    )
    assert board.shared == ()
    assert [row.mean for row in board.rows] == [None, None]


def test_controls_are_shown_and_kept_out_of_the_mean() -> None:
    scores = {**A, "register_clustering": (0.9, 0.8, 1.0)}
    (board,) = boards([run("one", scores)])
    assert "register_clustering" in {task.id for task in board.tasks}
    assert board.shared == ("lcc_retrieval", "lcc_classification")
    assert board.rows[0].mean == pytest.approx(0.65)


def test_optional_tasks_are_in_no_mean_and_no_column_unless_asked_for() -> None:
    optional = {"lcc_clustering_hdbscan": (0.9, 0.8, 1.0)}
    (board,) = boards([run("one", {**A, **optional})])
    assert [task.id for task in board.tasks] == ["lcc_retrieval", "lcc_classification"]
    assert board.rows[0].coverage == 2
    for asked in ({"facet": "subject"}, {"formulation": "clustering"}):
        (board,) = boards([run("one", {**A, **optional})], **asked)
        assert "lcc_clustering_hdbscan" in {task.id for task in board.tasks}
        assert "lcc_clustering_hdbscan" not in board.shared
    (board,) = boards([run("one", optional)])
    assert [task.id for task in board.tasks] == ["lcc_clustering_hdbscan"]


def test_ranks_count_the_models_whose_interval_lies_wholly_above() -> None:
    task = "lcc_retrieval"
    intervals = {
        "a": (0.70, 0.66, 0.74),
        "b": (0.68, 0.63, 0.72),
        "c": (0.60, 0.58, 0.62),
        "d": (0.40, 0.35, 0.45),
    }
    (board,) = boards([run(name, {task: interval}) for name, interval in intervals.items()])
    ranks = {row.name: (row.cells[task].rank, row.cells[task].tied) for row in board.rows}
    assert ranks == {"a": (1, True), "b": (1, True), "c": (3, False), "d": (4, False)}


@pytest.mark.parametrize(
    "change", [{"protocol": "shelf-1-balanced"}, {"release": "bbbb"}, {"limit": 50}]
)
def test_runs_that_cannot_be_compared_share_no_board(change: dict[str, Any]) -> None:
    found = boards([run("one", A), run("two", A, **change)])
    assert [[row.name for row in board.rows] for board in found] == [["one"], ["two"]] or [
        [row.name for row in board.rows] for board in found
    ] == [["two"], ["one"]]


def test_smoke_runs_come_last_and_say_so() -> None:
    found = boards([run("smoke", A, limit=50), run("whole", A)])
    assert [board.limit for board in found] == [None, 50]
    assert "smoke" in for_terminal(found[1:]).lower()
    assert as_values(found[1])["comparable"] is False


def test_full_boards_of_the_default_protocol_come_first() -> None:
    smoke = run("c", A, limit=9)
    conditions = [run("b", A, protocol=f"shelf-1{more}") for more in ("+max-tokens-8", "-balanced")]
    # Another release, whose hash sorts behind those of the conditions.
    found = boards([smoke, *conditions, run("a", A), run("z", A, release="zzzz")])
    order = [(board.limit, board.protocol.split(",")[0]) for board in found]
    assert order == [
        (None, "shelf-1"),
        (None, "shelf-1"),
        (None, "shelf-1+max-tokens-8"),
        (None, "shelf-1-balanced"),
        (9, "shelf-1"),
    ]


def test_facet_and_formulation_restrict_the_tasks() -> None:
    scores = {**A, "form_classification": (0.2, 0.1, 0.3)}
    (board,) = boards([run("one", scores)], facet="subject", formulation="classification")
    assert [task.id for task in board.tasks] == ["lcc_classification"]
    for wrong in ({"facet": "colour"}, {"formulation": "guessing"}, {"facet": "audience"}):
        with pytest.raises(ShelfError):
            boards([run("one", scores)], **wrong)


def test_a_reason_stands_where_there_is_no_score() -> None:
    tasks = {"lcc_classification": {"status": "skipped", "reason": "no vectors"}}
    lacking = run("bm25", {"lcc_retrieval": (0.5, 0.4, 0.6)}, tasks=tasks)
    (board,) = boards([run("one", A), lacking])
    cell = next(row for row in board.rows if row.name == "bm25").cells["lcc_classification"]
    assert cell.value is None
    assert cell.reason == "skipped: no vectors"


def test_a_model_without_any_score_takes_no_mean_away() -> None:
    failed = run("broken", {}, tasks={"lcc_retrieval": {"status": "failed", "reason": "x"}})
    (board,) = boards([run("one", A), failed])
    assert [row.name for row in board.rows] == ["one"]
    assert board.rows[0].mean == pytest.approx(0.65)
    with pytest.raises(ShelfError):
        boards([failed])


def test_two_runs_of_one_name_can_be_told_apart() -> None:
    (board,) = boards([run("one", A), run("one", A)])
    assert all("one (run " in row.name for row in board.rows)


def test_csv_and_json_hold_every_score() -> None:
    found = boards([run("one", A), run("two", {"lcc_retrieval": (0.25, 0.2, 0.3)})])
    lines = list(csv.DictReader(io.StringIO(as_csv(found))))
    scores = {(line["model"], line["task"]): line["value"] for line in lines}
    assert scores == {
        ("one", "lcc_classification"): "0.8",
        ("one", "lcc_retrieval"): "0.5",
        ("two", "lcc_classification"): "",
        ("two", "lcc_retrieval"): "0.25",
    }
    value = json.loads(json.dumps(as_values(found[0]), allow_nan=False))
    assert value["rows"][0]["cells"]["lcc_retrieval"]["low"] == 0.45


@pytest.mark.parametrize("name", ["=1+1", "+cmd", "-2", "@x"])
def test_a_name_is_no_formula_in_a_spreadsheet(name: str) -> None:
    (line,) = csv.DictReader(
        io.StringIO(as_csv(boards([run(name, {"lcc_retrieval": A["lcc_retrieval"]})])))
    )
    assert line["model"] == f"'{name}"


NAMES = st.text("a1b .*_`[]()<>&|\\~$:!#/-=+^'é図", min_size=1, max_size=30)


def shown_cells(text: str) -> tuple[list[str], list[list[str]], str]:
    """Title and rows as a reader of the rendered Markdown sees them, and its HTML."""
    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    tokens = reader.parse(text)
    texts = ["".join(c.content for c in t.children or ()) for t in tokens if t.type == "inline"]
    heading = next(line for line in text.splitlines() if line.startswith("| model"))
    width = heading.count(" | ") + 1
    title, *cells, _ = texts
    return [title], [cells[i : i + width] for i in range(0, len(cells), width)], reader.render(text)


@given(NAMES.filter(lambda name: any(sign.isalnum() for sign in name)))
@example("<img src=x onerror=alert(1)>")
@example("[a](http://b)")
@example("a|b")
@example("a\\|b")
@example("**a** `b` &amp; ~~c~~ <b>")
@example("http://a.b www.c.d")
def test_a_name_is_shown_in_markdown_as_it_is(name: str) -> None:
    (board,) = boards([run(name, A, release=name), run("other", A, release=name)])
    title, (header, *rows), html = shown_cells(as_markdown(board))
    assert header[0] == "model"
    assert sorted(row[0] for row in rows) == sorted(["chance", one_line(name), "other"])
    assert len({len(row) for row in rows}) == 1
    assert one_line(name) in " ".join(title[0].split())
    tags = set(re.findall(r"</?([a-z0-9]+)", html))
    assert tags <= {"p", "strong", "table", "thead", "tbody", "tr", "th", "td", "code"}
    assert html.count("<code>") == 1  # the legend's own


@pytest.mark.parametrize("limit", [1, 2])
@pytest.mark.parametrize("n_models", [1, 2])
def test_one_is_singular_wherever_it_is_counted(limit: int, n_models: int) -> None:
    lacking = [run(f"l{n}", {"lcc_retrieval": (0.4, 0.3, 0.5)}, limit=limit) for n in range(1)]
    (board,) = boards([*(run(f"m{n}", A, limit=limit) for n in range(n_models)), *lacking])
    for text in (as_markdown(board), for_terminal([board], 140)):
        words = " ".join(text.split())
        assert not re.search(r"\b1 (models|tasks|documents|runs)\b", words)
        assert not re.search(r"\b1 of \d+ models have\b", words)
