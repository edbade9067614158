"""The published card: which files are which config's, and how many rows they should have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)
from pydantic_core import ErrorDetails

from builders.published.card_text import Counts, counts_in_tables
from evaluate_shelf.bounded import ConfigName
from evaluate_shelf.errors import ShelfError

CARD = "README.md"
_MOST_BYTES = 2_000_000
_MOST_CONFIGS = 200
_MOST_SPLITS = 20
_MOST_PATTERNS = 100
_MOST_ROWS = 10**12

_PART = re.compile(r"[A-Za-z0-9_*][A-Za-z0-9_.+*-]{0,119}")
_MOST_PARTS = 6


def _listed(given: Any) -> Any:
    """What a card can say once, or in a list."""
    return given if isinstance(given, list) else [given]


def _by_split(given: Any) -> Any:
    """Files without a split are train, as for `load_dataset`."""
    entries = _listed(given)
    if entries and all(isinstance(entry, str) for entry in entries):
        return [{"split": "train", "path": entries}]
    return entries


def _inner(patterns: list[str]) -> list[str]:
    for pattern in patterns:
        parts = pattern.split("/")
        if len(parts) > _MOST_PARTS or any(not _PART.fullmatch(p) or "**" in p for p in parts):
            raise ValueError(
                f"{pattern!r:.120} is not a path inside the folder; its parts are of letters, "
                "digits and _ . + -, with * for any characters and without **"
            )
    return patterns


Patterns = Annotated[
    list[str], Field(max_length=_MOST_PATTERNS), BeforeValidator(_listed), AfterValidator(_inner)
]
"""Paths inside a folder, whose parts can have `*` for any characters."""


class _Part(BaseModel):
    """A card says much more than what is read here."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class _FilesOfSplit(_Part):
    split: ConfigName
    path: Patterns


class _Config(_Part):
    config_name: ConfigName
    data_files: Annotated[
        list[_FilesOfSplit], Field(max_length=_MOST_SPLITS), BeforeValidator(_by_split)
    ] = []


class _SplitInfo(_Part):
    name: ConfigName
    num_examples: int | None = Field(default=None, ge=0, le=_MOST_ROWS)


class _Info(_Part):
    config_name: ConfigName = "default"
    splits: list[_SplitInfo] = Field(default=[], max_length=_MOST_SPLITS)


class _Front(_Part):
    configs: list[_Config] = Field(min_length=1, max_length=_MOST_CONFIGS)
    dataset_info: Annotated[
        list[_Info], Field(max_length=_MOST_CONFIGS), BeforeValidator(_listed)
    ] = []


@dataclass(frozen=True)
class PublishedConfig:
    """What the card says of a config.

    Attributes
    ----------
    name : str
        Its name.
    patterns : mapping of str to tuple of str
        Split, patterns of the paths of its files.
    declared : Counts or None
        The rows that it should have: those of the YAML, else those of a table in the text.
    """

    name: str
    patterns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    declared: Counts | None = None


def read_card(folder: Path) -> dict[str, PublishedConfig]:
    r"""Read the card of a published release.

    Parameters
    ----------
    folder : pathlib.Path
        Holds `README.md`.

    Returns
    -------
    dict of str to PublishedConfig
        By name, in the order of the card.

    Raises
    ------
    ShelfError
        If there is no card, its YAML cannot be read, or a path in it does not lie inside the
        folder.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "README.md").write_text(
    ...     "---\nconfigs:\n- config_name: default\n  data_files:\n"
    ...     "  - {split: test, path: data/test-*}\ndataset_info:\n"
    ...     "  splits:\n  - {name: test, num_examples: 3}\n---\n"
    ... )
    >>> own = read_card(folder)["default"]
    >>> own.patterns, own.declared.splits
    ({'test': ('data/test-*',)}, {'test': 3})
    """
    place = folder / CARD
    yaml_text, body = _parts(place)
    front = _front(yaml_text, place)
    declared = {**counts_in_tables(body), **_in_yaml(front.dataset_info, place)}
    names = [entry.config_name for entry in front.configs]
    _check_once(names, f"{place}, field 'configs'")
    return {
        name: PublishedConfig(name, _patterns(entry, place), declared.get(name))
        for name, entry in zip(names, front.configs, strict=True)
    }


def _parts(place: Path) -> tuple[str, str]:
    """The YAML and the text behind it."""
    if not place.is_file():
        raise ShelfError(f"{place}: the file is missing; a published release has its card there")
    if place.stat().st_size > _MOST_BYTES:
        raise ShelfError(f"{place}: longer than {_MOST_BYTES:,} bytes, so no dataset card")
    try:
        text = place.read_text(encoding="utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise ShelfError(f"{place}: not UTF-8") from error
    parts = text.split("---\n", 2)
    if len(parts) < 3 or parts[0]:
        raise ShelfError(f"{place}: it does not begin with the YAML that `load_dataset` reads")
    return parts[1], parts[2]


def _front(text: str, place: Path) -> _Front:
    try:
        return _Front.model_validate(yaml.safe_load(text))
    except (yaml.YAMLError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise ShelfError(f"{place}: its YAML cannot be read: {reason:.300}") from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the YAML"
        raise ShelfError(f"{place}, field {where!r}: {_reason(first)}") from error


def _reason(detail: ErrorDetails) -> str:
    if detail["type"] == "value_error":
        return detail["msg"].removeprefix("Value error, ")
    if detail["type"] == "missing":
        return "it is missing"
    wrong = "not a mapping" if detail["type"] == "model_type" else detail["msg"]
    return f"{wrong:.300}, got {detail['input']!r:.80}"


def _in_yaml(infos: Sequence[_Info], place: Path) -> dict[str, Counts]:
    """The numbers of rows of the configs that have any."""
    _check_once([info.config_name for info in infos], f"{place}, field 'dataset_info'")
    counts = {}
    for info in infos:
        where = f"{place}, field 'dataset_info', config {info.config_name!r}"
        _check_once([split.name for split in info.splits], where)
        own = {s.name: s.num_examples for s in info.splits if s.num_examples is not None}
        if own:
            counts[info.config_name] = Counts(own)
    return counts


def _check_once(names: Sequence[str], where: str) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise ShelfError(f"{where}: {name!r} stands twice")


def _patterns(entry: _Config, place: Path) -> dict[str, tuple[str, ...]]:
    where = f"{place}, field 'configs', config {entry.config_name!r}"
    _check_once([own.split for own in entry.data_files], where)
    return {own.split: tuple(own.path) for own in entry.data_files}
