"""The card's YAML names the files, features and rows that are there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import yaml

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.release.card_front import configs_entry, features_entry
from evaluate_shelf.release.manifest import SPLITS, Manifest

_CARD = "README.md"


def check_card(folder: Path, manifest: Manifest) -> None:
    """Refuse a card from which `load_dataset` would read other rows, features or splits.

    Raises
    ------
    ShelfError
        Names the card's field and config.
    """
    place = folder / _CARD
    front = _front(place)
    expected = {
        name: configs_entry(
            name,
            [split for split in SPLITS if manifest.files_of(name, split)],
            is_default=name == manifest.default_config,
        )
        for name in manifest.configs
    }
    named = _by_config(front, "configs", place)
    infos = _by_config(front, "dataset_info", place)
    for name, entry in expected.items():
        if named.pop(name, None) != entry:
            raise ShelfError(f"{place}, field 'configs', config {name!r}: not that of the files")
        info = infos.pop(name, {})
        path = next(p for p, file in manifest.data_files.items() if file.config == name)
        if info.get("features") != features_entry(pq.read_schema(folder / path)):
            raise ShelfError(
                f"{place}, field 'dataset_info.features', config {name!r}: not those of the files"
            )
        rows = {
            split: sum(manifest.data_files[p].rows for p in manifest.files_of(name, split))
            for split in SPLITS
            if manifest.files_of(name, split)
        }
        if _rows_of(info) != rows:
            raise ShelfError(
                f"{place}, field 'dataset_info.splits', config {name!r}: the files have {rows}"
            )
    for field, left in (("configs", named), ("dataset_info", infos)):
        for name in left:
            raise ShelfError(f"{place}, field {field!r}, config {name!r}: the release has none")


def _front(place: Path) -> dict[str, Any]:
    parts = place.read_text(encoding="utf-8").split("---\n", 2)
    try:
        front = yaml.safe_load(parts[1]) if len(parts) == 3 and not parts[0] else None
    except yaml.YAMLError as error:
        raise ShelfError(f"{place}: its YAML cannot be read: {error}") from error
    if not isinstance(front, dict):
        raise ShelfError(f"{place}: it does not begin with the YAML that `load_dataset` reads")
    return front


def _by_config(front: dict[str, Any], field: str, place: Path) -> dict[str, Any]:
    entries = front.get(field)
    try:
        return {entry["config_name"]: entry for entry in entries or []}
    except (TypeError, KeyError) as error:
        raise ShelfError(f"{place}, field {field!r}: an entry has no config_name") from error


def _rows_of(info: dict[str, Any]) -> dict[str, int] | None:
    try:
        return {split["name"]: split["num_examples"] for split in info["splits"]}
    except (TypeError, KeyError):
        return None
