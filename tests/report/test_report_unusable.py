"""Inputs that are damaged or missing, and Ctrl-C: said on standard error and in the report."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from finished_runs import finished_runs
from shelf_process import Shelf

pytest.importorskip("matplotlib")
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.report.document import Heading, Paragraph, Report, Section
from evaluate_shelf.report.markdown import markdown
from evaluate_shelf.report.page import page


def test_what_is_unusable_is_named_once_with_its_section() -> None:
    blocks = (
        Heading("h"),
        Paragraph("a.parquet: damaged", "unusable"),
        Paragraph("a.parquet: damaged", "unusable"),
        Paragraph("nothing was given", "absent"),
    )
    report = Report("T", (), (Section("s", "First", blocks), Section("t", "Second", blocks[:2])))
    assert report.unusable() == ["First: a.parquet: damaged", "Second: a.parquet: damaged"]
    assert '<p class="unusable">a.parquet: damaged</p>' in page(report)
    assert "**a.parquet: damaged**" in markdown(report)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unusable")
    finished_runs(folder, ["tfidf", "wordllama"], "lcc_retrieval")
    return folder / "runs"


def first(folder: Path, pattern: str) -> Path:
    return sorted(folder.glob(pattern))[0]


def shortened(file: Path) -> Path:
    file.write_bytes(file.read_bytes()[:-7])
    return file


def removed(file: Path) -> Path:
    file.unlink()
    return file


ITEMS, RETRIEVAL = "runs/*/*/items/*.parquet", "release/data/all/test-*.parquet"
CASES = {
    "items missing": (removed, ITEMS, {"Which models", "Scores in parts"}),
    "items damaged": (shortened, ITEMS, {"Which models", "Scores in parts"}),
    "scores damaged": (shortened, "runs/*/*/scores.parquet", {"Leaderboards"}),
    "release's file missing": (
        removed,
        RETRIEVAL,
        {"Which models", "Scores in parts", "Label terms", "Generator"},
    ),
    "release's file damaged": (
        shortened,
        RETRIEVAL,
        {"Which models", "Scores in parts", "Label terms", "Generator"},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_damaged_input_is_named_in_its_sections_and_at_the_end_with_status_two(
    runs: Path, shelf: Shelf, tmp_path: Path, case: str
) -> None:
    harm, pattern, sections = CASES[case]
    shutil.copytree(runs, tmp_path / "runs")
    shutil.copytree(shipped_release(), tmp_path / "release")
    file = harm(first(tmp_path, pattern)).relative_to(tmp_path)
    result = shelf("report", "runs", "--out", "out", "--data", "release", "--no-reported")
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    _, _, end = result.stderr.partition("shelf: out is written, but lacks:\n")
    lacking = end.splitlines()
    for section in sections:
        [line] = [line for line in lacking if line.startswith(section)]
        assert str(file) in line
        # What to do about it comes last.
        assert ";" in line
    assert {line.partition(":")[0] for line in lacking} == {
        title for title in TITLES if title.startswith(tuple(sections))
    }
    html = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert html.count('<p class="unusable">') == len(lacking)
    assert str(file) in html


TITLES = (
    "Leaderboards",
    "Which models can be told apart",
    "Scores in parts",
    "Label terms in documents",
    "Generator attribution",
)


@pytest.mark.slow
def test_an_optional_input_that_is_absent_is_no_error(
    runs: Path, shelf: Shelf, tmp_path: Path
) -> None:
    shutil.copytree(runs, tmp_path / "runs")
    result = shelf("report", "runs", "--out", "out", "--no-reported")
    assert (result.returncode, result.stderr) == (0, "")
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    for absent in ("was not given with `--data`", "No release was given", "No transfer matrix"):
        assert absent in text


@pytest.mark.slow
def test_a_release_that_no_run_was_scored_on_is_said(
    runs: Path, shelf: Shelf, tmp_path: Path
) -> None:
    shutil.copytree(runs, tmp_path / "runs")
    built = shelf("build", "v0_4_core", "--documents", "300", "--out", "other")
    assert built.returncode == 0, built.stderr
    result = shelf("report", "runs", "--out", "out", "--no-reported", "--data", "other")
    assert result.returncode == 0
    assert "`--data other`: no run was scored on this release" in result.stderr
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "`--data other`: no run was scored on this release" in text


# Ctrl-C, at the first moment of the work and in the middle of it.
INTERRUPTED: dict[str, tuple[list[str], str]] = {
    "report, at first": (["report", "--out", "out"], "evaluate_shelf.reported.runs.reported_runs"),
    "report, while it is made": (
        ["report", "--out", "out"],
        "evaluate_shelf.report.building.report_of",
    ),
    "report, while it is written": (
        ["report", "--out", "out", "--no-reported", "--data", str(shipped_release()), "runs"],
        "evaluate_shelf.report.writing.page",
    ),
    "label-terms": (
        ["label-terms", str(shipped_release())],
        "evaluate_shelf.diagnostics.masking.counts.removed",
    ),
}


@pytest.fixture
def interrupted(tmp_path: Path) -> Callable[[list[str], str], subprocess.CompletedProcess[str]]:
    """Run `shelf` until it comes to a function, and send it SIGINT there."""

    def run(arguments: list[str], place: str) -> subprocess.CompletedProcess[str]:
        code = (
            "import os, signal, sys\n"
            "from unittest.mock import patch\n"
            "from evaluate_shelf.cli import main\n"
            f"sys.argv = ['shelf', *{arguments!r}]\n"
            f"with patch({place!r}, lambda *_, **__: os.kill(os.getpid(), signal.SIGINT)):\n"
            "    main()\n"
        )
        return subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "SHELF_CACHE": str(tmp_path / "cache")},
        )

    return run


@pytest.mark.slow
@pytest.mark.parametrize("case", INTERRUPTED)
def test_an_interruption_says_in_one_line_what_remains(
    interrupted: Callable[[list[str], str], subprocess.CompletedProcess[str]],
    runs: Path,
    tmp_path: Path,
    case: str,
) -> None:
    shutil.copytree(runs, tmp_path / "runs")
    result = interrupted(*INTERRUPTED[case])
    assert (result.returncode, result.stdout) == (130, "")
    [line] = result.stderr.splitlines()
    assert line.startswith("shelf: stopped; ")
    assert line.endswith("the same command begins anew")
    assert {path.name for path in tmp_path.iterdir()} <= {"runs", "cache"}
