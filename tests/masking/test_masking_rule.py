"""The frozen rule, case by case, and against an expression that says the same."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_shelf.diagnostics.masking.removal import NOTHING_LEFT, masked, removed, sham
from evaluate_shelf.diagnostics.masking.tokens import token_spans
from evaluate_shelf.diagnostics.masking.variants import variants_of
from evaluate_shelf.errors import ShelfError

CASES = [
    # Case.
    ("lower case", ["Law"], "the law of the sea", "the of the sea", 1),
    ("upper case", ["Law"], "THE LAW OF THE SEA", "THE OF THE SEA", 1),
    ("a term in upper case", ["LAW"], "the law", "the ", 1),
    ("mixed case of several words", ["Fine Arts"], "of fINE aRTS", "of ", 2),
    # Plurals.
    ("plural in -s", ["Map"], "two maps", "two ", 1),
    ("plural in -es", ["Church"], "two churches", "two ", 1),
    ("plural in -ies", ["Philosophy"], "many philosophies", "many ", 1),
    ("-y after a vowel has no -ies", ["Essay"], "essays, essaies", ", essaies", 1),
    ("a plural term keeps its singular", ["Maps"], "a map of maps", "a map of ", 1),
    ("a plural of several words", ["Work of art"], "a work of arts", "a ", 3),
    ("no other ending", ["Law"], "lawyer lawful lawed", "lawyer lawful lawed", 0),
    ("a singular term in -s", ["Physics"], "physics, physicses", ", ", 2),
    # Tokens of five letters or more.
    ("a token of five letters", ["Stone age"], "of stone", "of ", 1),
    ("a token of four letters stays", ["Fine Arts"], "fine weather, arts", "fine weather, arts", 0),
    ("a token in the plural", ["Poetry and drama"], "poetries, dramas", ", ", 2),
    ("a token with digits counts letters", ["20th century"], "the 20th", "the 20th", 0),
    ("five letters beside digits", ["Novel2"], "a Novel2, a novel", "a , a novel", 1),
    ("every token of a class name", ["Philosophy, Psychology, Religion"],
     "religion and psychology", "and ", 2),
    ("no token of a term is a stop word", ["Works about other topics"],
     "about other works", "", 3),
    ("letters, not characters", ["Äö-ü äöüßé"], "äöüßé äö", "äö", 1),
    # Inside words.
    ("inside a word", ["Law"], "outlaw lawn flaw", "outlaw lawn flaw", 0),
    ("beside a digit", ["Law"], "law2 2law", "law2 2law", 0),
    ("beside an underscore", ["Law"], "law_ _law", "law_ _law", 0),
    ("inside a word after the word", ["Art"], "art, artist", ", artist", 1),
    # Hyphens, possessives, other marks.
    ("a hyphen is a boundary", ["Law"], "by-law, law-abiding", "by-, -abiding", 2),
    ("a hyphen in a term", ["E-books"], "e-books and e books", "and e ", 3),
    ("another hyphen", ["E-maps"], "e\u2011maps", "e\u2011maps", 0),
    ("possessive", ["Law"], "the law's delay", "the 's delay", 1),
    ("possessive with a curved apostrophe", ["Law"], "the law\u2019s delay",
     "the \u2019s delay", 1),
    ("possessive of a plural", ["Law"], "the laws' delay", "the ' delay", 1),
    ("quotation marks", ["Law"], "\u201claw\u201d (law) [law]", "\u201c\u201d () []", 3),
    ("a bracket in a term", ["History (local)"], "a history (local)", "a ", 2),
    ("a bracket that is not closed", ["Law (US)"], "law (us law", "law (us law", 0),
    ("a dash", ["Law"], "law\u2014the law", "\u2014the ", 2),
    # Accents.
    ("an accent", ["Café"], "a café, CAFÉ, cafe", "a , , cafe", 2),
    ("an accent that is encoded apart", ["Café"], "a cafe\u0301", "a ", 1),
    ("a term whose accent is encoded apart", ["Cafe\u0301"], "a café", "a ", 1),
    ("another word by an accent", ["Resume"], "a résumé", "a résumé", 0),
    ("a mark continues a word", ["Law"], "law\u0301", "law\u0301", 0),
    ("sharp s", ["Straße"], "STRASSE, straße", ", ", 2),
    ("another script", ["История"], "ИСТОРИЯ России", "России", 1),
    # Several words.
    ("over a line end", ["Fine arts"], "the fine\narts", "the ", 2),
    ("over a line end and blanks", ["Fine arts"], "the fine \n\t arts", "the ", 2),
    ("another word between", ["Fine arts"], "fine old arts", "fine old arts", 0),
    ("punctuation between", ["Fine arts"], "fine, arts", "fine, arts", 0),
    ("a comma of the term", ["Art, old"], "art, old and art old", "and art old", 2),
    ("half of a term", ["Fine arts"], "fine", "fine", 0),
    # Several terms.
    ("two terms", ["Law", "Map"], "law of maps", "of ", 2),
    ("overlapping terms", ["Old art", "Art map"], "old art map", "", 3),
    ("a term within a term", ["Law", "Sea law"], "sea law and law", "and ", 3),
    ("a term twice", ["Law", "law"], "law", "", 1),
    ("what comes together", ["Fine arts", "Visual works"], "fine visual arts", "", 3),
    ("a term with blanks around", ["  Law "], "the law.", "the .", 1),
    ("a term without a token", ["???"], "law ???", "law ???", 0),
    ("no term", [], "law", "law", 0),
    ("no text", ["Law"], "", "", 0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("terms", "text", "left", "tokens"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_what_is_removed(terms: list[str], text: str, left: str, tokens: int) -> None:
    assert masked(text, terms) == (left, tokens)
    of_both = [removed(arm, "a", text, terms).tokens for arm in ("masked", "sham")]
    assert of_both == [tokens, tokens]


def test_there_are_forty_cases_and_each_is_another() -> None:
    assert len({(tuple(terms), text) for _, terms, text, *_ in CASES}) == len(CASES) >= 40


def test_variants_are_strings_that_can_be_read() -> None:
    assert variants_of("Law materials") == (
        *("law materials", "law materialss", "law materialses"),
        *("materials", "materialss", "materialses"),
    )


def test_what_is_left_keeps_its_lines() -> None:
    left = masked("Laws\n\nThe law of\nmaps.\n", ["Law", "Maps"]).text
    assert left == "\n\nThe of\n.\n"


def test_a_text_of_which_nothing_is_left_is_a_full_stop_in_both_arms() -> None:
    for arm in ("masked", "sham"):
        assert removed(arm, "a", "Law  Maps", ["Law", "Maps"]) == (NOTHING_LEFT, 2)


def test_an_arm_that_loses_another_number_is_refused_with_the_id(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong = sham("a", "one two three", 2)
    monkeypatch.setattr("evaluate_shelf.diagnostics.masking.removal.sham", lambda *_: wrong)
    with pytest.raises(ShelfError, match=r"'the-id'.*1 tokens.*lost 2"):
        removed("sham", "the-id", "one two three", ["Two"])


WORDS = st.sampled_from(
    [
        "Law",
        "law",
        "LAWS",
        "outlaw",
        "by-law",
        "law's",
        "maps",
        "Map",
        "history",
        "HISTORIES",
        "histories",
        "fine",
        "arts",
        "the",
        "of",
        "x_law",
        "law2",
        "(law)",
        "e-map",
        "Arts",
    ]
)
GAPS = st.sampled_from([" ", " ", " ", "\n", "  ", ", ", "-", ". ", "\t", "\u2014"])
TEXTS = st.lists(st.tuples(WORDS, GAPS), max_size=25).map(
    lambda parts: "".join(word + gap for word, gap in parts)
)
TERMS = st.lists(
    st.sampled_from(["Law", "Maps", "History", "Fine arts", "Law, history", "E-map", "Of", "The"]),
    max_size=4,
)


def expression(terms: list[str]) -> re.Pattern[str] | None:
    """The rule as one expression, written without the code that it checks; ASCII only."""
    strings = set()
    for term in terms:
        for word in [term, *re.findall(r"[A-Za-z]{5,}", term)]:
            strings |= {word, word + "s", word + "es"}
            if re.search(r"[^aeiouAEIOU]y$", word):
                strings.add(word[:-1] + "ies")
    if not strings:
        return None
    patterns = [r"\s+".join(re.escape(part) for part in string.split()) for string in strings]
    # A look ahead finds overlapping occurrences too; the longest comes first.
    longest = "|".join(sorted(patterns, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?=({longest})(?!\w))", re.IGNORECASE)


@given(TEXTS, TERMS)
def test_an_expression_finds_nothing_in_what_is_left(text: str, terms: list[str]) -> None:
    wanted = expression(terms)
    left, tokens = masked(text, terms)
    if wanted is None:
        assert (left, tokens) == (text, 0)
        return
    assert not wanted.search(left)
    covered = {
        place
        for found in wanted.finditer(text)
        for place in range(found.start(), found.start() + len(found.group(1)))
    }
    in_text = sum(start in covered for start, _ in token_spans(text))
    # More only where something came together.
    assert tokens >= in_text
    assert (tokens > 0) == (in_text > 0)
    if not wanted.search(re.sub(r"\s+", " ", "".join(
        " " if place in covered else letter for place, letter in enumerate(text)
    ))):  # fmt: skip
        assert tokens == in_text


@given(st.text(max_size=80), st.lists(st.text(max_size=12), max_size=4))
def test_both_arms_lose_as_many_tokens_of_any_text(text: str, terms: list[str]) -> None:
    found = [removed(arm, "id", text, terms) for arm in ("masked", "sham")]
    assert found[0].tokens == found[1].tokens
    if not found[0].tokens:
        assert all(own.text == text for own in found)


@given(TEXTS, st.integers(0, 30), st.text(max_size=5))
def test_the_sham_keeps_the_other_tokens_in_their_order(text: str, wanted: int, key: str) -> None:
    tokens = [text[start:end] for start, end in token_spans(text)]
    wanted = min(wanted, len(tokens))
    found = sham(key, text, wanted)
    assert found == sham(key, text, wanted)
    left = iter(tokens)
    kept = [found.text[start:end] for start, end in token_spans(found.text)]
    assert len(kept) == len(tokens) - wanted == len(tokens) - found.tokens
    assert all(token in left for token in kept)


def test_the_sham_takes_every_token_as_often_as_another() -> None:
    text = " ".join(f"w{number}" for number in range(10))
    counts = dict.fromkeys(text.split(), 0)
    for key in range(2000):
        for token in set(text.split()) - set(sham(f"document-{key}", text, 3).text.split()):
            counts[token] += 1
    # Binomial, 2,000 draws at 0.3: five standard deviations are 102.
    assert all(abs(count - 600) < 103 for count in counts.values())
