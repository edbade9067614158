"""`shelf pack`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def pack(
    run: Annotated[Path, typer.Argument(help="A run's folder: runs/<model>/<run id>.")],
    out: Annotated[Path, typer.Option(help="The archive to write, a .zip file.")],
    data: Annotated[
        str | None,
        typer.Option(help="The release that it was scored on: check the archive as a Space does."),
    ] = None,
) -> None:
    """Pack a finished run into an archive that a leaderboard takes.

    It holds run.json, scores.parquet and the items: predictions, no text and no weights.

    Example: shelf pack runs/tfidf/0123456789ab --out tfidf.zip --data release
    """
    from evaluate_shelf.cli.terminal import say
    from evaluate_shelf.submissions.pack import pack_run

    packed = pack_run(run, out)
    for name in packed.left_out:
        say(f"left out, no part of the run: {name}")
    if data is not None:
        from evaluate_shelf.release.needed import folder_to_evaluate
        from evaluate_shelf.runs.folder import read_run
        from evaluate_shelf.submissions.checking import checked_archive

        release = folder_to_evaluate(data, read_run(run).data.config)
        found = checked_archive(out, [release])
        say(f"checked: all {len(found.recomputed)} scores follow from the items")
    size = out.stat().st_size / 2**20
    sys.stdout.write(f"{out}: {len(packed.names)} files, {size:.1f} MiB, SHA-256 {packed.sha256}\n")
