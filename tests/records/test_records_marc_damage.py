"""Damaged binary files: the damage is named, what lies around it is read."""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marc_samples import book, marc8, utf8

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.records.marc import read_marc
from evaluate_shelf.records.marc_binary import LONGEST, BinaryRecord, read_binary
from evaluate_shelf.records.record import CatalogueRecord, Unread

FIRST = utf8(book("first", "Été at the lake"))
MIDDLE = utf8(book("middle", "Middlemarch, a study of provincial life"))
LAST = utf8(book("last", "Ends and means"))


def found(data: bytes, block: int = 2**18) -> list[BinaryRecord | Unread]:
    blocks = (data[at : at + block] for at in range(0, len(data), block))
    return list(read_binary(blocks, "f.mrc"))


def numbers(records: list[BinaryRecord | Unread]) -> list[str | None]:
    return [None if isinstance(r, Unread) else r.fields[0].value for r in records]


def replaced(start: int, new: bytes) -> Callable[[bytes], bytes]:
    return lambda data: data[:start] + new + data[start + len(new) :]


def base(data: bytes) -> int:
    return int(data[12:17])


DAMAGE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "letters for a length": (replaced(0, b"0x1a9"), "bad leader"),
    "letters for the base": (replaced(12, b"abcde"), "bad leader"),
    "a base outside": (replaced(12, b"99999"), "bad leader"),
    "a base inside the directory": (replaced(12, b"00040"), "bad leader"),
    "a base of nought": (replaced(12, b"00000"), "bad leader"),
    "an unknown encoding": (replaced(9, b"x"), "bad leader"),
    "bytes that are no text in the leader": (replaced(6, b"\xff\x00"), "bad leader"),
    "too short a length": (replaced(0, b"00026"), "wrong length"),
    "too long a length": (replaced(0, b"00999"), "wrong length"),
    "a length that reaches the next record's end": (
        replaced(0, b"%05d" % (len(MIDDLE) + len(LAST))),
        "wrong length",
    ),
    "a byte more": (lambda data: data[:-1] + b"x\x1d", "wrong length"),
    "a byte less": (lambda data: data[:60] + data[61:], "wrong length"),
    "letters in the directory": (replaced(27, b"lengt"), "bad directory"),
    "a field that begins outside": (replaced(31, b"90000"), "bad directory"),
    "a field that ends outside": (replaced(27, b"9000"), "bad directory"),
    "a field that ends in the middle": (replaced(27, b"0003"), "bad directory"),
    "a sign in a number": (replaced(27, b"+006"), "bad directory"),
    "Latin-1": (lambda data: data.replace(b"study", b"\xe9tudy"[:5]), "wrong encoding"),
    "no indicators": (lambda data: data.replace(b"10\x1faMiddle", b"1\x1faMiddle1"), "bad field"),
    "a subfield mark in a character": (
        lambda data: data.replace(b"study", b"s\xc3\x1fdy"), "wrong encoding"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGE)
def test_one_damaged_record_costs_no_other(name: str) -> None:
    damage, kind = DAMAGE[name]
    records = found(FIRST + damage(MIDDLE) + LAST)
    assert numbers(records) == ["first", None, "last"]
    assert [r.position for r in records] == [1, 2, 3]
    unread = records[1]
    assert isinstance(unread, Unread)
    assert unread.kind == kind
    assert unread.file == "f.mrc"


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_at_the_ends_of_a_file(name: str) -> None:
    damage, _ = DAMAGE[name]
    assert numbers(found(damage(MIDDLE) + LAST)) == [None, "last"]
    assert numbers(found(FIRST + damage(MIDDLE))) == ["first", None]


def test_the_control_number_is_named_where_it_can_be_made_out() -> None:
    _, unread, _ = found(FIRST + replaced(0, b"00026")(MIDDLE) + LAST)
    assert isinstance(unread, Unread)
    assert unread.control_number == "middle"


