"""Tables of all four kinds; damaged rows are named, the others are read."""

from __future__ import annotations

import contextlib
import csv
import datetime as dt
import gzip
import io
import json
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.records.record import CatalogueRecord, Unread
from evaluate_shelf.records.tables import (
    LONGEST_CELL,
    ColumnMapping,
    parse_mapping,
    read_table,
)

ALL = parse_mapping(
    ["id=id", "title=title", "text=abstract", "text=contents", "lcc=lcc", "lcsh=lcsh",
     "genre=genre", "language=lang", "author=author", "year=year"]
)  # fmt: skip
TITLES = parse_mapping(["id=id", "title=title", "lcc=lcc"])
ROWS = [
    {
        "id": "b1",
        "title": " Été, “quoted” ",
        "abstract": "One.\nTwo, \"three\".",
        "contents": "",
        "lcc": ["LAW", "QA76.9 .D3", "QA76.9 .D3"],
        "lcsh": ["Computers--History", "Été"],
        "genre": ["Essays"],
        "lang": "ENG",
        "author": "Doe, Jane",
        "year": "c1984",
        "unused": "x",
    },
    {"id": "b2", "title": "Second", "abstract": "", "contents": "Part 1", "lcc": ["W 100"],
     "lcsh": [], "genre": [], "lang": "", "author": "", "year": "", "unused": ""},
]  # fmt: skip
RECORDS = [
    CatalogueRecord(
        id="b1",
        title="Été, “quoted”",
        text='Été, “quoted”\n\nOne.\nTwo, "three".',
        language="eng",
        author="Doe, Jane",
        year="1984",
        lcc_numbers=("LAW", "QA76.9 .D3"),
        lcc_code="Q",
        lcc_subclass="QA",
        lcsh=("Computers--History", "Été"),
        genres=("Essays",),
        file="",
        position=1,
    ),
    CatalogueRecord(
        id="b2",
        title="Second",
        text="Second\n\nPart 1",
        language="",
        author="",
        year="",
        lcc_numbers=("W 100",),
        lcc_code=None,
        lcc_subclass=None,
        lcsh=(),
        genres=(),
        file="",
        position=2,
    ),
]


def joined(row: dict[str, object], separator: str) -> dict[str, str]:
    return {
        name: separator.join(value) if isinstance(value, list) else str(value)
        for name, value in row.items()
    }


def as_csv(rows: list[dict[str, object]]) -> bytes:
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(rows[0]))
    writer.writeheader()
    writer.writerows(joined(row, "; ") for row in rows)
    return stream.getvalue().encode()


def as_tsv(rows: list[dict[str, object]]) -> bytes:
    lines = [list(rows[0]), *(list(joined(row, " | ").values()) for row in rows)]
    return "".join("\t".join(cells) + "\n" for cells in lines).encode()


def as_jsonl(rows: list[dict[str, object]]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def as_parquet(rows: list[dict[str, object]]) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), stream)
    return stream.getvalue()


def read(
    path: Path, data: bytes, mapping: ColumnMapping = TITLES
) -> list[CatalogueRecord | Unread]:
    path.write_bytes(data)
    return list(read_table(path, mapping))


def kinds(found: list[CatalogueRecord | Unread]) -> list[str]:
    return [r.kind if isinstance(r, Unread) else r.title for r in found]


def same(record: CatalogueRecord | Unread, other: CatalogueRecord) -> bool:
    return all(
        getattr(record, name) == getattr(other, name)
        for name in CatalogueRecord.__slots__
        if name != "file"
    )


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.csv", as_csv),
        ("a.CSV.gz", lambda rows: gzip.compress(as_csv(rows))),
        ("a.jsonl", as_jsonl),
        ("a.ndjson.gz", lambda rows: gzip.compress(as_jsonl(rows))),
        ("bom.csv", lambda rows: b"\xef\xbb\xbf" + as_csv(rows)),
        ("bom.jsonl", lambda rows: b"\xef\xbb\xbf" + as_jsonl(rows)),
        ("a.parquet", as_parquet),
    ],
)
def test_each_kind_gives_the_same_records(
    tmp_path: Path, name: str, write: Callable[[list[dict[str, object]]], bytes]
) -> None:
    found = read(tmp_path / name, write(ROWS), ALL)
    assert len(found) == 2
    assert all(map(same, found, RECORDS))
    assert {r.file for r in found} == {name}


