"""How a specification is put to a writer: variants of the wording, and layouts."""

from __future__ import annotations

import functools
import string
from collections import Counter
from pathlib import Path
from typing import Annotated

from pydantic import Field, field_validator

from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.generation_file import generation_part
from evaluate_shelf.registry.strict_yaml import Name, Row, Text, validated, validated_rows

SLOTS = (
    "form",
    "category",
    "subject",
    "topics",
    "audience",
    "register",
    "places",
    "length",
    "layout",
    "avoided",
)
"""What a brief has a line for; a line whose slot is empty is left out."""


class Example(Row):
    """An order, and a document that was written for it.

    Attributes
    ----------
    brief : tuple of str
        Its lines, as those of a variant's brief are with their slots filled.
    title : str
    paragraphs : tuple of str
        The document.
    """

    brief: Annotated[tuple[Text, ...], Field(min_length=1)]
    title: Text
    paragraphs: Annotated[tuple[Text, ...], Field(min_length=1)]


class PromptVariant(Row):
    """One wording of what every prompt asks.

    Attributes
    ----------
    id : str
        Its name, which every document records.
    system : str
        Who the writer is, and what holds for every text.
    brief : tuple of str
        Lines of the order, each with one slot of `SLOTS`.
    example : Example or None
        What a plan that wants examples shows before the order.
    """

    id: Name
    system: Text
    brief: Annotated[tuple[Text, ...], Field(min_length=1)]
    example: Example | None = None

    @field_validator("system")
    @classmethod
    def _without_slots(cls, value: str) -> str:
        if _slots(value):
            raise ValueError("must have no slot")
        return value

    @field_validator("brief")
    @classmethod
    def _one_slot_a_line(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for line in value:
            if len(_slots(line)) != 1:
                raise ValueError(f"each line must have one slot, this has not: {line!r}")
        counts = Counter(_slots(line)[0] for line in value)
        for slot in (*SLOTS, *counts):
            if slot not in SLOTS:
                raise ValueError(f"unknown slot {slot!r}; known: {', '.join(SLOTS)}")
            if counts[slot] != 1:
                raise ValueError(f"must have one line for {{{slot}}}, has {counts[slot]}")
        return value


class Wording(Row):
    """All wordings.

    Attributes
    ----------
    variants : dict of str to PromptVariant
        By id.
    layouts : dict of str to str
        What is asked of a text of each output format.
    """

    variants: dict[str, PromptVariant]
    layouts: dict[str, str]


class _PromptPart(Row):
    layouts: dict[Name, Text]
    variants: list[object]


def load_wording(folder: Path | None = None) -> Wording:
    """Load and check the wordings of prompts.

    Parameters
    ----------
    folder : pathlib.Path or None
        The configuration folder. None: the one of the installation.

    Returns
    -------
    Wording
        From `generation.yaml`.

    Raises
    ------
    ShelfError
        If the file is missing or a row is wrong; the message names file, row and field.

    Examples
    --------
    >>> list(load_wording().variants)
    ['s1-plain', 's1-practitioner', 's1-editor', 's1-collector']
    """
    return _loaded((folder or config_folder()).resolve())


@functools.lru_cache(maxsize=8)
def _loaded(folder: Path) -> Wording:
    part, file = generation_part("prompts", folder)
    table = validated(_PromptPart, part, file, "prompts")
    variants = validated_rows(PromptVariant, table.variants, file)
    return Wording(variants={row.id: row for row in variants}, layouts=table.layouts)


def _slots(text: str) -> list[str]:
    """Names of a line's slots, each of which is a plain one: `{topics}`, not `{topics!r:>9}`."""
    try:
        found = [part for part in string.Formatter().parse(text) if part[1] is not None]
    except ValueError as error:
        raise ValueError(f"{error}: {text!r}") from error
    return [
        str(field) + (f":{form}" if form else "") + (f"!{conversion}" if conversion else "")
        for _, field, form, conversion in found
    ]
