"""Where a release's documents come from, as their columns and labels tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import pyarrow as pa

from builders.release.label_counts import label_counts, labels_by_frequency, totals_of
from builders.staging.config import StagedConfig

Origin = Literal["composed", "written", "generated", "books", "lcshbench", "records"]
ORIGINS: tuple[Origin, ...] = (
    "composed", "written", "generated", "books", "lcshbench", "records",
)  # fmt: skip
"""Composed by fixed rules, written to order by language models, taken from the published release,
cut out of books, taken from LCSHBench, taken from a library's own records."""

SYNTHETIC: tuple[Origin, ...] = ("composed", "written", "generated")

_LEXICAL_WRITER = "lexical-writer/"
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_SHORT_LANGUAGES = {"eng": "en"}
_MOST_LANGUAGES = 30
_OF_LCSHBENCH = {"n_agencies", "catalogs", "is_synthetic"}


def origins_of(config: StagedConfig) -> tuple[Origin, ...]:
    """Where the documents of a config come from.

    Parameters
    ----------
    config : StagedConfig
        Of the kind `documents`.

    Returns
    -------
    tuple of str
        Of `ORIGINS`, in their order. A pool can have two; others have one.
    """
    schema = config.info.schema
    if "provenance" in schema.names and _has_field(schema.field("provenance"), "gutenberg_id"):
        return ("books",)
    if set(schema.names) >= _OF_LCSHBENCH:
        return ("lcshbench",)
    writers = totals_of(label_counts(config, "model"))
    composed = [name for name in writers if name.startswith(_LEXICAL_WRITER)]
    found: list[Origin] = []
    if composed:
        found.append("composed")
    if len(composed) < len(writers):
        # The published data does not say from which seeds its specifications were drawn.
        is_ordered = "specifications" in (config.info.seeds or {}) and not composed
        found.append("written" if is_ordered else "generated")
    return tuple(found) or ("records",)


def origins_in(configs: Sequence[StagedConfig]) -> tuple[Origin, ...]:
    """All origins of a release's documents, in the order of `ORIGINS`."""
    found = {origin for config in documents_of(configs) for origin in origins_of(config)}
    return tuple(origin for origin in ORIGINS if origin in found)


def documents_of(configs: Sequence[StagedConfig]) -> list[StagedConfig]:
    """The configs whose rows are documents with all their labels."""
    return [config for config in configs if config.info.kind == "documents"]


def pooled_names(configs: Sequence[StagedConfig]) -> set[str]:
    """Names of the configs whose documents stand in a pool of the release once more."""
    return {
        name
        for config in documents_of(configs)
        for name in totals_of(label_counts(config, "source_config"))
        if name != config.name
    }


def distinct_documents(configs: Sequence[StagedConfig]) -> int:
    """Number of documents; one that stands in a slice and in the pool counts once."""
    pooled = pooled_names(configs)
    return sum(config.rows() for config in documents_of(configs) if config.name not in pooled)


def languages_in(configs: Sequence[StagedConfig]) -> list[str]:
    """Codes of the languages of a release's documents, the most frequent first of each config.

    A library's own records have the language that they name, if it is a code of two or three
    letters; all other documents are in English.
    """
    found: dict[str, None] = {}
    for config in documents_of(configs):
        if origins_of(config) != ("records",):
            found["en"] = None
            continue
        for name in labels_by_frequency(label_counts(config, "language")):
            if _LANGUAGE.fullmatch(name):
                found[_SHORT_LANGUAGES.get(name, name)] = None
    return list(found)[:_MOST_LANGUAGES]


def _has_field(field: pa.Field, name: str) -> bool:
    return bool(pa.types.is_struct(field.type) and field.type.get_field_index(name) >= 0)
