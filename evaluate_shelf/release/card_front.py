"""The part of the card's YAML that `load_dataset` reads, as it follows from the files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa


def configs_entry(config: str, splits: Iterable[str], *, is_default: bool) -> dict[str, Any]:
    """A config's entry of the field `configs`.

    Examples
    --------
    >>> configs_entry("all", ["test"], is_default=False)["data_files"]
    [{'split': 'test', 'path': 'data/all/test-*.parquet'}]
    """
    entry: dict[str, Any] = {"config_name": config}
    if is_default:
        entry["default"] = True
    entry["data_files"] = [
        {"split": split, "path": f"data/{config}/{split}-*.parquet"} for split in splits
    ]
    return entry


def features_entry(schema: pa.Schema) -> list[dict[str, Any]]:
    """The field `features` of a config's `dataset_info`, as `datasets` writes it."""
    from datasets import Features

    features: list[dict[str, Any]] = Features.from_arrow_schema(schema)._to_yaml_list()
    return features


def split_entries(rows: Sequence[tuple[str, int, int]]) -> list[dict[str, Any]]:
    """The field `splits` of a config's `dataset_info`, from split, Arrow bytes and rows.

    Examples
    --------
    >>> split_entries([("test", 10, 2)])
    [{'name': 'test', 'num_bytes': 10, 'num_examples': 2}]
    """
    return [
        {"name": split, "num_bytes": num_bytes, "num_examples": num_examples}
        for split, num_bytes, num_examples in rows
    ]
