"""Protocols: what a score depends on besides the model and the data."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator
from pydantic_core.core_schema import ValidationInfo

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_json
from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.lookup import found
from evaluate_shelf.registry.strict_yaml import (
    Name,
    Row,
    Text,
    read_rows,
    validated,
    validated_rows,
    wrong,
)

Count = Annotated[int, Field(gt=0)]
Seed = Annotated[int, Field(ge=0, lt=2**32)]

# No id of a row has this character.
_CONDITION = "+"
_MAX_TOKENS = "max-tokens-"
_MODEL_CARD = "model-card-prompts"

_NOT_TAKEN_OVER = ("id", "default", "note", "extends")


class Probe(Row):
    """Logistic regression on frozen vectors.

    `solver` is SHELF's own or scikit-learn's; both minimise the same objective, until it is at
    most `tolerance`, relative, above its minimum.
    """

    C: float = Field(gt=0, allow_inf_nan=False)
    max_iter: Count
    class_weight: Literal["balanced"] | None
    seed: Seed
    solver: Literal["shelf", "scikit-learn"]
    tolerance: float = Field(gt=0, lt=1, allow_inf_nan=False)


class CountSettings(Row):
    """Which words and pairs of words are counted."""

    ngram_range: tuple[Count, Count]
    min_df: Count
    max_df: float = Field(gt=0, le=1, allow_inf_nan=False)
    max_features: Count

    @field_validator("ngram_range")
    @classmethod
    def _in_order(cls, value: tuple[int, int]) -> tuple[int, int]:
        if value[0] > value[1]:
            raise ValueError("must not end below its start")
        return value


class TfidfSettings(CountSettings):
    """The same, weighted by inverse document frequency."""

    sublinear_tf: bool


class Bm25Settings(Row):
    """Variant and constants of BM25."""

    idf: Literal["lucene", "published"]
    k1: float = Field(ge=0, allow_inf_nan=False)
    b: float = Field(ge=0, le=1, allow_inf_nan=False)


class KMeansSettings(Row):
    """The seed of the score, and the seeds whose median stands beside it."""

    seed: Seed
    median_seeds: Annotated[tuple[Seed, ...], Field(min_length=1)]
    n_init: Count
    max_iter: Count

    @field_validator("median_seeds")
    @classmethod
    def _all_different(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if len(set(value)) < len(value):
            raise ValueError("must be all different")
        return value


class HdbscanSettings(Row):
    """Density clustering; a cluster has at least `min_cluster_size` documents."""

    min_cluster_size: Annotated[int, Field(ge=2)]
    min_samples: Count
    metric: Literal["euclidean"]
    cluster_selection_method: Literal["eom", "leaf"]


class AgglomerativeSettings(Row):
    """Clusters merged pair by pair, until there are as many as labels."""

    linkage: Literal["average", "complete", "single"]
    metric: Literal["cosine"]


class ConditionalSettings(Row):
    """What a class needs to be clustered by itself."""

    min_documents: Count
    min_labels: Annotated[int, Field(ge=2)]


class ControlSettings(Row):
    """The shuffled-label control that measures chance: how often labels are shuffled, and how."""

    replicates: Count
    seed: Seed


class BootstrapSettings(Row):
    """Replicates and level of the intervals."""

    replicates: Count
    seed: Seed
    level: float = Field(gt=0, lt=1, allow_inf_nan=False)


class _Identified(Row):
    id: Name


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
        default makes a new protocol.

        Examples
        --------
        >>> protocol = load_protocol()
        >>> protocol.model_copy(update={"blas_threads": 2}).key == protocol.key
        False
        """
        return sha256_of_json(self.model_dump(mode="json", exclude={"default", "note"}))


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
    base, *conditions = name.split(_CONDITION)
    protocol = found(protocols, base, "protocol")
    for condition in conditions:
        if condition == _MODEL_CARD:
            protocol = under_conditions(protocol, prompts="model-card")
        elif re.fullmatch(rf"{_MAX_TOKENS}[1-9]\d{{0,6}}", condition):
            limit = int(condition.removeprefix(_MAX_TOKENS))
            protocol = under_conditions(protocol, max_tokens=limit)
        else:
            raise ShelfError(f"unknown protocol {name!r}: {condition!r} is no condition")
    return protocol


