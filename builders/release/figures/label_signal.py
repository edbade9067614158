"""How many documents contain the name of their own label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from builders.release.figures.drawing import COLOURS, Panel, left_out, picture, short
from builders.release.figures.figure import Figure, csv_bytes, if_short
from builders.release.markdown import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LabelSignal = Mapping[str, Mapping[str, tuple[float, float]]]
"""By config and facet: share of the labelled documents whose full text, and whose first 200
words, contain the name of their own label."""

_HEADER = ("config", "facet", "share_in_full_text", "share_in_first_200_words")
_HEIGHT = 0.38


def label_signal_figure(label_signal: LabelSignal) -> Figure | None:
    """Share of the documents that contain the name of their own label, by config and facet.

    Parameters
    ----------
    label_signal : mapping of str to mapping of str to tuple of float and float
        Shares in the full text and in the first 200 words. A config without facets is not shown.

    Returns
    -------
    Figure or None
        Its table has a row a config and facet. None where there is no share.

    Raises
    ------
    ValueError
        If a share is not a number from 0 to 1.
    """
    signal = {config: dict(own) for config, own in label_signal.items() if own}
    rows = [
        (config, facet, *shares) for config, own in signal.items() for facet, shares in own.items()
    ]
    for config, facet, *shares in rows:
        if not all(0 <= share <= 1 for share in shares):
            raise ValueError(f"{config}, {facet}: {shares} are not shares")
    if not rows:
        return None
    highest = "; ".join(
        f"{config}: {facet} {percent(shares[0])} of the texts"
        for config, own in signal.items()
        for facet, shares in sorted(own.items(), key=lambda item: -item[1][0])[:1]
    )
    facets = list(dict.fromkeys(facet for own in signal.values() for facet in own))
    header = ("config", "facet", "in the full text", "in the first 200 words")
    return Figure(
        name="label_signal",
        title="Documents that contain the name of their own label",
        alt="Bars of the share of documents that contain the name of their own label, by facet, "
        f"in the full text and in the first 200 words. The most frequent: {highest}.",
        csv=csv_bytes(_HEADER, [(c, f, f"{a:.6f}", f"{b:.6f}") for c, f, a, b in rows]),
        png=picture(
            [Panel(config, partial(_draw, own, facets)) for config, own in signal.items()],
            x="share of the documents that have a label, in per cent",
            y="facet",
            share_y=True,
        ),
        shown_header=header,
        shown_rows=if_short(header, [(c, f, percent(a), percent(b)) for c, f, a, b in rows]),
        note=left_out(list(signal)),
    )


def _draw(signal: Mapping[str, tuple[float, float]], facets: Sequence[str], axes: Axes) -> None:
    places = range(len(facets))
    for side, name in ((0, "full text"), (1, "first 200 words")):
        axes.barh(
            [place + (side - 0.5) * _HEIGHT for place in places],
            [100 * signal.get(facet, (0.0, 0.0))[side] for facet in facets],
            height=_HEIGHT,
            color=COLOURS[side],
            label=name,
        )
    axes.set_yticks(places, [short(facet, 16) for facet in facets], fontsize=9)
    axes.set_ylim(len(facets) - 0.4, -0.6)
    axes.set_xlim(0, 100)
