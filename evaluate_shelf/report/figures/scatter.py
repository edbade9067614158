"""Points of models between two axes, some with their names, and lines that help to read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from evaluate_shelf.report.figures.drawing import RIGHT, SMALL, WIDTH, picture, short, width
from evaluate_shelf.report.figures.figure import Picture
from evaluate_shelf.report.figures.palette import FIRST, INK, PAPER, QUIET

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

_HEIGHT, _LEFT = 262.0, 50.0


class Point(NamedTuple):
    """A model between two axes.

    Attributes
    ----------
    x, y : float
        Where it stands.
    name : str
        What is written beside it; nothing where empty.
    filled : bool
        Whether the dot is filled.
    low, high : float or None
        The ends of its whisker along y.
    """

    x: float
    y: float
    name: str = ""
    filled: bool = True
    low: float | None = None
    high: float | None = None


def scatter(
    title: str,
    alternative: str,
    points: Sequence[Point],
    *,
    x: str,
    y: str,
    logarithmic: bool = False,
    steps: Sequence[tuple[float, float]] = (),
    ranks: int | None = None,
) -> Picture:
    """Draw points.

    Parameters
    ----------
    title, alternative : str
        Of the picture.
    points : sequence of Point
        At least one.
    x, y : str
        What the axes show, with the unit.
    logarithmic : bool, default=False
        Whether equal steps of the x axis are equal factors.
    steps : sequence of tuple of float and float
        Corners of a line from left to right.
    ranks : int, default=None
        Number of ranks, where both axes show ranks: the first stands at the upper right, and equal
        ranks on a dashed line.

    Returns
    -------
    Picture
    """

    def draw(axes: Axes) -> None:
        if logarithmic:
            axes.set_xscale("log")
        if steps:
            axes.plot(*zip(*steps, strict=True), color=QUIET.light, linewidth=1.2, zorder=1)
        for point in points:
            _draw_point(axes, point)
        axes.margins(0.12)
        if ranks is not None:
            _rank_axes(axes, ranks)
        elif logarithmic:
            _factors(axes)
        axes.set_xlabel(short(x, 48))
        axes.set_ylabel(short(y, 44))
        _write_names(axes, points)

    return picture(title, alternative, draw, height=_HEIGHT, left=_LEFT)


def _draw_point(axes: Axes, point: Point) -> None:
    if point.low is not None and point.high is not None:
        axes.plot([point.x, point.x], [point.low, point.high], color=FIRST.light, linewidth=1.3)
    axes.plot(
        [point.x],
        [point.y],
        marker="o",
        markersize=6,
        markerfacecolor=FIRST.light if point.filled else PAPER.light,
        markeredgecolor=FIRST.light,
        markeredgewidth=1.4,
        linestyle="none",
        zorder=3,
    )


def _factors(axes: Axes) -> None:
    """Ticks of a logarithmic axis as numbers, several in a power of ten where there is room."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axes.get_xlim()
    subs = (1.0, 2.0, 5.0) if high / low < 50 else (1.0,) if high / low > 2000 else (1.0, 3.0)
    axes.xaxis.set_major_locator(LogLocator(base=10, subs=subs, numticks=12))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: rounded(value)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.minorticks_off()


def rounded(value: float) -> str:
    """A number in thousands, millions or billions where it is large.

    Examples
    --------
    >>> [rounded(value) for value in (0.003, 0.5, 950, 22_700_000, 7_600_000_000)]
    ['0.003', '0.5', '950', '22.7 M', '7.6 B']
    """
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g} {letter}"
    return f"{value:.3g}"


def _rank_axes(axes: Axes, ranks: int) -> None:
    ends = (ranks + 0.8, 0.2)
    axes.plot([1, ranks], [1, ranks], color=QUIET.light, linewidth=1.2, linestyle=(0, (4, 3)))
    ticks = sorted({1, *range(5, ranks, 5), ranks} - {ranks - 1})
    axes.set_xlim(ends)
    axes.set_ylim(ends)
    axes.set_xticks(ticks)
    axes.set_yticks(ticks)


class _Box(NamedTuple):
    """A rectangle in dots."""

    left: float
    right: float
    bottom: float
    top: float

    def meets(self, other: _Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.bottom < other.top
            and other.bottom < self.top
        )


def _write_names(axes: Axes, points: Sequence[Point]) -> None:
    """Write each name beside its dot, where it hides least."""
    # Asking for the limits makes them final, before places are taken in dots.
    _ = axes.get_xlim(), axes.get_ylim()
    frame = axes.get_window_extent()
    dot = frame.width / (WIDTH - _LEFT - RIGHT)
    places = [axes.transData.transform((point.x, point.y)) for point in points]
    taken = [_Box(x - 4 * dot, x + 4 * dot, y - 4 * dot, y + 4 * dot) for x, y in places]
    for point, (x, y) in zip(points, places, strict=True):
        if not point.name:
            continue
        name = short(point.name, 20)
        length = (0.56 * SMALL * width(name) + 1) * dot
        choices = [(side, lift) for lift in _LIFTS for side in ("right", "left")]
        boxes = [_name_box(x, y, side, lift, length, dot) for side, lift in choices]
        hidden = [
            sum(box.meets(other) for other in taken) + 10 * _outside(box, frame) for box in boxes
        ]
        best = hidden.index(min(hidden))
        (side, lift), box = choices[best], boxes[best]
        taken.append(box)
        axes.annotate(
            name,
            (point.x, point.y),
            xytext=(_GAP if side == "right" else -_GAP, lift),
            textcoords="offset points",
            horizontalalignment="left" if side == "right" else "right",
            verticalalignment="center",
            fontsize=SMALL,
            color=INK.light,
            zorder=2,
            bbox={"facecolor": PAPER.light, "edgecolor": "none", "pad": 0.6},
        )


_GAP = 7.0
_LIFTS = (0, 7, -7, 13, -13, 20, -20, 28, -28)


def _name_box(x: float, y: float, side: str, lift: float, length: float, dot: float) -> _Box:
    begin = x + _GAP * dot if side == "right" else x - _GAP * dot - length
    return _Box(begin, begin + length, y + (lift - 5.5) * dot, y + (lift + 5.5) * dot)


def _outside(box: _Box, frame: Bbox) -> bool:
    return bool(
        box.left < frame.x0 or box.right > frame.x1 or box.top > frame.y1 or box.bottom < frame.y0
    )
