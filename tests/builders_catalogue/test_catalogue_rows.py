"""Rows of two libraries' records, and the table of what became of records."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from marc_samples import book, utf8
from pymarc import Field

from builders.corpora.catalogue.report import json_report, table
from builders.corpora.catalogue.rows import row_maker
from builders.corpora.catalogue.tally import Tally
from evaluate_shelf.records.marc import read_marc
from evaluate_shelf.records.record import CatalogueRecord, Unread
from evaluate_shelf.records.report import RecordReport


def written(path: Path, titles: list[str], library: str | None) -> Path:
    records = [book(str(number), title) for number, title in enumerate(titles)]
    for record in records:
        if library:
            record.add_field(Field("003", data=library))
    path.write_bytes(b"".join(map(utf8, records)))
    return path


def kept(paths: list[Path]) -> list[CatalogueRecord]:
    return list(RecordReport().kept(read_marc(paths), language=None, needs_class=True))


def test_records_of_two_libraries_with_one_control_number_are_two_rows(tmp_path: Path) -> None:
    titles = {own: [f"{own} {number}" for number in range(40)] for own in ("a", "b", "c")}
    files = [
        written(tmp_path / "a.mrc", titles["a"], "DLC"),
        written(tmp_path / "b.mrc", titles["b"], "ViU"),
        written(tmp_path / "c.mrc", titles["c"], None),
    ]
    rows = [row_maker("catalogue")(record) for record in kept(files)]
    assert [row["title"] for row in rows] == [*titles["a"], *titles["b"], *titles["c"]]
    assert len({row["id"] for row in rows}) == 120
    assert [row["control_number"] for row in rows] == [str(n) for n in range(40)] * 3


def test_a_record_of_one_library_in_two_files_is_one_row(tmp_path: Path) -> None:
    one = written(tmp_path / "a.mrc", ["Title"], "DLC")
    again = written(tmp_path / "b.mrc", ["Title, corrected"], "DLC")
    assert [record.title for record in kept([one, again])] == ["Title"]


def test_no_cell_of_the_table_is_a_formula() -> None:
    report = RecordReport()
    list(report.counting([Unread("=cmd.mrc", 1, "@damage: x")]))
    tally = Tally(None)
    tally.languages = Counter({"+1": 2, "-x": 1, "eng": 5})
    lines = table(json_report(["=cmd.mrc"], report, tally, [], {})).splitlines()
    cells = [cell for line in lines for cell in line.split("\t")]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert {"'=cmd.mrc", "'@damage", "'+1", "'-x", "eng"} <= set(cells)
