"""The table of corpora."""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator
from pydantic_core.core_schema import ValidationInfo

from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.lookup import found
from evaluate_shelf.registry.strict_yaml import Name, Row, Text, read_rows, validated_rows

Share = Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)]


class Ratios(Row):
    """Shares of the splits."""

    train: Share
    validation: Share
    test: Share


class Split(Row):
    """How a corpus is split: by groups (or documents), in shares (or as its source says)."""

    group_column: Name | None = None
    ratios: Ratios | None = None

    @field_validator("ratios")
    @classmethod
    def _sum_to_one(cls, value: Ratios | None) -> Ratios | None:
        if value is None:
            return value
        total = math.fsum((value.train, value.validation, value.test))
        if not math.isclose(total, 1.0, abs_tol=1e-9):
            raise ValueError(f"must sum to 1, sum to {total:.9g}")
        return value


class PassageSettings(Row):
    """How passages are cut out of books."""

    target_words: int = Field(gt=0)
    min_words: int = Field(gt=0)
    max_words: int = Field(gt=0)
    passages_per_work: int = Field(gt=0)

    @field_validator("min_words")
    @classmethod
    def _not_above_target(cls, value: int, info: ValidationInfo) -> int:
        if value > info.data.get("target_words", value):
            raise ValueError("must not be more than target_words")
        return value

    @field_validator("max_words")
    @classmethod
    def _not_below_target(cls, value: int, info: ValidationInfo) -> int:
        if value < info.data.get("target_words", value):
            raise ValueError("must not be less than target_words")
        return value


class Corpus(Row):
    """A corpus: where it comes from and how it is split.

    Attributes
    ----------
    id : str
        Its config.
    source : str
        What its documents come from.
    kind : str
        `synthetic` or `natural`.
    label_space : str
        Labels that a document always has.
    seed : int
        Of every draw.
    split : Split
        Group column, none where documents are groups, and shares, none where the source brings its
        own test split.
    published_documents : int or None
        Size of the published corpus of this id; None where there is none.
    available : bool
        Whether it is built here.
    passages : PassageSettings or None
        Of a corpus from books.
    note : str
        What a user must know.
    """

    id: Name
    source: Literal["written", "union", "gutenberg", "lcshbench"]
    kind: Literal["synthetic", "natural"]
    label_space: Literal["lcc"]
    seed: int = Field(ge=0)
    split: Split
    published_documents: int | None = Field(default=None, gt=0)
    available: bool
    passages: PassageSettings | None = Field(default=None, validate_default=True)
    note: Text

    @field_validator("kind")
    @classmethod
    def _kind_of_the_source(cls, value: str, info: ValidationInfo) -> str:
        natural = info.data.get("source") in ("gutenberg", "lcshbench")
        wanted = "natural" if natural else "synthetic"
        if "source" in info.data and value != wanted:
            raise ValueError(f"must be {wanted} for the source {info.data['source']}")
        return value

    @field_validator("passages")
    @classmethod
    def _books_only(
        cls, value: PassageSettings | None, info: ValidationInfo
    ) -> PassageSettings | None:
        source = info.data.get("source")
        if source == "gutenberg" and value is None:
            raise ValueError("is required for the source gutenberg")
        if source not in ("gutenberg", None) and value is not None:
            raise ValueError(f"has no meaning for the source {source}")
        return value


def load_corpora(folder: Path | None = None) -> dict[str, Corpus]:
    """Load and check the table of corpora.

    Parameters
    ----------
    folder : pathlib.Path or None
        The configuration folder. None: the one of the installation. A folder is read once in a
        process.

    Returns
    -------
    dict of str to Corpus
        By id, in the order of the file.

    Raises
    ------
    ShelfError
        If the file is missing or a row is wrong; the message names file, row and field.

    Examples
    --------
    >>> load_corpora()["transfer_gutenberg"].passages.target_words
    400
    """
    rows = _loaded((folder or config_folder()).resolve() / "corpora.yaml")
    return {row.id: row for row in rows}


@functools.lru_cache(maxsize=8)
def _loaded(file: Path) -> tuple[Corpus, ...]:
    return validated_rows(Corpus, read_rows(file), file)


def corpus(corpus_id: str, folder: Path | None = None) -> Corpus:
    """One corpus by its id.

    Parameters
    ----------
    corpus_id : str
        Its id.
    folder : pathlib.Path or None
        As for `load_corpora`.

    Returns
    -------
    Corpus
        The corpus.

    Raises
    ------
    ShelfError
        If there is no such corpus.

    Examples
    --------
    >>> corpus("v0_4_core").split.group_column
    'spec_id'
    """
    return found(load_corpora(folder), corpus_id, "corpus")
