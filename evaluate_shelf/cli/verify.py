"""`shelf verify`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def verify(
    folder: Annotated[Path, typer.Argument(help="A release folder.")],
) -> None:
    """Check every file, row and label of a release folder against its manifest.

    The first thing that is wrong is named with its file, row and field, and the status is 2.

    Example: shelf verify release
    """
    from evaluate_shelf.release.verification import verify_release

    manifest = verify_release(folder)
    rows = sum(file.rows for file in manifest.data_files.values())
    sys.stdout.write(
        f"{folder}: release {manifest.release_id} is whole: {len(manifest.configs)} configs, "
        f"{len(manifest.data_files)} data files, {rows} rows\n"
    )
