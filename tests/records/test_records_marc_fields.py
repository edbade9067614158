"""What is read of a record's fields; records are made with pymarc."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from marc_samples import FIXED, Spec, marc, marc8, utf8, xml
from pymarc import Field, Record

from evaluate_shelf.records.marc import read_marc
from evaluate_shelf.records.record import CatalogueRecord, Unread


def read(folder: Path, record: Record) -> CatalogueRecord:
    """The record through both forms, which must agree."""
    (folder / "a.mrc").write_bytes(utf8(record))
    (folder / "a.xml").write_bytes(xml([record]))
    [binary], [from_xml] = list(read_marc([folder / "a.mrc"])), list(read_marc([folder / "a.xml"]))
    assert isinstance(binary, CatalogueRecord)
    assert isinstance(from_xml, CatalogueRecord)
    for name in CatalogueRecord.__slots__:
        if name not in ("file", "id", "library"):
            assert getattr(binary, name) == getattr(from_xml, name)
    return binary


def test_a_full_record(tmp_path: Path) -> None:
    record = marc(
        " ocm001 ",
        ("050", "00", [("a", "ML410.S95"), ("b", "L3 1900")]),
        ("100", "1 ", [("a", "Lawrence, Arthur H."), ("q", "(Arthur Hugh)")]),
        (
            "245",
            "10",
            [
                ("a", "Sir Arthur Sullivan :"),
                ("b", "life story, letters /"),
                ("c", "by Arthur Lawrence."),
            ],
        ),
        ("505", "0 ", [("a", "Youth."), ("t", "Fame")]),
        ("520", "  ", [("a", "A life."), ("b", "With letters.")]),
        (
            "600",
            "10",
            [("a", "Sullivan, Arthur,"), ("d", "1842-1900."), ("e", "composer"), ("v", "Letters.")],
        ),
        ("650", " 0", [("a", "Composers"), ("z", "England"), ("v", "Biography.")]),
        ("650", " 2", [("a", "Not LCSH")]),
        ("655", " 7", [("a", "Biographies."), ("2", "lcgft")]),
    )
    assert read(tmp_path, record) == CatalogueRecord(
        id="ocm001",
        title="Sir Arthur Sullivan : life story, letters",
        text="Sir Arthur Sullivan : life story, letters\n\nYouth. Fame\n\nA life. With letters.",
        language="eng",
        author="Lawrence, Arthur H.",
        year="1984",
        lcc_numbers=("ML410.S95",),
        lcc_code="M",
        lcc_subclass="ML",
        lcsh=("Sullivan, Arthur, 1842-1900--Letters", "Composers--England--Biography"),
        genres=("Biographies",),
        file="a.mrc",
        position=1,
        library="a.mrc",
    )


def test_an_empty_record(tmp_path: Path) -> None:
    record = read(tmp_path, marc(None, language="   "))
    assert (record.id, record.title, record.text, record.language) == ("a.mrc:1", "", "", "")
    assert (record.lcc_code, record.lcc_subclass, record.lcsh) == (None, None, ())


@pytest.mark.parametrize(
    ("raw", "title"),
    [
        ("Die weisse Rose :/", "Die weisse Rose"),
        ("Poems ;", "Poems"),
        ("Poems =", "Poems"),
        ("A title with a full stop.", "A title with a full stop."),
        ("What is to be done?", "What is to be done?"),
        ("  two   spaces\n\tand lines  ", "two spaces and lines"),
        ("c\u0327a va", "ça va"),
        ("The \x98 \x9cbell\x1b[2J\x07 \u202eturned", "The bell [2J turned"),
    ],
)
def test_titles_lose_the_end_of_a_field_and_what_cannot_be_printed(
    tmp_path: Path, raw: str, title: str
) -> None:
    (tmp_path / "a.mrc").write_bytes(utf8(marc("1", ("245", "10", [("a", raw), ("c", "me")]))))
    [record] = read_marc([tmp_path / "a.mrc"])
    assert isinstance(record, CatalogueRecord)
    assert record.title == title


@pytest.mark.parametrize(
    ("spec", "heading"),
    [
        (("650", " 0", [("a", "Law reports, digests, etc."), ("z", "Ohio.")]),
         "Law reports, digests, etc.--Ohio"),
        (("650", " 0", [("a", "Handbooks, manuals, etc.")]), "Handbooks, manuals, etc."),
        (("650", " 0", [("a", "Communism.")]), "Communism"),
        (("650", " 0", [("a", "Campaign literature,"), ("y", "1860"), ("x", "Whig.")]),
         "Campaign literature--1860--Whig"),
        (("651", " 0", [("a", "Washington (D.C.)"), ("x", "History.")]),
         "Washington (D.C.)--History"),
        (("600", "10", [("a", "Lawrence, D. H."), ("q", "(David Herbert),"), ("d", "1885-1930.")]),
         "Lawrence, D. H. (David Herbert), 1885-1930"),
        (("600", "10", [("a", "Lane, J."), ("4", "aut"), ("0", "n1"), ("2", "x")]), "Lane, J."),
        (("610", "10", [("a", "France."), ("b", "Armée"), ("x", "History")]),
         "France. Armée--History"),
        (("611", "20", [("a", "Games"), ("n", "(3rd :"), ("d", "1904 :"), ("c", "St. Louis)")]),
         "Games (3rd : 1904 : St. Louis)"),
        (("630", "00", [("a", "Bible."), ("p", "N.T."), ("l", "Cherokee."), ("v", "Texts.")]),
         "Bible. N.T. Cherokee--Texts"),
    ],
)  # fmt: skip
def test_headings(tmp_path: Path, spec: Spec, heading: str) -> None:
    assert read(tmp_path, marc("1", spec)).lcsh == (heading,)


def test_only_the_second_indicator_0_is_a_library_of_congress_heading(tmp_path: Path) -> None:
    specs = [("650", f" {second}", [("a", f"Heading {second}")]) for second in "1234567"]
    specs += [("653", " 0", [("a", "Uncontrolled")]), ("690", " 0", [("a", "Local")])]
    assert read(tmp_path, marc("1", *specs)).lcsh == ()


def test_class_numbers_come_from_050_then_090_then_055(tmp_path: Path) -> None:
    record = read(
        tmp_path,
        marc(
            "1",
            ("055", " 0", [("a", "FC3012")]),
            ("055", " 6", [("a", "PS8555")]),
            ("090", "  ", [("a", "Diss."), ("a", "QA1")]),
            ("050", "00", [("a", "LAW"), ("b", "K1")]),
            ("082", "04", [("a", "823.91")]),
            ("060", "  ", [("a", "R1")]),
        ),
    )
    assert record.lcc_numbers == ("LAW", "Diss.", "QA1", "FC3012")
    assert (record.lcc_code, record.lcc_subclass) == ("Q", "QA")


@pytest.mark.parametrize(
    ("language", "expected"), [("eng", "eng"), ("   ", ""), ("|||", ""), ("ENG", "")]
)
def test_languages(tmp_path: Path, language: str, expected: str) -> None:
    assert read(tmp_path, marc("1", language=language)).language == expected


def test_without_a_year_in_008_the_imprint_has_it(tmp_path: Path) -> None:
    record = Record()
    record.add_field(Field("008", data=FIXED.format(language="eng").replace("s1984", "n19uu")))
    assert read(tmp_path, record).year == ""
    imprint = marc("1", ("260", "  ", [("a", "London,"), ("c", "[c1913]")])).fields[-1]
    record.add_field(imprint)
    assert read(tmp_path, record).year == "1913"


def test_marc8_is_read_by_position_9(tmp_path: Path) -> None:
    path = tmp_path / "polish.mrc"
    path.write_bytes(marc8("p1", b"\xa1\xe2od\xe2z i \x1b(NmOSKWA\x1b(B /"))
    [record] = read_marc([path])
    assert isinstance(record, CatalogueRecord)
    assert (record.id, record.title, record.language) == ("p1", "Łódź i Москва", "pol")


def test_the_content_says_what_a_file_is(tmp_path: Path) -> None:
    records = [marc(str(number), ("245", "10", [("a", f"Book {number}")])) for number in range(3)]
    binary, in_xml = b"".join(map(utf8, records)), xml(records, "\ufeff<?xml version='1.0'?>\n")
    names = ["a.xml", "b.mrc", "c", "d.mrc"]
    for name, data in zip(
        names,
        [binary, in_xml, gzip.compress(binary, mtime=0), gzip.compress(in_xml, mtime=0)],
        strict=True,
    ):
        (tmp_path / name).write_bytes(data)
    found = list(read_marc([tmp_path / name for name in names]))
    assert [(r.file, r.position) for r in found] == [
        (name, position) for name in names for position in (1, 2, 3)
    ]
    titles = [r.title for r in found if isinstance(r, CatalogueRecord)]
    assert titles == ["Book 0", "Book 1", "Book 2"] * 4


def test_deleted_records_are_named_and_not_read(tmp_path: Path) -> None:
    deleted, kept = marc("gone"), marc("here")
    deleted.leader = str(deleted.leader)[:5] + "d" + str(deleted.leader)[6:]
    for name, data in [
        ("a.mrc", utf8(deleted) + utf8(kept)),
        ("a.xml", xml([deleted, kept])),
    ]:
        (tmp_path / name).write_bytes(data)
        one, two = read_marc([tmp_path / name])
        assert isinstance(one, Unread)
        assert (one.kind, one.position, one.control_number) == ("deleted", 1, "gone")
        assert (two.position, isinstance(two, CatalogueRecord)) == (2, True)


def test_a_control_number_is_that_of_field_003_or_of_the_file(tmp_path: Path) -> None:
    named = marc("1")
    named.add_field(Field("003", data=" DLC "))
    assert read(tmp_path, named).library == "DLC"
    assert read(tmp_path, marc("1")).library == "a.mrc"
