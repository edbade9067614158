"""Chance levels in words: what the registry states, and what runs measured."""

from __future__ import annotations

from evaluate_shelf.aggregate.schema import Board

from .markup import DASH, number


def chance_text(stated: float | None, low: float | None, high: float | None) -> str:
    """The chance level of a task on a board.

    Parameters
    ----------
    stated : float or None
        What the registry says.
    low, high : float or None
        The least and the greatest level that shuffled labels gave, over the runs.

    Examples
    --------
    >>> chance_text(0.0476, 0.0071, 0.0493), chance_text(None, 0.5, 0.5001)
    ('stated 0.048; measured 0.007 to 0.049', 'measured 0.500')
    >>> chance_text(0.5, None, None), chance_text(None, None, None)
    ('stated 0.500', 'not known')
    """
    parts = [] if stated is None else [f"stated {number(stated)}"]
    if low is not None and high is not None:
        ends = dict.fromkeys((number(low), number(high)))
        parts.append(f"measured {' to '.join(ends)}")
    return "; ".join(parts) or "not known"


def chance_of(board: Board, task: int) -> str:
    """As `chance_text`, of a task by its position on a board."""
    return chance_text(board.chance[task], board.chance_low[task], board.chance_high[task])


def chance_short(board: Board, task: int) -> str:
    """The stated level, or else the range of those that were measured; a dash without either."""
    stated = board.chance[task]
    if stated is not None:
        return number(stated)
    text = chance_text(None, board.chance_low[task], board.chance_high[task])
    return DASH if text == "not known" else text
