"""From two files to rows with splits: what is kept, what is dropped and named."""

from __future__ import annotations

import json
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lcshbench_files import Fields, held_out, record, write_jsonl

from builders.corpora.lcshbench.columns import LCSHBENCH
from builders.corpora.lcshbench.corpus import lcshbench_files, lcshbench_rows
from builders.corpora.lcshbench.report import LcshbenchReport
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.taxonomy import load_taxonomy

LETTERS = "ABCDEFGHJKLMNPQRSTUVZ"


def shelf(first: int, *sizes: int) -> list[Fields]:
    """So many records of class A, of class B and so on."""
    letters = "".join(letter * size for letter, size in zip(LETTERS, sizes, strict=False))
    return [record(number, letter=letter) for number, letter in enumerate(letters, start=first)]


def built(
    folder: Path, dev: list[Fields | bytes], test: list[Fields | bytes], seed: int = 42
) -> tuple[list[dict[str, Any]], list[str], LcshbenchReport]:
    rows, splits, report = lcshbench_rows(
        write_jsonl(folder / "dev.jsonl", dev),
        write_jsonl(
            folder / "test.jsonl",
            [line if isinstance(line, bytes) else held_out(line) for line in test],
        ),
        seed=seed,
    )
    assert_all_told(report, len(rows))
    return rows, list(splits), report


def assert_all_told(report: LcshbenchReport, rows: int) -> None:
    dropped = sum(reason.count for reason in report.dropped.values())
    assert sum(report.read.values()) == rows + dropped
    assert sum(report.kept.values()) == rows
    for reason in report.dropped.values():
        assert len(reason.examples) == min(reason.count, 5)


def test_columns_are_the_published_ones_then_those_of_every_other_corpus(tmp_path: Path) -> None:
    rows, splits, _ = built(tmp_path, [*shelf(1, 4, 4)], [*shelf(101, 2, 2)])
    assert LCSHBENCH.names == [
        "id", "title", "body", "text", "lcc_code", "language", "word_count", "corpus",
        "is_synthetic", "n_agencies", "catalogs", "lcc_name", "lcc_uri", "group_id",
    ]  # fmt: skip
    assert LCSHBENCH.field("word_count").type == LCSHBENCH.field("n_agencies").type == pa.int64()
    assert LCSHBENCH.field("catalogs").type == pa.list_(pa.string())
    assert LCSHBENCH.field("is_synthetic").type == pa.bool_()
    assert all(list(row) == LCSHBENCH.names for row in rows)
    assert pa.Table.from_pylist(rows, schema=LCSHBENCH).to_pylist() == rows
    assert Counter(splits) == {"train": 6, "validation": 2, "test": 4}
    subject = {one.code: one for one in load_taxonomy().classes}["A"]
    row = next(row for row in rows if row["id"] == record(1)["id"])
    text = (
        "The keeper's almanac, volume 1 :\n\nWhat was seen from lighthouse 1, day by day.\n\n"
        "The lamp -- The tide -- The fog."
    )
    assert row == {
        "id": "0000000000000001",
        "title": "The keeper's almanac, volume 1 :",
        "body": text,
        "text": text,
        "lcc_code": "A",
        "language": "English",
        "word_count": len(text.split()),
        "corpus": "lcshbench",
        "is_synthetic": False,
        "n_agencies": 2,
        "catalogs": ["columbia", "harvard"],
        "lcc_name": subject.name,
        "lcc_uri": subject.uri,
        "group_id": row["group_id"],
    }


def test_no_field_that_holds_the_answers_is_in_a_row(tmp_path: Path) -> None:
    rows, _, _ = built(tmp_path, [*shelf(1, 4, 4)], [*shelf(101, 2, 2)])
    assert "Lighthouses" not in json.dumps(rows)


@pytest.mark.parametrize("sizes", [(1, 1), (2, 3), (5, 6), (7, 8), (41, 22)])
def test_no_record_of_a_class_is_left_over(tmp_path: Path, sizes: tuple[int, int]) -> None:
    rows, splits, report = built(tmp_path, [*shelf(1, *sizes)], [*shelf(101, 3, 2)])
    counts = Counter((row["lcc_code"], split) for row, split in zip(rows, splits, strict=True))
    for letter, size in zip("AB", sizes, strict=True):
        quarter = (size + 2) // 4
        assert counts[letter, "validation"] == quarter
        assert counts[letter, "train"] == size - quarter
    assert (counts["A", "test"], counts["B", "test"]) == (3, 2)
    assert report.dropped == {}


