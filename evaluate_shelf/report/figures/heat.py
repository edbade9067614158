"""A matrix of numbers on a ground that is the darker the lower they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evaluate_shelf.report.figures.drawing import SMALL, picture, room_for, short
from evaluate_shelf.report.figures.figure import Picture
from evaluate_shelf.report.figures.palette import PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 44.0
_LINE = 12
# Not the page's ink and paper: these stand on the matrix' own ground in any theme.
_DARK, _LIGHT = "#010101", "#fefefe"


def heat(
    title: str,
    alternative: str,
    values: Sequence[Sequence[float | None]],
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    x: str,
    y: str,
) -> Picture:
    """Draw a matrix with its numbers; a cell without one stays empty.

    Parameters
    ----------
    title, alternative : str
        Of the picture.
    values : sequence of sequence of float or None
        By row, then by column, each between 0 and 1.
    rows, columns : sequence of str
        Their names.
    x, y : str
        What columns and rows are.

    Returns
    -------
    Picture
    """
    names = [short(name, 16) for name in rows]

    def draw(axes: Axes) -> None:
        from matplotlib import colormaps

        # Cividis was made for eyes that do not tell red from green.
        colours = colormaps["cividis"]
        for row, own in enumerate(values):
            for column, value in enumerate(own):
                if value is None:
                    continue
                ground = colours(0.08 + 0.9 * min(max(value, 0.0), 1.0))
                axes.fill(
                    [column - 0.5, column + 0.5, column + 0.5, column - 0.5],
                    [row - 0.5, row - 0.5, row + 0.5, row + 0.5],
                    color=ground,
                    edgecolor=PAPER.light,
                    linewidth=1.5,
                )
                light = 0.3 * ground[0] + 0.59 * ground[1] + 0.11 * ground[2]
                axes.text(
                    column,
                    row,
                    f"{value:.3f}",
                    ha="center",
                    va="center",
                    fontsize=11,
                    color=_DARK if light > 0.5 else _LIGHT,
                )
        axes.set_xticks(range(len(columns)), [_two_lines(name) for name in columns])
        axes.set_yticks(range(len(rows)), names)
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlabel(short(x))
        axes.set_ylabel(short(y))
        axes.grid(visible=False)
        for label in axes.get_xticklabels():
            label.set_fontsize(SMALL - max(0.0, 0.5 * (len(columns) - 3)))

    left = room_for(names) + 18
    below = 12.0
    return picture(title, alternative, draw, height=_ROW * len(rows), left=left, below=below)


def _two_lines(name: str) -> str:
    r"""A name in two lines of at most twelve signs, if it has an underscore to be broken at.

    Examples
    --------
    >>> _two_lines("transfer_gutenberg"), _two_lines("all")
    ('transfer_\ngutenberg', 'all')
    """
    first, underscore, second = name.rpartition("_")
    if not underscore or len(name) <= _LINE:
        return short(name, _LINE)
    return f"{short(first + underscore, _LINE)}\n{short(second, _LINE)}"
