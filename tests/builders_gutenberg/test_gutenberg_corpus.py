from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from gutenberg_books import catalogue_row, catalogue_text, file_text, prose

from builders.corpora.gutenberg import GutenbergCorpus, build_passages
from builders.corpora.gutenberg.author_groups import author_groups
from builders.corpora.gutenberg.catalogue import read_catalogue
from builders.corpora.gutenberg.corpus import passage_id
from evaluate_shelf.errors import ShelfError

ROWS = [
    catalogue_row(30, LoCC="QL; QH", Authors="Keeper, Anna, 1850-1920; Reed, B. [Translator]"),
    catalogue_row(4, Subjects="Bees -- Poetry; Hives", LoCC="PR", Authors="Reed, B.; Lane, C."),
    catalogue_row(11, Authors="Various"),
    catalogue_row(12, Language="en; fr"),
    catalogue_row(13, LoCC="QL; PR"),
    catalogue_row(14),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pg_catalog.csv").write_text(catalogue_text(ROWS), encoding="utf-8")
    texts = tmp_path / "texts"
    texts.mkdir()
    for number in (4, 11, 12, 13, 30):
        book = file_text(prose(70, theme=f"bees of {number}"), title=f"BOOK {number}")
        (texts / f"{number}.txt.gz").write_bytes(gzip.compress(book.encode("utf-8")))
    return tmp_path


def build(folder: Path, **options: int) -> GutenbergCorpus:
    return build_passages(folder / "pg_catalog.csv", folder / "texts", **options)


def test_rows_are_complete_and_in_order(folder: Path) -> None:
    corpus = build(folder)
    assert [row["work_id"] for row in corpus.rows] == ["4"] * 3 + ["11"] * 3 + ["30"] * 3
    assert (corpus.works_read, corpus.kept_works) == (6, 3)
    row = dict(corpus.rows[6])
    text = row.pop("text")
    assert row.pop("body") == text
    assert row.pop("word_count") == len(text.split())
    assert row == {
        "id": passage_id(30, 2),
        "title": "Book 30",
        "lcgft_category": None,
        "lcgft_form": None,
        "topics": [],
        "geographic": [],
        "audience": None,
        "register": None,
        "language": "en",
        "author": "Keeper, Anna",
        "source_type": "natural",
        "source": "project_gutenberg",
        "contamination_status": "known_contaminated",
        "label_space": "lcc",
        "schema_version": "1.0",
        "provenance": {
            "gutenberg_id": 30,
            "lcc_letter": "Q",
            "lcc_subclasses": ["QL", "QH"],
            "chunk_index": 2,
            "chunk_count": 12,
            "text_url": "https://www.gutenberg.org/cache/epub/30/pg30.txt",
        },
        "work_id": "30",
        "group_id": corpus.rows[0]["group_id"],
    }
    first = corpus.rows[0]
    assert (first["lcgft_category"], first["lcgft_form"]) == ("Literature", "Poetry")
    assert first["author"] == "Reed, B.; Lane, C."
    assert [row["provenance"]["chunk_index"] for row in corpus.rows[:3]] == [2, 6, 10]


def test_ids_are_unique_and_groups_are_those_of_the_writers(folder: Path) -> None:
    corpus = build(folder, passages_per_work=18)
    ids = [row["id"] for row in corpus.rows]
    assert len(set(ids)) == len(ids) == 3 * 12
    works = [
        work for work in read_catalogue(folder / "pg_catalog.csv") if work.number in (4, 11, 30)
    ]
    groups = author_groups(works)
    assert {row["work_id"]: row["group_id"] for row in corpus.rows} == {
        str(number): group for number, group in groups.items()
    }
    assert groups[4] == groups[30] != groups[11]


def test_every_work_that_gives_nothing_is_refused_by_name(folder: Path) -> None:
    (folder / "texts" / "11.txt.gz").unlink()
    (folder / "texts" / "30.txt.gz").write_bytes(gzip.compress(prose(9).encode()))
    corpus = build(folder)
    assert corpus.refused == [
        (11, "Book 11", f"no text file in {folder / 'texts'}"),
        (12, "Book 12", "language is 'en; fr', not English alone"),
        (13, "Book 13", "several main classes: P, Q"),
        (14, "Book 14", f"no text file in {folder / 'texts'}"),
        (30, "Book 30", corpus.refused[-1][2]),
    ]
    assert "no passage of running text" in corpus.refused[-1][2]
    assert corpus.kept_works == 1


def test_the_later_of_two_equal_passages_is_dropped_and_listed(folder: Path) -> None:
    texts = folder / "texts"
    (texts / "11.txt.gz").write_bytes(gzip.compress(prose(70, theme="bees of 4").upper().encode()))
    corpus = build(folder)
    assert corpus.duplicates == [
        (passage_id(11, 2), passage_id(4, 2)),
        (passage_id(11, 6), passage_id(4, 6)),
        (passage_id(11, 10), passage_id(4, 10)),
    ]
    assert (11, "Book 11", "every passage is in an earlier work too") in corpus.refused
    assert {row["work_id"] for row in corpus.rows} == {"4", "30"}


def test_the_same_in_another_order_of_the_catalogue(folder: Path) -> None:
    first = build(folder)
    (folder / "pg_catalog.csv").write_text(catalogue_text(ROWS[::-1]), encoding="utf-8")
    again = build(folder)
    assert json.dumps(first.rows) == json.dumps(again.rows)
    assert first.refused == again.refused


def test_progress_counts_every_work(folder: Path) -> None:
    seen: list[tuple[int, int]] = []
    build_passages(
        folder / "pg_catalog.csv",
        folder / "texts",
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(done, 6) for done in range(1, 7)]


@pytest.mark.parametrize(
    "data",
    [
        gzip.compress(prose(70).encode(), mtime=0)[:-20],
        b"no gzip",
        gzip.compress(prose(70).encode("utf-16"), mtime=0),
        gzip.compress(b"", mtime=0),
    ],
)
def test_a_damaged_text_stops_the_build(folder: Path, data: bytes) -> None:
    (folder / "texts" / "11.txt.gz").write_bytes(data)
    before = sorted(folder.rglob("*"))
    with pytest.raises(ShelfError, match=r"11\.txt\.gz"):
        build(folder)
    assert sorted(folder.rglob("*")) == before


def test_the_text_of_a_refused_work_is_not_read(folder: Path) -> None:
    (folder / "texts" / "12.txt.gz").write_bytes(b"no gzip")
    assert build(folder).kept_works == 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"passages_per_work": 0}, "passages_per_work is 0"),
        ({"min_words": 500}, "must rise"),
        ({"max_words": 300}, "must rise"),
    ],
)
def test_wrong_options(folder: Path, options: Mapping[str, int], said: str) -> None:
    with pytest.raises(ShelfError, match=said):
        build(folder, **options)


def test_a_missing_folder_of_texts(folder: Path) -> None:
    with pytest.raises(ShelfError, match="there is no such folder of texts"):
        build_passages(folder / "pg_catalog.csv", folder / "nowhere")
