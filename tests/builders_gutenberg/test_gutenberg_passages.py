from __future__ import annotations

from itertools import pairwise

import pytest
from gutenberg_books import paragraph, prose, sentence
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.corpora.gutenberg.paragraphs import Paragraph, paragraphs_of
from builders.corpora.gutenberg.passages import choose_spread, passages_of
from builders.corpora.gutenberg.words import alphabetic_share, function_word_share
from evaluate_shelf.errors import ShelfError

WORDS = st.sampled_from(
    [
        "the",
        "of",
        "and",
        "bees",
        "hive.",
        "Queen;",
        "(old)",
        "flew,",
        "1861",
        "That",
        "Hum!",
        "O'Hara",
    ]
)
LINES = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)
BLOCKS = st.lists(LINES, min_size=1, max_size=60).map("\n".join)
BODIES = st.lists(BLOCKS, max_size=60).map("\n\n".join)


@settings(deadline=None)
@given(BODIES, st.integers(1, 60), st.integers(0, 60), st.integers(0, 80))
def test_bounds_order_and_words(body: str, least: int, more: int, most: int) -> None:
    target, longest = least + more, least + more + most
    passages = passages_of(body, target_words=target, min_words=least, max_words=longest)
    rest = iter(body.split())
    for passage in passages:
        assert least <= len(passage.split()) <= longest
        assert all(word in rest for word in passage.split()), "a word was added or moved"
        assert alphabetic_share(passage.split()) >= 0.6
        assert function_word_share(passage.split()) >= 0.25
    assert passages == passages_of(body, target_words=target, min_words=least, max_words=longest)


def test_closes_at_the_end_of_a_paragraph_past_the_target() -> None:
    passages = passages_of(prose(40))
    assert passages == [
        "\n\n".join(" ".join(paragraph(at + step).split()) for step in range(5))
        for at in range(5, 35, 5)
    ]
    assert {len(passage.split()) for passage in passages} == {5 * 80}


def test_the_first_and_the_last_are_left_out() -> None:
    assert passages_of(prose(5)) == []
    assert passages_of(prose(10)) == []
    assert len(passages_of(prose(15))) == 1


def test_a_long_paragraph_is_cut_at_the_end_of_a_sentence() -> None:
    text = " ".join(sentence(number) for number in range(290))
    passages = passages_of(text)
    assert len(passages) == 9
    assert all(passage.endswith("known.") for passage in passages)
    assert all(passage.startswith("In the") for passage in passages)


def test_a_paragraph_that_would_be_too_much_is_cut_only_if_it_must() -> None:
    short = " ".join(paragraph(0).split())
    enough = "\n\n".join(paragraph(n) for n in range(1, 4))
    long = " ".join(sentence(number) for number in range(100, 145))
    tail = prose(20, start=60)
    lead = prose(5, start=40)
    kept = passages_of(f"{lead}\n\n{short}\n\n{long}\n\n{tail}")
    assert kept[0].startswith(short)
    assert 150 <= len(kept[0].split()) <= 900
    assert kept[0].endswith("known.")
    closed = passages_of(f"{lead}\n\n{enough}\n\n{long}\n\n{tail}")
    assert closed[0] == "\n\n".join(" ".join(paragraph(n).split()) for n in range(1, 4))


def test_a_paragraph_without_sentences_is_cut_at_a_clause_or_anywhere() -> None:
    clauses = " ".join(f"the hive of the {name}," for name in ["queen", "drone"] * 400)
    assert all(passage.endswith(",") for passage in passages_of(clauses))
    plain = "the hive of the queen " * 390
    assert [len(passage.split()) for passage in passages_of(plain)] == [400] * 2


@pytest.mark.parametrize("word", ["Mr.", "Dr.", "St.", "J.", "vol.", "(Mrs.", "i.e."])
def test_an_abbreviation_ends_no_sentence(word: str) -> None:
    words = tuple(f"He knew {word} Smith. She knew {word} Brown".split())
    assert Paragraph(words).cut(least=1, wanted=3, most=7) == 4


