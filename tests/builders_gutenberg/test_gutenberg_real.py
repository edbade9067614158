"""Tests on real books; they run where `SHELF_TEST_DATA` names the folder that holds them."""

from __future__ import annotations

import csv
import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from builders.corpora.gutenberg import GutenbergCorpus, build_passages
from builders.corpora.gutenberg.catalogue import read_catalogue
from builders.corpora.gutenberg.text_file import find_text, read_text
from builders.corpora.gutenberg.words import alphabetic_share, function_word_share
from builders.corpora.gutenberg.work import MAIN_CLASSES, refusal

pytestmark = pytest.mark.skipif(
    "SHELF_TEST_DATA" not in os.environ, reason="SHELF_TEST_DATA is not set"
)
FOREIGN = re.compile(r"project\s+gutenberg|www\.gutenberg|pgdp\.net|distributed proofread", re.I)


@pytest.fixture(scope="module")
def folder() -> Path:
    return Path(os.environ["SHELF_TEST_DATA"]) / "natural" / "gutenberg"


@pytest.fixture(scope="module")
def corpus(folder: Path) -> GutenbergCorpus:
    return build_passages(folder / "catalog.csv", folder / "texts", passages_per_work=10**6)


def test_every_file_decodes_as_its_source_says(folder: Path) -> None:
    with (folder / "sources.csv").open(encoding="utf-8", newline="") as stream:
        encodings = {int(row["Text#"]): row["encoding"] for row in csv.DictReader(stream)}
    for work in read_catalogue(folder / "catalog.csv"):
        path = find_text(folder / "texts", work.number)
        assert path is not None
        text = read_text(path)
        assert "\ufffd" not in text
        if encodings[work.number] == "us-ascii":
            assert text.isascii()


def test_every_work_passes_the_catalogue_and_gives_passages(
    folder: Path, corpus: GutenbergCorpus
) -> None:
    works = read_catalogue(folder / "catalog.csv")
    assert [refusal(work) for work in works] == [None] * 128
    counts = Counter(row["work_id"] for row in corpus.rows)
    refused = {str(number) for number, _, _ in corpus.refused}
    assert all(counts[str(work.number)] >= 3 or str(work.number) in refused for work in works)
    assert len(refused) <= 3
    assert corpus.kept_works + len(refused) == corpus.works_read == 128


def test_all_classes_are_there(corpus: GutenbergCorpus) -> None:
    assert {row["provenance"]["lcc_letter"] for row in corpus.rows} == MAIN_CLASSES


def test_no_passage_speaks_of_project_gutenberg(corpus: GutenbergCorpus) -> None:
    foreign = [row["id"] for row in corpus.rows if FOREIGN.search(row["text"])]
    assert foreign == []
    assert [row["id"] for row in corpus.rows if "Transcriber" in row["text"]] == []


def test_passages_keep_their_bounds_and_are_running_text(corpus: GutenbergCorpus) -> None:
    for row in corpus.rows:
        words = row["text"].split()
        assert 150 <= len(words) == row["word_count"] <= 900
        assert alphabetic_share(words) >= 0.6
        assert function_word_share(words) >= 0.25
        assert len(re.findall(r"(?:[.] ?){5,}\d", row["text"])) < 3, row["id"]
        assert not re.search(r"\[(?:Illustration|Footnote|Sidenote|Pg) ?[:\]\d]", row["text"])


def test_the_length_of_passages_is_near_the_published_one(corpus: GutenbergCorpus) -> None:
    counts = sorted(row["word_count"] for row in corpus.rows)
    assert 430 <= counts[len(counts) // 2] <= 490


def test_three_passages_of_each_work_are_the_same_in_another_build(
    folder: Path, corpus: GutenbergCorpus
) -> None:
    again = build_passages(folder / "catalog.csv", folder / "texts")
    by_id = {row["id"]: row for row in corpus.rows}
    assert json.dumps(again.rows) == json.dumps([by_id[row["id"]] for row in again.rows])
    assert len(again.rows) == 3 * again.kept_works
    writers: dict[str, set[str]] = {}
    for work in read_catalogue(folder / "catalog.csv"):
        group = {row["group_id"] for row in again.rows if row["work_id"] == str(work.number)}
        for person in work.people:
            if person.identity and person.role != "Illustrator":
                writers.setdefault(person.identity, set()).update(group)
    assert all(len(groups) <= 1 for groups in writers.values())
