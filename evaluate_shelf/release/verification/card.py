"""The card's YAML names the files, features and rows that are there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import yaml

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.release.card_front import configs_entry, features_entry, flagged_default
from evaluate_shelf.release.manifest import Manifest

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
    folders = {**{name: name for name in manifest.configs}, **manifest.aliases}
    default = flagged_default(manifest.configs, manifest.default_config)
    expected = {
        name: configs_entry(
            name,
            manifest.rows_of(own),
            is_default=name == default,
            folder=own,
        )
        for name, own in folders.items()
    }
    named = _by_config(front, "configs", place)
    infos = _by_config(front, "dataset_info", place)
    for name, entry in expected.items():
        if named.pop(name, None) != entry:
            raise ShelfError(f"{place}, field 'configs', config {name!r}: not that of the files")
        info = infos.pop(name, {})
        own = folders[name]
        path = next(p for p, file in manifest.data_files.items() if file.config == own)
        if info.get("features") != features_entry(pq.read_schema(folder / path)):
            raise ShelfError(
                f"{place}, field 'dataset_info.features', config {name!r}: not those of the files"
            )
        rows = manifest.rows_of(own)
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
