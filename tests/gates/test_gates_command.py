"""`reports/gates.*` of a release, and `shelf gates`, which gives them again."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made_gate_tables import gate_table_of
from scipy.stats import binomtest
from shelf_process import Shelf, shelf_in

from builders.build import build
from builders.commands.gates import gates_from_command_line
from builders.corpora.synthetic.rows import LexicalWriter
from builders.gates import reading
from builders.gates.rates import DIMENSIONS
from builders.gates.reading import read_gate_table
from builders.gates.report import DOCUMENTS, JSON, MARKDOWN, gate_reports
from builders.gates.table import VERDICTS
from builders.request import BuildRequest
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.release.manifest import MANIFEST, manifest_json, read_manifest

SLICE = "v0_4_core"
POOR = "lexical-writer/maple"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four lexical generators; many documents of one of them end with a model's token."""
    write = LexicalWriter.write

    def spoiling(self: LexicalWriter, *arguments: Any) -> Any:
        document = write(self, *arguments)
        if document.provenance.model != POOR or len(document.body) % 3:
            return document
        return dataclasses.replace(document, body=f"{document.body} <|im_end|>")

    out = tmp_path_factory.mktemp("release") / "own"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LexicalWriter, "write", spoiling)
        build(BuildRequest((SLICE,), out, "own", load_plan("standard").sized(480, [SLICE])))
    return out


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return shelf_in(tmp_path)


