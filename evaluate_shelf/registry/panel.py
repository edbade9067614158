"""Panels: the reference panel that `shelf models` lists, and lists of models to evaluate."""

from __future__ import annotations

import datetime as dt
import functools
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.strict_yaml import (
    Row,
    Text,
    read_rows,
    row_name,
    validated,
    validated_rows,
)

Count = Annotated[int, Field(gt=0)]
Address = Annotated[str, StringConstraints(pattern=r"^https://[^\s/]+\S*$")]
"""Where a page can be read."""


class Cutoff(Row):
    """A day on which everything that a model's weights learned from was written.

    Attributes
    ----------
    date : datetime.date
        The day, or a later one.
    of : str
        What is known: the last day of the `training` data, or the `release` of the weights.
    source : str
        The page that states the date.
    """

    date: dt.date
    of: Literal["training", "release"]
    source: Address


class PanelModel(Row):
    """A model of the reference panel.

    Attributes
    ----------
    name : str
        As a table shows it.
    model : str
        The string that `shelf evaluate` takes.
    kind : str
        `sparse`, `static`, `encoder` or `hybrid`.
    checkpoint : str or None
        Its weights, by the name that they are known by.
    revision : str or None
        What fixes them: a commit, or the SHA-256 of their file.
    package : str or None
        The distribution that brings them.
    released : datetime.date or None
        When they were first published.
    cutoff : Cutoff or None
        After which day nothing was learned; None where no source states one.
    dimension : int or None
        Of its vectors; None if it gives scores alone.
    max_tokens : int or None
        Where it cuts a text; None if it does not.
    licence : str or None
        Of the weights.
    note : str or None
        What to know.
    """

    name: Text
    model: Text
    kind: Literal["sparse", "static", "encoder", "hybrid"]
    checkpoint: Text | None
    revision: Text | None
    package: Text | None = None
    released: dt.date | None
    cutoff: Cutoff | None = None
    dimension: Count | None
    max_tokens: Count | None
    licence: Text | None
    note: Text | None = None


class _Entry(Row):
    model: Text
    note: Text | None = None


def load_panel(folder: Path | None = None) -> dict[str, PanelModel]:
    """Load and check the reference panel.

    Parameters
    ----------
    folder : pathlib.Path or None
        The configuration folder. None: the one of the installation. A folder is read once in a
        process.

    Returns
    -------
    dict of str to PanelModel
        By the string that `shelf evaluate` takes, in the order of the file.

    Raises
    ------
    ShelfError
        If the file is missing or a row is wrong; the message names file, row and field.

    Examples
    --------
    >>> load_panel()["st:minilm"].dimension
    384
    """
    rows = _loaded((folder or config_folder()).resolve() / "panel.yaml")
    return {row.model: row for row in rows}


def panel_specs(file: Path) -> tuple[str, ...]:
    """The models of a panel file, for `shelf evaluate --panel`.

    Parameters
    ----------
    file : pathlib.Path
        A list of rows. A row says `model` alone, perhaps with a `note`, or is complete as in the
        reference panel.

    Returns
    -------
    tuple of str
        The strings that `shelf evaluate` takes, in the order of the file.

    Raises
    ------
    ShelfError
        If the file is missing, a row is wrong or a model stands twice; the message names file,
        row and field.

    Examples
    --------
    >>> panel_specs(config_folder() / "panel.yaml")[:3]
    ('tf', 'tfidf', 'bm25')
    """
    rows = read_rows(file)
    for number, row in enumerate(rows, start=1):
        is_short = isinstance(row, dict) and set(row) <= set(_Entry.model_fields)
        validated(_Entry if is_short else PanelModel, row, file, row_name(row, number, "model"))
    # By its model alone, so that one that stands twice is found among rows of both kinds.
    alone = [{"model": row["model"]} for row in rows]
    return tuple(entry.model for entry in validated_rows(_Entry, alone, file, "model"))


@functools.lru_cache(maxsize=8)
def _loaded(file: Path) -> tuple[PanelModel, ...]:
    return validated_rows(PanelModel, read_rows(file), file, "model", unique=["name"])
