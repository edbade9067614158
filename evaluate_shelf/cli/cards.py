"""`shelf cards`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from evaluate_shelf.comparison.results import Comparison
    from evaluate_shelf.release.documents import Release
    from evaluate_shelf.runs.reading import Run


def cards(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(help="Runs, or folders of runs; the published panel without any."),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(help="The release of the runs: ranks are then told apart by tests."),
    ] = None,
    panel: Annotated[
        str | None, typer.Option(help="Models: distinct (default), restricted, weights or all.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Tell which tasks separate models, which are controls, and which are broken.

    A card of each task: its chance level, by rule and measured; best, median and worst of the
    models; whether their ranks can be told apart; and how far the facet's other formulations put
    the models into the same order. The status is 1 where a task is broken.

    Example: shelf cards runs --data release
    """
    from evaluate_shelf.cli.run_folders import runs_in
    from evaluate_shelf.cli.terminal import say, show_json
    from evaluate_shelf.errors import ShelfError
    from evaluate_shelf.leaderboard.boards import comparable
    from evaluate_shelf.report_cards.card import as_values, cards_of
    from evaluate_shelf.report_cards.words import for_terminal
    from evaluate_shelf.reported.runs import reported_runs
    from evaluate_shelf.transfer.members import members
    from evaluate_shelf.transfer.settings import load_transfer

    if data and not runs:
        raise ShelfError("--data belongs to runs; published scores have no items")
    chosen = load_transfer().panel(panel)
    found = runs_in(runs) if runs else []
    release = _release(data, found) if data else None
    panels = [members(group, chosen) for group in comparable(found or reported_runs())]
    for model, reason in dict.fromkeys(out for one in panels for out in one.left_out):
        say(f"left out: {model}: {reason}")
    boards = [cards_of(one.runs, _comparison(one.runs, release)) for one in panels if one.runs]
    if not any(boards):
        raise ShelfError("no run is left to make a card of")
    if json:
        show_json([as_values(card) for board in boards for card in board])
    else:
        sys.stdout.write("\n".join(for_terminal(board) for board in boards if board))
    if any(card.verdict == "broken" for board in boards for card in board):
        raise typer.Exit(1)


def _release(data: str, runs: Sequence[Run]) -> Release:
    from evaluate_shelf.release.documents import Release
    from evaluate_shelf.release.source import release_folder

    configs = {config for run in runs for config in run.file.data.content_sha256}
    return Release.open(release_folder(data, sorted(configs)))


def _comparison(runs: Sequence[Run], release: Release | None) -> Comparison | None:
    """The tests of a board's models; None for a single one, or another release's."""
    from evaluate_shelf.cli.terminal import say
    from evaluate_shelf.comparison.compare import compare_models

    if release is None or len(runs) < 2:
        return None
    data = runs[0].file.data
    if data.release_id != release.manifest.release_id:
        say(f"{data.config} of release {data.release_id} is not --data: told apart by intervals")
        return None
    return compare_models(runs, release)
