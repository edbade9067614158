from __future__ import annotations

import codecs
import gzip
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.corpora.gutenberg import text_file
from builders.corpora.gutenberg.text_file import find_text, read_text
from evaluate_shelf.errors import ShelfError

NAMES = ("7-0.txt", "7-0.txt.gz", "pg7.txt", "pg7.txt.gz", "7-8.txt", "7-8.txt.gz", "7.txt")


def test_prefers_utf_8_then_latin_1_then_plain(tmp_path: Path) -> None:
    for name in ("7.txt.gz", *reversed(NAMES)):
        (tmp_path / name).write_text("x")
        found = find_text(tmp_path, 7)
        assert found is not None
        assert found.name == name


@pytest.mark.parametrize("name", [*NAMES, "7.txt.gz"])
def test_looks_into_the_folder_of_the_number(tmp_path: Path, name: str) -> None:
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / name).write_text("x")
    assert find_text(tmp_path, 7) == tmp_path / "7" / name


def test_takes_no_other_number_and_no_folder(tmp_path: Path) -> None:
    (tmp_path / "77.txt").write_text("x")
    (tmp_path / "7.txt").mkdir()
    assert find_text(tmp_path, 7) is None


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("Jókai – “hive”".encode(), "Jókai – “hive”"),
        (codecs.BOM_UTF8 + "Jókai".encode(), "Jókai"),
        ("Jókai £5".encode("latin-1"), "Jókai £5"),
        (b"\x93Hive\x94 \x96 caf\xe9", "“Hive” – café"),
        (b"a\x81b\x8dc\x8fd\x90e\x9df\xe9", "abcdefé"),
        (b"one\r\ntwo\rthree\nfour", "one\ntwo\nthree\nfour"),
        (b"a\x00b\x07c\td\x0ce" + b"f" * 60, "abc\tde" + "f" * 60),
        ("Jo\u0301kai\ufeff".encode(), "Jókai"),
    ],
)
def test_reads_what_is_met(tmp_path: Path, data: bytes, text: str) -> None:
    path = tmp_path / "7.txt"
    path.write_bytes(data)
    packed = tmp_path / "7.txt.gz"
    packed.write_bytes(gzip.compress(data, mtime=0))
    assert read_text(path) == read_text(packed) == text


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
def test_wide_encodings_are_named(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "7.txt"
    path.write_bytes("They hum.".encode(encoding))
    with pytest.raises(ShelfError, match=r"7\.txt: is in UTF-16 or UTF-32; convert it"):
        read_text(path)


@pytest.mark.parametrize("data", [b"", b" \r\n\t\r\n", codecs.BOM_UTF8, b"\x1a"])
def test_empty_files_are_named(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "7.txt"
    path.write_bytes(data)
    with pytest.raises(ShelfError, match=r"7\.txt: is empty"):
        read_text(path)


PACKED = gzip.compress(b"They hum in the hive. " * 99, mtime=0)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (PACKED[:-9], "damaged or cut short"),
        (PACKED[:12], "damaged or cut short"),
        (PACKED[:30] + bytes([PACKED[30] ^ 255]) + PACKED[31:], "damaged or cut short"),
        (PACKED[:-8] + b"\0" * 8, "damaged or cut short"),
        (PACKED + b"rest", "damaged or cut short"),
        (b"They hum.", "is named .gz but is not gzip"),
        (b"", "is named .gz but is not gzip"),
    ],
)
def test_damaged_gzip_is_named(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "7.txt.gz"
    path.write_bytes(data)
    with pytest.raises(ShelfError) as caught:
        read_text(path)
    assert str(path) in str(caught.value)
    assert said in str(caught.value)


def test_a_bomb_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "7.txt.gz"
    path.write_bytes(gzip.compress(b"a" * (text_file._LIMIT + 1)))
    with pytest.raises(ShelfError, match=r"7\.txt\.gz: holds more than 33,554,432 bytes"):
        read_text(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ShelfError, match=r"7\.txt: cannot be read"):
        read_text(tmp_path / "7.txt")


@given(st.binary(min_size=1, max_size=200))
def test_any_bytes_give_a_text_or_a_named_error(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_bytes(data)
    said = ""
    try:
        text = read_text(path)
    except ShelfError as error:
        text, said = "", str(error)
    assert text or str(path) in said
    assert unicodedata.is_normalized("NFC", text)
    controls = {mark for mark in text if unicodedata.category(mark) == "Cc"}
    assert controls <= {"\n", "\t"}


@given(st.text(st.characters(codec="latin-1", exclude_categories=["Cc"]), min_size=1))
def test_latin_1_prose_is_read_as_written(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    data = ("é " + text).encode("latin-1")
    path = tmp_path_factory.getbasetemp() / "latin.txt"
    path.write_bytes(data)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        assert read_text(path) == unicodedata.normalize("NFC", "é " + text)