def test_headings_and_lists_of_pages_are_dropped() -> None:
    parts = [
        "CHAPTER IV",
        "IV.",
        "17",
        "THE OLD HIVE AND ITS\nQUEEN",
        "The Old Hive and Its Queen",
        "Book the Second",
        "Section 12.",
        "No. 12.--The Hive",
        "BY A. KEEPER.",
        "The Hive--A new Queen--Swarms--Of Honey--The Drones--Winter",
        "The Old Hive . . . . . . . . . 12\nThe Queen . . . . . . . 30",
        "Ants, 3, 17-19\nBees, habits of, 4; of the meadow, 12",
    ]
    book = prose(24).split("\n\n")
    mixed = "\n\n".join(f"{text}\n\n{parts[at % len(parts)]}" for at, text in enumerate(book))
    assert passages_of(mixed) == passages_of(prose(24))


@pytest.mark.parametrize(
    "line",
    [
        "No. I will not.",
        "Part of the hive was old.",
        "“Yes,” said he.",
        "It was the queen.",
        "Act now.",
    ],
)
def test_short_sentences_are_no_headings(line: str) -> None:
    assert [part.text for part in paragraphs_of(line)] == [line]


def test_lines_of_verse_are_kept_and_those_of_prose_folded() -> None:
    verse = (
        "The bees of the hive\n  they hum in the sun\nand so to the night\n  when the day is done."
    )
    read = paragraphs_of(f"{verse}\n\n{paragraph(3)}")
    assert read[0].text == "\n".join(line.strip() for line in verse.split("\n"))
    assert read[1].text == " ".join(paragraph(3).split())


def test_verse_is_cut_between_lines() -> None:
    verse = "\n".join(f"the bees of the hive in the {n % 2 * 'late '}sun" for n in range(400))
    for passage in passages_of(verse):
        assert set(passage.split("\n")) <= {
            "the bees of the hive in the sun",
            "the bees of the hive in the late sun",
        }


def test_a_paragraph_parted_by_a_picture_is_one_again() -> None:
    assert [
        part.text for part in paragraphs_of("The queen flew\n\nto the hive.\n\nit was old.")
    ] == [
        "The queen flew to the hive.",
        "it was old.",
    ]


TABLE = "\n\n".join(
    "\n".join(f"the hive of the queen   {n}   of the old   and in the year" for n in range(9))
    for _ in range(20)
)
NUMBERS = "\n\n".join(f"In 18{n} there were 12, 13 and 1{n} of 45 55 and 77." for n in range(99))
LATIN = "\n\n".join(
    "Apes in alveo suo murmurant et mel faciunt, regina volat. " * 6 for _ in "abcdefgh"
)
NAMES = "\n\n".join(
    f"Anna Keeper, London; Brown, York; Smith, Bath; Jones, Hull {n}" for n in "abcdefgh" * 20
)


@pytest.mark.parametrize("poor", [TABLE, NUMBERS, LATIN, NAMES])
def test_what_is_no_running_english_is_left_out(poor: str) -> None:
    good = passages_of(f"{prose(10)}\n\n{prose(10, start=20)}")
    passages = passages_of(f"{prose(10)}\n\n{poor}\n\n{poor}\n\n{prose(10, start=20)}")
    assert good[0] == passages[0]
    for passage in passages:
        # Where both meet, the passage is mostly running text.
        assert 16 * passage.count("had known.") >= 0.4 * len(passage.split())


@pytest.mark.parametrize("sizes", [(0, 1, 2), (5, 4, 9), (5, 6, 5), (-1, 3, 4)])
def test_sizes_must_rise(sizes: tuple[int, int, int]) -> None:
    least, target, most = sizes
    with pytest.raises(ShelfError, match="must rise"):
        passages_of("", target_words=target, min_words=least, max_words=most)


@given(st.integers(0, 500), st.integers(1, 40))
def test_spread_is_even(count: int, n: int) -> None:
    chosen = choose_spread(range(count), n)
    assert chosen == sorted(set(chosen))
    assert len(chosen) == min(n, count)
    assert all(0 <= index < count for index in chosen)
    if 1 < n < count:
        steps = [right - left for left, right in pairwise(chosen)]
        assert max(steps) - min(steps) <= 1
        assert abs(chosen[0] - (count - 1 - chosen[-1])) <= 1


def test_spread_of_three() -> None:
    assert choose_spread(range(3)) == [0, 1, 2]
    assert choose_spread(range(100)) == [16, 50, 83]
