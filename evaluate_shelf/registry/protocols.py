"""Protocols: what a score depends on besides the model and the data."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Literal

from pydantic import field_validator
from pydantic_core.core_schema import ValidationInfo

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_json
from evaluate_shelf.registry.conditions import TextCondition, base_of, under_named
from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.extending import extended
from evaluate_shelf.registry.lookup import found
from evaluate_shelf.registry.protocol_settings import (
    AgglomerativeSettings,
    Bm25Settings,
    BootstrapSettings,
    ConditionalSettings,
    ControlSettings,
    Count,
    CountSettings,
    HdbscanSettings,
    KMeansSettings,
    Probe,
    Seed,
    TfidfSettings,
)
from evaluate_shelf.registry.strict_yaml import Name, Row, Text, read_rows, validated_rows


class Protocol(Row):
    """What a score depends on besides the model and the data.

    Attributes
    ----------
    id : str
        Its name.
    version : int
        Counts the changes of a protocol under one name.
    default : bool
        Whether it is the one that is used when none is named.
    probe : Probe
    svd_components, svd_seed : int
        Reduction of `tf` and `tfidf`.
    tfidf : TfidfSettings
    tf : CountSettings
    bm25 : Bm25Settings
    kmeans : KMeansSettings
    hdbscan : HdbscanSettings
    agglomerative : AgglomerativeSettings
    conditional : ConditionalSettings
    ranking_depth : int
        How many documents of a ranking are kept.
    cutoff : int
        How many of them the primary metric looks at.
    prompts : str
        `none`: texts are encoded without a model's own prompts. `model-card`: with those that
        the model names for queries and documents.
    max_tokens : int or None
        Limit on a text for every model; None leaves each model its own.
    text : {'full', 'masked', 'sham'}
        What the tasks read of a document: all of it, what is left without its own label terms,
        or without as many tokens chosen at random.
    batch_size, blas_threads, torch_threads : int
        They change the last digits of a vector.
    bootstrap : BootstrapSettings
    control : ControlSettings
    note : str or None
        What to know.
    """

    id: Name
    version: Count
    default: bool = False
    probe: Probe
    svd_components: Count
    svd_seed: Seed
    tfidf: TfidfSettings
    tf: CountSettings
    bm25: Bm25Settings
    kmeans: KMeansSettings
    hdbscan: HdbscanSettings
    agglomerative: AgglomerativeSettings
    conditional: ConditionalSettings
    ranking_depth: Count
    cutoff: Count
    prompts: Literal["none", "model-card"]
    max_tokens: Count | None
    text: TextCondition = "full"
    batch_size: Count
    blas_threads: Count
    torch_threads: Count
    bootstrap: BootstrapSettings
    control: ControlSettings
    note: Text | None = None

    @field_validator("cutoff")
    @classmethod
    def _within_the_ranking(cls, value: int, info: ValidationInfo) -> int:
        if value > info.data.get("ranking_depth", value):
            raise ValueError("must not be more than ranking_depth")
        return value

    @property
    def key(self) -> str:
        """SHA-256 of the canonical JSON of everything that a score can depend on.

        `default` and `note` are left out: neither the wording of a note nor the choice of another
        default makes a new protocol. So is `text` where texts are whole, as they were before
        there was such a condition.

        Examples
        --------
        >>> protocol = load_protocol()
        >>> protocol.model_copy(update={"blas_threads": 2}).key == protocol.key
        False
        """
        left_out = {"default", "note", *(("text",) if self.text == "full" else ())}
        return sha256_of_json(self.model_dump(mode="json", exclude=left_out))


def load_protocols(folder: Path | None = None) -> dict[str, Protocol]:
    """Load and check all protocols.

    Parameters
    ----------
    folder : pathlib.Path or None
        The configuration folder. None: the one of the installation. A folder is read once in a
        process.

    Returns
    -------
    dict of str to Protocol
        By id, in the order of the file, with what they extend filled in.

    Raises
    ------
    ShelfError
        If the file is missing, a row is wrong, a row extends an unknown one or, by way of others,
        itself, or there is not exactly one default.

    Examples
    --------
    >>> list(load_protocols())
    ['shelf-1', 'shelf-1-balanced']
    """
    rows = _loaded((folder or config_folder()).resolve() / "protocols.yaml")
    return {row.id: row for row in rows}


def load_protocol(name: str | None = None, folder: Path | None = None) -> Protocol:
    """One protocol by its id.

    Parameters
    ----------
    name : str or None
        Its id. None: the default, `shelf-1`.
    folder : pathlib.Path or None
        As for `load_protocols`.

    Returns
    -------
    Protocol
        The protocol, complete.

    Raises
    ------
    ShelfError
        If there is no such protocol, and as `load_protocols`.

    Examples
    --------
    >>> load_protocol("shelf-1-balanced").probe.class_weight
    'balanced'
    """
    protocols = load_protocols(folder)
    if name is None:
        return next(row for row in protocols.values() if row.default)
    return under_named(found(protocols, base_of(name), "protocol"), name)


@functools.lru_cache(maxsize=8)
def _loaded(file: Path) -> tuple[Protocol, ...]:
    rows = validated_rows(Protocol, extended(read_rows(file), file), file)
    defaults = [row.id for row in rows if row.default]
    if len(defaults) != 1:
        shown = ", ".join(defaults) or "none"
        raise ShelfError(f"{file}, field 'default': one row must have it, now: {shown}")
    return rows
