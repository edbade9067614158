"""Lines of LCSHBench's files: each is a record or is damaged, whatever it holds."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lcshbench_files import held_out, record, write_jsonl

from builders.corpora.lcshbench.lines import numbered_lines
from builders.corpora.lcshbench.records import LONGEST_LINE, Damage, Record, read_records
from evaluate_shelf.errors import ShelfError


def read(path: Path) -> list[Record | Damage]:
    return list(read_records(path))


@pytest.mark.parametrize("name", ["dev.jsonl", "dev.jsonl.gz"])
def test_both_files_forms_and_compressions_are_read(tmp_path: Path, name: str) -> None:
    path = write_jsonl(tmp_path / name, [record(1), held_out(record(2)), record(3, notes="Index.")])
    first, second, third = read(path)
    assert isinstance(first, Record)
    assert first.title == "The keeper's almanac, volume 1 :"
    assert first.authors == ("Writer1, Ann,", "Helper, Bo")
    assert (first.lc_class, first.n_agencies, first.catalogs) == ("Q", 2, ("columbia", "harvard"))
    assert isinstance(second, Record)
    assert isinstance(third, Record)
    assert third.text.split("\n\n") == [third.title, third.abstract, third.toc, "Index."]


def test_a_mark_of_byte_order_windows_line_ends_and_blank_lines_do_no_harm(tmp_path: Path) -> None:
    lines = [json.dumps(record(number)).encode() for number in (1, 2)]
    path = tmp_path / "dev.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + lines[0] + b"\r\n \r\n\n" + lines[1])
    assert [one.line for one in read(path)] == [1, 4]
    assert all(isinstance(one, Record) for one in read(path))


def test_a_text_that_is_null_counts_as_empty(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "dev.jsonl", [record(1, abstract=None, notes=None, toc="  ")])
    (one,) = read(path)
    assert isinstance(one, Record)
    assert one.text == one.title


def without(name: str) -> dict[str, object]:
    return {key: value for key, value in record(1).items() if key != name}


USED = (
    "id", "language", "lc_class", "title", "abstract", "toc", "notes", "authors", "catalogs",
    "n_agencies",
)  # fmt: skip


@pytest.mark.parametrize("name", USED)
def test_a_missing_field_is_named(tmp_path: Path, name: str) -> None:
    path = write_jsonl(tmp_path / "dev.jsonl", [record(1), without(name), record(2)])
    before, damage, after = read(path)
    assert damage == Damage(2, name, "is missing")
    assert isinstance(before, Record)
    assert isinstance(after, Record)


@pytest.mark.parametrize("name", ["date", "publisher", "field_provenance", "heading_types"])
def test_fields_that_are_not_used_may_be_missing(tmp_path: Path, name: str) -> None:
    (one,) = read(write_jsonl(tmp_path / "dev.jsonl", [without(name)]))
    assert isinstance(one, Record)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("id", ""),
        ("id", " "),
        ("id", None),
        ("id", 17),
        ("id", "x" * 201),
        ("language", None),
        ("language", ["English"]),
        ("lc_class", 7),
        ("title", ["The keeper"]),
        ("abstract", {"a": 1}),
        ("toc", 3.5),
        ("notes", False),
        ("authors", "Writer, Ann"),
        ("authors", ["Writer, Ann", None]),
        ("authors", None),
        ("catalogs", None),
        ("catalogs", {"harvard": 1}),
        ("n_agencies", "2"),
        ("n_agencies", 2.0),
        ("n_agencies", True),
        ("n_agencies", -1),
        ("n_agencies", 10**30),
        ("n_agencies", None),
    ],
)
def test_a_field_of_the_wrong_type_is_named(tmp_path: Path, name: str, value: object) -> None:
    path = write_jsonl(tmp_path / "dev.jsonl", [record(1), record(2, **{name: value})])
    _, damage = read(path)
    assert isinstance(damage, Damage)
    assert (damage.line, damage.field) == (2, name)


@pytest.mark.parametrize("name", ["title", "authors", "catalogs"])
def test_half_a_surrogate_pair_is_damage(tmp_path: Path, name: str) -> None:
    value = "AB" if name == "title" else ["AB"]
    line = json.dumps(record(1, **{name: value})).replace('"AB"', '"A\\ud800B"').encode()
    _, damage = read(write_jsonl(tmp_path / "dev.jsonl", [record(2), line]))
    assert isinstance(damage, Damage)
    assert damage.field == name


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"id": "1", ', "JSON"),
        (b"not json at all", "JSON"),
        (b'{"id": NaN}', "JSON"),
        (b"[" * 200_000, "JSON"),
        (b'{"n_agencies": ' + b"9" * 5000 + b"}", "JSON"),
        (b"[]", "object"),
        (b"null", "object"),
        (b'"a text"', "object"),
        ('{"title": "Jókai"}'.encode("latin-1"), "UTF-8"),
        ('{"title": "Bees"}'.encode("utf-16"), "UTF-8"),
        (b"\x00\x01\x02", "JSON"),
    ],
)
def test_a_line_that_is_no_object_is_damage_and_the_rest_is_read(
    tmp_path: Path, line: bytes, said: str
) -> None:
    path = write_jsonl(tmp_path / "dev.jsonl", [record(1), line, record(2)])
    before, damage, after = read(path)
    assert isinstance(before, Record)
    assert isinstance(damage, Damage)
    assert (damage.line, damage.field) == (2, None)
    assert said in damage.what
    assert isinstance(after, Record)


def padded(number: int, size: int) -> bytes:
    empty = len(json.dumps(record(number, notes="")).encode())
    return json.dumps(record(number, notes="n" * (size - empty))).encode()


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_a_line_may_have_a_megabyte_and_no_byte_more(tmp_path: Path, end: bytes) -> None:
    path = tmp_path / "dev.jsonl"
    path.write_bytes(
        padded(1, LONGEST_LINE) + b"\r\n" + padded(2, LONGEST_LINE + 1) + b"\n"
        + padded(3, 5 * LONGEST_LINE) + b"\n" + padded(4, LONGEST_LINE) + end
    )  # fmt: skip
    one, two, three, four = read(path)
    assert isinstance(one, Record)
    assert isinstance(two, Damage)
    assert isinstance(three, Damage)
    assert isinstance(four, Record)
    assert [each.line for each in (one, two, three, four)] == [1, 2, 3, 4]


@given(data=st.text("{}ab \n", max_size=60).map(str.encode))
def test_bounded_lines_are_those_of_a_plain_split(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.mktemp("lines") / "dev.jsonl"
    path.write_bytes(data)
    expected = [
        (number, line if len(line) <= 5 else None)
        for number, line in enumerate(data.split(b"\n"), start=1)
        if line.strip() or len(line) > 5
    ]
    assert list(numbered_lines(path, longest=5, limit=1000)) == expected


def test_a_carriage_return_within_a_line_does_not_end_it(tmp_path: Path) -> None:
    path = tmp_path / "dev.jsonl"
    path.write_bytes(b"{abc}\r\r{def}\n{ghi}\r\n")
    assert list(numbered_lines(path, longest=5, limit=1000)) == [(1, None), (2, b"{ghi}")]


def test_a_file_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "dev.jsonl.gz"
    path.write_bytes(gzip.compress(b"0" * 5000, mtime=0))
    with pytest.raises(ShelfError, match="more than 1,000 bytes"):
        list(numbered_lines(path, longest=10, limit=1000))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is empty"),
        (b"\n \n\n", "it is empty"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "line 1: is not JSON"),
        (b'{"id": "1"}\n{"id": "2"}\n', "line 1, field 'language': is missing"),
    ],
)
def test_a_file_without_a_good_line_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "dev.jsonl"
    path.write_bytes(content)
    with pytest.raises(ShelfError) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert said in str(caught.value)


def test_damaged_gzip_is_refused(tmp_path: Path) -> None:
    whole = gzip.compress("\n".join(json.dumps(record(n)) for n in range(200)).encode())
    for name, content in [
        ("cut.jsonl.gz", whole[:-100]),
        ("flipped.jsonl.gz", whole[:-6] + bytes([whole[-6] ^ 1]) + whole[-5:]),
        ("plain.jsonl.gz", b'{"id": "1"}\n'),
    ]:
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(ShelfError, match="gzip") as caught:
            read(path)
        assert str(path) in str(caught.value)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.jsonl", tmp_path):
        with pytest.raises(ShelfError, match="cannot be read") as caught:
            read(path)
        assert str(path) in str(caught.value)