def test_a_record_that_lost_its_terminator() -> None:
    records = found(FIRST + MIDDLE[:-1] + LAST)
    assert numbers(records) == ["first", None, "last"]
    assert isinstance(records[1], Unread)
    assert (records[1].kind, records[1].control_number) == ("wrong length", "middle")


@pytest.mark.parametrize(
    "stray", [b"garbage", b"12345", b"\x01\x02", b"\xff" * 300_000, b"<html>oops</html>\n"]
)
def test_stray_bytes_between_records(stray: bytes) -> None:
    records = found(FIRST + stray + MIDDLE + stray + LAST)
    assert numbers(records) == ["first", None, "middle", None, "last"]
    one = records[1]
    assert isinstance(one, Unread)
    assert one.kind in ("stray bytes", "wrong length")
    assert f"{len(stray):,} bytes" in one.reason


def test_a_terminator_inside_a_record_costs_that_record_alone() -> None:
    assert numbers(found(FIRST + MIDDLE[:70] + b"\x1d" + MIDDLE[71:] + LAST)) == [
        "first", None, None, "last",
    ]  # fmt: skip


@pytest.mark.parametrize("between", [b"\n", b"\r\n", b"\x00" * 500, b"  ", b"\x1a"])
def test_white_space_and_padding_between_records_is_no_damage(between: bytes) -> None:
    assert numbers(found(between + FIRST + between + LAST + between)) == ["first", "last"]


@pytest.mark.parametrize("size", [3, 30, 60, len(LAST) - 1])
def test_a_truncated_last_record(size: int) -> None:
    records = found(FIRST + LAST[:size])
    assert numbers(records) == ["first", None]
    assert isinstance(records[1], Unread)
    assert records[1].kind == "cut off"


def test_the_encoding_must_be_the_declared_one() -> None:
    as_marc8 = replaced(9, b" ")(utf8(book("middle", "Été")))
    assert numbers(found(FIRST + as_marc8 + LAST)) == ["first", None, "last"]
    unknown = marc8("middle", b"na\xff")
    unread = found(FIRST + unknown + LAST)[1]
    assert isinstance(unread, Unread)
    assert (unread.kind, unread.control_number) == ("wrong encoding", "middle")
    # In a field that is not read, too: a record is read whole or not at all.
    assert numbers(found(FIRST + marc8("middle", b"na\xff", tag="999"))) == ["first", None]
    assert numbers(found(FIRST + marc8("middle", b"\x1b$1!", tag="999"))) == ["first", None]


def test_the_longest_record_and_one_byte_more() -> None:
    def filled(size: int) -> bytes:
        record = book("long", "Long")
        for _ in range(size // 9_000):
            record.add_field(book("x", "y" * 8_900)["245"])
        return utf8(record)

    data = filled(99_000)
    assert 95_000 < len(data) <= LONGEST
    assert numbers(found(FIRST + data + LAST)) == ["first", "long", "last"]
    too_long = data[:-1] + b"x" * (LONGEST + 1 - len(data)) + b"\x1d"
    assert numbers(found(FIRST + too_long + LAST)) == ["first", None, "last"]


@given(st.integers(1, 60))
def test_blocks_make_no_difference(block: int) -> None:
    data = b"junk" + FIRST + b"\n" + MIDDLE[:-1] + LAST + b"junk"
    assert found(data, block) == found(data)


@settings(max_examples=300)
@given(st.data())
def test_a_mangled_record_leaves_its_neighbours(data: st.DataObject) -> None:
    mangled = MIDDLE
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(mangled)))
        end = data.draw(st.integers(start, min(len(mangled), start + 40)))
        new = data.draw(st.binary(max_size=12) | st.sampled_from([b"\x1d", b"\x1e", b"\x1f", b"9"]))
        mangled = mangled[:start] + new + mangled[end:]
    records = found(FIRST + mangled + LAST)
    first, *middle, last = records
    assert isinstance(first, BinaryRecord)
    assert isinstance(last, BinaryRecord)
    assert (first.data, last.data) == (FIRST, LAST)
    assert [r.position for r in records] == list(range(1, len(records) + 1))
    assert all(isinstance(r, BinaryRecord) or r.kind for r in middle)
    assert middle or not mangled.strip(b"\r\n \t\x00\x1a")


