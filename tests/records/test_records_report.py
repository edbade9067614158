"""What is left out, and that everything is counted."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_shelf.records.class_numbers import first_class
from evaluate_shelf.records.record import CatalogueRecord, Unread
from evaluate_shelf.records.report import EXAMPLES, RecordReport


def record(
    position: int,
    *,
    record_id: str | None = None,
    text: str | None = None,
    language: str = "eng",
    numbers: tuple[str, ...] = ("QA1",),
) -> CatalogueRecord:
    found = first_class(numbers)
    return CatalogueRecord(
        id=f"r{position}" if record_id is None else record_id,
        title=f"Title {position}",
        text=f"Text {position}" if text is None else text,
        language=language,
        author="",
        year="",
        lcc_numbers=numbers,
        lcc_code=found.code if found else None,
        lcc_subclass=found.subclass if found else None,
        lcsh=(),
        genres=(),
        file="a.mrc",
        position=position,
    )


FOUND = [
    record(1),
    Unread("a.mrc", 2, "wrong length: the leader says 5 bytes", "x2"),
    record(3, language="ger"),
    record(4, language=""),
    record(5, numbers=()),
    record(6, numbers=("LAW",)),
    record(7, numbers=("W 100",)),
    record(8, text=""),
    record(9, record_id="r1"),
    record(10, text="Text 1"),
    record(11, numbers=("LAW", "K1")),
    Unread("a.mrc", 12, "cut off: the file ends"),
    record(13, record_id="r3"),
]


def test_every_reason_is_counted_and_named() -> None:
    report = RecordReport()
    kept = list(report.kept(FOUND, language="eng", needs_class=True))
    assert [r.position for r in kept] == [1, 11, 13]
    assert (report.read_count, report.kept_count) == (11, 3)
    assert report.kept_by_class == {"Q": 2, "K": 1}
    assert report.unread == {"cut off": 1, "wrong length": 1}
    assert report.left_out == {
        "another language": 2,
        "class outside the 21": 1,
        "no LCC number": 1,
        "no text": 1,
        "not an LCC number": 1,
        "repeated id": 1,
        "repeated text": 1,
    }
    named = report.to_dict()["left_out"]["repeated text"]["examples"]
    assert named == [{"file": "a.mrc", "position": 10, "id": "r10", "detail": "Title 10"}]
    assert report.to_dict()["unread"]["wrong length"]["examples"] == [
        {"file": "a.mrc", "position": 2, "id": "x2", "detail": "the leader says 5 bytes"}
    ]


def test_without_a_language_and_a_class_more_is_kept() -> None:
    report = RecordReport()
    kept = list(report.kept(FOUND, language=None, needs_class=False))
    assert [r.position for r in kept] == [1, 3, 4, 5, 6, 7, 11]
    assert report.left_out == {"no text": 1, "repeated id": 2, "repeated text": 1}


def test_counting_passes_all_that_was_read() -> None:
    report = RecordReport()
    assert list(report.counting(FOUND)) == [r for r in FOUND if isinstance(r, CatalogueRecord)]
    assert (report.read_count, report.kept_count) == (11, 0)


def test_it_is_json_and_the_same_again() -> None:
    def made() -> str:
        report = RecordReport()
        list(report.kept(FOUND, language="eng", needs_class=True))
        return json.dumps(report.to_dict(), allow_nan=False) + report.to_text()

    assert made() == made()


def test_not_more_than_twenty_records_are_named_for_a_reason() -> None:
    report = RecordReport()
    found = (Unread("a.mrc", n, f"stray bytes: {n} bytes") for n in range(1, 1000))
    assert list(report.counting(found)) == []
    stray = report.to_dict()["unread"]["stray bytes"]
    assert (stray["count"], len(stray["examples"])) == (999, EXAMPLES)


def test_a_table_has_a_line_for_each_count_and_nothing_unprintable() -> None:
    report = RecordReport()
    found = [Unread("a\x1b[2J.mrc", 1, "stray bytes: \x1b[2J\n" + "x" * 1000)]
    list(report.kept([*FOUND, *found], language="eng", needs_class=True))
    lines = report.to_text().split("\n")
    assert len(lines) == 1 + 3 + 7 + 1
    assert all(line.isprintable() and len(line) < 200 for line in lines)


def test_records_are_passed_on_one_at_a_time() -> None:
    def endless() -> Iterator[CatalogueRecord]:
        position = 0
        while True:
            position += 1
            yield record(position)

    kept = RecordReport().kept(endless(), language=None, needs_class=True)
    assert [next(kept).position for _ in range(3)] == [1, 2, 3]


@given(
    st.lists(
        st.builds(
            record,
            st.integers(1, 9),
            record_id=st.sampled_from("abc"),
            text=st.sampled_from(["", "x", "y"]),
            language=st.sampled_from(["eng", "ger"]),
            numbers=st.sampled_from([(), ("QA1",), ("W1",), ("LAW",)]),
        )
        | st.builds(Unread, st.just("a"), st.integers(1, 9), st.sampled_from(["a: b", "c"]))
    ),
    st.sampled_from(["eng", None]),
    st.booleans(),
)
def test_the_counts_add_up(
    found: list[CatalogueRecord | Unread], language: str | None, needs_class: bool
) -> None:
    report = RecordReport()
    kept = list(report.kept(found, language=language, needs_class=needs_class))
    assert report.read_count + sum(report.unread.values()) == len(found)
    assert report.kept_count + sum(report.left_out.values()) == report.read_count
    assert len(kept) == report.kept_count == sum(report.kept_by_class.values())
    assert len({r.id for r in kept}) == len({r.text for r in kept}) == len(kept)
    assert "" not in {r.text for r in kept}


def test_records_and_places_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        record(1).title = "x"  # type: ignore[misc]
    assert not hasattr(record(1), "__dict__")


def test_an_id_is_repeated_within_one_library_alone() -> None:
    ids = ("1", "2", "1")
    found = [
        dataclasses.replace(record(10 * of + n, record_id=own), library=library)
        for of, library in enumerate(("DLC", "ViU"))
        for n, own in enumerate(ids)
    ]
    report = RecordReport()
    kept = list(report.kept(found, language=None, needs_class=False))
    assert [(r.library, r.id) for r in kept] == [
        ("DLC", "1"), ("DLC", "2"), ("ViU", "1"), ("ViU", "2"),
    ]  # fmt: skip
    assert report.left_out == {"repeated id": 2}


def test_the_same_text_of_another_library_is_a_repeat() -> None:
    one = record(1)
    other = dataclasses.replace(one, library="ViU")
    report = RecordReport()
    assert list(report.kept([one, other], language=None, needs_class=False)) == [one]
    assert report.left_out == {"repeated text": 1}
