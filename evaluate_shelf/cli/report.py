"""`shelf report`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from evaluate_shelf.release.documents import Release
    from evaluate_shelf.runs.reading import Run


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

    The page, report.html, is self-contained. report.md has the same words, figures/ each figure
    as SVG and PNG, data/ the numbers of each table and figure as CSV. The same inputs give the
    same bytes. What a damaged input takes away is said in its place and at the end, and the
    status is 2. Needs the extra `report`.

    Example: shelf report runs --out report
    """
    from evaluate_shelf.cli.interrupted import beginning_anew

    with beginning_anew(f"{out} is as it was, and the same command begins anew"):
        _report(out, runs or [], data or [], matrix or [], reported)


def _report(
    out: Path, folders: list[Path], data: list[str], matrices: list[Path], with_reported: bool
) -> None:
    from evaluate_shelf.cli.run_folders import runs_in
    from evaluate_shelf.cli.terminal import Bar, say
    from evaluate_shelf.errors import ShelfError
    from evaluate_shelf.report.building import report_of
    from evaluate_shelf.report.evidence import Evidence
    from evaluate_shelf.report.figures.drawing import require_matplotlib
    from evaluate_shelf.report.writing import check_target, write_report
    from evaluate_shelf.reported.runs import reported_runs
    from evaluate_shelf.transfer_matrix import read_matrix

    if not (folders or data or matrices or with_reported):
        raise ShelfError("nothing to report on: give a folder of runs, or leave out --no-reported")
    require_matplotlib()
    check_target(out)
    computed = runs_in(folders)
    evidence = Evidence(
        computed=tuple(computed),
        reported=tuple(reported_runs()) if with_reported else (),
        treated=(
            (*reported_runs(arm="masked"), *reported_runs(arm="sham")) if with_reported else ()
        ),
        folders=tuple(map(str, folders)),
        damaged=tuple(_damaged(folders)),
        releases=tuple((source, _release(source, computed)) for source in data),
        matrices=tuple((str(file), read_matrix(file)) for file in matrices),
    )
    for unused in evidence.unused_releases():
        say(unused)
    with Bar() as bar:
        bar.begin("comparing, counting and drawing")
        report = report_of(evidence)
    for path in write_report(report, out):
        sys.stdout.write(f"{path}\n")
    lacking = report.unusable()
    if lacking:
        raise ShelfError("\n".join([f"{out} is written, but lacks:", *lacking]))


def _release(source: str, runs: list[Run]) -> Release:
    """A release with the configs that runs read of it, or with its default one if none did."""
    from evaluate_shelf.release.documents import Release
    from evaluate_shelf.release.needed import folder_to_evaluate
    from evaluate_shelf.release.source import release_folder

    release_id = Release.open(release_folder(source)).manifest.release_id
    read = [run.file.data for run in runs if run.file.data.release_id == release_id]
    configs = sorted({config for own in read for config in own.content_sha256})
    return Release.open(release_folder(source, configs) if configs else folder_to_evaluate(source))


def _damaged(folders: list[Path]) -> Iterator[str]:
    """What is wrong with the runs that `runs_in` leaves out."""
    from evaluate_shelf.runs.folder import RUN
    from evaluate_shelf.runs.reading import read_runs

    for folder in folders:
        if not (folder / RUN).is_file():
            yield from read_runs(folder)[1]