def test_semicolons_in_place_of_commas_are_named(tmp_path):
    place = tmp_path / "a.csv"
    place.write_text("Title;LCC\nOne;QA1\n", encoding="utf-8")
    with pytest.raises(ShelfError, match="semicolons"):
        list(read_table(place, parse_mapping(["title=Title", "lcc=LCC"])))


def test_cells_of_tsv_are_unquoted_where_a_spreadsheet_quoted_them(tmp_path):
    titles = ['Shaping the "Divine man" : holiness', "Plain", "Two\nlines", '"Quoted" and "more"']
    place = tmp_path / "a.tsv"
    with place.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter="\t")
        writer.writerow(["Title", "LCC"])
        writer.writerows([title, f"QA{number}"] for number, title in enumerate(titles))
    found = list(read_table(place, parse_mapping(["title=Title", "lcc=LCC"])))
    assert [record.title for record in found] == [" ".join(title.split()) for title in titles]


@pytest.mark.parametrize(
    "title", ['"Foo" / a study', '"Foo', 'Foo "bar"', '"The whole title"', 'An inch is 1"']
)
def test_quotes_of_unquoted_tsv_belong_to_the_text(tmp_path, title):
    place = tmp_path / "a.tsv"
    place.write_text(f"Title\tLCC\nOne\tQA1\n{title}\tQA2\nThree\tQA3\n", encoding="utf-8")
    found = list(read_table(place, parse_mapping(["title=Title", "lcc=LCC"])))
    assert [record.title for record in found] == ["One", title, "Three"]


@pytest.mark.parametrize("name", ["a.tsv", "a.tab"])
def test_tabs_know_no_quotes(tmp_path: Path, name: str) -> None:
    rows = [row | {"abstract": "One."} for row in ROWS]
    rows[1]["title"] = '"Second'
    first, second = read(tmp_path / name, as_tsv(rows), ALL)
    assert isinstance(first, CatalogueRecord)
    assert isinstance(second, CatalogueRecord)
    assert (first.lcc_numbers, second.title) == (("LAW", "QA76.9 .D3"), '"Second')


@pytest.mark.parametrize(
    ("cell", "values"),
    [
        ("QA1; QB2", ("QA1", "QB2")),
        ("QA1;;QB2;", ("QA1", "QB2")),
        ("QA1 | QB2", ("QA1", "QB2")),
        ("QA1 | a; b", ("QA1", "a; b")),
        ("QA1|QB2", ("QA1|QB2",)),
        (["QA1; QB2", None, ""], ("QA1; QB2",)),
        ([], ()),
        (None, ()),
    ],
)
def test_several_values_in_a_cell(tmp_path: Path, cell: object, values: tuple[str, ...]) -> None:
    row = {"id": 1, "title": "T", "lcc": cell}
    [record] = read(tmp_path / "a.jsonl", as_jsonl([row]))
    assert isinstance(record, CatalogueRecord)
    assert (record.id, record.lcc_numbers) == ("1", values)


def test_without_an_id_file_and_row_are_one(tmp_path: Path) -> None:
    [one, two] = read(tmp_path / "a.csv", b"id,title,lcc\n,One,\n7,Two,\n")
    assert isinstance(one, CatalogueRecord)
    assert isinstance(two, CatalogueRecord)
    assert (one.id, two.id) == ("a.csv:1", "7")


def test_damaged_csv_rows(tmp_path: Path) -> None:
    data = (
        b"id,title,lcc\n"
        b"1,One,QA1\n"
        b"2,Two,QA1,more\n"
        b"3,Three\n"
        b"\n"
        b'4,"Four" and more,QA1\n'
        b"5,F\xe9e,QA1\n"
        b"6,,QA1\n"
        b"7," + b"x" * (LONGEST_CELL + 1) + b",QA1\n"
        b'8,"over\r\ntwo lines",QA1\r\n'
        b'9,"never closed,QA1\n'
        b"10,Ten,QA1\n"
        b"11,Last,QA1"
    )
    assert kinds(read(tmp_path / "a.csv", data)) == [
        "One", "wrong number of fields", "wrong number of fields", "bad row", "wrong encoding",
        "no text", "too long", "over two lines", "bad row", "Ten", "Last",
    ]  # fmt: skip


