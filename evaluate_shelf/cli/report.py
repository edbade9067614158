"""`shelf report`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def report(
    out: Annotated[
        Path, typer.Option(help="A folder for the report; one that is there is replaced.")
    ],
    runs: Annotated[
        list[Path] | None,
        typer.Argument(help="Runs, or folders of runs; reported scores alone without any."),
    ] = None,
    data: Annotated[
        list[str] | None, typer.Option(help="A release that the runs were scored on; repeatable.")
    ] = None,
    matrix: Annotated[
        list[Path] | None,
        typer.Option(help="A file of `shelf transfer-matrix --out FILE.json`; repeatable."),
    ] = None,
    reported: Annotated[
        bool, typer.Option(help="Show the published panel's scores, apart from the runs.")
    ] = True,
) -> None:
    """Write one page, and Markdown with figures, on runs and reported scores.

    The page, report.html, is self-contained. report.md has the same words, and figures/ each
    figure as SVG and PNG with its data as CSV. The same inputs give the same bytes. Needs the
    extra `report`.

    Example: shelf report runs --out report
    """
    from evaluate_shelf.cli.run_folders import runs_in
    from evaluate_shelf.errors import ShelfError
    from evaluate_shelf.release.documents import Release
    from evaluate_shelf.release.source import release_folder
    from evaluate_shelf.report.building import report_of
    from evaluate_shelf.report.evidence import Evidence
    from evaluate_shelf.report.figures.drawing import require_matplotlib
    from evaluate_shelf.report.writing import check_target, write_report
    from evaluate_shelf.reported.runs import reported_runs
    from evaluate_shelf.transfer_matrix import read_matrix

    if not (runs or reported):
        raise ShelfError("nothing to report on: give a folder of runs, or leave out --no-reported")
    require_matplotlib()
    check_target(out)
    folders = runs or []
    computed = runs_in(folders)
    configs = sorted({config for run in computed for config in run.file.data.content_sha256})
    evidence = Evidence(
        computed=tuple(computed),
        reported=tuple(reported_runs()) if reported else (),
        treated=(*reported_runs(arm="masked"), *reported_runs(arm="sham")) if reported else (),
        folders=tuple(map(str, folders)),
        releases=tuple(
            (source, Release.open(release_folder(source, configs))) for source in data or []
        ),
        matrices=tuple(read_matrix(file) for file in matrix or []),
    )
    for path in write_report(report_of(evidence), out):
        sys.stdout.write(f"{path}\n")
