"""Content hashes: of what rows say, not of how they are stored."""

from __future__ import annotations

import itertools
import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from release_forgery import Release, check_of, hash_of_rows, hashes_of_fields

from evaluate_shelf.release.content import (
    ContentHasher,
    canonical_json,
    cell_checks,
    content_of,
)

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("count", pa.int64()),
        ("share", pa.float64()),
        ("whole", pa.bool_()),
        ("topics", pa.list_(pa.string())),
        ("from", pa.struct([("work", pa.int64()), ("place", pa.string())])),
    ]
)
texts = st.text(st.characters(codec="utf-8"), max_size=6)
rows_of_any_kind = st.lists(
    st.fixed_dictionaries(
        {
            "id": texts,
            "count": st.none() | st.integers(-(2**63), 2**63 - 1),
            "share": st.none() | st.floats(allow_nan=False, allow_infinity=False),
            "whole": st.none() | st.booleans(),
            "topics": st.none() | st.lists(st.none() | texts, max_size=3),
            "from": st.none()
            | st.fixed_dictionaries({"work": st.integers(0, 99), "place": st.none() | texts}),
        }
    ),
    min_size=1,
    max_size=5,
)


def table_of(rows, schema=SCHEMA):
    return pa.Table.from_pylist(rows, schema=schema)


def same(first, second):
    one, other = content_of(first), content_of(second)
    equal = one.sha256 == other.sha256
    assert equal == (cell_checks(first).tolist() == cell_checks(second).tolist())
    assert equal == (one.field_sha256 == other.field_sha256)
    return equal


@given(rows_of_any_kind)
def test_the_hash_is_that_of_the_documented_rule(rows):
    table = table_of(rows)
    content = content_of(table)
    assert content.sha256 == hash_of_rows(rows, SCHEMA)
    assert content.field_sha256 == hashes_of_fields(rows, SCHEMA)
    expected = [[check_of(row[name]) for name in SCHEMA.names] for row in rows]
    assert cell_checks(table).tolist() == expected


@given(rows_of_any_kind, st.lists(st.integers(0, 5), max_size=4))
def test_it_does_not_matter_in_what_parts_rows_come(rows, cuts):
    table = table_of(rows)
    edges = sorted({0, len(rows), *(cut for cut in cuts if cut < len(rows))})
    hasher = ContentHasher()
    for start, end in itertools.pairwise(edges):
        hasher.update(table.slice(start, end - start))
    assert hasher.content() == content_of(table)


def test_the_hash_is_pinned():
    rows = [
        {"id": "ü", "count": 1, "share": 0.1, "whole": True, "topics": ["a", None],
         "from": {"work": 3, "place": "São Paulo"}},
        {"id": "", "count": None, "share": 1e22, "whole": None, "topics": [], "from": None},
    ]  # fmt: skip
    pinned = "7d20d9de58187cfd1c5825f32cd4b4258098e9f3a359f09828599b273ca458a0"
    assert content_of(table_of(rows)).sha256 == hash_of_rows(rows, SCHEMA) == pinned


@pytest.mark.parametrize("config", ["v0_4_core", "all", "same_lcc_pairs"])
def test_compression_row_groups_and_encodings_do_not_matter(small_release, tmp_path, config):
    path = Release(small_release).path(config)
    table = pq.read_table(path)
    expected = content_of(table)
    for number, options in enumerate(
        [
            {"compression": "none"},
            {"compression": "snappy", "row_group_size": 1},
            {"compression": "gzip", "use_dictionary": False},
            {"compression": "brotli", "data_page_version": "2.0", "row_group_size": 17},
            {"version": "1.0", "write_statistics": False, "store_schema": False},
            {"use_content_defined_chunking": True},
        ]
    ):
        other = tmp_path / f"{number}.parquet"
        pq.write_table(table, other, **options)
        assert other.read_bytes() != path.read_bytes()
        content = content_of(pq.read_table(other))
        assert content.sha256 == expected.sha256
        assert content.field_sha256 == expected.field_sha256
        assert cell_checks(pq.read_table(other)).tolist() == cell_checks(table).tolist()


