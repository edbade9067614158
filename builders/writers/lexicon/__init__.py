"""The lexical writer's words: YAML files beside this module, checked when they are loaded."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import Field

from evaluate_shelf.registry.strict_yaml import Row, read_yaml, validated

RowT = TypeVar("RowT", bound=Row)
Phrases = Annotated[tuple[str, ...], Field(min_length=1)]
_FOLDER = Path(__file__).parent
_SLOT = re.compile(r"\{(\w*)\}")
SLOTS = frozenset({"thing", "people", "action", "place", "year", "number"})


class Vocabulary(Row):
    """Terms by their grammatical role.

    Attributes
    ----------
    things : tuple of str
        Noun phrases that stand without an article.
    people : tuple of str
        Plural nouns for persons and institutions.
    actions : tuple of str
        Gerund phrases.
    """

    things: Phrases
    people: Phrases
    actions: Phrases


class FormatPatterns(Row):
    """Sentence patterns of an output format; slots stand in braces."""

    sentences: Phrases
    place_sentences: Phrases
    headings: Phrases
    titles: Phrases


class RegisterPhrases(Row):
    """How a register opens a sentence, speaks and closes."""

    openers: Phrases
    sentences: Phrases
    closers: Phrases


class Style(Row):
    """Habits of one generator, the same for every label."""

    description: str
    connectives: Phrases
    fillers: Phrases
    connective_rate: float = Field(ge=0, le=1)
    filler_rate: float = Field(ge=0, le=1)
    joint: str
    joint_rate: float = Field(ge=0, le=1)


class PhraseList(Row):
    """Sentences of one label."""

    sentences: Phrases


@dataclass(frozen=True)
class Lexicon:
    """All of the lexical writer's words, by label."""

    classes: dict[str, Vocabulary]
    topics: dict[str, Vocabulary]
    patterns: dict[str, FormatPatterns]
    categories: dict[str, PhraseList]
    forms: dict[str, PhraseList]
    registers: dict[str, RegisterPhrases]
    audiences: dict[str, PhraseList]
    styles: dict[str, Style]


@functools.cache
def load_lexicon() -> Lexicon:
    """Read and check the files of this folder.

    Raises
    ------
    ShelfError
        Names the file, the entry and the field of what is malformed.

    Examples
    --------
    >>> len(load_lexicon().classes)
    21
    """
    forms = _FOLDER / "forms.yaml"
    kinds = read_yaml(forms)
    return Lexicon(
        classes=_entries("classes.yaml", Vocabulary),
        topics=_entries("topics.yaml", Vocabulary),
        patterns=_entries("patterns.yaml", FormatPatterns),
        categories=_phrase_lists(forms, kinds["categories"]),
        forms=_phrase_lists(forms, kinds["forms"]),
        registers=_entries("registers.yaml", RegisterPhrases),
        audiences=_phrase_lists(_FOLDER / "audiences.yaml", read_yaml(_FOLDER / "audiences.yaml")),
        styles=_entries("styles.yaml", Style),
    )


def _entries(name: str, kind: type[RowT]) -> dict[str, RowT]:
    file = _FOLDER / name
    return {label: validated(kind, row, file, label) for label, row in read_yaml(file).items()}


def _phrase_lists(file: Path, lists: dict[str, list[str]]) -> dict[str, PhraseList]:
    return {
        label: validated(PhraseList, {"sentences": sentences}, file, label)
        for label, sentences in lists.items()
    }


def slots_of(pattern: str) -> list[str]:
    """Names of a pattern's slots, in order, as they are written.

    Examples
    --------
    >>> slots_of("{Action} asks for {thing}.")
    ['Action', 'thing']
    """
    return _SLOT.findall(pattern)