def conditioned(protocol: Protocol, prompts: str | None, max_tokens: int | None) -> Protocol:
    """A protocol under what a user asks for; see `under_conditions`.

    Raises
    ------
    ShelfError
        If the prompts are unknown, or the limit is not between 1 and 9,999,999.
    """
    if prompts not in (None, "none", "model-card"):
        raise ShelfError(f"--prompts {prompts}: known are none and model-card")
    if max_tokens is not None and not 0 < max_tokens < 10_000_000:
        raise ShelfError(f"--max-tokens {max_tokens}: at least 1 token is needed")
    wanted: Any = prompts
    return under_conditions(protocol, prompts=wanted, max_tokens=max_tokens)


def under_conditions(
    protocol: Protocol,
    *,
    prompts: Literal["none", "model-card"] | None = None,
    max_tokens: int | None = None,
) -> Protocol:
    """A protocol with other prompts or another limit on a text: a protocol of its own.

    Parameters
    ----------
    protocol : Protocol
        The one that it differs from.
    prompts : {'none', 'model-card'}, default=None
        Whether texts are encoded with the prompts that the model names.
    max_tokens : int, default=None
        Tokens after which a text is cut, for every model that has a limit.

    Returns
    -------
    Protocol
        Its id says what differs, and `load_protocol` takes that id.

    Examples
    --------
    >>> under_conditions(load_protocol(), max_tokens=512).id
    'shelf-1+max-tokens-512'
    >>> load_protocol("shelf-1+max-tokens-512").max_tokens
    512
    """
    changes: dict[str, Any] = {}
    name = protocol.id
    if max_tokens is not None and max_tokens != protocol.max_tokens:
        changes["max_tokens"] = max_tokens
        name += f"{_CONDITION}{_MAX_TOKENS}{max_tokens}"
    if prompts is not None and prompts != protocol.prompts:
        changes["prompts"] = prompts
        name += f"{_CONDITION}{_MODEL_CARD}"
    return protocol.model_copy(update={**changes, "id": name}) if changes else protocol


@functools.lru_cache(maxsize=8)
def _loaded(file: Path) -> tuple[Protocol, ...]:
    rows = validated_rows(Protocol, _extended(read_rows(file), file), file)
    defaults = [row.id for row in rows if row.default]
    if len(defaults) != 1:
        shown = ", ".join(defaults) or "none"
        raise ShelfError(f"{file}, field 'default': one row must have it, now: {shown}")
    return rows


def _extended(rows: list[Any], file: Path) -> list[dict[str, Any]]:
    # The ids come first: one that is damaged would else show as an unknown one in another row.
    for number, row in enumerate(rows, start=1):
        own = {key: row[key] for key in ("id",) if key in row} if isinstance(row, dict) else row
        validated(_Identified, own, file, number)
    by_id = {row["id"]: row for row in rows}
    return [_resolved(row, by_id, file) for row in rows]


def _resolved(row: dict[str, Any], by_id: dict[str, dict[str, Any]], file: Path) -> dict[str, Any]:
    """Give a row with the values of the rows that it extends, nearest first."""
    merged = row
    seen: list[str] = [row["id"]]
    while "extends" in merged:
        base_id = merged["extends"]
        if not isinstance(base_id, str) or base_id not in by_id:
            known = ", ".join(by_id)
            raise wrong(file, seen[0], "extends", f"unknown {base_id!r}; known: {known}")
        if base_id in seen:
            way = " -> ".join([*seen, base_id])
            raise wrong(file, seen[0], "extends", f"leads back to itself: {way}")
        seen.append(base_id)
        base = by_id[base_id]
        taken = {key: value for key, value in base.items() if key not in _NOT_TAKEN_OVER}
        own = {key: value for key, value in merged.items() if key != "extends"}
        merged = _merged(taken, own)
        if "extends" in base:
            merged["extends"] = base["extends"]
    return merged


def _merged(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Merge two mappings key by key; where both have a mapping, merge those, else `own` wins.

    Examples
    --------
    >>> _merged({"a": {"x": 1, "y": 2}, "b": 3}, {"a": {"y": 4}})
    {'a': {'x': 1, 'y': 4}, 'b': 3}
    """
    merged = dict(base)
    for key, value in own.items():
        below = base.get(key)
        if isinstance(value, dict) and isinstance(below, dict):
            merged[key] = _merged(below, value)
        else:
            merged[key] = value
    return merged
