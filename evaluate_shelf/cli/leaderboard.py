"""`shelf leaderboard`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from evaluate_shelf.aggregate.results_repository import Standings
    from evaluate_shelf.runs.reading import Run


class Form(StrEnum):
    """How a leaderboard is printed."""

    table = "table"
    md = "md"
    csv = "csv"
    json = "json"


def leaderboard(
    runs: Annotated[
        Path | None, typer.Argument(help="Folder of runs; reported scores alone without it.")
    ] = None,
    facet: Annotated[str | None, typer.Option(help="Only tasks of this facet.")] = None,
    formulation: Annotated[str | None, typer.Option(help="Only tasks of this formulation.")] = None,
    reported: Annotated[
        bool, typer.Option(help="Show the published panel's scores on the same configs.")
    ] = True,
    form: Annotated[Form, typer.Option("--format", help="How to print it.")] = Form.table,
    aggregate: Annotated[
        Path | None,
        typer.Option(help="Write FILE.json or FILE.json.gz, which `shelf space` shows, instead."),
    ] = None,
    data: Annotated[
        list[str] | None,
        typer.Option(
            help="With --aggregate: a release that the runs were scored on, for differences, "
            "confusions and parts; repeatable."
        ),
    ] = None,
    matrix: Annotated[
        list[Path] | None,
        typer.Option(
            help="With --aggregate: a file of `shelf transfer-matrix --out FILE.json`; repeatable."
        ),
    ] = None,
    statuses: Annotated[
        Path | None,
        typer.Option(
            help="With --aggregate: the list of runs that somebody stands for; all others are "
            "unverified and have no rank. A results repository's own by default."
        ),
    ] = None,
) -> None:
    """Print the leaderboard of all finished runs of a folder.

    Runs on another config, release or protocol come onto a board of their own, and so do scores
    that are reported and were not computed here; these come last. A board that is wider than the
    terminal is shown facet by facet. Optional tasks have a column where a facet or a formulation
    is asked for.

    With --aggregate, everything that `shelf space` shows is written into one file: all boards and
    facets, what the items tell of the models' differences, report cards, rank agreement. The same
    inputs give the same bytes. Runs of a folder of yours count as computed; those of a results
    repository, which strangers sent, only if its verified.yaml names them.

    Example: shelf leaderboard runs --facet subject --format md
    """
    from evaluate_shelf.errors import ShelfError

    if aggregate is not None:
        if facet or formulation or form is not Form.table:
            raise ShelfError(
                "--aggregate writes all facets and formulations; leave out --facet, --formulation "
                "and --format"
            )
        _write_aggregate(aggregate, runs, reported, data or [], matrix or [], statuses)
        return
    if data or matrix or statuses:
        raise ShelfError("--data, --matrix and --statuses belong to --aggregate FILE")
    _print_boards(runs, facet, formulation, reported, form)


def _print_boards(
    runs: Path | None, facet: str | None, formulation: str | None, reported: bool, form: Form
) -> None:
    from evaluate_shelf.cli.run_folders import runs_in
    from evaluate_shelf.cli.terminal import show_json
    from evaluate_shelf.leaderboard.boards import boards
    from evaluate_shelf.leaderboard.forms import as_csv, as_markdown, as_values
    from evaluate_shelf.leaderboard.terminal_table import for_terminal
    from evaluate_shelf.reported.runs import reported_runs

    computed = [] if runs is None else runs_in([runs])
    configs = {run.file.data.config for run in computed}
    others = reported_runs() if reported else []
    shown = [run for run in others if not configs or run.file.data.config in configs]
    found = boards([*computed, *shown], facet=facet, formulation=formulation)
    if form is Form.json:
        show_json([as_values(board) for board in found])
    elif form is Form.csv:
        sys.stdout.write(as_csv(found))
    elif form is Form.md:
        sys.stdout.write("\n".join(as_markdown(board) for board in found))
    else:
        sys.stdout.write(for_terminal(found))


def _write_aggregate(
    file: Path,
    runs: Path | None,
    reported: bool,
    data: Sequence[str],
    matrices: Sequence[Path],
    statuses: Path | None,
) -> None:
    from evaluate_shelf.aggregate.building import aggregate_of, what_is_left_out
    from evaluate_shelf.aggregate.evidence import Evidence
    from evaluate_shelf.aggregate.file import check_name, write_aggregate
    from evaluate_shelf.aggregate.results_repository import repository_of, runs_below
    from evaluate_shelf.cli.run_folders import runs_in
    from evaluate_shelf.cli.terminal import say
    from evaluate_shelf.errors import ShelfError
    from evaluate_shelf.release.documents import Release
    from evaluate_shelf.release.source import release_folder
    from evaluate_shelf.reported.runs import reported_runs
    from evaluate_shelf.runs.folder import RUN
    from evaluate_shelf.transfer_matrix import read_matrix

    check_name(file)
    if runs is None and not reported:
        raise ShelfError("nothing to show: give a folder of runs, or leave out --no-reported")
    if data and runs is None:
        raise ShelfError("--data belongs to runs; published scores have no items")
    if statuses and runs is None:
        raise ShelfError("--statuses belongs to runs; nobody sent published scores")
    repository = None if runs is None else repository_of(runs)
    if runs is None:
        computed = []
    elif repository is None or (runs / RUN).is_file():
        computed = runs_in([runs])
    else:
        computed, damaged = runs_below(runs)
        for problem in damaged:
            say(f"left out, damaged: {problem}")
        if not computed:
            raise ShelfError(f"{runs}: no finished run")
    found = _standings(computed, repository, statuses)
    configs = sorted({config for run in computed for config in run.file.data.content_sha256})
    made = aggregate_of(
        Evidence(
            computed=tuple(computed),
            reported=tuple(reported_runs()) if reported else (),
            releases=tuple(Release.open(release_folder(source, configs)) for source in data),
            matrices=tuple(map(read_matrix, matrices)),
            statuses=found.statuses,
            reruns=found.reruns,
            left_out=found.unmatched,
        )
    )
    for line in what_is_left_out(made):
        say(f"left out: {line}")
    sys.stdout.write(f"{write_aggregate(made, file)}\n")


def _standings(
    computed: Sequence[Run], repository: Path | None, statuses: Path | None
) -> Standings:
    """Who stands for the runs: their owner, or those whom a list names."""
    from evaluate_shelf.aggregate.results_repository import (
        VERIFIED,
        Standings,
        read_standings,
        standings_of,
    )
    from evaluate_shelf.cli.terminal import say

    if statuses is not None:
        return standings_of(computed, read_standings(statuses))
    if repository is None:
        return Standings({}, {}, ())
    if (repository / VERIFIED).is_file():
        return standings_of(computed, read_standings(repository / VERIFIED))
    say(f"{repository}: it has no {VERIFIED}, so that all of its runs are unverified")
    return standings_of(computed, ())
