"""`shelf cards`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from evaluate_shelf.comparison.results import Comparison
    from evaluate_shelf.release.documents import Release
    from evaluate_shelf.runs.reading import Run
    from evaluate_shelf.transfer.members import Members


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
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV, with every figure.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON, with every figure.")] = False,
) -> None:
    """Tell which tasks separate models, which are controls, and which are broken.

    A card of each task: its chance level, by rule and measured; best, median and worst of the
    models; whether their ranks can be told apart; and how far the facet's other formulations put
    the models into the same order. A verdict needs five models, and no one of them decides it. The
    status is 1 where a task is broken.

    Example: shelf cards runs --data release
    """
    from evaluate_shelf.cli.run_folders import runs_in
    from evaluate_shelf.cli.terminal import say, show_json
    from evaluate_shelf.errors import ShelfError
    from evaluate_shelf.leaderboard.boards import comparable
    from evaluate_shelf.report_cards.card import cards_of
    from evaluate_shelf.report_cards.forms import as_csv, as_values
    from evaluate_shelf.report_cards.words import for_terminal
    from evaluate_shelf.reported.runs import reported_runs
    from evaluate_shelf.transfer.members import members
    from evaluate_shelf.transfer.settings import load_transfer

    if csv and json:
        raise ShelfError("--csv and --json: give one of the two")
    if data and not runs:
        raise ShelfError(
            f"--data {data}: published scores have no items to test; give the folder of the runs "
            "on that release too, or leave --data out"
        )
    chosen = load_transfer().panel(panel)
    found = runs_in(runs) if runs else reported_runs()
    release = _release(data, found) if data else None
    groups = comparable(found)
    panels = [members(group, chosen) for group in groups]
    left_out = (
        line for group, one in zip(groups, panels, strict=True) for line in _left_out(group, one)
    )
    for line in dict.fromkeys(left_out):
        say(f"left out: {line}")
    boards = [cards_of(one.runs, _comparison(one.runs, release)) for one in panels if one.runs]
    boards = [board for board in boards if board]
    if not boards:
        raise ShelfError(
            f"{', '.join(map(str, runs or ()))}: no run is left to make a card of; what is left "
            "out, and why, stands above"
        )
    every = [card for board in boards for card in board]
    if json:
        show_json([as_values(card) for card in every])
    else:
        sys.stdout.write(as_csv(every) if csv else for_terminal(boards))
    if any(card.verdict == "broken" for card in every):
        raise typer.Exit(1)


def _left_out(group: Sequence[Run], kept: Members) -> Iterator[str]:
    """Which runs of a board are not compared, where they lie, why, and what takes them in."""
    reasons = {out.model: out.reason for out in kept.left_out}
    compared = set(map(id, kept.runs))
    for run in group:
        if id(run) in compared:
            continue
        name, limit = run.file.model.name, run.file.limit
        if limit is not None:
            smoke = f"a smoke run of {limit} documents a split; `shelf evaluate` without --limit"
            yield f"{name} ({run.folder}): {smoke} makes one that counts"
        else:
            where = "" if run.reported else f" ({run.folder})"
            yield f"{name}{where}: {reasons[name]}; --panel all takes it in"


def _release(data: str, runs: Sequence[Run]) -> Release:
    from evaluate_shelf.release.documents import Release
    from evaluate_shelf.release.source import release_folder

    configs = {config for run in runs for config in run.file.data.content_sha256}
    return Release.open(release_folder(data, sorted(configs)))


def _comparison(runs: Sequence[Run], release: Release | None) -> Comparison | None:
    """The tests of a board's models; None for a single one, or another release's."""
    from evaluate_shelf.cli.terminal import say
    from evaluate_shelf.comparison.compare import compare_models
    from evaluate_shelf.errors import ShelfError

    if release is None or len(runs) < 2:
        return None
    data = runs[0].file.data
    if data.release_id != release.manifest.release_id:
        say(
            f"{runs[0].folder} and other runs on {data.config} are of release {data.release_id}, "
            f"--data is {release.manifest.release_id}: told apart by intervals; give --data the "
            "release of these runs for tests"
        )
        return None
    try:
        return compare_models(runs, release)
    except ShelfError as error:
        raise ShelfError(f"{error}; without --data ranks are told apart by intervals") from error
