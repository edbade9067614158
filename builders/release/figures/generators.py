"""Which share of the documents each generator wrote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from builders.release.figures.drawing import drawn, short
from builders.release.figures.figure import Figure, csv_bytes, if_short
from builders.release.label_counts import (
    Counts,
    by_split,
    label_counts,
    labels_by_frequency,
    totals_of,
)
from builders.release.markdown import percent
from builders.staging.config import StagedConfig
from evaluate_shelf.release.manifest import SPLITS

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

_MOST_GENERATORS = 30
_MOST_CONFIGS = 12


class _Shares(NamedTuple):
    """Shares of some generators in some configs."""

    generators: list[str]
    configs: list[str]
    shares: list[list[float]]


def generator_shares(configs: Sequence[StagedConfig]) -> Figure | None:
    """Share of the documents by generator, in every config that names generators.

    Parameters
    ----------
    configs : sequence of StagedConfig
        Of documents.

    Returns
    -------
    Figure or None
        Its table has a row a config and generator: the documents of each split, and the share of
        the config's documents. None where no document names its generator.
    """
    counted = {config.name: label_counts(config, "model") for config in configs}
    counted = {name: counts for name, counts in counted.items() if totals_of(counts)}
    if not counted:
        return None
    shares = {name: _shares(counts) for name, counts in counted.items()}
    rows = [
        (name, generator, *by_split(counted[name], generator), f"{share:.6f}")
        for name, own in shares.items()
        for generator, share in own.items()
    ]
    generators = _order(counted)
    header = ("generator", *counted)
    shown = [
        (generator, *(_percent_or_dash(own.get(generator)) for own in shares.values()))
        for generator in generators
    ]
    largest = "; ".join(
        f"{name}: {len(own)}, the largest {next(iter(own))} with {percent(max(own.values()))}"
        for name, own in shares.items()
    )
    names, kept = list(counted)[:_MOST_CONFIGS], generators[:_MOST_GENERATORS]
    matrix = [[shares[name].get(generator, 0.0) for name in names] for generator in kept]
    return Figure(
        name="generators",
        title="Documents by generator",
        alt=f"A table in colours of the share of each generator in each config. {largest}.",
        csv=csv_bytes(("config", "generator", *SPLITS, "share"), rows),
        png=drawn(_Matrix(_Shares(kept, names, matrix))),
        shown_header=header,
        shown_rows=if_short(header, shown),
        note=_left_out(len(generators), len(counted)),
    )


def _shares(counts: Counts) -> dict[str, float]:
    """The most frequent generator first."""
    totals = totals_of(counts)
    everyone = sum(totals.values())
    return {name: totals[name] / everyone for name in labels_by_frequency(counts)}


def _order(counted: dict[str, Counts]) -> list[str]:
    """All generators, in the order of the first config that names them."""
    return list(
        dict.fromkeys(name for own in counted.values() for name in labels_by_frequency(own))
    )


def _percent_or_dash(share: float | None) -> str:
    return "–" if share is None else percent(share)


def _left_out(generators: int, configs: int) -> str:
    counts = ((generators, _MOST_GENERATORS, "generators"), (configs, _MOST_CONFIGS, "configs"))
    said = [f"{count - most} of {count} {what}" for count, most, what in counts if count > most]
    return f"The picture leaves out {' and '.join(said)}." if said else ""


class _Matrix:
    """Draws shares as cells, the darker the larger, each with its number."""

    def __init__(self, shares: _Shares) -> None:
        self._shares = shares

    def __call__(self, canvas: Canvas) -> None:
        generators, configs, shares = self._shares
        axes = canvas.subplots()
        highest = max(max(row) for row in shares)
        image = axes.imshow(shares, aspect="auto", cmap="Blues", vmin=0.0, vmax=highest)
        size = 11 if len(generators) <= 15 else 9
        axes.set_yticks(range(len(generators)), [short(n) for n in generators], fontsize=size)
        axes.set_xticks(
            range(len(configs)), [short(n, 20) for n in configs], rotation=20, ha="right"
        )
        for row, own in enumerate(shares):
            for column, share in enumerate(own):
                if share:
                    axes.text(
                        column, row, f"{100 * share:.1f}", ha="center", va="center", fontsize=size,
                        color="white" if share > 0.6 * highest else "black",
                    )  # fmt: skip
        axes.set_xlabel("config")
        axes.set_ylabel("generator")
        canvas.colorbar(image, label="share of the config's documents", format="{x:.0%}")