@given(st.binary(max_size=300))
def test_any_bytes_give_records_or_unread(data: bytes) -> None:
    assert all(isinstance(r, BinaryRecord | Unread) for r in found(data))


@given(st.integers(0, len(FIRST) + len(MIDDLE)))
def test_cut_anywhere_all_records_before_are_read(size: int) -> None:
    whole = (size >= len(FIRST)) + (size >= len(FIRST) + len(MIDDLE))
    records = found((FIRST + MIDDLE)[:size])
    assert numbers(records)[:whole] == ["first", "middle"][:whole]
    assert len(records) <= whole + 1


def test_compressed_data_that_break_off(tmp_path: Path) -> None:
    path = tmp_path / "a.mrc.gz"
    data = b"".join(utf8(book(str(n), f"Book {n * 7919 % 1000}")) for n in range(3000))
    path.write_bytes(gzip.compress(data, mtime=0)[:-2000])
    records = list(read_marc([path]))
    assert isinstance(records[-1], Unread)
    assert records[-1].kind == "cut off"
    assert len(records) > 2000
    assert [r.title for r in records[:-1] if isinstance(r, CatalogueRecord)] == [
        f"Book {n * 7919 % 1000}" for n in range(len(records) - 1)
    ]


@pytest.mark.parametrize(
    "data", [b"", b"%PDF-1.7 no catalogue", b"id,title\n1,Book\n", "<a/>".encode("utf-16")]
)
def test_a_file_of_another_kind_is_refused_before_anything_is_read(
    tmp_path: Path, data: bytes
) -> None:
    good, other = tmp_path / "a.mrc", tmp_path / "b.mrc"
    good.write_bytes(FIRST)
    other.write_bytes(data)
    with pytest.raises(ShelfError, match=r"b\.mrc: "):
        read_marc([good, other])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ShelfError, match=r"none\.mrc: cannot be read"):
        read_marc([tmp_path / "none.mrc"])
    with pytest.raises(ShelfError, match="cannot be read"):
        read_marc([tmp_path])


def test_without_pymarc_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.mrc").write_bytes(FIRST)
    monkeypatch.setitem(sys.modules, "pymarc", None)
    monkeypatch.delitem(sys.modules, "pymarc.marc8_mapping", raising=False)
    with pytest.raises(ShelfError, match=r"\[build\]"):
        read_marc([tmp_path / "a.mrc"])


@pytest.mark.parametrize(
    "stray",
    [
        b"<",
        b"<!-- exported today -->\n",
        b'<?xml version="1.0"?>',
        b"\x00" * 200_000,
        b"\x00" * 500_000 + b"<",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
    ],
    ids=lambda stray: repr(stray[:9]),
)
def test_stray_bytes_before_the_first_record_do_not_change_the_kind(
    tmp_path: Path, stray: bytes
) -> None:
    path = tmp_path / "a.mrc"
    path.write_bytes(stray + b"".join(utf8(book(str(n), f"Book {n}")) for n in range(100)))
    damage, *records = read_marc([path])
    assert isinstance(damage, Unread)
    assert damage.kind in ("stray bytes", "wrong length")
    assert f"{len(stray):,} bytes" in damage.reason
    assert [r.title for r in records if isinstance(r, CatalogueRecord)] == [
        f"Book {n}" for n in range(100)
    ]


def test_a_pipe_is_refused_by_name(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "records")
    with pytest.raises(ShelfError, match="records: is a pipe"):
        read_marc([tmp_path / "records"])