def test_a_quote_that_is_never_closed_costs_one_row_of_many(tmp_path: Path) -> None:
    rows = b"".join(b"%d,Title %d,QA1\n" % (n, n) for n in range(100_000))
    found = read(tmp_path / "a.csv", b'id,title,lcc\nx,"open,QA1\n' + rows)
    assert isinstance(found[0], Unread)
    assert kinds(found[1:]) == [f"Title {n}" for n in range(100_000)]


def test_a_line_without_end_is_one_row(tmp_path: Path) -> None:
    data = b"id,title,lcc\n1,One,QA1\n2," + b"x" * 5_000_000 + b",QA1\n3,Three,QA1\n"
    assert kinds(read(tmp_path / "a.csv", data)) == ["One", "too long", "Three"]
    lines = as_jsonl([{"id": 1, "title": "One", "lcc": []}])
    data = lines + b'{"title": "' + b"x" * 5_000_000 + b'"}\n' + lines
    assert kinds(read(tmp_path / "a.jsonl", data)) == ["One", "too long", "One"]


def test_damaged_json_lines(tmp_path: Path) -> None:
    data = (
        b'{"id": 1, "title": "One", "lcc": ["QA1"]}\n'
        b'{"id": 2, "title": "Two", \n'
        b"\n"
        b"[1, 2]\n"
        b'{"id": 4, "title": "\xe9", "lcc": []}\n'
        b'{"id": 5, "title": {"a": "b"}, "lcc": []}\n'
        b'{"id": 6, "title": "Six", "lcc": [["QA1"]]}\n'
        b'{"id": 7, "title": "half \\ud800", "lcc": []}\n'
        b'{"id": 8, "lcc": []}\n'
        b'{"id": 9, "title": true}\n'
        b'{"id": 10, "title": '
        + b"[" * 100_000
        + b"\n"
        + b'{"id": '
        + b"1" * 10_000
        + b', "title": "x"}\n'
        + b'{"id": 12, "title": "'
        + b"x" * (LONGEST_CELL + 1)
        + b'"}\n'
        + b'{"id": null, "title": "Last"}'
    )
    found = read(tmp_path / "a.jsonl", data)
    assert kinds(found) == [
        "One", "bad row", "bad row", "wrong encoding", "wrong value", "wrong value",
        "wrong encoding", "no text", "wrong value", "bad row", "bad row", "too long", "Last",
    ]  # fmt: skip
    assert [r.position for r in found] == list(range(1, 14))
    unread = found[4]
    assert isinstance(unread, Unread)
    assert (unread.control_number, "'title'" in unread.reason) == ("5", True)


def test_damaged_parquet_rows(tmp_path: Path) -> None:
    titles = pa.array([b"One", b"\xe9", b"Three", None]).view(pa.string())
    table = pa.table({"id": [1, 2, 3, 4], "title": titles, "lcc": [["QA1"], [], None, []]})
    stream = io.BytesIO()
    pq.write_table(table, stream)
    found = read(tmp_path / "a.parquet", stream.getvalue())
    assert kinds(found) == ["One", "wrong encoding", "Three", "no text"]


def test_parquet_columns_of_other_types(tmp_path: Path) -> None:
    table = pa.table(
        {
            "id": pa.array([7], pa.int32()),
            "title": pa.array(["One"]).dictionary_encode(),
            "lcc": pa.array([["QA1"]], pa.large_list(pa.large_string())),
            "when": [dt.date(1984, 1, 1)],
        }
    )
    stream = io.BytesIO()
    pq.write_table(table, stream)
    [record] = read(tmp_path / "a.parquet", stream.getvalue())
    assert isinstance(record, CatalogueRecord)
    assert (record.id, record.title, record.lcc_code) == ("7", "One", "Q")
    dates = parse_mapping(["title=title", "year=when"])
    [record] = read(tmp_path / "a.parquet", stream.getvalue(), dates)
    assert isinstance(record, CatalogueRecord)
    assert record.year == "1984"
    lists = parse_mapping(["title=lcc"])
    assert kinds(read(tmp_path / "a.parquet", stream.getvalue(), lists)) == ["wrong value"]


def fixed(kind: pa.DataType, *values: int) -> pa.Array:
    """An array of 64-bit values that pyarrow would not make."""
    return pa.Array.from_buffers(
        kind, len(values), [None, pa.py_buffer(struct.pack(f"<{len(values)}q", *values))]
    )


def parquet(columns: dict[str, object], **options: Any) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream, **options)
    return stream.getvalue()


