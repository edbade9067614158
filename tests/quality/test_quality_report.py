"""The whole report: whatever was planted is in it, and batches do not matter."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from planted_corpora import SPLITS, corpus, near_copy, words

from builders.draws import Draws
from builders.quality import (
    QualityReport,
    as_json,
    batches_of,
    markdown,
    quality_of,
    relevance_of,
    write_quality,
)
from evaluate_shelf.errors import ShelfError


def small_corpus(count: int = 90) -> pa.Table:
    """Every thirtieth text is a near copy of the one before it, every thirty-first an exact one."""
    texts: list[str] = []
    for number in range(count):
        draws = Draws(number, "small")
        own = words(draws, 60)
        if number % 30 == 29:
            own = near_copy(draws, texts[-1].split(), 1)
        texts.append(texts[-1] if number % 31 == 30 else " ".join(own))
    return corpus(
        texts,
        spec_id=[f"s{number // 2}" for number in range(count)],
        lcc_code=[("A", "B", "C")[number % 3] for number in range(count)],
        lcc_name=["w1"] * count,
        topics=[["w2", "w3"][: number % 3] for number in range(count)],
        model=[None if number == 0 else f"m{number % 2}" for number in range(count)],
        word_count=[60] * count,
    )


def report_of(table: pa.Table, *, rows: int = 1000) -> QualityReport:
    return quality_of("small", batches_of(table, rows=rows), group_column="spec_id", seed=42)


def test_what_was_planted_is_reported() -> None:
    report = report_of(small_corpus())
    assert report.documents == {"train": 30, "validation": 30, "test": 30}
    assert report.exact.texts == 2
    assert report.near.pairs.total == 3
    assert report.near.pairs.across["validation-test"] == 3
    assert report.groups is not None
    assert report.groups.across_splits == report.groups.groups == 45
    missing = {split: absent.labels for split, absent in report.absent["lcc_code"].items()}
    assert missing == dict.fromkeys(SPLITS, 2)
    assert report.signals["lcc_name"].labelled == 90
    assert report.labels["model"].without["train"] == 1
    assert report.ids.ids == 0


@pytest.mark.parametrize("rows", [1, 7, 64])
def test_batches_do_not_matter(rows: int) -> None:
    table = small_corpus()
    assert as_json([report_of(table, rows=rows)]) == as_json([report_of(table)])


def test_a_table_that_is_larger_than_what_is_read_at_a_time_gives_the_same() -> None:
    table = corpus(
        [f"text {number} " * (number % 5) for number in range(2500)], spec_id=["s"] * 2500
    )
    assert report_of(table, rows=2500) == report_of(table, rows=100)


def test_types_of_strings_do_not_matter() -> None:
    table = small_corpus()
    other = table.cast(
        pa.schema(
            [
                pa.field(f.name, {pa.string(): pa.large_string()}.get(f.type, f.type))
                for f in table.schema
            ]
        )
    )
    for name in ("split", "lcc_code", "spec_id"):
        place = other.schema.get_field_index(name)
        other = other.set_column(place, name, table[name].dictionary_encode())
    assert report_of(other) == report_of(table)


def test_a_corpus_without_labels_or_groups_has_a_report() -> None:
    report = quality_of("plain", batches_of(corpus(["a b", "c d"])), group_column=None, seed=0)
    assert (report.labels, report.absent, report.signals, report.groups) == ({}, {}, {}, None)
    empty = corpus([]).cast(pa.schema([(name, pa.string()) for name in ("id", "text", "split")]))
    nothing = quality_of("none", batches_of(empty), group_column="spec_id", seed=0)
    assert nothing.lengths is None
    assert markdown([report, nothing])


def test_only_wanted_columns_are_asked_for_and_texts_are_read_at_most_twice() -> None:
    table = small_corpus()
    asked: list[Sequence[str]] = []

    def batches(columns: Sequence[str], /) -> Iterator[pa.Table]:
        asked.append(columns)
        return batches_of(table)(columns)

    quality_of("small", batches, group_column="spec_id", seed=42)
    assert len(asked) == 2
    assert len(set(asked[0])) == len(asked[0])
    assert set(asked[1]) == {"id", "text", "split"}


def test_lengths_agree_with_a_sorted_list() -> None:
    counts = sorted(Draws(1, "lengths").integer(4000) for _ in range(301))
    table = corpus(["w " * count for count in counts])
    lengths = quality_of("lengths", batches_of(table), group_column=None, seed=0).lengths
    assert lengths is not None
    assert (lengths.min, lengths.median, lengths.max) == (counts[0], counts[150], counts[-1])
    assert lengths.mean == round(sum(counts) / 301, 2)
    assert lengths.p90 == counts[int(np.ceil(0.9 * 301)) - 1]
    assert sum(part.documents for part in lengths.histogram) == 301
    for part in lengths.histogram:
        inside = [n for n in counts if n >= part.least and (part.below is None or n < part.below)]
        assert part.documents == len(inside)


def test_reports_are_written_whole_and_alike(tmp_path: Path) -> None:
    report = report_of(small_corpus())
    rows = pa.table({"query-id": ["q|`", "q"], "corpus-id": ["d", "d"]})
    relevance = relevance_of("lcc_qrels", [rows], pa.array(["q"]), pa.array(["d"]))
    paths = write_quality(tmp_path / "reports", [report, report], [relevance])
    assert sorted(path.name for path in (tmp_path / "reports").iterdir()) == [
        "quality.json",
        "quality.md",
    ]
    first = [path.read_bytes() for path in paths]
    write_quality(tmp_path / "reports", [report, report], [relevance])
    assert [path.read_bytes() for path in paths] == first
    value = json.loads(first[0])
    assert QualityReport.model_validate(value["corpora"][0]) == report
    assert list(value["corpora"][0]) == sorted(value["corpora"][0])


def test_every_table_row_has_as_many_cells_as_its_head() -> None:
    table = small_corpus()
    place = table.schema.get_field_index("model")
    hostile = table.set_column(
        place, "model", pa.array(["a|b`c\n<script>\x1b[2J"] * table.num_rows)
    )
    text = markdown([report_of(hostile), report_of(table)])
    assert "\x1b" not in text
    cells = None
    for line in text.splitlines():
        if not line.startswith("|"):
            cells = None
            continue
        count = line.replace("\\|", "").count("|")
        assert cells in (None, count)
        cells = count


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("split", ["train", "dev"], "row 1, field 'split': 'dev'"),
        ("split", ["train", None], "row 1, field 'split': no value"),
        ("text", ["a", None], "row 1, field 'text': no value"),
        ("id", [None, "b"], "row 0, field 'id': no value"),
        ("id", [1, 2], "field 'id': its type is int64"),
        ("text", [["a"], ["b"]], "field 'text': its type is list"),
        ("lcc_code", [1, 2], "field 'lcc_code': its type is int64"),
        ("topics", [[1], [2]], "field 'topics': its type is list"),
    ],
)
def test_rows_that_cannot_be_read_are_named(column: str, values: list, message: str) -> None:
    table = corpus(["a", "b"]).to_pydict() | {column: values}
    with pytest.raises(ShelfError, match=message):
        report_of(pa.table(table))


def test_a_missing_column_is_named() -> None:
    with pytest.raises(ShelfError, match="no column 'split'"):
        report_of(corpus(["a"]).drop_columns("split"))
