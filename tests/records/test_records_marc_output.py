"""Records written again with classes: nothing else changes; pymarc reads what was written."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marc_samples import book, marc, marc8, utf8, xml
from pymarc import MARCReader, Record, parse_xml_to_array

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.records.marc import read_marc
from evaluate_shelf.records.marc_output import Written, with_classes
from evaluate_shelf.records.record import CatalogueRecord

PROCESS = "shelf 0.1, run a1"
RECORDS = [
    book("one", "Étude & fugue"),
    marc(
        "two",
        ("245", "10", [("8", "1\\c"), ("a", "Second")]),
        ("884", "  ", [("a", "x")]),
        ("900", "  ", [("8", "3.1\\p"), ("a", " spaces  kept ")]),
    ),
    book("three", "Third"),
]
ASSIGNED = {1: ("M", 0.93123), 2: ("Q", 1.0)}


def write(
    folder: Path, data: bytes, assigned: dict[int, tuple[str, float]], name: str = "out"
) -> tuple[Written, bytes]:
    (folder / "in").write_bytes(data)
    result = with_classes(folder / "in", assigned, folder / name, process=PROCESS, date="20260131")
    return result, (folder / name).read_bytes()


def fields(record: Record, *, without_new: bool = False) -> list[str]:
    new = ("084", "883") if without_new else ()
    return [str(field) for field in record.fields if field.tag not in new]


def test_binary(tmp_path: Path) -> None:
    result, data = write(tmp_path, b"".join(map(utf8, RECORDS)), ASSIGNED)
    assert (result.records, result.classed, result.report.unread) == (3, 2, {})
    records = list(MARCReader(data))
    assert [fields(r, without_new=True) for r in records] == [fields(r) for r in RECORDS]
    assert [str(f) for f in records[0].get_fields("084", "883")] == [
        r"=084  \\$81\p$aM$2lcc",
        rf"=883  0\$81\p$a{PROCESS}$c0.9312$d20260131",
    ]
    assert [str(f) for f in records[1].get_fields("084", "883")] == [
        r"=084  \\$82\p$aQ$2lcc",
        rf"=883  0\$82\p$a{PROCESS}$c1.0000$d20260131",
    ]
    assert utf8(RECORDS[2]) in data
    for record in records:
        tags = [field.tag for field in record.fields]
        assert tags == sorted(tags)


def test_xml(tmp_path: Path) -> None:
    source = xml(RECORDS)
    result, data = write(tmp_path, source, ASSIGNED)
    assert (result.records, result.classed) == (3, 2)
    (tmp_path / "out.xml").write_bytes(data)
    records = parse_xml_to_array(str(tmp_path / "out.xml"), strict=True)
    assert [fields(r, without_new=True) for r in records] == [fields(r) for r in RECORDS]
    assert [str(r.leader) for r in records] == [str(r.leader) for r in RECORDS]
    assert str(records[1].get_fields("883")[0]).startswith(r"=883  0\$82\p$a" + PROCESS)


def test_marc8_stays_marc8(tmp_path: Path) -> None:
    source = marc8("p1", b"\xa1\xe2od\xe2z i \x1b(NmOSKWA\x1b(B")
    _, data = write(tmp_path, source, {1: ("D", 0.5)})
    assert data[9:10] == b" "
    assert source[int(source[12:17]) : -1] in data
    [record] = read_marc([tmp_path / "out"])
    assert isinstance(record, CatalogueRecord)
    assert record.title == "Łódź i Москва"
    [raw] = MARCReader(data, to_unicode=False)
    assert [s.value for s in raw["084"].subfields] == [b"1\\p", b"D", b"lcc"]


def test_the_assigned_class_is_not_read_as_the_library_s(tmp_path: Path) -> None:
    for data in (utf8(book("1", "T", lcc="LAW")), xml([book("1", "T", lcc="LAW")])):
        write(tmp_path, data, {1: ("K", 0.9)})
        [record] = read_marc([tmp_path / "out"])
        assert isinstance(record, CatalogueRecord)
        assert record.lcc_code is None


def test_damaged_records_are_left_out_and_named(tmp_path: Path) -> None:
    one, two, three = map(utf8, RECORDS)
    result, data = write(tmp_path, one + b"99999" + two[5:] + three, {1: ("Q", 0.1), 3: ("Q", 0.2)})
    assert (result.records, result.classed) == (2, 2)
    assert result.report.unread == {"wrong length": 1}
    assert [r["001"].data for r in MARCReader(data)] == ["one", "three"]


def test_a_record_that_would_be_too_long_is_written_without_its_class(
    tmp_path: Path,
) -> None:
    record = book("long", "x" * 9_000)
    while len(utf8(record)) < 90_000:
        record.add_field(book("x", "y" * 9_000)["245"])
    record.add_field(book("x", "y" * (99_990 - len(utf8(record)) - 20))["245"])
    assert len(utf8(record)) > 99_950
    source = utf8(record) + utf8(RECORDS[0])
    result, data = write(tmp_path, source, {1: ("Q", 0.1), 2: ("M", 0.2)})
    assert (result.records, result.classed) == (2, 1)
    assert result.report.unread == {"class left out": 1}
    [example] = result.report.to_dict()["unread"]["class left out"]["examples"]
    assert (example["position"], example["id"]) == (1, "long")
    assert data.startswith(utf8(record))
    assert ["084" in r for r in MARCReader(data)] == [False, True]


def test_without_assignments_a_binary_file_stays_as_it_is(tmp_path: Path) -> None:
    source = b"".join(map(utf8, RECORDS))
    assert write(tmp_path, source, {})[1] == source


def test_compressed_by_name_and_the_same_bytes_again(tmp_path: Path) -> None:
    source = b"".join(map(utf8, RECORDS))
    _, one = write(tmp_path, gzip.compress(source, mtime=0), ASSIGNED, "a.mrc.gz")
    _, two = write(tmp_path, source, ASSIGNED, "b.mrc.gz")
    _, plain = write(tmp_path, source, ASSIGNED, "c.mrc")
    assert one == two
    assert gzip.decompress(one) == plain


@pytest.mark.parametrize(
    ("assigned", "options", "message"),
    [
        ({1: ("W", 0.5)}, {}, "'W' is none"),
        ({1: ("QA", 0.5)}, {}, "'QA' is none"),
        ({1: ("Q", 1.5)}, {}, "not a probability"),
        ({1: ("Q", float("nan"))}, {}, "not a probability"),
        ({9: ("Q", 0.5)}, {}, "record 9"),
        ({2: ("Q", 0.5)}, {}, "record 2"),
        ({}, {"process": "caf\xe9"}, "ASCII"),
        ({}, {"process": "a\x1fb"}, "ASCII"),
        ({}, {"process": ""}, "ASCII"),
        ({}, {"date": "2026-01-31"}, "YYYYMMDD"),
    ],
)
def test_wrong_requests_leave_no_file(
    tmp_path: Path,
    assigned: dict[int, tuple[str, float]],
    options: dict[str, str],
    message: str,
) -> None:
    (tmp_path / "in").write_bytes(utf8(RECORDS[0]) + b"stray bytes")
    with pytest.raises(ShelfError, match=message):
        with_classes(
            tmp_path / "in", assigned, tmp_path / "out", **({"process": PROCESS} | options)
        )
    assert os.listdir(tmp_path) == ["in"]  # noqa: PTH208


def test_a_file_is_not_written_over_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.mrc"
    path.write_bytes(utf8(RECORDS[0]))
    with pytest.raises(ShelfError, match="the file that is read"):
        with_classes(path, {}, path, process=PROCESS)
    assert path.read_bytes() == utf8(RECORDS[0])


# XML has no place for controls and for two more.
characters = st.characters(
    codec="utf-8", exclude_categories=("Cc",), exclude_characters="\ufffe\uffff"
)
values = st.text(characters, max_size=20)


@given(st.lists(values, min_size=1, max_size=5), st.sampled_from("AQZ"), st.floats(0, 1))
def test_any_values_come_back(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], code: str, probability: float
) -> None:
    folder = tmp_path_factory.getbasetemp()
    record = marc("1", *[("500", "  ", [("a", text), ("b", text)]) for text in texts])
    for data in (utf8(record), xml([record])):
        write(folder, data, {1: (code, probability)})
        once = (folder / "out").read_bytes()
        if data.startswith(b"<"):
            [back] = parse_xml_to_array(str(folder / "out"))
        else:
            [back] = MARCReader(once)
        assert fields(back, without_new=True) == fields(record)


def test_a_deleted_record_is_written_as_it_was(tmp_path: Path) -> None:
    deleted = utf8(RECORDS[0])[:5] + b"d" + utf8(RECORDS[0])[6:]
    _, data = write(tmp_path, deleted + utf8(RECORDS[1]), {2: ("Q", 0.5)})
    assert data.startswith(deleted)
