"""What visitors wait for, over many visits."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence

from benchmarks.space_load.facets import ALL
from benchmarks.space_load.visitors import Visit

Times = Callable[[Sequence[Visit]], list[float | None]]


def median(values: Iterable[float | None]) -> float | None:
    """The median of what is there; None where nothing is.

    Examples
    --------
    >>> median([3.0, None, 1.0]), median([None])
    (2.0, None)
    """
    there = [value for value in values if value is not None]
    return statistics.median(there) if there else None


def firsts(visits: Sequence[Visit]) -> list[float | None]:
    """Until the first row is painted."""
    return [visit.first for visit in visits]


def usables(visits: Sequence[Visit]) -> list[float | None]:
    """Until a table is painted that can be sorted."""
    return [visit.usable for visit in visits]


def wholes(visits: Sequence[Visit]) -> list[float | None]:
    """Until all rows are drawn."""
    return [visit.whole for visit in visits]


def changes(visits: Sequence[Visit]) -> list[float | None]:
    """Of a change to another facet."""
    return [ms for visit in visits for name, ms in _before_the_last(visit) if name != ALL]


def changes_to_all(visits: Sequence[Visit]) -> list[float | None]:
    """Of a change to all tasks."""
    return [ms for visit in visits for name, ms in _before_the_last(visit) if name == ALL]


def changes_back(visits: Sequence[Visit]) -> list[float | None]:
    """Of the last change, to the first facet."""
    return [list(visit.changes.values())[-1] for visit in visits]


def _before_the_last(visit: Visit) -> list[tuple[str, float]]:
    return list(visit.changes.items())[:-1]


TIMES: dict[str, Times] = {
    "first row painted": firsts,
    "a table that can be sorted": usables,
    "all rows drawn": wholes,
    "change to another facet": changes,
    "change to all tasks": changes_to_all,
    "change back from all tasks": changes_back,
}
"""What a visitor waits for."""