def test_a_work_of_test_is_in_no_other_split(tmp_path: Path) -> None:
    again = [
        record(
            11, letter="A", title="the keeper's almanac, VOLUME 101", authors=["Writer101, Ann"]
        ),
        record(12, letter="B", title="The Keeper's Almanac, volume 102 /", authors=[]),
        record(103, letter="B", id="13"),
        record(104, letter="A"),
    ]
    rows, splits, report = built(tmp_path, [*shelf(1, 4, 4), *again], [*shelf(101, 2, 2)])
    reason = report.dropped["its work is in the test file"]
    assert reason.count == 3
    assert reason.examples[0] == f"dev file, line 9, id {again[0]['id']}"
    assert report.dropped["an earlier record has its id"].examples == [
        f"dev file, line 12, id {again[3]['id']}"
    ]
    assert splits.count("test") == 4
    assert len({row["id"] for row in rows}) == len(rows) == 12
    sides: dict[str, set[str]] = {}
    for row, split in zip(rows, splits, strict=True):
        sides.setdefault(row["group_id"], set()).add(split)
    assert all(len(own) == 1 for own in sides.values())


def test_editions_of_one_work_are_in_one_split(tmp_path: Path) -> None:
    editions = [
        record(work * 10 + edition, letter="A", title=f"Work {work}", authors=[f"Writer {work}"])
        for work in range(1, 9)
        for edition in range(2)
    ]
    rows, splits, _ = built(tmp_path, [*editions, *shelf(200, 0, 4)], [*shelf(301, 2, 2)])
    of_title: dict[str, set[str]] = {}
    for row, split in zip(rows, splits, strict=True):
        of_title.setdefault(row["title"], set()).add(split)
    assert all(len(own) == 1 for own in of_title.values())
    assert {"train"} in of_title.values()
    assert {"validation"} in of_title.values()


def test_every_reason_is_counted_and_named(tmp_path: Path) -> None:
    empty = dict.fromkeys(("title", "abstract", "toc", "notes"), " ")
    unfit: list[Fields | bytes] = [
        record(11, language="German", language_code="ger"),
        record(12, lc_class=""),
        record(13, lc_class="W"),
        record(14, lc_class="a"),
        record(15, lc_class="QA"),
        record(16, **empty),
        record(1),
        record(18, letter="Z"),
        b"{",
        record(20, toc=7),
        record(21, language="German", n_agencies=None),
    ]
    _, _, report = built(tmp_path, [*shelf(1, 4, 4), *unfit], [*shelf(101, 2, 2)])
    assert {reason: dropped.count for reason, dropped in report.dropped.items()} == {
        "its language is not English": 1,
        "it has no class": 1,
        "its class is not one of the 21": 3,
        "it has no title, abstract, table of contents or notes": 1,
        "an earlier record has its id": 1,
        "class Z is left in the dev file alone": 1,
        "damaged: the line is not JSON": 1,
        "damaged: 'toc' is not a text": 1,
        "damaged: 'n_agencies' is not a whole number": 1,
    }
    examples = {reason: dropped.examples[0] for reason, dropped in report.dropped.items()}
    assert examples["its language is not English"].endswith("line 9, id 000000000000000b: 'German'")
    assert (
        examples["damaged: 'toc' is not a text"] == "dev file, line 18, field 'toc': is not a text"
    )
    table = report.table().splitlines()
    assert len(table) == 1 + len(report.dropped)
    assert all(line.count("\t") == 2 for line in table)
    assert len(report.notes()) == 1 + len(report.dropped)


def test_a_class_that_is_in_test_alone_is_dropped_by_name(tmp_path: Path) -> None:
    rows, splits, report = built(tmp_path, [*shelf(1, 4, 4)], [*shelf(101, 2, 2, 3)])
    assert report.dropped["class C is left in the test file alone"].count == 3
    assert {row["lcc_code"] for row in rows} == {"A", "B"}
    assert splits.count("test") == 4


@pytest.mark.parametrize(
    ("dev", "test"),
    [
        (shelf(1, 4), shelf(101, 4)),
        (shelf(1, 4, 4), shelf(101, 4)),
        (shelf(1, 4, 0, 4), shelf(101, 0, 4, 0, 4)),
        (shelf(1, 4, 4), shelf(1, 4, 4)),
        ([record(1, language="French")], [record(2, language="French")]),
    ],
)
def test_fewer_than_two_common_classes_are_refused(
    tmp_path: Path, dev: list[Fields], test: list[Fields]
) -> None:
    with pytest.raises(ShelfError, match="fewer than 2 classes"):
        built(tmp_path, [*dev], [*test])


