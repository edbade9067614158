"""What each facet shows of a board: its tasks, its models, their scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evaluate_shelf.aggregate.schema import RANKED, Aggregate

ALL = "all"
DIGITS = 3


class Facet(NamedTuple):
    """The ranked models of a board under a facet, in their order.

    Attributes
    ----------
    name : str
        `all` for all tasks.
    tasks : tuple of str
        The columns.
    models : tuple of str
        The rows, best first.
    means : tuple of float or None
        One a row.
    scores : tuple of tuple of float or None
        By task, one a row, as rounded as pages show them.
    """

    name: str
    tasks: tuple[str, ...]
    models: tuple[str, ...]
    means: tuple[float | None, ...]
    scores: tuple[tuple[float | None, ...], ...]


def facets_of(aggregate: Aggregate) -> list[Facet]:
    """The facets of the first board, the one that the leaderboard opens with first.

    Parameters
    ----------
    aggregate : Aggregate
        What is shown.
    """
    from space.views.data_files import first_facet

    board = aggregate.boards[0]
    found = []
    for view in board.views:
        if view.formulation is None:
            rows = [n for n in view.order if board.rows[n].status in RANKED]
            facet = Facet(
                name=view.facet or ALL,
                tasks=tuple(board.tasks[task] for task in view.tasks),
                models=tuple(board.rows[n].name for n in rows),
                means=tuple(_rounded(view.means[n]) for n in rows),
                scores=tuple(
                    tuple(_score(board.rows[n].cells[task]) for n in rows) for task in view.tasks
                ),
            )
            found.append(facet)
    first = first_facet(aggregate)
    return sorted(found, key=lambda facet: facet.name != first)


def tour_of(facets: Sequence[Facet]) -> list[Facet]:
    """What a visitor looks at: the first facet, two others, all tasks, and the first again.

    Parameters
    ----------
    facets : sequence of Facet
        As `facets_of` gives them.
    """
    first, *others = facets
    narrow = [facet for facet in others if facet.name != ALL]
    wide = [facet for facet in others if facet.name == ALL]
    return [first, *narrow[:2], *wide, first]


def _score(cell: tuple[object, ...]) -> float | None:
    return _rounded(cell[0]) if len(cell) > 1 else None  # type: ignore[arg-type]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
