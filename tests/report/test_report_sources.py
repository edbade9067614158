"""Every table and figure names its numbers: the file, its hash, and a command that gives them."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import shlex
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from finished_runs import finished_runs
from shelf_process import Shelf
from transfer_runs import ranked

pytest.importorskip("matplotlib")
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file, write_json
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.release.documents import Release
from evaluate_shelf.report.building import report_of
from evaluate_shelf.report.document import Report, Section, Table
from evaluate_shelf.report.evidence import Evidence
from evaluate_shelf.report.figures.figure import Figure
from evaluate_shelf.report.markdown import code, markdown
from evaluate_shelf.report.page import page
from evaluate_shelf.report.source import Source
from evaluate_shelf.report.writing import write_report
from evaluate_shelf.reported.runs import reported_runs
from evaluate_shelf.runs.folder import RUN, SCORES, write_parquet
from evaluate_shelf.runs.reading import Run, load_runs
from evaluate_shelf.runs.schema import SCORES_SCHEMA
from evaluate_shelf.transfer.settings import load_transfer
from evaluate_shelf.transfer_matrix import read_matrix

DATA = shipped_release()


class Sourced(HTMLParser):
    """What stands in the source lines of a page, and how many tables and figures there are."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.shown = 0
        self.lines: list[str] = []
        self._inside = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.shown += tag in ("table", "figure")
        if tag == "p":
            self._inside = ("class", "source") in attrs
            self.lines += [""] if self._inside else []

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "p"

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.lines[-1] += data


def shown_in(report: Report) -> list[Table | Figure]:
    return [block for block in report.blocks() if isinstance(block, Table | Figure)]


def check_all_named(report: Report, folder: Path) -> None:
    write_report(report, folder)
    blocks = shown_in(report)
    found = Sourced(page(report))
    assert found.shown == len(found.lines) == len(blocks) > 0
    text = markdown(report)
    for block, line in zip(blocks, found.lines, strict=True):
        source = block.source
        assert f"data/{source.name}.csv" in line
        assert source.sha256 in line
        assert source.command in line
        assert f"`{source.sha256}`. Numbers as from {code(source.command)}" in text
        assert sha256_of_file(folder / "data" / f"{source.name}.csv") == source.sha256
    files = {path.stem for path in (folder / "data").iterdir()}
    assert files == {block.source.name for block in blocks}


@pytest.mark.slow
def test_every_table_and_figure_names_file_hash_and_command(
    evidence: Evidence, tmp_path: Path
) -> None:
    everything = dataclasses.replace(
        evidence,
        reported=tuple(reported_runs()),
        treated=(*reported_runs(arm="masked"), *reported_runs(arm="sham")),
        releases=(("a release", Release.open(DATA)),),
    )
    check_all_named(report_of(everything), tmp_path / "out")


