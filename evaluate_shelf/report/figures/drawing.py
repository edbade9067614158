"""Drawing with matplotlib: the same bytes for the same data, whatever the user's style."""

from __future__ import annotations

import importlib.util
import io
import unicodedata
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.installation import install_command
from evaluate_shelf.printable import one_line
from evaluate_shelf.report.figures.figure import Picture
from evaluate_shelf.report.figures.palette import INK, PAPER, QUIET, RULE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

WIDTH = 340
"""Of every picture, in points; so it is legible on a telephone without scrolling."""

RIGHT = 12
"""Room at the right of the axes, in points."""

_TITLE, _X_AXIS = 24, 40
_POINTS_AN_INCH, _PNG_DOTS_AN_INCH = 72, 216

SMALL = 9.5
"""Size of the smallest text, in points."""

_STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10.0,
    "axes.edgecolor": QUIET.light,
    "axes.facecolor": PAPER.light,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.labelcolor": INK.light,
    "axes.labelsize": SMALL,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "figure.facecolor": PAPER.light,
    "grid.color": RULE.light,
    "grid.linewidth": 0.8,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "legend.labelcolor": INK.light,
    "text.color": INK.light,
    "xtick.color": QUIET.light,
    "xtick.labelcolor": INK.light,
    "xtick.labelsize": SMALL,
    "ytick.color": QUIET.light,
    "ytick.labelcolor": INK.light,
    "ytick.labelsize": SMALL,
    # A dollar sign in a label is a dollar sign.
    "text.parse_math": False,
    "text.usetex": False,
    # Text stays text: it can be searched, read aloud and set in the page's font.
    "svg.fonttype": "none",
    "svg.hashsalt": "shelf",
}


def require_matplotlib() -> None:
    """Refuse to go on where no picture can be drawn.

    Raises
    ------
    ShelfError
        If matplotlib is missing; the message says how to get it.
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise ShelfError(f"figures need matplotlib: {install_command('report')}")


def picture(
    title: str,
    alternative: str,
    draw: Callable[[Axes], None],
    *,
    height: float,
    left: float,
    below: float = 0.0,
) -> Picture:
    """Draw one pair of axes under a title.

    Parameters
    ----------
    title : str
        Of the picture; cut where it is too long.
    alternative : str
        What it shows, in words.
    draw : callable
        Draws into the axes.
    height : float
        Of the axes, in points.
    left : float
        Room for the labels of the y axis, in points.
    below : float, default=0
        Room below the x axis' label, in points.

    Returns
    -------
    Picture
        340 points wide; the PNG has three dots a point.
    """
    total = _TITLE + height + _X_AXIS + below

    def drawn(canvas: Canvas) -> None:
        inner = (
            left / WIDTH,
            (_X_AXIS + below) / total,
            (WIDTH - left - RIGHT) / WIDTH,
            height / total,
        )
        axes = canvas.add_axes(inner)
        draw(axes)
        axes.tick_params(length=3)
        canvas.text(
            6 / WIDTH,
            1 - 8 / total,
            short(title, 50),
            fontsize=10.5,
            fontweight="bold",
            verticalalignment="top",
        )

    svg, png = _both(drawn, total, alternative)
    return Picture(one_line(alternative, 10_000), svg, png)


def _both(draw: Callable[[Canvas], None], height: float, title: str) -> tuple[bytes, bytes]:
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Canvas

    svg, png = io.BytesIO(), io.BytesIO()
    with mpl.rc_context(), warnings.catch_warnings():
        # A sign that the font lacks is drawn as a box.
        warnings.simplefilter("ignore")
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        size = (WIDTH / _POINTS_AN_INCH, height / _POINTS_AN_INCH)
        canvas = Canvas(figsize=size, dpi=_PNG_DOTS_AN_INCH)
        draw(canvas)
        # Neither the date nor the version of a library.
        metadata = {"Title": drawable(title), "Date": None, "Creator": None}
        vector: Any = FigureCanvasSVG(canvas)
        vector.print_svg(svg, metadata=metadata)
        # The SVG was drawn with one dot a point.
        canvas.set_dpi(_PNG_DOTS_AN_INCH)
        dots: Any = FigureCanvasAgg(canvas)
        dots.print_png(png, metadata={"Software": None})
    return svg.getvalue(), png.getvalue()


def drawable(text: str, longest: int = 10_000) -> str:
    r"""A text on one line, without what XML cannot hold.

    Examples
    --------
    >>> drawable("a\x00b\ufffe c")
    'ab c'
    """
    line = one_line(text, longest)
    # Controls, halves of pairs, and signs that Unicode does not assign.
    return "".join(s for s in line if unicodedata.category(s) not in ("Cc", "Cs", "Cn", "Co"))


def short(label: str, longest: int = 24) -> str:
    """A label that has room, cut in the middle: names often differ in their ends.

    A sign that is two columns wide counts twice.

    Examples
    --------
    >>> short("all-MiniLM-L6-v2"), short("all-MiniLM-L6-v2, dim 128, int8")
    ('all-MiniLM-L6-v2', 'all-MiniLM-L…m 128, int8')
    """
    line = drawable(label, 2000)
    if width(line) <= longest:
        return line
    half = (longest - 1) / 2
    begin, end = 0, len(line)
    while width(line[: begin + 1]) <= half + 0.5:
        begin += 1
    while width(line[end - 1 :]) <= half:
        end -= 1
    return f"{line[:begin]}…{line[end:]}"


def width(text: str) -> int:
    """Columns that a text takes, where East Asian signs take two.

    Examples
    --------
    >>> width("ab"), width("図書")
    (2, 4)
    """
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def room_for(labels: list[str]) -> float:
    """Points that the longest of some labels takes beside an axis."""
    return 12 + 0.585 * SMALL * max(map(width, labels), default=0)
