"""Configs that an interrupted build had finished are read, not built again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from builders.staging.config import ConfigInfo, StagedConfig, StagedFile
from evaluate_shelf import __version__
from evaluate_shelf.files import sha256_of_json, write_json


def finished_or_built(
    name: str, inputs: list[Any], staging: Path, build: Callable[[], StagedConfig]
) -> StagedConfig:
    """Give a config from `staging` where it was finished from the same inputs, or build it.

    Parameters
    ----------
    name : str
        Of the config.
    inputs : list
        Whatever its rows follow from, as JSON values.
    staging : pathlib.Path
        Where configs lie until the release is complete.
    build : callable
        Builds it.
    """
    marker = staging / "configs" / f"{name}.json"
    key = sha256_of_json([__version__, name, inputs])
    if marker.is_file():
        kept = json.loads(marker.read_text(encoding="utf-8"))
        if kept["key"] == key:
            return _read(kept, marker.parent)
    # Without its marker first: what another request had finished is gone from here on.
    marker.unlink(missing_ok=True)
    shutil.rmtree(marker.with_suffix(""), ignore_errors=True)
    config = build()
    write_json(marker, {"key": key, **_json(config, marker.parent)})
    return config


def content_id(config: StagedConfig) -> str:
    """Hash of a config's rows, for the inputs of what follows from it."""
    return sha256_of_json([[file.split, file.content_sha256] for file in config.files])


def _json(config: StagedConfig, folder: Path) -> dict[str, Any]:
    info = {f.name: getattr(config.info, f.name) for f in fields(ConfigInfo) if f.name != "schema"}
    files = [
        {
            **file._asdict(),
            "path": file.path.relative_to(folder).as_posix(),
            "row_checks": file.row_checks and file.row_checks.relative_to(folder).as_posix(),
        }
        for file in config.files
    ]
    return {"info": info, "files": files, "counts": config.counts}


def _read(kept: dict[str, Any], folder: Path) -> StagedConfig:
    files = tuple(
        StagedFile(
            **{
                **file,
                "path": folder / file["path"],
                "row_checks": file["row_checks"] and folder / file["row_checks"],
            }
        )
        for file in kept["files"]
    )
    own = kept["info"]
    schema = pq.read_schema(files[0].path).remove_metadata()
    lists = {name: tuple(own[name]) for name in ("counted", "notes")}
    return StagedConfig(ConfigInfo(**{**own, **lists, "schema": schema}), files, kept["counts"])
