"""What of the runs a visitor has chosen to see."""

from __future__ import annotations

from collections.abc import Sequence

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.leaderboard.boards import Board, board_of, comparable
from evaluate_shelf.runs.reading import Run


def occurring(shown: Sequence[Board], kind: str) -> list[str]:
    """Facets or formulations that the boards have tasks of, in the registry's order.

    Parameters
    ----------
    shown : sequence of Board
        The boards.
    kind : str
        `facet` or `formulation`.

    Examples
    --------
    >>> occurring([], "facet")
    []
    """
    tasks = [task for board in shown for task in board.tasks]
    return list(dict.fromkeys(getattr(task, kind) for task in tasks))


def filtered(
    runs: Sequence[Run], position: int, facet: str | None = None, formulation: str | None = None
) -> Board | None:
    """One board of the runs, with the tasks of a facet and a formulation alone.

    Mean, coverage and order are those of the tasks that are left.

    Parameters
    ----------
    runs : sequence of Run
        All runs.
    position : int
        Which board, counted among `boards(runs)`.
    facet, formulation : str, default=None
        What to keep; None keeps all.

    Returns
    -------
    Board or None
        None if the board has no such task.

    Raises
    ------
    ShelfError
        If no run has a score.
    """
    # Those that `boards` gives, in its order.
    groups = [group for group in comparable(runs) if board_of(group) is not None]
    if not groups:
        raise ShelfError("no run has a score")
    return board_of(groups[position], facet=facet, formulation=formulation)
