"""`shelf transfer`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from evaluate_shelf.transfer.members import Members
    from evaluate_shelf.transfer.settings import Panel, TransferSettings
    from evaluate_shelf.transfer.stability import Stability


def transfer(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(help="Runs, or folders of runs; the published panel without any."),
    ] = None,
    panel: Annotated[
        str | None, typer.Option(help="Models: distinct (default), restricted, weights or all.")
    ] = None,
    x: Annotated[
        str | None, typer.Option("--x", help="Instead of the rule: CORPUS/TASK[/METRIC] ...")
    ] = None,
    y: Annotated[str | None, typer.Option("--y", help="... and what it is compared with.")] = None,
    data: Annotated[
        list[str] | None,
        typer.Option(help="The runs' releases, for the stability over seeds; repeatable."),
    ] = None,
    protocol: Annotated[str | None, typer.Option(help="Only runs under this protocol.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Tell whether the order of models on SHELF holds on text that people wrote.

    Applies the preregistered rule to four formulations of the subject task, on the published
    scores or on runs of yours; the two are never mixed. With --x and --y it compares the order of
    models under any two measures instead.

    Example: shelf transfer --panel restricted
    """
    from evaluate_shelf.cli.run_folders import runs_in
    from evaluate_shelf.errors import ShelfError
    from evaluate_shelf.reported.runs import reported_runs
    from evaluate_shelf.transfer.members import members
    from evaluate_shelf.transfer.settings import load_transfer

    if (x is None) != (y is None):
        raise ShelfError("--x and --y belong together: each is CORPUS/TASK or CORPUS/TASK/METRIC")
    if data and not runs:
        raise ShelfError("--data belongs to runs; published scores have no items")
    settings = load_transfer()
    chosen = settings.panel(panel)
    found = (
        runs_in(runs)
        if runs
        else [run for arm in ("none", "masked", "sham") for run in reported_runs(arm=arm)]
    )
    compared = members(found, chosen, protocol)
    if x is not None and y is not None:
        _compare(compared, chosen, settings, (x, y), json)
    else:
        _apply_rule(compared, chosen, settings, data or [], json)


def _compare(
    compared: Members, panel: Panel, settings: TransferSettings, names: Sequence[str], json: bool
) -> None:
    from evaluate_shelf.cli.terminal import show_json
    from evaluate_shelf.errors import ShelfError
    from evaluate_shelf.transfer.comparison import compare
    from evaluate_shelf.transfer.forms import comparison_values
    from evaluate_shelf.transfer.scores import measure
    from evaluate_shelf.transfer.terminal_text import comparison_text

    x, y = (measure(name, settings) for name in names)
    found = compare(compared.runs, x, y, settings.resampling)
    if found.absent:
        known = sorted({run.file.data.config for run in compared.runs})
        raise ShelfError(f"{found.why_undefined}; the runs are on {', '.join(known) or 'nothing'}")
    if json:
        show_json(comparison_values(found, compared, panel))
    else:
        sys.stdout.write(comparison_text(found, compared, panel))


def _apply_rule(
    compared: Members, panel: Panel, settings: TransferSettings, data: Sequence[str], json: bool
) -> None:
    from evaluate_shelf.cli.terminal import show_json
    from evaluate_shelf.transfer.forms import outcome_values
    from evaluate_shelf.transfer.preregistered import outcome
    from evaluate_shelf.transfer.terminal_text import outcome_text

    found = outcome(compared.runs, settings, _stability(compared, settings, data))
    if json:
        show_json(outcome_values(found, compared, panel, settings))
    else:
        sys.stdout.write(outcome_text(found, compared, panel, settings))


def _stability(
    compared: Members, settings: TransferSettings, data: Sequence[str]
) -> list[Stability]:
    from evaluate_shelf.release.documents import Release
    from evaluate_shelf.release.source import release_folder
    from evaluate_shelf.transfer.stability import computed_stability, reported_stability

    if any(run.reported for run in compared.runs):
        return [reported_stability(row) for row in settings.stability.reported]
    if not data:
        return []
    corpora = list(settings.corpora)
    releases = [Release.open(release_folder(source, corpora)) for source in data]
    return computed_stability(compared.runs, releases, settings)
