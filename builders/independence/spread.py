"""How much a table of generators and labels varies from one drawing of a corpus to the next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from builders.independence.cramers_v import residuals
from builders.independence.crossing import Crossing, Numbers

Floats = NDArray[np.float64]

# So many cells at a time, however many specifications there are.
_CELLS = 4_000_000


class Spread(NamedTuple):
    """How phi square of a table varies.

    Attributes
    ----------
    chance : float
        What chance alone is expected to add to phi square.
    variance : float
        What the association that was found adds to its variance, beside what chance adds.
    """

    chance: float
    variance: float


def spread_of(own: Crossing) -> Spread | None:
    """How phi square varies where specifications are drawn, and their documents belong together.

    Where every generator writes every specification, only what gates reject makes generators
    differ: with a fifth rejected, chance adds about a fifth of what it adds to a table of
    independent documents, and nothing if nothing is rejected. Where each specification goes to one
    generator, it adds as much as Bergsma's correction takes off.

    What a specification adds to the residuals of independence is compared with what others of its
    label add (a linearised variance, as Rao and Scott take it).

    Parameters
    ----------
    own : Crossing
        Of two generators and two labels or more.

    Returns
    -------
    Spread or None
        None where most labels have one specification each, so that nothing can be compared.

    References
    ----------
    Rao and Scott, "The Analysis of Categorical Data from Complex Sample Surveys: Chi-Squared
    Tests for Goodness of Fit and Independence in Two-Way Tables", JASA 76 (1981).

    Examples
    --------
    >>> from builders.independence.crossing import crossing
    >>> spread_of(crossing(["a", "b"] * 4, ["x", "x", "y", "y"] * 2, list("11223344"))).chance
    0.0
    >>> each = spread_of(crossing(["a", "b"] * 50, ["x", "x", "y", "y"] * 25, range(100)))
    >>> round(each.chance, 4)
    0.0102
    """
    table = own.table
    labels = table.sum(axis=0) / table.sum()
    # Specifications of each label, and what one label's mean costs in freedom.
    single = (1 - labels) / np.bincount(_labels_of_groups(own), minlength=len(labels))
    lost = float(single.sum()) / (len(labels) - 1)
    if lost > _MOST_LOST:
        return None
    squares = float(((residuals(table) ** 2) * single).sum())
    chance = float(max(0.0, sum(_squares(own, table)) - squares) / (1 - lost))
    return Spread(chance if chance > _ZERO else 0.0, _variance(own, table))


_MOST_LOST = 0.5
_ZERO = 1e-12


def _labels_of_groups(own: Crossing) -> Numbers:
    """The labels of each specification, one after the other; each once."""
    columns = own.shape[1]
    return np.unique(own.groups * columns + own.labels) % columns


def _squares(own: Crossing, table: Floats) -> Iterator[float]:
    """Sums of the squares of what specifications add to the residuals of independence."""
    total, (rows, columns, number) = table.sum(), own.shape
    of_rows, of_columns = table.sum(axis=1) / total, table.sum(axis=0) / total
    expected = np.outer(of_rows, of_columns)
    order = np.argsort(own.groups, kind="stable")
    ends = np.searchsorted(own.groups[order], np.arange(number + 1))
    step = max(1, _CELLS // (rows * columns))
    for first in range(0, number, step):
        size = min(step, number - first)
        chosen = order[ends[first] : ends[first + size]]
        cells = ((own.groups[chosen] - first) * rows + own.generators[chosen]) * columns
        counts = np.bincount(cells + own.labels[chosen], minlength=size * rows * columns)
        here = counts.reshape(size, rows, columns)
        added = (
            here
            - here.sum(axis=2)[:, :, None] * of_columns
            - here.sum(axis=1)[:, None, :] * of_rows[:, None]
            + here.sum(axis=(1, 2))[:, None, None] * expected
        )
        yield float((added**2 / expected).sum()) / total**2


def _variance(own: Crossing, table: Floats) -> float:
    """Of phi square, by how much each specification moves it."""
    shares = table / table.sum()
    of_rows, of_columns = shares.sum(axis=1), shares.sum(axis=0)
    ratios = shares / np.outer(of_rows, of_columns)
    along_rows = (shares * ratios).sum(axis=1) / of_rows
    along_columns = (shares * ratios).sum(axis=0) / of_columns
    slopes = 2 * ratios - along_rows[:, None] - along_columns
    moved = np.bincount(own.groups, weights=slopes[own.generators, own.labels]) / table.sum()
    number = len(moved)
    return float((moved**2).sum()) * number / (number - 1)