def test_other_data_of_one_name_are_refused(tmp_path: Path) -> None:
    tables = tuple(
        Table("t", ("a",), (), Source("one", data, "shelf x")) for data in (b"a\n", b"b\n")
    )
    with pytest.raises(ShelfError, match=r"'one\.csv'"):
        write_report(Report("T", (), (Section("s", "S", tables),)), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


# Commands


def written_runs(folder: Path) -> None:
    """Runs of six models on the three corpora of the rule, with scores that are made up."""
    settings = load_transfer()
    orders = {
        corpus: {
            name: [0.1 + 0.1 * ((number * (place + 1)) % 6) for number in range(6)]
            for name in settings.formulations
        }
        for place, corpus in enumerate(settings.corpora)
    }
    primary = {task.id: task.primary_metric for task in load_tasks().values()}
    counts = {"level": 0.95, "unit": "document", "n_units": 10, "n": 10}
    for run in ranked(orders):
        rows = [
            {**row, **counts, "primary": row["metric"] == primary[row["task"]]}
            for row in run.scores.to_pylist()
        ]
        _write(run, rows, folder)


def _write(run: Run, rows: list[dict[str, Any]], folder: Path) -> None:
    own = folder / run.file.model.name / run.file.data.config
    write_parquet(own / SCORES, pa.Table.from_pylist(rows, schema=SCORES_SCHEMA))
    done = {row["task"]: {"status": "done", "seconds": 1.0} for row in rows}
    values = run.file.model_dump(mode="json")
    files = {SCORES: sha256_of_file(own / SCORES)}
    named = {**values, "run_id": f"{run.file.model.name}-{run.file.data.config}"}
    write_json(own / RUN, {**named, "tasks": done, "files": files})


def numbers(text: str) -> Iterator[float]:
    """The numbers of a command's output, be it JSON, several of it, or CSV."""
    try:
        yield from _in_json(json.loads(text))
    except ValueError:
        for row in csv.reader(io.StringIO(text)):
            yield from filter(None, map(_number, row))


def _in_json(value: Any) -> Iterator[float]:
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _in_json(one)
    elif isinstance(value, int | float):
        yield float(value)


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def check_commands(report: Report, shelf: Shelf, folder: Path) -> set[str]:
    """Run the command of every table and figure; gives the commands' names."""
    sources: dict[str, list[Source]] = {}
    for source in report.sources():
        sources.setdefault(source.command, []).append(source)
    for command, own in sources.items():
        found = {0.0} | {number for one in command.split("; ") for number in given(one, shelf)}
        for source in own:
            if command.startswith("shelf report "):
                made = folder / "report" / "data" / f"{source.name}.csv"
                assert made.read_bytes() == source.data
            else:
                assert set(numbers(source.data.decode("utf-8"))) - found == set(), command
    return {command.split()[1] for command in sources}


def given(command: str, shelf: Shelf) -> Iterator[float]:
    """The numbers that a command gives."""
    first, *words = shlex.split(command)
    assert first == "shelf"
    result = shelf(*words)
    # The cards' status says whether a task is broken.
    assert result.returncode in ((0, 1) if words[0] == "cards" else (0,)), result.stderr
    return numbers(result.stdout)


@pytest.mark.slow
def test_every_command_over_runs_gives_the_numbers_beside_it(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    finished_runs(Path(), ["tfidf", "wordllama", "bm25"], "lcc_retrieval")
    finished_runs(Path(), ["tfidf", "tf"], "lcc_classification")
    for arm in ("masked", "sham"):
        done = shelf(
            *("evaluate", "tfidf", "wordllama", "--data", DATA, "--config", "all", "--no-rates"),
            *("--task", "lcc_retrieval", "--text", arm),
        )
        assert done.returncode == 0, done.stderr
    corpora = (f"all={DATA}:all", f"core={DATA}:v0_4_core")
    assert shelf("transfer-matrix", *corpora, "--out", "m.json").returncode == 0
    report = report_of(
        Evidence(
            computed=tuple(load_runs(Path("runs"))),
            folders=("runs",),
            releases=((str(DATA), Release.open(DATA)),),
            matrices=(("m.json", read_matrix(Path("m.json"))),),
        )
    )
    check_all_named(report, tmp_path / "out")
    assert check_commands(report, shelf, tmp_path) == {
        *("leaderboard", "compare", "transfer-matrix", "masking", "label-terms", "attribution"),
        *("breakdown", "cards"),
    }


@pytest.mark.slow
def test_every_command_gives_the_numbers_of_rank_agreement_and_of_reported_scores(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written_runs(tmp_path / "runs")
    report = report_of(
        Evidence(
            computed=tuple(load_runs(Path("runs"))),
            folders=("runs",),
            reported=tuple(reported_runs()),
            treated=(*reported_runs(arm="masked"), *reported_runs(arm="sham")),
        )
    )
    assert {"ranks-1", "ranks-1-models", "ranks-reported", "cost-reported-all"} <= {
        source.name for source in report.sources()
    }
    commands = check_commands(report, shelf, tmp_path)
    assert commands == {"leaderboard", "transfer", "masking", "cards"}


@pytest.mark.slow
def test_commands_hold_for_runs_of_several_folders_and_a_matrix_of_another_release(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    finished_runs(Path("first"), ["tfidf", "bm25"], "lcc_retrieval")
    finished_runs(Path("second"), ["wordllama"], "lcc_retrieval")
    corpora = (f"all={DATA}:all", f"core={DATA}:v0_4_core")
    assert shelf("transfer-matrix", *corpora, "--out", "m.json").returncode == 0
    folders = (Path("first/runs"), Path("second/runs"))
    report = report_of(
        Evidence(
            computed=tuple(run for folder in folders for run in load_runs(folder)),
            folders=tuple(map(str, folders)),
            matrices=(("m.json", read_matrix(Path("m.json"))),),
        )
    )
    assert check_commands(report, shelf, tmp_path) == {"report", "cards"}
