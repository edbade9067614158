"""Pictures by matplotlib, the same bytes for the same data whatever the user's style."""

from __future__ import annotations

import importlib.util
import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluate_shelf.bounded import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

PICTURES_MISSING = (
    "no pictures of the figures, tables alone: matplotlib is missing; "
    "pip install 'evaluate-shelf[build]'"
)

# Inches and dots an inch: every picture has 1200 x 800 dots.
_SIZE, _DPI = (12.0, 8.0), 100
MOST_PANELS = 12
_LONGEST_LABEL = 36
_LONGEST_LEVEL_LABEL = 3

# Okabe and Ito's colours, which are told apart with any kind of colour vision; of these, a dark,
# a light and a middle one, so that they also differ in grey.
COLOURS = ("#0072B2", "#E69F00", "#009E73")

_STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 11.0,
    "axes.titlesize": 12.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    # A dollar sign in a label is a dollar sign.
    "text.parse_math": False,
    "text.usetex": False,
}


class Panel(NamedTuple):
    """A part of a picture: its title, and what draws it."""

    title: str
    draw: Callable[[Axes], None]


def has_matplotlib() -> bool:
    """Whether pictures can be drawn."""
    return importlib.util.find_spec("matplotlib") is not None


def picture(panels: Sequence[Panel], *, x: str, y: str, share_y: bool = False) -> bytes | None:
    """Draw panels in a grid.

    Parameters
    ----------
    panels : sequence of Panel
        The first twelve are drawn.
    x, y : str
        What the axes show, with the unit.
    share_y : bool, default=False
        Whether all panels have the y axis of the first.

    Returns
    -------
    bytes or None
        A PNG of 1200 x 800 dots; None without matplotlib.
    """

    def draw(canvas: Canvas) -> None:
        shown = panels[:MOST_PANELS]
        rows, columns = _grid(len(shown))
        grid = canvas.subplots(rows, columns, squeeze=False, sharey=share_y)
        for axes, panel in zip(grid.flat, shown, strict=False):
            axes.set_title(short(panel.title), loc="left")
            panel.draw(axes)
        for axes in grid.flat[len(shown) :]:
            axes.set_visible(False)
        _one_legend(canvas, grid.flat[0])
        canvas.supxlabel(x)
        canvas.supylabel(y)

    return drawn(draw)


def drawn(draw: Callable[[Canvas], None]) -> bytes | None:
    """A PNG of 1200 x 800 dots of what a function draws; None without matplotlib."""
    if not has_matplotlib():
        return None
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    stream = io.BytesIO()
    with mpl.rc_context(), warnings.catch_warnings():
        # A sign that the font lacks is drawn as a box.
        warnings.simplefilter("ignore")
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        canvas = Canvas(figsize=_SIZE, dpi=_DPI, layout="constrained")
        agg: Any = FigureCanvasAgg(canvas)
        draw(canvas)
        agg.print_png(stream, metadata={"Software": None})
    return stream.getvalue()


def short(label: str, longest: int = _LONGEST_LABEL) -> str:
    """A label that has room in a picture, cut in the middle: names often differ in their ends.

    Examples
    --------
    >>> short("lexical-writer/birch"), short("lexical-writer/birch", 12)
    ('lexical-writer/birch', 'lexica…birch')
    """
    line = one_line(label)
    if len(line) <= longest:
        return line
    end = (longest - 1) // 2
    return f"{line[: longest - 1 - end]}…{line[-end:]}"


def left_out(names: Sequence[str]) -> str:
    """What to say of the panels that have no room."""
    more = len(names) - MOST_PANELS
    return f"The picture leaves out {more} of {len(names)} configs." if more > 0 else ""


def stacked(
    axes: Axes, labels: Sequence[str], parts: Iterator[tuple[str, Sequence[int]]], *, flat: bool
) -> None:
    """Bars of labels, each of some named parts; flat bars run to the right, the first on top."""
    places = range(len(labels))
    ends = [0] * len(labels)
    for colour, (name, values) in zip(COLOURS, parts, strict=False):
        options: dict[str, Any] = {
            "label": name,
            "color": colour,
            "edgecolor": "white",
            "linewidth": 0.4,
        }
        if flat:
            axes.barh(places, values, left=ends, **options)
        else:
            axes.bar(places, values, bottom=ends, **options)
        ends = [end + value for end, value in zip(ends, values, strict=True)]
    size = 8 if len(labels) > 15 else 9
    if flat:
        axes.set_yticks(places, [short(label) for label in labels], fontsize=size)
        axes.set_ylim(len(labels) - 0.4, -0.6)
    else:
        axes.set_xticks(places, [short(label, 12) for label in labels], fontsize=size)
        if any(len(label) > _LONGEST_LEVEL_LABEL for label in labels):
            axes.tick_params(axis="x", rotation=90)
    round_numbers(axes.xaxis if flat else axes.yaxis)


def round_numbers(axis: Any) -> None:
    """Ticks at whole numbers, with their thousands apart."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    axis.set_major_locator(MaxNLocator(nbins=4, integer=True))
    axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def _grid(panels: int) -> tuple[int, int]:
    columns = next(
        columns
        for columns in (1, 2, 3, 4)
        if columns * max(1, columns - 1) >= panels or columns == 4
    )
    return -(-panels // columns), columns


def _one_legend(canvas: Canvas, axes: Axes) -> None:
    handles, names = axes.get_legend_handles_labels()
    if handles:
        canvas.legend(handles, names, loc="outside upper right", ncols=len(names), frameon=False)
