"""MARCXML: damage is named, what lies around it is read; nothing is expanded or fetched."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marc_samples import book, xml
from pymarc.marcxml import record_to_xml

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.records.marc import read_marc
from evaluate_shelf.records.marc_xml import XmlRecord, read_xml
from evaluate_shelf.records.marc_xml_parsing import Parsing
from evaluate_shelf.records.record import CatalogueRecord, Unread

FIRST, MIDDLE, LAST = (
    record_to_xml(book(number, title))
    for number, title in [
        ("first", "Été & automne"),
        ("middle", "Middlemarch, a study of provincial life"),
        ("last", "Ends and means"),
    ]
)
START, END = b'<?xml version="1.0" encoding="UTF-8"?>\n<collection>\n', b"\n</collection>\n"


def found(data: bytes, block: int = 2**18) -> list[XmlRecord | Unread]:
    blocks = (data[at : at + block] for at in range(0, len(data), block))
    return list(read_xml(blocks, Path("folder/f.xml")))


def numbers(records: list[XmlRecord | Unread]) -> list[str | None]:
    return [None if isinstance(r, Unread) else r.fields[0].value for r in records]


def collection(*parts: bytes) -> bytes:
    return START + b"\n".join(parts) + END


def without(piece: bytes, new: bytes = b"") -> Callable[[bytes], bytes]:
    def damaged(data: bytes) -> bytes:
        assert piece in data
        return data.replace(piece, new, 1)

    return damaged


DAMAGE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "an end tag of another element": (without(b"</subfield>", b"</subfeild>"), "broken XML"),
    "no end of a field": (without(b"</datafield>"), "broken XML"),
    "no end of the record": (without(b"</record>"), "broken XML"),
    "no start of the record": (without(b"<record>"), "broken XML"),
    "no end of an attribute": (without(b'tag="245"', b'tag="245'), "broken XML"),
    "an unknown entity": (without(b"study", b"&study;"), "broken XML"),
    "a bare ampersand": (without(b"study", b"this & that"), "broken XML"),
    "bytes that are not UTF-8": (without(b"study", b"\xe9tude"), "broken XML"),
    "a control character": (without(b"study", b"s\x01tudy"), "broken XML"),
    "an open comment": (without(b"study", b"<!-- study"), "cut off"),
    "an open section": (without(b"study", b"<![CDATA[ study"), "cut off"),
    "an open instruction": (without(b"study", b"<?study "), "cut off"),
    "no tag": (without(b'tag="245"'), "bad field"),
    "too long a tag": (without(b'tag="245"', b'tag="2450"'), "bad field"),
    "a control field that is none": (without(b'tag="008"', b'tag="245"'), "bad field"),
    "no code": (without(b'code="a"'), "bad field"),
    "too long an indicator": (without(b'ind1="1"', b'ind1="11"'), "bad field"),
    "an unknown element": (without(b"study", b"<i>study</i>"), "unknown element"),
    "text between fields": (without(b"</datafield>", b"</datafield>oops"), "stray text"),
    "a record of nothing": (lambda _: b"<record/>", "no field"),
    "elements inside each other": (without(b"study", b"<a>" * 60), "broken XML"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_one_damaged_record_costs_no_other(name: str) -> None:
    damage, kind = DAMAGE[name]
    records = found(collection(FIRST, damage(MIDDLE), LAST))
    assert numbers(records) == ["first", None, "last"]
    assert [r.position for r in records] == [1, 2, 3]
    assert isinstance(records[1], Unread)
    assert (records[1].kind, records[1].file) == (kind, "f.xml")


@pytest.mark.parametrize("name", DAMAGE)
def test_blocks_make_no_difference(name: str) -> None:
    damage, _ = DAMAGE[name]
    data = collection(FIRST, damage(MIDDLE), LAST)
    for block in (1, 7, 100):
        records = found(data, block)
        assert numbers(records) == ["first", None, "last"]


def test_the_control_number_is_named_where_it_was_read() -> None:
    damaged = without(b"study", b"&study;")(MIDDLE)
    unread = found(collection(FIRST, damaged, LAST))[1]
    assert isinstance(unread, Unread)
    assert unread.control_number == "middle"


@pytest.mark.parametrize(
    "declaration",
    [
        b'<!DOCTYPE collection [<!ENTITY a "b">]>',
        b'<!DOCTYPE collection [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        b'<!DOCTYPE collection SYSTEM "http://127.0.0.1:9/marc.dtd">',
    ],
)
def test_a_document_type_is_refused(tmp_path: Path, declaration: bytes) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(START.replace(b"<collection>", declaration + b"<collection>") + FIRST + END)
    with pytest.raises(ShelfError, match="DOCTYPE"):
        list(read_marc([path]))


def test_entities_of_xml_itself_and_character_references_are_read() -> None:
    data = MIDDLE.replace(b"study", b"&lt;s&#233;t&#x2019;&gt; <![CDATA[& <b>]]>")
    [record] = found(collection(data))
    assert isinstance(record, XmlRecord)
    assert record.fields[-1].subfields[0][1].startswith("Middlemarch, a <sét’> & <b> of")


def test_prefixes_are_no_matter() -> None:
    prefixed = MIDDLE
    for name in (b"record", b"leader", b"controlfield", b"datafield", b"subfield"):
        prefixed = prefixed.replace(b"<" + name, b"<marc:" + name)
        prefixed = prefixed.replace(b"</" + name, b"</marc:" + name)
    root = b'<marc:collection xmlns:marc="http://www.loc.gov/MARC21/slim">'
    broken = prefixed.replace(b"study", b"&study;")
    data = root + prefixed + broken + prefixed + b"</marc:collection>"
    assert numbers(found(data)) == ["middle", None, "middle"]


def test_records_inside_an_oai_answer() -> None:
    def item(record: bytes) -> bytes:
        header = b"<header><identifier>oai:1</identifier></header>"
        return b"<record>" + header + b"<metadata>" + record + b"</metadata><about/></record>"

    deleted = b'<record><header status="deleted"/></record>'
    broken = item(MIDDLE.replace(b"study", b"&study;"))
    data = (
        b"<OAI-PMH><request>x</request><ListRecords>"
        + b"".join([item(FIRST), deleted, broken, item(LAST)])
        + b"<resumptionToken>y</resumptionToken></ListRecords></OAI-PMH>"
    )
    records = found(data)
    assert numbers(records) == ["first", None, None, "last"]
    assert [r.kind for r in records if isinstance(r, Unread)] == ["no field", "broken XML"]


def test_a_single_record_is_a_file_and_two_collections_are() -> None:
    assert numbers(found(MIDDLE)) == ["middle"]
    records = found(collection(FIRST) + collection(LAST))
    assert numbers(records) == ["first", None, "last"]


@pytest.mark.parametrize("encoding", ["iso-8859-1", "windows-1252"])
def test_a_declared_encoding_holds_after_damage_too(encoding: str) -> None:
    start = f'<?xml version="1.0" encoding="{encoding}"?><collection>'.encode()
    accented = FIRST.decode().replace("&#201;", "É").replace("&#233;", "é").encode(encoding)
    broken = MIDDLE.replace(b"study", b"&study;")
    records = found(start + accented + broken + accented + END)
    assert numbers(records) == ["first", None, "first"]
    assert isinstance(records[2], XmlRecord)
    assert records[2].fields[-1].subfields[0][1] == "Été & automne"


def test_an_encoding_that_is_none_is_refused() -> None:
    with pytest.raises(ShelfError, match="UTF-8"):
        found(b'<?xml version="1.0" encoding="klingon"?><collection/>')


@given(st.integers(0, len(START) + len(FIRST) + len(MIDDLE)))
def test_cut_anywhere_all_records_before_are_read(size: int) -> None:
    data = (START + FIRST + MIDDLE)[:size]
    records = found(data)
    whole = (size >= len(START + FIRST)) + (size >= len(START + FIRST + MIDDLE))
    assert numbers(records) == [*["first", "middle"][:whole], None]


@settings(max_examples=300)
@given(st.data())
def test_a_mangled_record_leaves_its_neighbours(data: st.DataObject) -> None:
    mangled = MIDDLE
    pieces = [b"<", b">", b'"', b"&", b"<!--", b"<![CDATA[", b"]]>", b"<record>", b"</record>",
              b"</collection>", b"<?x ", b"\xff", b"<subfield", b"/>"]  # fmt: skip
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(mangled)))
        end = data.draw(st.integers(start, min(len(mangled), start + 40)))
        new = data.draw(st.binary(max_size=8) | st.sampled_from(pieces))
        mangled = mangled[:start] + new + mangled[end:]
    records = found(collection(FIRST, mangled, LAST))
    read = [r for r in records if isinstance(r, XmlRecord)]
    assert [r.fields for r in (read[0], read[-1])] == [
        r.fields for r in found(collection(FIRST, LAST)) if isinstance(r, XmlRecord)
    ]
    assert [r.position for r in records] == list(range(1, len(records) + 1))


@given(st.binary(max_size=200))
def test_any_bytes_give_records_or_unread(data: bytes) -> None:
    assert all(isinstance(r, XmlRecord | Unread) for r in found(b"<collection>" + data))


def test_a_record_without_end_does_not_fill_the_memory() -> None:
    def blocks() -> Iterator[bytes]:
        yield START + FIRST + MIDDLE.partition(b"</subfield>")[0]
        for _ in range(200):
            yield b"x" * 2**18
        yield b"</subfield></datafield></record>" + LAST + END

    tracemalloc.start()
    records = list(read_xml(blocks(), Path("f.xml")))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert numbers(records) == ["first", None, "last"]
    assert isinstance(records[1], Unread)
    assert records[1].kind == "too long"
    assert peak < 20 * 2**20


@pytest.mark.parametrize("opening", [b"<!-- ", b'<datafield tag="', b"<![CDATA[", b"<?x "])
def test_a_token_without_end_does_not_fill_the_memory(opening: bytes) -> None:
    def blocks() -> Iterator[bytes]:
        yield START + FIRST + MIDDLE.partition(b"</datafield>")[0] + b"</datafield>" + opening
        for _ in range(100):
            yield b"x" * 2**18
        yield LAST + END

    tracemalloc.start()
    records = list(read_xml(blocks(), Path("f.xml")))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert numbers(records)[0] == "first"
    assert numbers(records)[-1] == "last"
    assert peak < 20 * 2**20


def test_titles_are_those_of_pymarc_s_own_reader(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(xml([book(str(n), f"Book {n} é <&>") for n in range(50)]))
    titles = [r.title for r in read_marc([path]) if isinstance(r, CatalogueRecord)]
    assert titles == [f"Book {n} é <&>" for n in range(50)]


@pytest.mark.parametrize(
    ("opening", "end"),
    [
        (b"<![CDATA[", b""),
        (b"<![CDATA[", b"\x01]]>"),
        (b"<!--", b""),
        (b"<?x ", b""),
        (b"&", b""),
    ],
)
def test_openings_without_end_are_parsed_a_bounded_number_of_times(
    opening: bytes, end: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed = 0
    feed = Parsing.feed

    def counted(self: Parsing, data: bytes, *, is_last: bool) -> int:
        nonlocal parsed
        parsed += len(data)
        return feed(self, data, is_last=is_last)

    monkeypatch.setattr(Parsing, "feed", counted)
    data = (b"<record>" + opening) * (1_200_000 // len(b"<record>" + opening)) + end
    records = found(data + FIRST)
    assert parsed < 1000 * len(data)
    assert "first" in numbers(records)
