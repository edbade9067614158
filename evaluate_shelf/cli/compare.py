"""`shelf compare`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def compare(
    runs: Annotated[
        list[Path], typer.Argument(help="Runs: a run's folder each, or folders of runs.")
    ],
    data: Annotated[str, typer.Option(help="The release that they were scored on.")],
    task: Annotated[
        list[str] | None, typer.Option(help="Only this task; may be given several times.")
    ] = None,
    facet: Annotated[
        list[str] | None, typer.Option(help="Only tasks of this facet; may be given several times.")
    ] = None,
    protocol: Annotated[
        str | None, typer.Option(help="Only runs under this one; needed where there are several.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print every number as JSON.")] = False,
) -> None:
    """Say which of several models differ, and which differences may be chance.

    Every two models are compared on each task that both have, on the same items, and on the mean
    over the tasks that all have. Runs have to be on the same data under the same protocol. Smoke
    runs are left out where there are others.

    Example: shelf compare runs --data release --facet subject
    """
    from evaluate_shelf.cli.run_folders import runs_in
    from evaluate_shelf.cli.terminal import say, show_json
    from evaluate_shelf.comparison.compare import compare_models
    from evaluate_shelf.comparison.results import as_values
    from evaluate_shelf.comparison.words import for_terminal
    from evaluate_shelf.evaluation.request import select_tasks
    from evaluate_shelf.release.documents import Release
    from evaluate_shelf.release.source import release_folder
    from evaluate_shelf.transfer.members import of_protocol, without_smoke_runs

    asked = [one.id for one in select_tasks(task or [], facet or [])] if task or facet else None
    # One by one: a run that is named twice is refused, not read once.
    found = [run for path in runs for run in runs_in([path])]
    whole, smoke = without_smoke_runs(found)
    found, others = of_protocol(whole or found, protocol)
    for left_out in [*(smoke if whole else ()), *others]:
        say(f"left out: {left_out.model}: {left_out.reason}")
    read = {config for run in found for config in run.file.data.content_sha256}
    release = Release.open(release_folder(data, sorted(read)))
    comparison = compare_models(found, release, tasks=asked)
    if json:
        show_json(as_values(comparison))
    else:
        sys.stdout.write(for_terminal(comparison))
