from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.corpora.gutenberg.author_groups import author_groups
from builders.corpora.gutenberg.forms import _CATEGORIES, _FORMS, form_of
from builders.corpora.gutenberg.people import Person
from builders.corpora.gutenberg.work import Work


def work(number: int, *people: str, role: str = "") -> Work:
    named = tuple(Person(name, role) for name in people)
    return Work(number=number, contributors=named) if role else Work(number=number, authors=named)


@pytest.mark.parametrize(
    "role",
    [
        "Editor",
        "Translator",
        "Contributor",
        "Compiler",
        "Author of introduction, etc.",
        "Commentator",
    ],
)
def test_who_writes_words_links(role: str) -> None:
    groups = author_groups([work(3, "Fiske, John"), work(8, "Fiske, John", role=role)])
    assert groups[3] == groups[8]


@pytest.mark.parametrize(
    "role", ["Illustrator", "Photographer", "Engraver", "Artist", "Cartographer"]
)
def test_who_draws_does_not(role: str) -> None:
    groups = author_groups([work(3, "Fiske, John"), work(8, "Fiske, John", role=role)])
    assert groups[3] != groups[8]


def test_who_draws_and_writes_does() -> None:
    groups = author_groups(
        [work(3, "Fiske, John"), work(8, "Fiske, John", role="Illustrator, Editor")]
    )
    assert groups[3] == groups[8]


@pytest.mark.parametrize("nobody", ["Various", "Anonymous", "Unknown", "unknown", ""])
def test_nobody_links_nothing(nobody: str) -> None:
    groups = author_groups([work(3, nobody), work(8, nobody)])
    assert groups[3] != groups[8]


def test_marks_and_case_do_not_part_a_writer() -> None:
    groups = author_groups([work(3, "Jókai, Mór"), work(8, "JOKAI,  Mor.")])
    assert groups[3] == groups[8]


def test_the_id_is_that_of_the_smallest_number() -> None:
    chain = [work(9, "A, A", "B, B"), work(4, "B, B", "C, C"), work(7, "C, C")]
    groups = author_groups(chain)
    assert set(groups.values()) == set(author_groups([work(4)]).values())
    assert all(len(group) == 13 and group[0] == "g" for group in groups.values())


@given(st.lists(st.lists(st.integers(0, 12), max_size=3), max_size=25), st.randoms())
def test_no_writer_is_in_two_groups(cast: list[list[int]], random: object) -> None:
    works = [work(n, *(f"Writer {who}" for who in whos)) for n, whos in enumerate(cast)]
    groups = author_groups(works)
    assert set(groups) == set(range(len(cast)))
    for left, right in combinations(range(len(cast)), 2):
        if set(cast[left]) & set(cast[right]):
            assert groups[left] == groups[right]
    assert groups == author_groups(reversed(works))
    # As many groups as the graph has parts, counted in another way.
    parts: list[set[int]] = []
    lonely = 0
    for whos in cast:
        lonely += not whos
        merged = set(whos).union(*(part for part in parts if part & set(whos)))
        parts = [part for part in parts if not part & set(whos)] + ([merged] if whos else [])
    assert len(set(groups.values())) == len(parts) + lonely


@pytest.mark.parametrize(
    ("subjects", "expected"),
    [
        ((), (None, None)),
        (("Bees",), (None, None)),
        (("Poetry",), (None, None)),
        (("Bees -- Poetry",), ("Literature", "Poetry")),
        (("Bees -- Drama", "Hives -- Drama"), ("Literature", "Drama")),
        (("Bees -- Juvenile fiction",), ("Literature", "Fiction")),
        (("Bees -- Poetry", "Bees -- Biography"), (None, None)),
        (("Queens -- Great Britain -- Biography",), (None, "Biographies")),
        (("World War, 1914-1918 -- Personal narratives",), (None, "Personal narratives")),
        (("English poetry -- History and criticism",), (None, None)),
        (("Poetry -- Bibliography",), ("Informational works", "Reference works")),
        (("Beekeeping -- Handbooks, manuals, etc.",),
         ("Instructional and educational works", "Handbooks and manuals")),
    ],
)  # fmt: skip
def test_forms(subjects: tuple[str, ...], expected: tuple[str | None, str | None]) -> None:
    assert form_of(subjects) == expected


def test_every_category_is_of_a_form_that_is_given() -> None:
    assert set(_CATEGORIES) <= set(_FORMS.values())
