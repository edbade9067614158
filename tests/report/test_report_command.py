"""`shelf report`: the folder that it writes, from real runs and from reported scores."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from finished_runs import finished_runs
from shelf_process import Shelf

pytest.importorskip("matplotlib")
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.release.documents import Release
from evaluate_shelf.report.building import report_of
from evaluate_shelf.report.document import Paragraph, Report, Table
from evaluate_shelf.report.evidence import Evidence
from evaluate_shelf.report.figures.figure import Figure
from evaluate_shelf.reported.runs import reported_runs
from evaluate_shelf.runs.reading import load_runs

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    finished_runs(folder, ["tfidf", "wordllama", "bm25"], "lcc_retrieval")
    return folder / "runs"


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_same_inputs_give_the_same_bytes(runs: Path, shelf: Shelf, tmp_path: Path) -> None:
    shutil.copytree(runs, tmp_path / "runs")
    data = ("--data", str(shipped_release()), "--no-reported")
    first = shelf("report", "runs", "--out", "a", *data, PYTHONHASHSEED="1", TZ="Asia/Tokyo")
    assert first.returncode == 0, first.stderr
    assert [Path(line).name for line in first.stdout.splitlines()] == ["report.html", "report.md"]
    second = shelf("report", "runs", "--out", "b", *data, PYTHONHASHSEED="2", SOURCE_DATE_EPOCH="9")
    assert second.returncode == 0, second.stderr
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")


def test_what_is_wrong_is_said_before_anything_is_drawn(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("", encoding="utf-8")
    cases = (
        (("report", "none", "--out", "out"), "no such folder of runs"),
        (("report", "--no-reported", "--out", "out"), "nothing to report on"),
        (("report", "--out", "mine"), "holds 'thesis.tex'"),
        (("report", "--out", "out", "--matrix", "m.json"), "m.json"),
    )
    for arguments, said in cases:
        result = shelf(*arguments)
        assert (result.returncode, said in result.stderr) == (2, True), result.stderr
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "cache") == ["mine"]


def section(report: Report, key: str) -> tuple[list[Figure], list[Table], str]:
    blocks = next(own.blocks for own in report.sections if own.key == key)
    return (
        [block for block in blocks if isinstance(block, Figure)],
        [block for block in blocks if isinstance(block, Table)],
        " ".join(block.text for block in blocks if isinstance(block, Paragraph)),
    )


def test_runs_with_their_release_fill_the_sections(runs: Path) -> None:
    release = Release.open(shipped_release())
    found = report_of(
        Evidence(
            computed=tuple(load_runs(runs)),
            folders=(str(runs),),
            releases=(("release", release),),
        )
    )
    figures, tables, _ = section(found, "leaderboards")
    assert [figure.source.name for figure in figures] == ["board-1-subject"]
    assert len(figures[0].source.data.splitlines()) == 4
    assert tables[-1].rows[-1][0] == "chance, measured"
    _, apart, _ = section(found, "told-apart")
    assert {row[0] for row in apart[0].rows} >= {"tfidf", "wordllama", "bm25"}
    strata, _, _ = section(found, "strata")
    assert {figure.source.name for figure in strata} >= {"strata-1-length", "strata-1-relation"}
    for figure in strata:
        assert figure.source.command.count("--data release") == 3
    for line in b"".join(figure.source.data for figure in strata).decode().splitlines():
        cells = line.split(",")
        # Under 30 items a part is counted and has no value.
        if cells[4].isdigit() and int(cells[4]) < 30:
            assert "fewer than 30 items" in line
    cards, _, _ = section(found, "cards")
    assert [figure.source.name for figure in cards] == ["cards-1"]


def test_runs_without_their_release_say_what_is_missing(runs: Path) -> None:
    found = report_of(Evidence(computed=tuple(load_runs(runs)), folders=(str(runs),)))
    assert "was not given with `--data`" in section(found, "told-apart")[2]
    assert "was not given with `--data`" in section(found, "strata")[2]


def test_reported_scores_have_no_interval_no_rank_and_no_tie() -> None:
    found = report_of(
        Evidence(
            reported=tuple(reported_runs()),
            treated=(*reported_runs(arm="masked"), *reported_runs(arm="sham")),
        )
    )
    figures, tables, _ = section(found, "reported")
    assert len(figures) == 9
    for figure in figures:
        header, *lines = figure.source.data.decode().splitlines()
        assert header.split(",")[4:] == ["low", "high", "rank", "tied", "chance_level"]
        assert {line.split(",", 4)[4] for line in lines} == {",,,,"}
    assert not [cell for table in tables for row in table.rows for cell in row if "[" in cell]
    assert "Verdict: supported. 4 of 4 formulations pass." in section(found, "rank-agreement")[2]
    masked = section(found, "masking")[1][0]
    shown = {(row[0], row[1].split()[0]): row[2:7:2] for row in masked.rows}
    assert shown["all", "lcc_classification"] == ("21", "0.7641", "0.7974")
