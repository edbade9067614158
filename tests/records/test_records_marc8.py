"""MARC-8, against pymarc's own conversion and the code tables."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymarc.marc8 import marc8_to_unicode
from pymarc.marc8_mapping import CODESETS

from evaluate_shelf.records.marc8 import decoded

ANSEL = CODESETS[0x45]
MARKS = sorted(code for code, (_, is_mark) in ANSEL.items() if is_mark)
SIGNS = sorted(code for code, (_, is_mark) in ANSEL.items() if not is_mark and code > 0xA0)
LETTERS = st.sampled_from([*range(0x20, 0x7F), *SIGNS])


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"plain (ASCII) text, $5", "plain (ASCII) text, $5"),
        (b"\xa1\xe2od\xe2z", "Łódź"),
        (b"Vi\xf2\xe3et", "Vi\u1ec7t"),
        (b"\x88The \x89Hague", "The Hague"),
        (b"a\x1bb2\x1bs b", "a\u2082 b"),
        (b"\x1bga\x1bs-rays", "α-rays"),
        (b"\x1b(NmOSKWA\x1b(B!", "Москва!"),
        (b"\x1b)!E\xa1", "Ł"),
        (b"\x1b$1!0!\x1b(B.", "一."),
        (b"\x1b$)1\xa1\xb0\xa1", "一"),
        (b"\x1b$1!0! !0!\x1b(B", "一 一"),
        (b"\x1b(2`\x1b(B", "א"),
    ],
)
def test_known_values(data: bytes, text: str) -> None:
    assert decoded(data) == text


@pytest.mark.parametrize(
    "data",
    [
        b"\x80",
        b"na\xefve caf\xff",
        b"\xd0",
        b"\xfc",
        b"\x1b",
        b"\x1bz",
        b"\x1b(",
        b"\x1b$1!0",
        b"\x1b$1~~~",
        b"\x1bbx",
    ],
)
def test_what_the_set_has_not_is_an_error(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"byte|escape"):
        decoded(data)


def test_every_byte_is_either_in_the_table_or_an_error() -> None:
    for code in range(0x80, 0x100):
        if code in ANSEL:
            decoded(bytes([code]) + b"a")
        else:
            with pytest.raises(ValueError, match="MARC-8"):
                decoded(bytes([code]) + b"a")


@given(st.lists(st.tuples(st.lists(st.sampled_from(MARKS), max_size=2), LETTERS), max_size=12))
def test_extended_latin_is_as_pymarc_reads_it(units: list[tuple[list[int], int]]) -> None:
    data = b"".join(bytes([*marks, letter]) for marks, letter in units)
    assert decoded(data) == marc8_to_unicode(data)


@given(
    st.sampled_from([0x31, 0x32, 0x4E, 0x53]).flatmap(
        lambda name: st.tuples(
            st.just(name),
            st.lists(
                st.sampled_from(sorted(c for c, (_, mark) in CODESETS[name].items() if not mark)),
                max_size=8,
            ),
        )
    )
)
def test_other_alphabets_are_as_pymarc_reads_them(case: tuple[int, list[int]]) -> None:
    name, codes = case
    width, designation = (3, b"\x1b$1") if name == 0x31 else (1, b"\x1b(" + bytes([name]))
    inside = b"".join(code.to_bytes(width, "big") for code in codes)
    data = b"a" + designation + inside + b"\x1b(Bz"
    assert decoded(data) == marc8_to_unicode(data)


@given(st.binary(max_size=30))
def test_any_bytes_give_text_or_an_error(data: bytes) -> None:
    try:
        text = decoded(data)
    except ValueError:
        return
    assert text == unicodedata.normalize("NFC", text)
