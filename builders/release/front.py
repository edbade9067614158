"""The card's YAML, made from the data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from builders.release.origins import (
    SYNTHETIC,
    Origin,
    distinct_documents,
    languages_in,
    origins_in,
)
from builders.staging.config import StagedConfig
from builders.taxonomies.foreign import ForeignLabels
from evaluate_shelf.release.card_front import (
    configs_entry,
    features_entry,
    flagged_default,
    split_entries,
)
from evaluate_shelf.release.manifest import DataFile

LCSHBENCH = "kltng/lcshbench"
PUBLISHED = "mjbommar/SHELF"

_ANNOTATIONS: dict[Origin, str] = {
    "composed": "machine-generated",
    "written": "machine-generated",
    "generated": "machine-generated",
    "books": "found",
    "lcshbench": "expert-generated",
    "records": "found",
}
_SOURCES: dict[Origin, str] = {
    "composed": "original",
    "written": "original",
    "generated": f"extended|{PUBLISHED}",
    "books": "original",
    "lcshbench": f"extended|{LCSHBENCH}",
    "records": "original",
}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
# YAML 1.2, which the Hub reads, takes more words for numbers than PyYAML, which writes them; and
# three hyphens at the end of a line look like the end of the front matter.
_QUOTED = re.compile(r"[-+.~\d]|.*---")


def front_matter(
    configs: Sequence[StagedConfig],
    files: Mapping[str, DataFile],
    aliases: Mapping[str, str],
    foreign: Sequence[ForeignLabels] = (),
) -> str:
    """The YAML at the head of the card.

    Parameters
    ----------
    configs : sequence of StagedConfig
        The first of them is the default.
    files : mapping of str to DataFile
        By path.
    aliases : mapping of str to str
        Second names of configs.
    foreign : sequence of ForeignLabels, default=()
        Labels of the release that are not SHELF's.

    Returns
    -------
    str
        `configs` and `dataset_info` agree with the files by construction. Without the rules of
        three hyphens around it.
    """
    by_name = {config.name: config for config in configs}
    named = {**{own: own for own in by_name}, **aliases}
    flagged = flagged_default(named, configs[0].name)
    origins = origins_in(configs)
    languages = languages_in(configs)
    value = {
        "license": _one_or_all(licences(origins, foreign)),
        **({"language": _one_or_all(languages)} if languages else {}),
        "pretty_name": "SHELF",
        "size_categories": [size_category(distinct_documents(configs))],
        "annotations_creators": _distinct(_ANNOTATIONS[origin] for origin in origins),
        "language_creators": _distinct(
            "machine-generated" if origin in SYNTHETIC else "found" for origin in origins
        ),
        "source_datasets": _distinct(_SOURCES[origin] for origin in origins),
        "task_categories": ["text-classification", "text-retrieval", "sentence-similarity"],
        "tags": ["benchmark", *_schemes(foreign), "bibliography"],
        "configs": [
            configs_entry(
                own,
                by_name[folder].splits,
                is_default=own == flagged,
                folder=folder,
            )
            for own, folder in named.items()
        ],
        "dataset_info": [
            _dataset_info(own, by_name[folder], files) for own, folder in named.items()
        ],
    }
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)


def _schemes(foreign: Sequence[ForeignLabels]) -> list[str]:
    replaced = {own.facet for own in foreign}
    return [] if {"subject", "forms"} & replaced else ["library-of-congress"]


def licences(origins: Sequence[Origin], foreign: Sequence[ForeignLabels] = ()) -> list[str]:
    """The licences that the Hub shows.

    A library's own records have what the library says, and imported labels have terms of their
    own.

    Examples
    --------
    >>> licences(["composed", "books", "records"])
    ['cc-by-4.0', 'other']
    """
    found = ["other" if origin == "records" else "cc-by-4.0" for origin in origins]
    return _distinct([*found, *(["other"] if foreign else [])])


def size_category(documents: int) -> str:
    """The Hub's name for a number of documents.

    Examples
    --------
    >>> size_category(999), size_category(62899), size_category(10**6)
    ('n<1K', '10K<n<100K', '1M<n<10M')
    """
    return next((name for below, name in _SIZES if documents < below), "1M<n<10M")


class _Dumper(yaml.SafeDumper):
    """Writes what YAML 1.1 and 1.2 read alike, one mapping after another without anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        """Equal lists are written out each time."""
        return True


def _represented(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "'" if _QUOTED.match(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represented)


def _dataset_info(name: str, config: StagedConfig, files: Mapping[str, DataFile]) -> dict[str, Any]:
    own = [file for file in files.values() if file.config == config.name]
    arrow_bytes = {
        split: sum(file.arrow_bytes for file in config.files if file.split == split)
        for split in config.splits
    }
    return {
        "config_name": name,
        "features": features_entry(config.info.schema),
        "splits": split_entries(
            [(split, arrow_bytes[split], config.rows(split)) for split in config.splits]
        ),
        "download_size": sum(file.bytes for file in own),
        "dataset_size": sum(arrow_bytes.values()),
    }


def _distinct(values: Any) -> list[str]:
    return list(dict.fromkeys(values))


def _one_or_all(values: list[str]) -> str | list[str]:
    return values[0] if len(values) == 1 else values
