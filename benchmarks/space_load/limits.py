"""What is asked for of the served leaderboard, and whether it is held."""

from __future__ import annotations

from benchmarks.measuring import table
from benchmarks.space_load.measured import Measured
from benchmarks.space_load.sites import OURS
from benchmarks.space_load.waits import TIMES, median

VIEW_LIMIT, CHANGE_LIMIT, MEMORY_LIMIT = 1500.0, 300.0, 1.0
"""Milliseconds of a first view and of a change for a visitor alone, and GiB."""
MORE_WITH_OTHERS = 2.0
"""How much more both may be with others."""
LIMITED = {
    "first row painted": VIEW_LIMIT,
    "a table that can be sorted": VIEW_LIMIT,
    "change to another facet": CHANGE_LIMIT,
    "change to all tasks": CHANGE_LIMIT,
    "change back from all tasks": CHANGE_LIMIT,
}
"""Milliseconds that were asked for, of a visitor alone."""


def limits_of(ours: Measured, visitors: int) -> str:
    """A table of what was measured of ours, each beside its limit.

    Parameters
    ----------
    ours : Measured
        Of `shelf space`.
    visitors : int
        How many came at once.
    """
    lines = []
    for name, limit in LIMITED.items():
        alone, among = median(TIMES[name](ours.alone)), median(TIMES[name](ours.among))
        lines.append(_limit(f"{name}, s", alone, limit, 1000.0))
        if alone is not None and among is not None:
            with_others = f"{name}, one of {visitors}"
            lines.append(_limit(f"{with_others}, s", among, MORE_WITH_OTHERS * limit, 1000.0))
            lines.append(_limit(f"{with_others}, times one alone", among / alone, MORE_WITH_OTHERS))
    lines.append(_limit("memory, GiB", ours.peak_gib, MEMORY_LIMIT))
    return table([OURS, "measured", "limit", "held"], lines) + "\n"


def _limit(name: str, value: float | None, limit: float, unit: float = 1.0) -> list[str]:
    if value is None:
        return [name, "–", f"{limit / unit:.1f}", "–"]
    return [name, f"{value / unit:.2f}", f"{limit / unit:.1f}", verdict(value, limit)]


def verdict(value: float, limit: float) -> str:
    """Whether a limit is held.

    Examples
    --------
    >>> verdict(1.0, 1.0), verdict(1.1, 1.0)
    ('yes', 'no')
    """
    return "yes" if value <= limit else "no"
