"""Small configs of every origin, made up for the tests, and releases of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from builders.corpora.catalogue.columns import CATALOGUE
from builders.corpora.columns import GUTENBERG, PAIRS, slice_schema
from builders.corpora.lcshbench.columns import LCSHBENCH
from builders.staging.config import ConfigInfo, StagedConfig
from builders.staging.writing import stage_rows
from evaluate_shelf.registry.taxonomy import load_taxonomy
from evaluate_shelf.release.manifest import SPLITS

COUNTED = ("lcc_code", "lcgft_category", "lcgft_form", "model")
Row = Mapping[str, Any]


def row_of(number: int, **fields: Any) -> dict[str, Any]:
    """What every document has; of the numbers, five in a row have the same class."""
    subject = load_taxonomy().classes[number // 5 % 4]
    category = load_taxonomy().categories[number % 3]
    text = f"Document {number} of the shelf. " + "More words. " * (number % 7)
    return {
        "id": f"{number:016x}",
        "text": text.strip(),
        "body": text.strip(),
        "title": f"Title {number}",
        "word_count": len(text.split()),
        "lcc_code": subject.code,
        "lcc_name": subject.name,
        "lcc_uri": subject.uri,
        "lcgft_category": category.name,
        "lcgft_form": category.forms[0],
        "topics": ["Ethics"],
        "geographic": [],
        "register": "formal",
        "spec_id": f"s{number}",
        "group_id": f"g{number}",
        **fields,
    }


def staged(
    folder: Path, name: str, schema: pa.Schema, rows: Sequence[Row], **info: Any
) -> StagedConfig:
    """Rows as a config of documents, dealt to the splits in turn: three, one, one."""
    turns = (SPLITS[0], SPLITS[2], SPLITS[0], SPLITS[1], SPLITS[0])
    splits = [turns[number % 5] for number in range(len(rows))]
    known = [{field: row.get(field) for field in schema.names} for row in rows]
    options = {
        "source": "made up",
        "counted": tuple(column for column in COUNTED if column in schema.names),
        **info,
    }
    config = ConfigInfo(name=name, kind="documents", schema=schema, **options)
    return stage_rows(config, known, splits, folder)


def written(
    folder: Path,
    name: str = "v0_4_core",
    models: Sequence[str] = ("lexical-writer/birch",),
    rows: int = 40,
    **info: Any,
) -> StagedConfig:
    """Documents by some writers in turn."""
    own = [row_of(number, model=models[number % len(models)]) for number in range(rows)]
    info = {"group_column": "spec_id", **info}
    return staged(folder, name, slice_schema("v0_4_core"), own, **info)


def books(folder: Path, rows: int = 20) -> StagedConfig:
    """Passages, with a struct, nulls and empty lists in their columns."""
    own = [
        row_of(
            number,
            lcgft_category=None,
            lcgft_form=None,
            provenance={
                "gutenberg_id": number,
                "lcc_letter": "A",
                "lcc_subclasses": ["AC", "AE"][: number % 3],
                "chunk_index": 0,
                "chunk_count": None,
                "text_url": None,
            },
        )
        for number in range(rows)
    ]
    return staged(folder, "transfer_gutenberg", GUTENBERG, own, group_column="group_id")


def lcshbench(folder: Path) -> StagedConfig:
    """Records of LCSHBench."""
    own = [row_of(number, is_synthetic=False, n_agencies=2, catalogs=["x"]) for number in range(20)]
    return staged(folder, "transfer_lcshbench", LCSHBENCH, own, group_column="group_id")


def records(folder: Path, **info: Any) -> StagedConfig:
    """A library's own records."""
    languages = ["eng", "ger", "eng", None, "Deutsch | English"]
    own = [row_of(n, lcsh=["Maps"], language=languages[n % 5]) for n in range(20)]
    return staged(folder, "own_catalogue", CATALOGUE, own, group_column="group_id", **info)


def pairs(folder: Path, source: StagedConfig, name: str = "same_lcc_pairs") -> StagedConfig:
    """A few pairs of a config's documents, half of them positive."""
    rows = [
        {
            "id": f"p{number:015x}",
            **{
                f"doc_{side}_{field}": value
                for side, other in (("a", number), ("b", number + 1 + number % 2 * 10))
                for field, value in (("id", f"{other:016x}"), ("title", "T"), ("body", "B"))
            },
            "label": number % 2,
            "label_field": "lcc_code",
        }
        for number in range(12)
    ]
    info = ConfigInfo(
        name=name,
        kind="pairs",
        schema=PAIRS,
        source=f"pairs of {source.name}",
        counted=("label",),
        derived_from=source.name,
    )
    return stage_rows(info, rows, ["test"] * len(rows), folder)


def corpus(folder: Path, source: StagedConfig) -> StagedConfig:
    """Texts of a config's documents, to be searched."""
    schema = pa.schema([("id", pa.string()), ("title", pa.string()), ("text", pa.string())])
    rows = [row for table in source.batches(schema.names) for row in table.to_pylist()]
    info = ConfigInfo(
        name=f"{source.name}-corpus",
        kind="selection",
        schema=schema,
        source=f"documents of {source.name}",
        derived_from=source.name,
    )
    return stage_rows(info, rows, ["test"] * len(rows), folder)
