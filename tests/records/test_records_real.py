"""Real catalogue records; run where `SHELF_TEST_DATA` names the folder that holds them."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pytest
from pymarc import Field, MARCReader, Record
from pymarc.marcxml import record_to_xml

from evaluate_shelf.records.marc import read_marc
from evaluate_shelf.records.marc_output import with_classes
from evaluate_shelf.records.record import CatalogueRecord
from evaluate_shelf.records.report import RecordReport
from evaluate_shelf.records.tables import parse_mapping, read_table

pytestmark = pytest.mark.skipif(
    "SHELF_TEST_DATA" not in os.environ, reason="SHELF_TEST_DATA is not set"
)
VIRGINIA, CONGRESS = "uva_001_2000.mrc", "BooksAll.2014.part01-0001.mrc"
# As records.tsv has them: a heading's subdivision b after z, and subfield d of a uniform title
# (which forms part of the heading) left out.
ANOTHER_ORDER = {"Freemasons--United States Scottish Rite", "Bible--History"}


@pytest.fixture(scope="module")
def folder() -> Path:
    return Path(os.environ["SHELF_TEST_DATA"]) / "natural"


@pytest.fixture(scope="module")
def records(folder: Path) -> dict[str, list[CatalogueRecord]]:
    read = {name: list(read_marc([folder / "marc" / name])) for name in (VIRGINIA, CONGRESS)}
    assert all(isinstance(record, CatalogueRecord) for found in read.values() for record in found)
    return read  # type: ignore[return-value]


@pytest.fixture(scope="module")
def table(folder: Path) -> dict[tuple[str, str], dict[str, str]]:
    text = (folder / "marc" / "records.tsv").read_text(encoding="utf-8")
    header, *lines = [line.split("\t") for line in text.removesuffix("\n").split("\n")]
    rows = [dict(zip(header, line, strict=True)) for line in lines]
    return {(row["file"], row["id"]): row for row in rows}


def counts_in(text: str) -> dict[str, int]:
    """Counts by class as a README has them: "A 13, B 130, ..."."""
    return {letter: int(count) for letter, count in re.findall(r"\b([A-Z]) (\d+)\b", text)}


def by_class(records: list[CatalogueRecord]) -> dict[str, int]:
    return Counter(record.lcc_code for record in records if record.lcc_code)


def test_counts_by_class_are_those_of_the_readme(
    folder: Path, records: dict[str, list[CatalogueRecord]]
) -> None:
    readme = (folder / "marc" / "README.md").read_text(encoding="utf-8")
    virginia, congress = (
        readme.split("Main classes (")[1].split("Encoding:")[0].split("around 1900")
    )
    assert by_class(records[VIRGINIA]) == counts_in(virginia)
    assert by_class(records[CONGRESS]) == counts_in(congress)
    assert (sum(counts_in(virginia).values()), sum(counts_in(congress).values())) == (1827, 98)


@pytest.mark.parametrize(
    ("name", "total", "lcc", "lcsh", "both", "english", "english_both"),
    [(VIRGINIA, 2000, 1827, 1748, 1596, 1126, 898), (CONGRESS, 100, 98, 74, 72, 99, 72)],
)
def test_counts_of_marc(
    records: dict[str, list[CatalogueRecord]],
    name: str,
    total: int,
    lcc: int,
    lcsh: int,
    both: int,
    english: int,
    english_both: int,
) -> None:
    found = records[name]
    classed = [r for r in found if r.lcc_code]
    with_both = [r for r in classed if r.lcsh]
    assert len(found) == total
    assert len(classed) == lcc
    assert sum(bool(r.lcsh) for r in found) == lcsh
    assert len(with_both) == both
    assert sum(r.language == "eng" for r in found) == english
    assert sum(r.language == "eng" for r in with_both) == english_both


def test_records_agree_with_the_table(
    records: dict[str, list[CatalogueRecord]], table: dict[tuple[str, str], dict[str, str]]
) -> None:
    found = [record for name in (VIRGINIA, CONGRESS) for record in records[name]]
    assert [(r.file, r.id) for r in found] == list(table)
    other_headings = 0
    for record in found:
        row = table[record.file, record.id]
        assert record.language == row["language"]
        # The table keeps double spaces, and after "Rose : /" the colon.
        assert record.title == " ".join(row["title"].split()).rstrip(" :,")
        notes = " ".join(row["contents_or_summary"].split())
        paragraphs = record.text.split("\n\n")
        assert paragraphs[0] == record.title
        assert " ".join(paragraphs[1:]) == notes
        # The table takes every full stop off a heading's end.
        plain = {without_stops(heading) for heading in record.lcsh}
        expected = set(map(without_stops, filter(None, row["lcsh"].split(" | "))))
        if plain != expected:
            other_headings += 1
            assert expected - plain <= ANOTHER_ORDER
    assert other_headings == len(ANOTHER_ORDER)


def without_stops(heading: str) -> str:
    return "--".join(" ".join(part.split()).rstrip("., ") for part in heading.split("--"))


def test_marcxml_gives_the_same_records(
    folder: Path, records: dict[str, list[CatalogueRecord]], tmp_path: Path
) -> None:
    path = tmp_path / VIRGINIA
    with (folder / "marc" / VIRGINIA).open("rb") as stream:
        made: list[Record] = [record for record in MARCReader(stream) if record]
    path.write_bytes(b"<collection>" + b"".join(map(record_to_xml, made)) + b"</collection>")
    assert list(read_marc([path])) == records[VIRGINIA]


def test_classes_are_added_and_all_else_stays(
    folder: Path, records: dict[str, list[CatalogueRecord]], tmp_path: Path
) -> None:
    for name, found in records.items():
        assigned = {r.position: ("Q", 0.25) for r in found if r.lcc_code is None}
        written = with_classes(
            folder / "marc" / name, assigned, tmp_path / name, process="test", date="20260131"
        )
        assert (written.records, written.classed) == (len(found), len(assigned))
        assert written.report.unread == {}
        assert list(read_marc([tmp_path / name])) == found
        with (tmp_path / name).open("rb") as new, (folder / "marc" / name).open("rb") as old:
            for after, before in zip(MARCReader(new), MARCReader(old), strict=True):
                assert after is not None
                assert before is not None
                kept = [str(f) for f in after.fields if not is_new(f)]
                assert kept == [str(f) for f in before.fields]


def is_new(field: Field) -> bool:
    return field.tag in ("084", "883") and field.get("8", "").endswith("\\p")


def test_tib_counts_by_class_are_those_of_the_readme(folder: Path) -> None:
    tib = folder / "subject_indexing" / "tib_sid_en"
    readme = (tib / "README.md").read_text(encoding="utf-8")
    counts = counts_in(readme.split("records in each main class:")[1].split("In the whole")[0])
    mapping = parse_mapping(["id=id", "title=title", "text=abstract", "lcc=lcc"])
    report = RecordReport()
    found = list(
        report.kept(
            read_table(tib / "lcc_by_class.jsonl", mapping), language=None, needs_class=True
        )
    )
    assert report.read_count == 2546
    assert report.unread == {}
    assert by_class(found) == counts == report.kept_by_class
    assert report.left_out == {}
    assert all(record.title and len(record.text) > len(record.title) for record in found)


def test_the_table_of_the_marc_records_is_a_table(
    folder: Path, records: dict[str, list[CatalogueRecord]]
) -> None:
    mapping = parse_mapping(
        ["id=id", "title=title", "text=contents_or_summary", "lcc=lcc", "lcsh=lcsh",
         "language=language"]
    )  # fmt: skip
    found = list(read_table(folder / "marc" / "records.tsv", mapping))
    from_marc = [record for name in (VIRGINIA, CONGRESS) for record in records[name]]
    assert len(found) == len(from_marc)
    for record, other in zip(found, from_marc, strict=True):
        assert isinstance(record, CatalogueRecord)
        assert (record.id, record.lcc_subclass) == (other.id, other.lcc_subclass)
