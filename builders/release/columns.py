"""The columns of a release's configs: families, types and meanings."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import yaml

from builders.release.markdown import plain
from builders.release.origins import ORIGINS, Origin, origins_of
from builders.release.templates import TEMPLATES
from builders.staging.config import StagedConfig
from builders.taxonomies.foreign import ForeignLabels
from evaluate_shelf.release.manifest import column_types

_OF_DOCUMENTS: dict[Origin, str] = {
    "composed": "Written documents",
    "written": "Written documents",
    "generated": "Written documents",
    "books": "Passages of books",
    "lcshbench": "Records of LCSHBench",
    "records": "A library's own records",
}
_OTHERS = {
    "pairs": "Pairs",
    "selection": "Texts to search, queries, and texts with topics",
    "qrels": "Relevance",
    "instructions": "Instructions",
}


class Column(NamedTuple):
    """A column of a family.

    Attributes
    ----------
    name, kind : str
        Name and type.
    configs : tuple of str
        The family's configs that have it; empty where all have it.
    meaning : str
        One line; empty where nothing is known.
    """

    name: str
    kind: str
    configs: tuple[str, ...]
    meaning: str


class Family(NamedTuple):
    """Configs whose columns are described together."""

    title: str
    configs: tuple[str, ...]
    columns: tuple[Column, ...]


@functools.cache
def meanings() -> dict[str, str]:
    """What each known column means, from `dataset_card/columns.yaml`."""
    read: dict[str, str] = yaml.safe_load((TEMPLATES / "columns.yaml").read_text(encoding="utf-8"))
    return read


def meanings_with(foreign: Sequence[ForeignLabels], shown: Callable[[str], str]) -> dict[str, str]:
    """What each known column means where labels are not SHELF's.

    Parameters
    ----------
    foreign : sequence of ForeignLabels
        Those of the release.
    shown : callable
        Makes the name of a vocabulary safe where it is to stand.

    Returns
    -------
    dict of str to str
    """
    imported = _imported_meanings()
    own = {
        column: imported[column].format(vocabulary=shown(labels.name))
        for labels in foreign
        for column in labels.slot.columns
    }
    return {**meanings(), **own}


@functools.cache
def _imported_meanings() -> dict[str, str]:
    file = TEMPLATES / "imported_columns.yaml"
    read: dict[str, str] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return read


def families(
    configs: Sequence[StagedConfig], foreign: Sequence[ForeignLabels] = ()
) -> list[Family]:
    """The configs of a release by what their rows are, with the columns of each family.

    Parameters
    ----------
    configs : sequence of StagedConfig
        The release's.
    foreign : sequence of ForeignLabels, default=()
        Labels of the release that are not SHELF's.

    Returns
    -------
    list of Family
        Documents by their origin, then pairs, searches and the like; only those that there are.
        Columns are in the order of the first config that has them. A column that has two types
        in a family is there twice.
    """
    members: dict[str, list[StagedConfig]] = {
        title: [] for title in (*(_OF_DOCUMENTS[own] for own in ORIGINS), *_OTHERS.values())
    }
    for config in configs:
        members[_family(config)].append(config)
    known = meanings_with(foreign, plain)
    return [_described(title, own, known) for title, own in members.items() if own]


def _family(config: StagedConfig) -> str:
    if config.info.kind == "documents":
        return _OF_DOCUMENTS[origins_of(config)[0]]
    return _OTHERS[config.info.kind]


def _described(title: str, configs: Sequence[StagedConfig], known: Mapping[str, str]) -> Family:
    found: dict[tuple[str, str], list[str]] = {}
    for config in configs:
        for column in column_types(config.info.schema).items():
            found.setdefault(column, []).append(config.name)
    columns = tuple(
        Column(
            name,
            kind,
            () if len(having) == len(configs) else tuple(having),
            known.get(name, ""),
        )
        for (name, kind), having in found.items()
    )
    return Family(title, tuple(config.name for config in configs), columns)
