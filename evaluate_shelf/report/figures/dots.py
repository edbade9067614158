"""Dots with whiskers: a row a name, a dot a value, a whisker an interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from evaluate_shelf.report.figures.drawing import SMALL, picture, room_for, short
from evaluate_shelf.report.figures.figure import Picture
from evaluate_shelf.report.figures.palette import MARKERS, PAPER, QUIET, SERIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 15.0
_LEGEND_LINE = 15.0


class Dot(NamedTuple):
    """A value in a row.

    Attributes
    ----------
    value : float
        Where the dot stands.
    low, high : float or None
        The ends of its whisker; None for a value without an interval.
    series : int
        Which shape and colour, 0 to 2.
    filled : bool
        Whether the dot is filled.
    """

    value: float
    low: float | None = None
    high: float | None = None
    series: int = 0
    filled: bool = True


class DotRow(NamedTuple):
    """A name with its dots."""

    label: str
    dots: tuple[Dot, ...]


def dots(
    title: str,
    alternative: str,
    rows: Sequence[DotRow],
    *,
    x: str,
    names: Sequence[str] = (),
    line: float | None = None,
    line_name: str = "",
    longest: int = 24,
) -> Picture:
    """Draw rows of dots, the first on top.

    Parameters
    ----------
    title, alternative : str
        Of the picture.
    rows : sequence of DotRow
        At least one.
    x : str
        What the axis shows.
    names : sequence of str
        What each series is, for the legend; none without.
    line : float, default=None
        Where a dashed line stands.
    line_name : str
        What that line is.
    longest : int, default=24
        Signs of a row's name that are written.

    Returns
    -------
    Picture
    """
    labels = [short(row.label, longest) for row in rows]
    spread = _ROW if len({dot.series for row in rows for dot in row.dots}) == 1 else 1.5 * _ROW
    entries = len(names) + (line is not None)

    def draw(axes: Axes) -> None:
        for place, row in enumerate(rows):
            offsets = _offsets(row.dots)
            for dot, offset in zip(row.dots, offsets, strict=True):
                _draw_dot(axes, dot, place + offset)
        if line is not None:
            axes.axvline(line, color=QUIET.light, linewidth=1.2, linestyle=(0, (4, 3)))
        axes.set_yticks(range(len(rows)), labels)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.margins(x=0.06)
        axes.set_xlabel(short(x, 40))
        axes.locator_params(axis="x", nbins=5)
        if entries:
            _legend(axes, names, line_name if line is not None else "")

    return picture(
        title,
        alternative,
        draw,
        height=spread * len(rows) + 6,
        left=room_for(labels),
        below=_LEGEND_LINE * entries,
    )


def _offsets(own: Sequence[Dot]) -> list[float]:
    """Where each dot of a row stands, so that whiskers do not hide each other."""
    if len(own) == 1:
        return [0.0]
    return [0.5 * (number / (len(own) - 1) - 0.5) for number in range(len(own))]


def _draw_dot(axes: Axes, dot: Dot, place: float) -> None:
    colour = SERIES[dot.series].light
    if dot.low is not None and dot.high is not None:
        axes.plot([dot.low, dot.high], [place, place], color=colour, linewidth=1.5)
    axes.plot(
        [dot.value],
        [place],
        marker=MARKERS[dot.series],
        markersize=5.5,
        markerfacecolor=colour if dot.filled else PAPER.light,
        markeredgecolor=colour,
        markeredgewidth=1.4,
        linestyle="none",
    )


def _legend(axes: Axes, names: Sequence[str], line_name: str) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            color=colour.light,
            marker=marker,
            linestyle="none",
            markersize=5.5,
            label=short(name, 48),
        )
        for name, colour, marker in zip(names, SERIES, MARKERS, strict=False)
    ]
    if line_name:
        dashes = (0, (4, 3))
        handles.append(
            Line2D(
                [],
                [],
                color=QUIET.light,
                linewidth=1.2,
                linestyle=dashes,
                label=short(line_name, 48),
            )
        )
    canvas = axes.get_figure()
    if canvas is not None:
        canvas.legend(
            handles=handles,
            loc="lower left",
            bbox_to_anchor=(0.0, 0.0),
            borderaxespad=0.2,
            labelspacing=0.35,
            handlelength=1.8,
            fontsize=SMALL,
        )