NOT_UTF8 = pa.array([b"one", b"\xff\xfe", b"three"])


@pytest.mark.parametrize(
    ("odd", "kind"),
    [
        (fixed(pa.timestamp("us"), 0, 2**62, 0), "wrong value"),
        (fixed(pa.timestamp("us", "UTC"), 0, -(2**62), 0), "wrong value"),
        (fixed(pa.timestamp("ms"), 0, 2**62, 0), "wrong value"),
        (fixed(pa.date64(), 0, 86_400_000 * 2**30, 0), "wrong value"),
        (pa.array([0, 2**30, 0], pa.int32()).view(pa.date32()), "wrong value"),
        (NOT_UTF8.view(pa.string()), "wrong encoding"),
        (NOT_UTF8.view(pa.string()).dictionary_encode(), "wrong encoding"),
        (pa.ListArray.from_arrays([0, 1, 2, 3], NOT_UTF8.view(pa.string())), "wrong encoding"),
    ],
    ids=lambda case: str(getattr(case, "type", case)),
)
def test_an_odd_parquet_value_costs_its_row_alone(tmp_path: Path, odd: pa.Array, kind: str) -> None:
    data = parquet({"id": ["a", "b", "c"], "title": ["One", "Two", "Three"], "odd": odd})
    mapping = parse_mapping(["id=id", "title=title", "genre=odd"])
    found = read(tmp_path / "a.parquet", data, mapping)
    assert (kinds(found)[0], kinds(found)[2]) == ("One", "Three")
    unread = found[1]
    assert isinstance(unread, Unread)
    assert (unread.kind, unread.file, unread.position) == (kind, "a.parquet", 2)
    assert unread.control_number == "b"
    assert "'odd'" in unread.reason


def test_an_unknown_time_zone_costs_the_rows_that_have_a_value(tmp_path: Path) -> None:
    when = pa.array([0, None, 0], pa.timestamp("us", "Mars/Phobos"))
    data = parquet({"title": ["One", "Two", "Three"], "when": when})
    found = read(tmp_path / "a.parquet", data, parse_mapping(["title=title", "year=when"]))
    assert kinds(found) == ["wrong value", "Two", "wrong value"]


def test_bytes_in_a_parquet_schema_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    data = parquet({"title": ["One"]}, store_schema=False).replace(b"title", b"t\xfftle")
    with pytest.raises(ShelfError, match=r"a\.parquet: not a Parquet file"):
        read(tmp_path / "a.parquet", data)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_mangled_parquet_file_is_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    mangled = bytearray(as_parquet(ROWS))
    for _ in range(data.draw(st.integers(1, 3))):
        mangled[data.draw(st.integers(0, len(mangled) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(ShelfError):
        found = read(tmp_path / "a.parquet", bytes(mangled), ALL)
        assert all(isinstance(r, CatalogueRecord | Unread) for r in found)


@pytest.mark.parametrize("times", [500, 20_000])
def test_a_long_value_of_a_dictionary_is_not_decoded_for_each_row(
    tmp_path: Path, times: int
) -> None:
    values = pa.array(["x" * 2_000_000, "Short"])
    titles = pa.DictionaryArray.from_arrays(pa.array([0] * times + [1], pa.int32()), values)
    data = parquet({"title": titles}, compression="zstd")
    assert len(data) < 20_000
    tracemalloc.start()
    found = read(tmp_path / "a.parquet", data, parse_mapping(["title=title"]))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kinds(found) == ["too long"] * times + ["Short"]
    assert peak < 40 * 2**20


def test_a_list_is_measured_before_it_is_decoded(tmp_path: Path) -> None:
    data = parquet({"title": ["One", "Two"], "lcc": [["QA1" * 1000] * 10_000, ["QA1"]]})
    tracemalloc.start()
    found = read(tmp_path / "a.parquet", data, parse_mapping(["title=title", "lcc=lcc"]))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kinds(found) == ["too long", "Two"]
    assert peak < 10 * 2**20


def test_files_that_break_off(tmp_path: Path) -> None:
    rows = [{"id": n, "title": f"Title {n * 7919 % 1000}", "lcc": "QA1"} for n in range(20_000)]
    for name, data in [("a.csv.gz", as_csv(rows)), ("a.jsonl.gz", as_jsonl(rows))]:
        found = read(tmp_path / name, gzip.compress(data, mtime=0)[:-3000])
        assert isinstance(found[-1], Unread)
        assert found[-1].kind == "cut off"
        assert kinds(found[:-1]) == [str(row["title"]) for row in rows[: len(found) - 1]]
        assert len(found) > 10_000
    with pytest.raises(ShelfError, match="not a Parquet file"):
        read(tmp_path / "a.parquet", as_parquet(rows)[:-9])


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", as_csv(ROWS)),
        ("a.tsv", as_tsv(ROWS)),
        ("a.jsonl", as_jsonl(ROWS)),
        ("a.parquet", as_parquet(ROWS)),
    ],
)
def test_an_unknown_column_is_refused_with_those_that_there_are(
    tmp_path: Path, name: str, data: bytes
) -> None:
    mapping = parse_mapping(["title=title", "lcc=LCC"])
    with pytest.raises(ShelfError, match=r"'LCC' is missing.*title.*lcc"):
        read(tmp_path / name, data, mapping)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.csv", b"id,title,title,lcc\n", "there twice"),
        ("a.csv", b"", "empty"),
        ("a.csv", b"\n\n", "header"),
        ("a.csv", b'"id,title\n', "header"),
        ("a.csv", "id,title,lcc\n".encode("utf-16"), "header"),
        ("a.jsonl", b"[\n{\n", "JSON object"),
        ("a.parquet", b"PAR1 and no more", "Parquet"),
        ("a.xlsx", b"PK", "known"),
        ("a.parquet.gz", b"\x1f\x8b", "empty, or damaged"),
        ("a.gz", gzip.compress(b"id", mtime=0), "known"),
        ("csv", b"id", "known"),
    ],
)
def test_what_is_no_table_is_refused_at_once(
    tmp_path: Path, name: str, data: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ShelfError, match=message):
        read_table(tmp_path / name, TITLES)


