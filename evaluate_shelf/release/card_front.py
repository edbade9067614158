"""The part of the card's YAML that `load_dataset` reads, as it follows from the files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa


def configs_entry(
    config: str, splits: Iterable[str], *, is_default: bool, folder: str | None = None
) -> dict[str, Any]:
    """A config's entry of the field `configs`; `folder` holds its data, under another name.

    Examples
    --------
    >>> configs_entry("all", ["test"], is_default=False)["data_files"]
    [{'split': 'test', 'path': 'data/all/test-*.parquet'}]
    """
    entry: dict[str, Any] = {"config_name": config}
    if is_default:
        entry["default"] = True
    entry["data_files"] = [
        {"split": split, "path": f"data/{folder or config}/{split}-*.parquet"} for split in splits
    ]
    return entry


def flagged_default(names: Iterable[str], default: str) -> str:
    """The config that the card flags as the default one.

    A config of the name `default` is the default for `load_dataset` in any case, and two are
    refused.

    Examples
    --------
    >>> flagged_default(["all", "same_lcc_pairs"], "all")
    'all'
    >>> flagged_default(["all", "default"], "all")
    'default'
    """
    return "default" if "default" in names else default


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
