"""Label terms in documents, counted in another way; and on real text, where it is there."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import re
from pathlib import Path

import pytest

from builders.quality.label_signal import SignalCounter
from builders.quality.rows import read_rows
from builders.quality.stream import batches_of
from evaluate_shelf.diagnostics.masking.counts import (
    LabelTerms,
    Part,
    label_term_values,
    label_terms,
)
from evaluate_shelf.diagnostics.masking.names import HEAD_WORDS, NAMED_FACETS
from evaluate_shelf.diagnostics.masking.removal import removed
from evaluate_shelf.diagnostics.masking.tokens import n_tokens
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.release.documents import Release
from evaluate_shelf.release.manifest import SPLITS

RELEASE = Release.open(shipped_release())
ALL = Part("all", "all")


@pytest.fixture
def found() -> LabelTerms:
    return label_terms(RELEASE, "all")


def test_names_agree_with_the_quality_report(found: LabelTerms) -> None:
    counter = SignalCounter()
    for split in SPLITS:
        documents = RELEASE.documents("all", split)
        table = documents.table.select(["id", "split", *NAMED_FACETS])
        table = table.append_column("text", documents.arrow("text"))
        for rows in read_rows("all", batches_of(table), list(NAMED_FACETS)):
            counter.add(rows)
    for facet, signal in counter.signals().items():
        own = found.names[ALL, facet]
        assert (own.labelled, own.in_text, own.in_head) == (
            signal.labelled,
            signal.in_text,
            signal.in_head,
        )


def test_topics_agree_with_an_expression(found: LabelTerms) -> None:
    counts = {"text": 0, "head": 0}
    for split in SPLITS:
        documents = RELEASE.documents("all", split)
        for topics, text in zip(documents.column("topics"), documents.column("text"), strict=True):
            head = " ".join(text.split()[:HEAD_WORDS])
            for name, part in (("text", text), ("head", head)):
                counts[name] += any(
                    re.search(
                        rf"(?<!\w){re.escape(topic).replace(chr(92) + ' ', chr(92) + 's+')}(?!\w)",
                        part,
                        re.IGNORECASE,
                    )
                    for topic in topics
                )
    own = found.names[ALL, "topics"]
    assert (own.in_text, own.in_head) == (counts["text"], counts["head"])
    assert own.in_text > own.in_head > 0


def test_parts_add_up_to_the_whole(found: LabelTerms) -> None:
    for by in ("generation", "generator"):
        own = [lost for part, lost in found.lost.items() if part.by == by]
        whole = found.lost[ALL]
        assert sum(lost.documents for lost in own) == whole.documents == 504
        assert sum(lost.tokens for lost in own) == whole.tokens
        assert sum(lost.changed for lost in own) == whole.changed
    assert {part.value for part, _ in found.names if part.by == "generator"} == {
        "lexical-writer/birch",
        "lexical-writer/cedar",
    }


def test_shares_of_few_documents_are_not_shown(found: LabelTerms) -> None:
    values = label_term_values(found)
    assert [row["by"] for row in values["removed"]] == [
        *("all", "generation", "generator", "generator")
    ]
    for row in values["names"]:
        assert row["share_in_text"] == pytest.approx(row["in_text"] / row["labelled"])
    for lost in found.lost.values():
        lost.documents = 29
    assert {row["mean_tokens"] for row in label_term_values(found)["removed"]} == {None}


REAL = Path(os.environ.get("SHELF_TEST_DATA", "")) / "natural"
RECORDS = REAL / "subject_indexing" / "tib_sid_en" / "lcc_by_class.jsonl"


@pytest.mark.skipif(
    not (REAL / "gutenberg" / "texts").is_dir(),
    reason="SHELF_TEST_DATA names no folder with natural/gutenberg/texts",
)
def test_equal_counts_on_books() -> None:
    terms = ("History of the Americas (general, US)", "Literature", "Fiction", "Law")
    changed = 0
    files = sorted((REAL / "gutenberg" / "texts").iterdir())[:40]
    for file in files:
        with gzip.open(file, "rt", encoding="utf-8", errors="replace") as lines:
            text = lines.read(40_000)
        own = [removed(arm, file.name, text, terms) for arm in ("masked", "sham")]
        lost = [n_tokens(text) - n_tokens(one.text) for one in own]
        assert lost == [own[0].tokens, own[0].tokens], file.name
        assert own[0].text != own[1].text or not own[0].tokens
        changed += own[0].tokens > 0
    assert changed > 20


@pytest.mark.skipif(
    not RECORDS.is_file(),
    reason="SHELF_TEST_DATA names no folder with natural/subject_indexing/tib_sid_en",
)
def test_equal_counts_on_records() -> None:
    with RECORDS.open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in itertools.islice(lines, 2000)]
    terms = ("Language and Literature", "Science", "Social Sciences")
    lost = []
    for record in records:
        text = f"{record['title']}\n\n{record['abstract']}"
        own = [removed(arm, record["id"], text, terms) for arm in ("masked", "sham")]
        assert [n_tokens(text) - n_tokens(one.text) for one in own] == [own[0].tokens] * 2
        lost.append(own[0].tokens)
    assert sum(count > 0 for count in lost) > 100
