"""The models of each board, compared once for all sections that need it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from evaluate_shelf.comparison.compare import compare_models
from evaluate_shelf.comparison.results import Comparison
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.leaderboard.boards import Board, board_of, comparable
from evaluate_shelf.registry.conditions import text_of
from evaluate_shelf.release.documents import Release
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
    data : str or None
        What the release that they were scored on was named as; None where it was not given.
    release : Release or None
        That release.
    comparison : Comparison or None
        What their items tell.
    why_not : str or None
        Why there is no comparison.
    is_damaged : bool
        Whether that is because something that was given cannot be used.
    """

    board: Board
    runs: tuple[Run, ...]
    left_out: tuple[LeftOut, ...]
    data: str | None
    release: Release | None
    comparison: Comparison | None = None
    why_not: str | None = None
    is_damaged: bool = False


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
        data, release = evidence.named_release(board.release_id) or (None, None)
        yield _with_comparison(
            Compared(board, found.runs, found.left_out, data, release),
            evidence.why_no_release(board.release_id),
        )


def _with_comparison(one: Compared, why_no_release: str) -> Compared:
    if len(one.runs) < 2:
        return replace(one, why_not="one model alone has nothing to be compared with")
    if _most_scores(one.runs) < 2:
        return replace(one, why_not="no task has scores of two of these models")
    if one.release is None:
        return replace(one, why_not=why_no_release)
    try:
        return replace(one, comparison=compare_models(one.runs, one.release))
    except ShelfError as error:
        return replace(one, why_not=str(error), is_damaged=True)


def _most_scores(runs: Sequence[Run]) -> int:
    """How many of the runs have a score on the task on which most have."""
    return max(Counter(task for run in runs for task in run.primary_scores()).values(), default=0)
