"""The models of each board, compared once for all sections that need it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from evaluate_shelf.comparison.compare import compare_models
from evaluate_shelf.comparison.results import Comparison
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.leaderboard.boards import Board, board_of, comparable
from evaluate_shelf.registry.conditions import text_of
from evaluate_shelf.report.evidence import Evidence
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer.members import LeftOut, members
from evaluate_shelf.transfer.settings import load_transfer


@dataclass(frozen=True)
class Compared:
    """Runs of one board, of the models of the default panel.

    Attributes
    ----------
    board : Board
        The board of all its runs.
    runs : tuple of Run
        Those of the panel's models.
    left_out : tuple of LeftOut
        Models that the panel leaves out.
    comparison : Comparison or None
        What their items tell.
    why_not : str or None
        Why there is no comparison.
    """

    board: Board
    runs: tuple[Run, ...]
    left_out: tuple[LeftOut, ...]
    comparison: Comparison | None
    why_not: str | None


def compared(evidence: Evidence) -> Iterator[Compared]:
    """Compare the computed runs, board by board, but for smoke runs and for treated texts.

    Parameters
    ----------
    evidence : Evidence
        What there is.

    Yields
    ------
    Compared
    """
    for group in comparable(evidence.computed):
        board = board_of(group)
        if board is None or board.limit or text_of(group[0].file.protocol.id) != "full":
            continue
        found = members(group, load_transfer().panel())
        comparison, why_not = _comparison(found.runs, evidence)
        yield Compared(board, found.runs, found.left_out, comparison, why_not)


def _comparison(runs: tuple[Run, ...], evidence: Evidence) -> tuple[Comparison | None, str | None]:
    if len(runs) < 2:
        return None, "one model alone has nothing to be compared with"
    release = evidence.release_of(runs[0])
    if release is None:
        return None, f"release {runs[0].file.data.release_id} was not given with --data"
    try:
        return compare_models(runs, release), None
    except ShelfError as error:
        return None, str(error)
