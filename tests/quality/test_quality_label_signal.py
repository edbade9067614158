"""Label signal against an expression that says the same."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from planted_corpora import corpus

from builders.quality.label_signal import HEAD_WORDS, Signal, SignalCounter
from builders.quality.rows import read_rows
from builders.quality.stream import batches_of

PIECES = st.sampled_from(
    ["Law", "law", "LAW", "laws", "in_law", "law-", "(law)", "law2", "of", "Law of", "the\n", " "]
)
NAMES = st.sampled_from(["Law", "Law of", "Law (of)", "of", "the  Law", "(law)", "War"])


def contains(name: str, text: str) -> bool:
    pattern = r"\s+".join(re.escape(word) for word in name.split())
    return bool(re.search(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE))


def signals(texts: list[str], **labels: list) -> dict[str, Signal]:
    counter = SignalCounter()
    table = corpus(texts, **labels)
    for rows in read_rows("corpus", batches_of(table, rows=3), list(labels)):
        counter.add(rows)
    return counter.signals()


@settings(max_examples=250, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(HEAD_WORDS - 4, HEAD_WORDS + 2) | st.just(0),
            st.lists(PIECES, max_size=6),
            st.lists(NAMES, max_size=3),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_signal_agrees_with_an_expression(rows: list[tuple[int, list[str], list[str]]]) -> None:
    texts = ["word " * filler + " ".join(pieces) for filler, pieces, _ in rows]
    found = signals(texts, topics=[names for _, _, names in rows])
    heads = [" ".join(text.split()[:HEAD_WORDS]) for text in texts]
    names_of = [names for _, _, names in rows]

    def count(parts: list[str]) -> int:
        return sum(
            any(contains(name, part) for name in names)
            for part, names in zip(parts, names_of, strict=True)
        )

    labelled = sum(bool(names) for names in names_of)
    if not labelled:
        assert found == {}
        return
    topics = found["topics"]
    assert (topics.labelled, topics.in_text, topics.in_head) == (
        labelled,
        count(texts),
        count(heads),
    )


def test_documents_without_a_label_are_not_in_the_share() -> None:
    found = signals(
        ["On music.", "On art.", "On war."],
        lcc_name=["Music", None, ""],
        audience=[None, None, None],
    )
    assert set(found) == {"lcc_name"}
    assert found["lcc_name"].share_in_text == 1.0


def test_a_name_that_begins_inside_the_head_and_ends_behind_it_is_not_in_it() -> None:
    before = "word " * (HEAD_WORDS - 1)
    found = signals(
        [before + "world history", before + "history"],
        lcc_name=["World History", "History"],
    )
    assert (found["lcc_name"].in_text, found["lcc_name"].in_head) == (2, 1)


def test_a_name_inside_a_word_is_no_name() -> None:
    texts = ["in_law", "outlaw", "laws", "law2", "son-in-law", "(law)", "LAW"]
    assert signals(texts, lcgft_form=["Law"] * len(texts))["lcgft_form"].in_text == 3
