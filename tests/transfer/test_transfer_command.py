"""`shelf transfer`: what it gives, fits a terminal of 80 columns, and refuses in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from finished_runs import finished_runs
from shelf_process import Shelf, shelf_in

from evaluate_shelf.quickstart import shipped_release


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    return shelf_in(tmp_path_factory.mktemp("transfer"))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("computed")
    finished_runs(
        folder,
        ("wordllama", "wordllama,dim=64", "wordllama,dim=32", "wordllama,dim=16"),
        "lcc_clustering",
    )
    return folder / "runs"


def values(shelf: Shelf, *arguments: str | Path) -> dict[str, Any]:
    result = shelf("transfer", *arguments, "--json")
    assert (result.returncode, result.stderr) == (0, "")
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_the_published_panel_is_what_it_reads_without_runs(shelf: Shelf) -> None:
    found = values(shelf)
    assert found["verdict"] == "supported"
    assert "2609.03047" in found["reported"]
    assert [(cell["formulation"], cell["n"]) for cell in found["cells"][::2]] == [
        ("classification", 24),
        ("retrieval", 24),
        ("clustering", 24),
        ("pairs", 25),
    ]
    assert all(len(cell["models"]) == cell["n"] for cell in found["cells"])
    assert len(found["left_out"]) == 3


def test_any_two_measures(shelf: Shelf) -> None:
    x, y = "all/lcc_classification", "all/form_classification"
    found = values(shelf, "--x", x, "--y", y)
    assert (found["x"], found["y"]) == (f"{x}/macro_f1", f"{y}/macro_f1")
    assert round(found["spearman"], 3) == 0.815
    assert values(shelf, "--x", x, "--y", y, "--panel", "all")["n"] == 27


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--panel", "restricted"),
        ("--panel", "all"),
        ("--x", "all/lcc_retrieval", "--y", "transfer_lcshbench_masked/lcc_retrieval"),
    ],
)
def test_no_line_is_wider_than_80_columns(shelf: Shelf, arguments: tuple[str, ...]) -> None:
    result = shelf("transfer", *arguments, COLUMNS="80")
    assert result.returncode == 0
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_two_calls_give_the_same_bytes(shelf: Shelf) -> None:
    first, second = (shelf("transfer", "--json", PYTHONHASHSEED=seed).stdout for seed in "12")
    assert first == second


def test_runs_on_one_corpus_decide_nothing(shelf: Shelf, runs: Path) -> None:
    found = values(shelf, runs, "--panel", "all")
    assert (found["verdict"], found["reported"]) == ("not decidable", None)
    assert found["stability"]["corpora"] == []
    for cell in found["cells"]:
        assert (cell["spearman"], cell["low"], cell["passes"]) == (None, None, None)
        assert cell["reason"]


def test_with_their_release_runs_have_a_stability(shelf: Shelf, runs: Path) -> None:
    found = values(shelf, runs, "--panel", "all", "--data", shipped_release())
    (own,) = found["stability"]["corpora"]
    assert (own["corpus"], own["n_models"], own["origin"]) == ("all", 4, "computed")
    assert len(own["pairs"]) == 10


def test_runs_are_compared_under_two_metrics(shelf: Shelf, runs: Path) -> None:
    x, y = "all/lcc_clustering/ari", "all/lcc_clustering/v_measure"
    found = values(shelf, runs, "--panel", "all", "--x", x, "--y", y)
    assert found["n"] == 4
    assert values(shelf, runs, "--x", x, "--y", y)["left_out"][0]["reason"].startswith("the same")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--x", "all/lcc_retrieval"), "--y"),
        (("--x", "all/lc_retrieval", "--y", "all/lcc_retrieval"), "lcc_retrieval"),
        (("--x", "all/lcc_retrieval", "--y", "al/lcc_retrieval"), "al/lcc_retrieval"),
        (("--x", "all/lcc_retrieval/f2", "--y", "all/lcc_retrieval"), "f2"),
        (("--panel", "restrict"), "restricted"),
        (("--protocol", "shelf-2"), "shelf-2"),
        (("--data", "release"), "--data"),
        (("no-such-folder",), "no-such-folder"),
    ],
)
def test_what_it_cannot_do_it_refuses_by_name(
    shelf: Shelf, arguments: tuple[str, ...], named: str
) -> None:
    result = shelf("transfer", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert named in result.stderr
    assert "Traceback" not in result.stderr
