"""How long the documents are, in words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from builders.quality.lengths import EDGES
from builders.release.figures.drawing import COLOURS, Panel, left_out, picture, round_numbers
from builders.release.figures.figure import Figure, csv_bytes, if_short
from builders.staging.config import StagedConfig

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PERCENTILES = (0, 10, 50, 90, 100)
# Every fourth edge, where the length has doubled twice.
_EVERY = 4


class _Lengths(NamedTuple):
    config: str
    words: NDArray[np.int64]

    def histogram(self) -> list[int]:
        places = np.searchsorted(EDGES, self.words, side="right") - 1
        counted: list[int] = np.bincount(places, minlength=len(EDGES)).tolist()
        return counted

    def summary(self) -> list[object]:
        low, p10, median, p90, high = np.percentile(
            self.words, _PERCENTILES, method="inverted_cdf"
        ).tolist()
        mean = round(float(self.words.mean()), 1)
        return [self.config, len(self.words), low, p10, median, mean, p90, high]


def length_figure(configs: Sequence[StagedConfig]) -> Figure | None:
    """Words of the documents of each config, in bins that grow by the square root of two.

    Parameters
    ----------
    configs : sequence of StagedConfig
        Of documents; one without `word_count` is not shown.

    Returns
    -------
    Figure or None
        Its table has a row a config and bin: `words_from`, `words_below` (nothing for the last
        bin), `documents`. None where no config has a document.
    """
    found = [
        _Lengths(config.name, _words(config))
        for config in configs
        if "word_count" in config.info.schema.names and config.rows()
    ]
    if not found:
        return None
    bounds = list(zip(EDGES, (*EDGES[1:], None), strict=True))
    rows = [
        (lengths.config, least, "" if below is None else below, documents)
        for lengths in found
        for (least, below), documents in zip(bounds, lengths.histogram(), strict=True)
    ]
    header = ("config", "documents", "shortest", "p10", "median", "mean", "p90", "longest")
    summaries = [lengths.summary() for lengths in found]
    filled = [number for lengths in found for number, n in enumerate(lengths.histogram()) if n]
    shown = range(min(filled), max(filled) + 1)
    medians = "; ".join(f"{own[0]}: median {own[4]} words" for own in summaries)
    return Figure(
        name="length",
        title="Length of the documents",
        alt=f"Histograms of document length in words, one a config. {medians}.",
        csv=csv_bytes(("config", "words_from", "words_below", "documents"), rows),
        png=picture(
            [Panel(own.config, partial(_draw, own.histogram(), shown)) for own in found],
            x="length in words, on a logarithmic scale",
            y="documents",
        ),
        shown_header=header,
        shown_rows=if_short(header, summaries),
        note=left_out([own.config for own in found]),
    )


def _words(config: StagedConfig) -> NDArray[np.int64]:
    parts = [
        np.asarray(table["word_count"].drop_null(), dtype=np.int64)
        for table in config.batches(["word_count"])
    ]
    return np.concatenate(parts)


def _draw(documents: Sequence[int], shown: range, axes: Axes) -> None:
    heights = [documents[number] for number in shown]
    axes.bar(shown, heights, width=1.0, align="edge", color=COLOURS[0], edgecolor="white")
    every = range(1, len(EDGES), _EVERY) if len(shown) > 2 * _EVERY else shown
    ticks = [number for number in every if number in shown]
    axes.set_xticks(ticks, [f"{EDGES[number]:,}" for number in ticks])
    axes.set_xlim(shown.start, shown.stop)
    round_numbers(axes.yaxis)