@pytest.fixture
def with_table(release: Path, tmp_path: Path) -> Callable[[pa.Table], Path]:
    """A copy of the release with another table of verdicts, and a manifest that says so."""

    def made(table: pa.Table) -> Path:
        own = tmp_path / "other"
        shutil.copytree(release, own)
        pq.write_table(table, own / DOCUMENTS)
        data = (own / DOCUMENTS).read_bytes()
        manifest = read_manifest(own)
        entry = manifest.other_files[DOCUMENTS].model_copy(
            update={"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        )
        files = {**manifest.other_files, DOCUMENTS: entry}
        other = manifest.model_copy(update={"other_files": files})
        (own / MANIFEST).write_text(json.dumps(manifest_json(other)))
        return own

    return made


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """What the command prints, without a process of its own: text, or the value of its JSON."""

    def run(release: Path, by: str | None = None, *, json_too: bool = False) -> Any:
        gates_from_command_line(str(release), by=by, json=json_too)
        said = capsys.readouterr().out
        return json.loads(said) if json_too else said

    return run


def rows_of(release: Path) -> list[dict[str, Any]]:
    return pq.read_table(release / DOCUMENTS).to_pylist()


def check_rates(rates: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """Every count is that of the rows; of a generator every interval is by Wilson."""
    assert rates["in_all"]["documents"] == len(rows)
    for name, values in rates["by"].items():
        column = DIMENSIONS[name]
        assert {own["value"] for own in values} == {row[column] for row in rows}
        for own in values:
            mine = [row for row in rows if row[column] == own["value"]]
            assert own["documents"] == len(mine)
            assert own["passed"]["count"] == sum(row["passed"] for row in mine)
            for verdict, gate in VERDICTS.items():
                assert own["refused"][gate]["count"] == sum(not row[verdict] for row in mine)
            if name == "generator":
                count = own["passed"]["count"]
                expected = binomtest(count, len(mine)).proportion_ci(method="wilson")
                found = (own["passed"]["low"], own["passed"]["high"])
                assert found == pytest.approx((expected.low, expected.high), abs=1e-5)


def test_the_report_of_a_release_has_rates_of_every_row_and_names_who_stands_out(release):
    report, rows = json.loads((release / JSON).read_text()), rows_of(release)
    assert set(report) == {"counts", "outliers", "quality", "rates"}
    assert set(report["rates"]["by"]) == set(DIMENSIONS)
    check_rates(report["rates"], rows)
    assert report["counts"]["in_all"]["written"] == len(rows)
    [own] = [own for own in report["outliers"]["found"] if own["gate"] == "G7"]
    assert own["generator"] == POOR
    assert own["others"] == 0
    assert "about the gate first" in report["outliers"]["meaning"]
    text = (release / MARKDOWN).read_text()
    assert "about the gate first" in text
    assert POOR in text.partition("## Generators that stand out")[2].partition("## Rates")[0]


def test_the_report_has_the_same_bytes_again(release):
    again = gate_reports([release / DOCUMENTS])
    for name in (JSON, MARKDOWN):
        assert again[name] == (release / name).read_bytes()


def test_forms_of_which_little_is_kept_are_named_and_all_are_in_the_json(tmp_path):
    forms = [f"form {number:03}" for number in range(130) for _ in range(30)]
    flags = [own <= "form 002" for own in forms]
    specs = [f"s{number}" for number in range(len(forms))]
    table = gate_table_of(["a"] * len(forms), specs, {"G1": flags}, lcgft_form=forms)
    pq.write_table(table, tmp_path / "t.parquet")
    found = gate_reports([tmp_path / "t.parquet"])
    assert len(json.loads(found[JSON])["rates"]["by"]["form"]) == 130
    part = found[MARKDOWN].decode().partition("### Forms of which")[2].partition("\n## ")[0]
    assert [own for own in sorted(set(forms)) if own in part] == [f"form 00{n}" for n in range(3)]
    assert "Of 130 forms, 3 have" in part


# The command


def test_the_command_gives_the_numbers_of_the_report(release, shelf):
    report = json.loads((release / JSON).read_text())
    done = shelf("gates", release, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["rates"] == report["rates"]
    assert found["outliers"] == report["outliers"]
    assert found["release"] == read_manifest(release).release_id


@pytest.mark.parametrize("by", ["form", "category", "length", "generator", "class", "variant"])
def test_the_command_gives_one_dimension(release, printed, by):
    report = json.loads((release / JSON).read_text())["rates"]["by"][by]
    found = printed(release, by, json_too=True)
    assert found["rates"]["by"] == {by: report}
    assert ("outliers" in found) == (by == "generator")
    lines = printed(release, by).splitlines()
    for own in report:
        begin = f"{own['value'] or 'none'}  "
        # Who stands out has another line below.
        line = next(line for line in lines if line.startswith(begin))
        assert f"{own['documents']:,}" in line.split()
        assert f"{100 * own['passed']['share']:.1f}" in line


def test_the_command_shows_lengths_in_their_order_and_who_stands_out(release, printed):
    text = printed(release)
    lengths = [line.split()[0] for line in text.splitlines() if line.startswith(("micro", "ext"))]
    assert lengths == ["micro", "extended"]
    [row] = [line for line in text.splitlines() if line.startswith(POOR) and "G7" in line]
    assert "0.0 %" in row
    assert "about the gate first" in " ".join(text.split())


def test_the_command_takes_a_dimension_and_refuses_another(release, shelf):
    done = shelf("gates", release, "--by", "class")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\nZ  ") == 1
    assert shelf("gates", release, "--by", "colour").returncode == 2


def test_one_generator_is_compared_with_nothing(with_table, printed):
    table = gate_table_of(["only"] * 4, ["a", "b", "c", "d"], {"G1": [True, False, False, False]})
    own = with_table(table)
    assert "nothing to compare" in printed(own)
    assert printed(own, json_too=True)["outliers"]["found"] == []


def test_a_release_for_which_nothing_was_written_says_so(with_table, printed):
    own = with_table(gate_table_of([], []))
    assert "nothing was written" in printed(own)
    assert printed(own, json_too=True)["rates"]["in_all"] is None


@pytest.mark.parametrize("json_too", [False, True])
def test_names_of_strangers_do_not_reach_the_terminal_as_they_are(with_table, printed, json_too):
    names = ["\x1b[31mred", "b\nc", "x" * 500]
    own = with_table(gate_table_of(names, ["s"] * 3, {"G1": [True, False, False]}))
    said = printed(own, "generator", json_too=json_too)
    if json_too:
        assert sorted(row["value"] for row in said["rates"]["by"]["generator"]) == sorted(names)
    else:
        assert "\x1b" not in said
        assert "x" * 100 not in said
        assert "b\nc" not in said


# What is refused


def refused(shelf: Shelf, release: Path, *said: str) -> None:
    done = shelf("gates", release)
    assert done.returncode != 0
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    for own in said:
        assert own in done.stderr


def test_a_release_without_a_table_says_how_to_get_one(release, shelf, tmp_path):
    own = tmp_path / "without"
    shutil.copytree(release, own)
    (own / DOCUMENTS).unlink()
    refused(shelf, own, DOCUMENTS, "build")
    manifest = read_manifest(own)
    files = {name: file for name, file in manifest.other_files.items() if name != DOCUMENTS}
    other = manifest.model_copy(update={"other_files": files})
    (own / MANIFEST).write_text(json.dumps(manifest_json(other)))
    refused(shelf, own, DOCUMENTS, "shelf build")


def test_a_corpus_that_no_gate_has_judged_says_what_does(shelf, tmp_path):
    own = tmp_path / "corpus"
    own.mkdir()
    (own / "ledger.sqlite").write_bytes(b"")
    refused(shelf, own, "--written")


def test_what_is_no_release_is_refused(shelf, tmp_path):
    refused(shelf, tmp_path, "not a release folder")
    refused(shelf, tmp_path / "nothing")


def test_an_edited_table_is_refused(release, shelf, tmp_path):
    own = tmp_path / "edited"
    shutil.copytree(release, own)
    with (own / DOCUMENTS).open("ab") as file:
        file.write(b"x")
    refused(shelf, own, "manifest")


def test_a_table_of_other_columns_or_with_what_cannot_be_is_refused(with_table, release):
    good = pq.read_table(release / DOCUMENTS)

    def with_column(name: str, values: list[Any]) -> pa.Table:
        place = good.column_names.index(name)
        field = good.schema.field(name)
        return good.set_column(place, field, pa.array(values, field.type))

    rows = good.num_rows
    for table, said in (
        (good.drop_columns(["qc_found"]), "columns"),
        (good.rename_columns(["Id", *good.column_names[1:]]), "columns"),
        (with_column("model", [None] * rows), "row 0, field 'model'"),
        (with_column("passes_parse", [True, None] * (rows // 2)), "row 1, field 'passes_parse'"),
        (with_column("passes_parse", [False] * rows), "field 'passed'"),
        (with_column("passed", [False] * rows), "field 'passed'"),
        (with_column("qc_topic_coverage", [float("nan")] * rows), "row 0, field 'qc_topic_cov"),
        (with_column("qc_topic_coverage", [0.5, 1.5] * (rows // 2)), "row 1, field 'qc_topic_cov"),
    ):
        own = with_table(table)
        with pytest.raises(ShelfError, match=said):
            read_gate_table(own, read_manifest(own))
        shutil.rmtree(own)


@pytest.mark.parametrize("bound", ["MOST_ROWS", "MOST_BYTES", "MOST_GENERATORS"])
def test_a_table_that_is_too_large_is_refused(release, monkeypatch, bound):
    monkeypatch.setattr(reading, bound, 3)
    with pytest.raises(ShelfError):
        read_gate_table(release, read_manifest(release))


def test_what_is_no_parquet_is_refused(with_table, release, monkeypatch):
    own = with_table(pq.read_table(release / DOCUMENTS))
    (own / DOCUMENTS).write_bytes(b"PAR1 and nothing else PAR1")
    monkeypatch.setattr(
        reading, "sha256_of_file", lambda file: read_manifest(own).other_files[DOCUMENTS].sha256
    )
    with pytest.raises(ShelfError, match="not a Parquet file"):
        read_gate_table(own, read_manifest(own))
