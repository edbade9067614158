"""Tables of every kind give the same corpus."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from builders.build import build
from builders.corpora.catalogue.recipes import catalogue_recipes
from builders.corpora.catalogue.request import Choice, table_request
from builders.request import BuildRequest
from evaluate_shelf.records.column_mapping import parse_mapping
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.release.verification import verify_release

ROWS = [
    {
        "Signature": f"{code}-{number}",
        "Title": f"Book {number} of {code}",
        "Abstract": f"What {code} says, number {number}.",
        "LCC": f"{code}{number + 1} ; local {number}",
        "Lang": "eng" if number else "ger",
        "By": f"Writer {number % 4}",
        "Year": f"[c19{80 + number}]",
        "Subjects": f"Subject {code} | Subject {number}",
    }
    for code in ("QA", "HB", "PN")
    for number in range(6)
]
COLUMNS = [
    "id=Signature", "title=Title", "text=Abstract", "lcc=LCC", "language=Lang", "author=By",
    "year=Year", "lcsh=Subjects",
]  # fmt: skip


def written(path: Path) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    else:
        with path.open("w", newline="") as stream:
            delimiter = {".csv": ",", ".tsv": "\t"}[path.suffix]
            writer = csv.DictWriter(stream, list(ROWS[0]), delimiter=delimiter)
            writer.writeheader()
            writer.writerows(ROWS)
    return path


def imported(path: Path, out: Path, columns: list[str], **choice: Any) -> list[dict[str, Any]]:
    known = catalogue_recipes(table_request(path, parse_mapping(columns), Choice(**choice)))
    build(BuildRequest(tuple(known), out, "tables", load_plan("standard")), None, known)
    verify_release(out)
    files = sorted((out / "data/catalogue").iterdir())
    return [{"split": f.name, **row} for f in files for row in pq.read_table(f).to_pylist()]


def test_every_kind_of_table_gives_the_same_rows(tmp_path: Path) -> None:
    found = {}
    for suffix in (".csv", ".tsv", ".jsonl", ".parquet"):
        rows = imported(written(tmp_path / f"books{suffix}"), tmp_path / suffix[1:], COLUMNS)
        assert {row.pop("source_file") for row in rows} == {f"books{suffix}"}
        found[suffix] = rows
    assert found[".csv"] == found[".tsv"] == found[".jsonl"] == found[".parquet"]
    by_id = {row["control_number"]: row for row in found[".csv"]}
    assert len(by_id) == len(ROWS)
    row = by_id["QA-3"]
    assert row["text"] == "Book 3 of QA\n\nWhat QA says, number 3."
    assert (row["lcc_code"], row["lcc_subclass"]) == ("Q", "QA")
    assert (row["author"], row["year"], row["language"]) == ("Writer 3", 1983, "eng")
    assert row["lcsh"] == ["Subject QA", "Subject 3"]
    assert row["source_position"] == 4


def test_titles_alone_and_one_language(tmp_path: Path) -> None:
    columns = [own for own in COLUMNS if not own.startswith(("text", "id"))]
    path = written(tmp_path / "books.csv")
    rows = imported(path, tmp_path / "out", columns, language="eng")
    assert len(rows) == 15
    assert all(row["text"] == row["title"] for row in rows)
    assert {row["control_number"].split(":")[0] for row in rows} == {"books.csv"}


@pytest.mark.parametrize("column", ["lcsh=Subjects", "author=By", "year=Year"])
def test_columns_that_are_not_named_are_null_or_empty(tmp_path: Path, column: str) -> None:
    columns = [own for own in COLUMNS if own != column]
    rows = imported(written(tmp_path / "books.csv"), tmp_path / "out", columns)
    field, empty = (column.partition("=")[0], [] if column.startswith("lcsh") else None)
    assert all(row[field] == empty for row in rows)
