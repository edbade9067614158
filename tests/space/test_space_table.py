from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from evaluate_shelf.leaderboard.boards import Board, boards
from evaluate_shelf.leaderboard.forms import as_csv
from evaluate_shelf.runs.reading import Run, load_runs
from space.selection import filtered, occurring
from space.table import board_html, nothing_html

HOSTILE = ("<img src=x onerror=alert(1)>", '"><script>alert(1)</script>', "' onclick='alert(1)")
ALLOWED = {"aria-label", "aria-sort", "class", "colspan", "data-column", "data-value", "role"}
ALLOWED |= {"rowspan", "scope", "span", "tabindex", "title", "type"}


class Page(HTMLParser):
    """Every tag with its attributes, the table's rows as texts, and all text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.rows: list[list[str]] = []
        self.texts: list[str] = []
        self._in_cell = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if self._in_cell:
            self.rows[-1][-1] += data

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def row_of(self, model: str) -> list[str]:
        return next(row for row in self.rows if row and row[0].startswith(model))


@pytest.fixture
def runs(tmp_path: Path, write_run: Callable[..., Path]) -> list[Run]:
    outcomes = {
        "good": {
            "lcc_retrieval": (0.61, 0.58, 0.64),
            "lcc_classification": (0.71, 0.68, 0.74),
            "form_classification": (0.41, 0.38, 0.44),
            "register_clustering": (-0.0084, -0.02, 0.01),
        },
        "close": {
            "lcc_retrieval": (0.60, 0.57, 0.63),
            "lcc_classification": (0.52, 0.50, 0.54),
            "form_classification": "no encode <b>at all</b>",
            "register_clustering": (0.001, -0.01, 0.012),
        },
    }
    for model, scores in outcomes.items():
        write_run(tmp_path, model, scores)
    return load_runs(tmp_path)


@pytest.fixture
def board(runs: list[Run]) -> Board:
    return boards(runs)[0]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_text_wherever_it_stands(
    tmp_path: Path, write_run: Callable[..., Path], name: str
) -> None:
    write_run(tmp_path, name, {"lcc_retrieval": (0.5, 0.4, 0.6), "lcc_classification": name})
    write_run(
        tmp_path, "other", {"lcc_retrieval": (0.5, 0.4, 0.6), "lcc_classification": (1, 1, 1)}
    )
    page = Page(board_html(boards(load_runs(tmp_path))[0]))
    assert not {"img", "script"} & {tag for tag, _ in page.tags}
    assert {key for _, attributes in page.tags for key in attributes} <= ALLOWED
    assert any(name in text for text in page.texts)
    assert f"skipped: {name}" in [attributes.get("title") for attributes in page.attributes("span")]


def test_a_hostile_config_is_text(board: Board) -> None:
    page = Page(board_html(dataclasses.replace(board, config=HOSTILE[0])))
    assert "img" not in {tag for tag, _ in page.tags}
    assert any(HOSTILE[0] in text for text in page.texts)


def test_every_score_stands_with_its_interval_and_rank(board: Board) -> None:
    page = Page(board_html(board))
    assert page.row_of("good")[1:] == [
        "0.660",
        "4 of 4",
        "0.610 #1= [0.580, 0.640]",
        "0.710 #1 [0.680, 0.740]",
        "0.410 #1 [0.380, 0.440]",
        "−0.008 #1= [−0.020, 0.010]",
    ]
    assert page.row_of("close")[1:4] == ["0.560", "3 of 4", "0.600 #1= [0.570, 0.630]"]
    assert page.row_of("close")[4] == "0.520 #2 [0.500, 0.540]"


def test_values_to_sort_by_are_exact(board: Board) -> None:
    values = [
        each["data-value"]
        for each in Page(board_html(board)).attributes("td")
        if "data-value" in each
    ]
    expected = [repr(cell.value) for row in board.rows for cell in row.cells.values() if cell.value]
    assert set(expected) <= set(values)


def test_a_missing_score_is_a_dash_with_its_reason(board: Board) -> None:
    page = Page(board_html(board))
    reason = "skipped: no encode <b>at all</b>"
    assert page.row_of("close")[5] == "–"
    assert reason in [each.get("title") for each in page.attributes("span")]
    assert "1 score is missing: the reasons" in page.texts
    assert "b" not in {tag for tag, _ in page.tags}


def test_the_tasks_of_the_mean_are_named(board: Board) -> None:
    text = "".join(Page(board_html(board)).texts)
    assert "Mean: over 2 of 4 tasks, which every model has." in text
    assert "The tasks: lcc_retrieval, lcc_classification" in text


def test_a_model_without_a_mean_has_a_dash_and_stands_last(
    tmp_path: Path, write_run: Callable[..., Path]
) -> None:
    both = {"lcc_retrieval": (0.5, 0.4, 0.6), "lcc_classification": (0.5, 0.4, 0.6)}
    write_run(tmp_path, "a", {"lcc_retrieval": (0.9, 0.8, 1.0)})
    write_run(tmp_path, "b", both)
    write_run(tmp_path, "c", both)
    page = Page(board_html(boards(load_runs(tmp_path))[0]))
    assert [row[0][0] for row in page.rows[2:5]] == ["b", "c", "a"]
    assert page.row_of("a")[1:3] == ["–", "1 of 2"]


def test_without_a_shared_task_there_is_no_mean(
    tmp_path: Path, write_run: Callable[..., Path]
) -> None:
    write_run(tmp_path, "a", {"lcc_retrieval": (0.5, 0.4, 0.6)})
    write_run(tmp_path, "b", {"lcc_classification": (0.5, 0.4, 0.6)})
    page = Page(board_html(boards(load_runs(tmp_path))[0]))
    assert "Mean" not in page.texts
    assert any(text.startswith("No mean:") for text in page.texts)
    assert page.row_of("a")[1:] == ["1 of 2", "0.500 #1 [0.400, 0.600]", "–"]
    assert page.row_of("a")[3] == page.row_of("b")[2] == "–"
    ordered = [each for each in page.attributes("th") if each.get("aria-sort") == "descending"]
    assert [each["data-column"] for each in ordered] == ["2"]


def test_the_foot_gives_chance_and_controls_are_marked(board: Board) -> None:
    page = Page(board_html(board))
    assert [text.strip() for text in page.rows[-1]] == [
        "Chance",
        "",
        "",
        "0.048",
        "0.048",
        "0.008",
        "0.000",
    ]
    assert page.rows[1][-1] == "registercontrolregister_clusteringARI"
    assert [text.count("control") for text in page.rows[1]] == [0, 0, 0, 1]


def test_headings_say_what_they_head(board: Board) -> None:
    page = Page(board_html(board))
    headings = page.attributes("th")
    assert all(each.get("scope") in ("col", "colgroup", "row") for each in headings)
    assert [int(each["data-column"] or 0) for each in headings if "data-column" in each] == list(
        range(7)
    )
    assert sum(int(each["span"] or 0) for each in page.attributes("colgroup")) == 7
    assert page.rows[0][3:] == ["Retrieval", "Classification", "Clustering"]
    assert [tag for tag, _ in page.tags].count("caption") == 1
    assert "all, release 1ece8e45368f, protocol shelf-1, version 1" in page.texts


def test_only_a_smoke_run_is_marked_as_not_comparable(
    tmp_path: Path, write_run: Callable[..., Path], board: Board
) -> None:
    write_run(tmp_path / "smoke", "a", {"lcc_retrieval": (0.5, 0.4, 0.6)}, limit=20)
    smoke = board_html(boards(load_runs(tmp_path / "smoke"))[0])
    assert "Smoke run, not comparable." in Page(smoke).texts
    assert "Smoke run" not in board_html(board)


def test_a_filter_leaves_the_asked_tasks_and_their_mean(runs: list[Run]) -> None:
    classified = filtered(runs, 0, formulation="classification")
    assert classified is not None
    assert [task.id for task in classified.tasks] == ["lcc_classification", "form_classification"]
    page = Page(board_html(classified))
    assert page.rows[0] == ["Model", "Mean", "Tasks", "Classification"]
    assert page.row_of("good")[1:3] == ["0.710", "2 of 2"]
    by_both = filtered(runs, 0, facet="form", formulation="classification")
    assert by_both is not None
    assert [task.id for task in by_both.tasks] == ["form_classification"]


def test_a_filter_keeps_to_its_board(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    write_run(tmp_path, "a", {"lcc_retrieval": (0.5, 0.4, 0.6)}, config="a")
    write_run(tmp_path, "b", {"lcc_classification": (0.6, 0.5, 0.7)}, config="b")
    write_run(tmp_path, "c", {"lcc_classification": (0.7, 0.6, 0.8)}, config="c")
    runs = load_runs(tmp_path)
    found = [filtered(runs, position, formulation="classification") for position in range(3)]
    assert [board and board.config for board in found] == [None, "b", "c"]


def test_a_filter_shows_optional_tasks_on_the_board_that_has_them(
    tmp_path: Path, write_run: Callable[..., Path]
) -> None:
    score = (0.5, 0.4, 0.6)
    write_run(tmp_path, "a", {"form_retrieval": score, "lcc_clustering_hdbscan": score}, config="a")
    write_run(tmp_path, "b", {"form_retrieval": score, "lcc_clustering": score}, config="b")
    found = [filtered(load_runs(tmp_path), n, formulation="clustering") for n in range(2)]
    shown = [(board.config, board.tasks[0].id) for board in found if board]
    assert shown == [("a", "lcc_clustering_hdbscan"), ("b", "lcc_clustering")]


def test_a_filter_that_leaves_nothing_says_so(runs: list[Run]) -> None:
    assert filtered(runs, 0, facet="form", formulation="retrieval") is None
    assert "no task of the formulation pair classification." in nothing_html(
        "", "pair_classification"
    )


def test_only_what_occurs_can_be_chosen(board: Board) -> None:
    assert occurring([board], "formulation") == ["retrieval", "classification", "clustering"]
    assert occurring([board], "facet") == ["subject", "form", "register"]


def test_the_csv_has_the_scores_of_the_table(board: Board) -> None:
    lines = list(csv.DictReader(io.StringIO(as_csv([board]))))
    page = Page(board_html(board))
    values = {each["data-value"] for each in page.attributes("td") if "data-value" in each}
    assert {line["value"] for line in lines if line["value"]} <= values
    assert len(lines) == len(board.rows) * len(board.tasks)
