"""Staged configs become the release's data files, under their final names."""

from __future__ import annotations

from pathlib import Path

from builders.staging.config import StagedConfig
from evaluate_shelf.files import linked_or_copied, sha256_of_file
from evaluate_shelf.release.manifest import DataFile, PlainFile


def place_config(config: StagedConfig, folder: Path) -> tuple[dict[str, DataFile], list[str]]:
    """Put a config's files into a release folder.

    Parameters
    ----------
    config : StagedConfig
        What was written.
    folder : pathlib.Path
        The release folder, still under its temporary name.

    Returns
    -------
    tuple of dict and list
        The files by their path in the folder, and the paths of the row checks.
    """
    files: dict[str, DataFile] = {}
    checks: list[str] = []
    for file in config.files:
        path = f"data/{config.name}/{file.path.name}"
        linked_or_copied(file.path, folder / path)
        row_checks = None
        if file.row_checks:
            row_checks = f"checks/{config.name}/{file.row_checks.name}"
            linked_or_copied(file.row_checks, folder / row_checks)
            checks.append(row_checks)
        files[path] = DataFile(
            config=config.name,
            split=file.split,
            bytes=file.path.stat().st_size,
            sha256=sha256_of_file(file.path),
            rows=file.rows,
            content_sha256=file.content_sha256,
            field_sha256=file.field_sha256,
            row_checks=row_checks,
        )
    return files, checks


def plain_file(path: Path) -> PlainFile:
    """Size and hash of a file that is not data."""
    return PlainFile(bytes=path.stat().st_size, sha256=sha256_of_file(path))