@pytest.mark.parametrize("config", ["v0_4_core", "all", "same_lcc_pairs"])
def test_the_manifest_holds_the_hashes_of_the_rows(small_release, config):
    release = Release(small_release)
    for split in ("train", "validation", "test"):
        path = release.path(config, split)
        file = release.manifest["data_files"][path.relative_to(small_release).as_posix()]
        rows = release.rows(config, split)
        schema = pq.read_schema(path)
        assert file["content_sha256"] == hash_of_rows(rows, schema)
        assert file["field_sha256"] == hashes_of_fields(rows, schema)


@given(rows_of_any_kind)
def test_chunks_and_string_types_do_not_matter(rows):
    table = table_of(rows)
    chunked = pa.concat_tables([table.slice(place, 1) for place in range(table.num_rows)])
    assert same(table, chunked)
    large = table.schema.set(0, pa.field("id", pa.large_string()))
    assert same(table, table.cast(large))


@given(rows_of_any_kind, st.permutations(SCHEMA.names))
def test_the_order_of_columns_and_of_struct_fields_does_not_matter(rows, names):
    table = table_of(rows)
    assert content_of(table.select(names)).sha256 == content_of(table).sha256
    turned = pa.struct([("place", pa.string()), ("work", pa.int64())])
    position = SCHEMA.get_field_index("from")
    other = table_of(rows, SCHEMA.set(position, pa.field("from", turned)))
    assert same(table, other)


@given(rows_of_any_kind, st.randoms(use_true_random=False))
def test_the_order_of_rows_matters(rows, chance):
    shuffled = list(rows)
    chance.shuffle(shuffled)
    assert same(table_of(rows), table_of(shuffled)) == (
        list(map(canonical_json, rows)) == list(map(canonical_json, shuffled))
    )


@given(rows_of_any_kind, st.data())
def test_every_value_matters(rows, data):
    row = data.draw(st.integers(0, len(rows) - 1))
    name = data.draw(st.sampled_from(SCHEMA.names))
    other = data.draw(rows_of_any_kind)[0][name]
    assume(canonical_json(other) != canonical_json(rows[row][name]))
    changed = [dict(own) for own in rows]
    changed[row][name] = other
    before, after = content_of(table_of(rows)), content_of(table_of(changed))
    assert before.sha256 != after.sha256
    assert {n for n in SCHEMA.names if before.field_sha256[n] != after.field_sha256[n]} == {name}
    differing = (cell_checks(table_of(rows)) != cell_checks(table_of(changed))).nonzero()
    assert [place.tolist() for place in differing] == [[row], [SCHEMA.names.index(name)]]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([1], [2]),
        ([1], [1.0]),
        ([1], ["1"]),
        ([1], [True]),
        ([None], [""]),
        ([[]], [None]),
        ([[None]], [[]]),
        (["a"], ["a "]),
        (["\u00fc"], ["u\u0308"]),
        ([0.1], [0.1 + 1e-16]),
        ([["a", "b"]], [["a,b"]]),
        (["a", "b"], ["ab", ""]),
        (["a\n", "b"], ["a", "\nb"]),
    ],
)
def test_values_that_look_alike_are_told_apart(first, second):
    if canonical_json(first) == canonical_json(second):
        pytest.fail("the example is of equal values")
    one, other = pa.table({"x": first}), pa.table({"x": second})
    assert content_of(one).sha256 != content_of(other).sha256


def test_a_name_of_a_column_matters():
    assert content_of(pa.table({"a": [1]})).sha256 != content_of(pa.table({"b": [1]})).sha256


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: [x], lambda x: {"a": x}, lambda x: [[x]]])
def test_what_is_no_number_is_refused(value, wrap):
    with pytest.raises(ValueError, match=r"(?i)nan|inf|float"):
        content_of(pa.table({"x": [wrap(1.0), wrap(value)]}))


def test_a_release_with_a_value_that_is_no_number_is_not_written(tmp_path, small_release):
    from builders.staging.config import ConfigInfo
    from builders.staging.writing import stage_rows

    rows = Release(small_release).rows("v0_4_core")
    schema = pq.read_schema(Release(small_release).path("v0_4_core")).remove_metadata()
    rows[3]["cost_usd"] = math.nan
    info = ConfigInfo("v0_4_core", "documents", schema, "made up")
    with pytest.raises(ValueError, match=r"(?i)nan"):
        stage_rows(info, rows, ["test"] * len(rows), tmp_path)
