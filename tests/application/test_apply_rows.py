"""The CSV: a row for every record, and nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from marc_samples import book, marc, utf8

from evaluate_shelf.application import apply_run
from evaluate_shelf.spreadsheets import guarded

TITLE = "The history of the lighthouse and the harbour"


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@given(st.text(max_size=20))
@example("=1+1")
@example(" =1+1")
@example("\t@SUM(A1)")
@example("-")
def test_no_cell_begins_like_a_formula(cell: str) -> None:
    result = guarded(cell)
    assert not result.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r"))
    assert result in (cell, f"'{cell}")


def test_formulas_in_a_catalogue_do_not_reach_the_spreadsheet(scored: Any, tmp_path: Path) -> None:
    table = tmp_path / "books.csv"
    with table.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["Id", "Title"])
        writer.writerow(["=cmd|' /C calc'!A0", '@HYPERLINK("http://e.example", "the history")'])
        writer.writerow(["+1", '-the, "harbour";=1+1'])
    out = tmp_path / "out.csv"
    apply_run(scored.request("tfidf", table, columns=["id=Id", "title=Title"], out=out))
    with out.open(encoding="utf-8", newline="") as stream:
        cells = [cell for row in csv.reader(stream) for cell in row]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
    assert "'=cmd|' /C calc'!A0" in cells
    assert '\'-the, "harbour";=1+1' in cells


def test_every_place_of_the_files_has_its_row(scored: Any, tmp_path: Path) -> None:
    first, second = tmp_path / "a.mrc", tmp_path / "b.mrc"
    damaged = bytearray(utf8(book("3", TITLE)))
    damaged[12:17] = b"99999"
    first.write_bytes(utf8(book("1", TITLE)) + utf8(marc("2")) + bytes(damaged))
    second.write_bytes(utf8(book("4", "Xyzzy qwrtz plugh", lcc="LAW")))
    out, copies = tmp_path / "out.csv", tmp_path / "copies"
    outcome = apply_run(scored.request("tfidf", [first, second], out=out, marc=copies))
    rows = rows_of(out)
    assert [(row["file"], row["position"]) for row in rows] == [
        ("a.mrc", "1"),
        ("a.mrc", "2"),
        ("a.mrc", "3"),
        ("b.mrc", "1"),
    ]
    assert [bool(row["predicted_class"]) for row in rows] == [True, False, False, False]
    assert [bool(row["reason"]) for row in rows] == [False, True, True, True]
    assert [row["own_class"] for row in rows] == ["Q", "", "", ""]
    assert (outcome.report.read_count, outcome.classed) == (3, 1)
    assert sum(outcome.unclassed.values()) == 2
    assert sum(outcome.report.unread.values()) == 1
    assert [copy.records for copy in outcome.marc_copies] == [2, 1]
    assert [copy.classed for copy in outcome.marc_copies] == [1, 0]
    assert "a.mrc, record 3" in outcome.to_text()


def test_next_classes_follow_in_order(scored: Any, documents: Any, tmp_path: Path) -> None:
    table = documents.table(tmp_path / "b.parquet")
    out = tmp_path / "out.csv"
    apply_run(scored.request("tfidf", table, columns=["id=id", "text=text"], out=out, top=21))
    for row in rows_of(out):
        numbers = ["", *(f"_{number}" for number in range(2, 22))]
        labels = [row[f"predicted_class{number}"] for number in numbers]
        values = [float(row[f"probability{number}"]) for number in numbers]
        assert len(set(labels)) == 21
        assert values == sorted(values, reverse=True)
        assert sum(values) == pytest.approx(1, abs=1e-4)
        assert all(row[f"class_name{number}"] for number in numbers)


def test_no_class_below_the_minimum(scored: Any, documents: Any, tmp_path: Path) -> None:
    table = documents.table(tmp_path / "b.parquet")
    out = tmp_path / "out.csv"
    values = [item["probability"] for item in scored.items("tfidf").values()]
    minimum = sorted(values)[len(values) // 2] - 1e-5
    columns = ["id=id", "text=text"]
    outcome = apply_run(
        scored.request("tfidf", table, columns=columns, out=out, top=2, minimum_probability=minimum)
    )
    rows = rows_of(out)
    for row, value in zip(rows, values, strict=True):
        assert bool(row["predicted_class"]) == (value >= minimum) == (not row["reason"])
        assert not row["probability_2"] or float(row["probability_2"]) >= minimum
    assert outcome.classed == sum(value >= minimum for value in values)
    assert sum(outcome.unclassed.values()) == len(rows) - outcome.classed