def test_missing_files_and_empty_mappings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ShelfError, match="cannot be read"):
        read_table(tmp_path / "none.csv", TITLES)
    (tmp_path / "a.csv").write_bytes(as_csv(ROWS))
    with pytest.raises(ShelfError, match="title or text"):
        read_table(tmp_path / "a.csv", ColumnMapping(lcc="lcc"))


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([], "title or text"),
        (["lcc=lcc"], "title or text"),
        (["title"], "role=column"),
        (["title="], "role=column"),
        (["name=Title"], "roles: id, title, text"),
        (["title=a", "title=b"], "twice"),
        (["text=a", "text=a"], "twice"),
    ],
)
def test_wrong_mappings(items: list[str], message: str) -> None:
    with pytest.raises(ShelfError, match=message):
        parse_mapping(items)


def test_a_column_may_serve_twice_and_hold_an_equals_sign(tmp_path: Path) -> None:
    mapping = parse_mapping(["title=a=b", "text=a=b", "text=c", "id=c"])
    assert mapping == ColumnMapping(title="a=b", text=("a=b", "c"), id="c")
    [record] = read(tmp_path / "a.csv", b"a=b,c\nOne,Two\n", mapping)
    assert isinstance(record, CatalogueRecord)
    assert (record.id, record.text) == ("Two", "One\n\nTwo")


cells = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), max_size=12)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=6))
def test_any_cells_come_back_from_csv(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    table: list[dict[str, object]] = [
        {"id": f"r{n}", "title": f"T{title}", "lcc": lcc} for n, (title, lcc) in enumerate(rows)
    ]
    from_csv = read(path, as_csv(table))
    from_json = read(path.with_suffix(".jsonl"), as_jsonl(table))
    assert len(from_csv) == len(rows)
    for one, other in zip(from_csv, from_json, strict=True):
        assert isinstance(other, CatalogueRecord)
        assert same(one, other)


@given(st.binary(max_size=200))
def test_any_bytes_give_records_or_unread(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    folder = tmp_path_factory.getbasetemp()
    starts = {
        "any.csv": b"id,title,lcc\n1,One,QA1\n",
        "any.tsv": b"id\ttitle\tlcc\n1\tOne\tQA1\n",
        "any.jsonl": b'{"id": "1", "title": "One", "lcc": "QA1"}\n',
    }
    for name, start in starts.items():
        first, *others = read(folder / name, start + data)
        assert isinstance(first, CatalogueRecord)
        assert (first.title, first.lcc_subclass) == ("One", "QA")
        assert all(isinstance(other, CatalogueRecord | Unread) for other in others)
