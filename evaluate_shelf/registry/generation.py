"""Generation plans: how much is written, by whom, and how many pairs are drawn."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Literal

from pydantic import Field

from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.lookup import found
from evaluate_shelf.registry.strict_yaml import Name, Row, Text, read_rows, validated_rows


class PairCounts(Row):
    """The most pairs of each split."""

    train: int = Field(ge=0)
    validation: int = Field(ge=0)
    test: int = Field(gt=0)


class Plan(Row):
    """How a synthetic corpus is written.

    Attributes
    ----------
    id : str
        Its name.
    writer : str
        Who writes.
    styles : int
        How many of the writer's styles write.
    blocks, specifications_per_block : int
        How many specifications, each of which every style of the writer gets.
    pairs : PairCounts
        The most pairs of a split.
    uses_per_document : int
        How often a document may stand in the pairs of its split.
    note : str
        What to know.
    """

    id: Name
    writer: Literal["lexical"]
    styles: int = Field(gt=0)
    blocks: int = Field(gt=0)
    specifications_per_block: int = Field(gt=0)
    pairs: PairCounts
    uses_per_document: int = Field(gt=0)
    note: Text


def load_plans(folder: Path | None = None) -> dict[str, Plan]:
    """Load and check all generation plans.

    Parameters
    ----------
    folder : pathlib.Path or None
        The configuration folder. None: the one of the installation.

    Returns
    -------
    dict of str to Plan
        By id, in the order of the file.

    Raises
    ------
    ShelfError
        If the file is missing or a row is wrong; the message names file, row and field.

    Examples
    --------
    >>> list(load_plans())
    ['standard', 'quickstart']
    """
    rows = _loaded((folder or config_folder()).resolve() / "generation.yaml")
    return {row.id: row for row in rows}


def load_plan(name: str, folder: Path | None = None) -> Plan:
    """Give one plan.

    Raises
    ------
    ShelfError
        If there is none of that name.
    """
    return found(load_plans(folder), name, "generation plan")


@functools.cache
def _loaded(file: Path) -> tuple[Plan, ...]:
    return tuple(validated_rows(Plan, read_rows(file), file))