def test_the_same_files_give_the_same_rows_and_another_seed_other_ones(tmp_path: Path) -> None:
    dev, test = [*shelf(1, 40, 40)], [*shelf(101, 4, 4)]
    first = built(tmp_path / "first", dev, test)
    again = built(tmp_path / "again", dev, test)
    assert first == again
    other = built(tmp_path / "other", dev, test, seed=7)
    assert other[0] == first[0]
    assert other[1] != first[1]
    backwards = built(tmp_path / "backwards", dev[::-1], test[::-1])
    by_id = [dict(zip((r["id"] for r in rows), splits, strict=True)) for rows, splits, _ in
             (first, backwards)]  # fmt: skip
    assert by_id[0] == by_id[1]


LINES = st.lists(
    st.one_of(
        st.binary(max_size=20).map(lambda data: data.replace(b"\n", b"")),
        st.builds(
            lambda number, letter, changes: record(number, letter=letter, **changes),
            st.integers(1, 30),
            st.sampled_from("ABCW"),
            st.dictionaries(
                st.sampled_from(["id", "title", "authors", "language", "n_agencies", "toc"]),
                st.one_of(
                    st.none(), st.text(max_size=3), st.lists(st.text(max_size=2)), st.just(1)
                ),
                max_size=2,
            ),
        ),
    ),
    max_size=30,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(dev=LINES, test=LINES)
def test_whatever_the_lines_hold_all_are_told_of_and_no_work_is_on_two_sides(
    tmp_path_factory: pytest.TempPathFactory, dev: list[Fields | bytes], test: list[Fields | bytes]
) -> None:
    folder = tmp_path_factory.mktemp("lines")
    rows, splits, _ = built(folder, [*shelf(201, 2, 2), *dev], [*shelf(301, 2, 2), *test])
    sides: dict[str, set[str]] = {}
    for row, split in zip(rows, splits, strict=True):
        sides.setdefault(row["group_id"], set()).add(split)
    assert all(len(own) == 1 for own in sides.values())
    assert pa.Table.from_pylist(rows, schema=LCSHBENCH).num_rows == len(rows)
    texts = {
        side: {row["text"] for row, split in zip(rows, splits, strict=True) if split == side}
        for side in ("train", "validation", "test")
    }
    assert not texts["train"] & texts["test"]
    assert not texts["train"] & texts["validation"]
    assert not texts["validation"] & texts["test"]


def test_lines_that_are_not_kept_take_no_memory(tmp_path: Path) -> None:
    german = json.dumps(record(1, language="German", notes="n" * 20_000)).encode()
    dev = write_jsonl(tmp_path / "dev.jsonl", [*shelf(1, 4, 4), *[german] * 1000])
    test = write_jsonl(tmp_path / "test.jsonl", [*shelf(101, 4, 4)])
    load_taxonomy()
    tracemalloc.start()
    _, _, report = lcshbench_rows(dev, test, seed=42)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert report.dropped["its language is not English"].count == 1000
    assert peak < 2 * 2**20 < dev.stat().st_size / 8


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["dev/dev.jsonl", "test/test.jsonl"], ["dev/dev.jsonl", "test/test.jsonl"]),
        (["dev.jsonl.gz", "test.jsonl"], ["dev.jsonl.gz", "test.jsonl"]),
        (["dev/dev.jsonl.gz", "dev.jsonl", "test.jsonl.gz"], ["dev/dev.jsonl.gz", "test.jsonl.gz"]),
    ],
)
def test_the_two_files_of_a_folder_are_found(
    tmp_path: Path, names: list[str], found: list[str]
) -> None:
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [path.relative_to(tmp_path).as_posix() for path in lcshbench_files(tmp_path)] == found


@pytest.mark.parametrize("there", ["dev", "test"])
def test_a_folder_that_lacks_one_is_refused(tmp_path: Path, there: str) -> None:
    (tmp_path / f"{there}.jsonl").touch()
    with pytest.raises(ShelfError, match="test.jsonl" if there == "dev" else "dev.jsonl"):
        lcshbench_files(tmp_path)
