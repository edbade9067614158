"""`shelf apply` as a user runs it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from marc_samples import book, utf8
from shelf_process import Shelf

from evaluate_shelf.quickstart import shipped_release


def books(folder: Path, number: int) -> Path:
    path = folder / "books.mrc"
    titles = (f"The history of the lighthouse, part {part}" for part in range(number))
    path.write_bytes(b"".join(utf8(book(str(n), title)) for n, title in enumerate(titles)))
    return path


def test_the_csv_goes_to_standard_output_and_the_report_beside_it(
    shelf: Shelf, scored: Any, tmp_path: Path
) -> None:
    source = books(tmp_path, 5)
    result = shelf("apply", scored.folders["tfidf"], source, "--data", shipped_release())
    assert result.returncode == 0, result.stderr
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [row["id"] for row in rows] == ["0", "1", "2", "3", "4"]
    assert all(row["own_class"] == "Q" for row in rows)
    assert "5 records read" in result.stderr
    # Five records are no ground for an estimate.
    assert "accuracy" not in result.stderr


def test_the_report_as_json(shelf: Shelf, scored: Any, documents: Any, tmp_path: Path) -> None:
    table = documents.table(tmp_path / "books.parquet")
    columns = [part for role in ("id", "text", "lcc") for part in ("--column", f"{role}={role}")]
    out = tmp_path / "out.csv"
    run = scored.folders["tfidf"]
    result = shelf(
        "apply", run, table, "--data", shipped_release(), "--out", out, *columns, "--json"
    )
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["read"] == report["classed"] == len(documents.ids)
    assert report["run_id"] == run.name
    assert report["estimate"]["records"] == len(documents.ids)
    assert len(out.read_text(encoding="utf-8").splitlines()) == 1 + len(documents.ids)


def test_bad_input_is_one_message(shelf: Shelf, scored: Any, tmp_path: Path) -> None:
    source = books(tmp_path, 2)
    before = {path.name for path in tmp_path.iterdir()}
    for arguments, name in [
        ([scored.folders["bm25"], source, "--data", shipped_release()], "vectors"),
        ([tmp_path, source, "--data", shipped_release()], "run.json"),
        ([scored.folders["tfidf"], "none.mrc", "--data", shipped_release()], "none.mrc"),
    ]:
        result = shelf("apply", *arguments, "--out", "out.csv")
        assert result.returncode == 2
        assert "Traceback" not in result.stderr
        assert result.stdout == ""
        assert name in result.stderr
    assert {path.name for path in tmp_path.iterdir()} - {"cache"} == before


def test_help_has_an_example(shelf: Shelf) -> None:
    result = shelf("apply", "--help")
    assert result.returncode == 0
    assert "Example: shelf apply " in result.stdout
