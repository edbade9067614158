"""How many documents each label has: classes, categories, forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from builders.release.figures.drawing import (
    COLOURS,
    Panel,
    left_out,
    picture,
    round_numbers,
    short,
    stacked,
)
from builders.release.figures.figure import Figure, csv_bytes, if_short
from builders.release.label_counts import (
    Counts,
    by_split,
    label_counts,
    labels_by_frequency,
    totals_of,
)
from builders.staging.config import StagedConfig
from evaluate_shelf.registry.taxonomy import Taxonomy, load_taxonomy
from evaluate_shelf.release.manifest import SPLITS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# More bars than these can't be told apart in a picture.
_MOST_LABELS = 30
_OTHERS = "others"


class _Counted(NamedTuple):
    config: str
    counts: Counts


def class_balance(
    configs: Sequence[StagedConfig], taxonomy: Taxonomy | None = None, scheme: str = " (LCC)"
) -> Figure | None:
    """Documents of each subject class by split.

    Parameters
    ----------
    configs : sequence of StagedConfig
        Of documents.
    taxonomy : Taxonomy, default=None
        Their labels; those of the installation without it.
    scheme : str, default=" (LCC)"
        Whose classes they are, as it stands at an axis.

    Returns
    -------
    Figure or None
        Its table has a row a config and class, with the documents of each split. None where no
        document has a class.
    """
    counted = _counted(configs, "lcc_code")
    labels = _labels(counted)
    names = {subject.code: subject.name for subject in (taxonomy or load_taxonomy()).classes}
    return _figure(
        counted,
        name="classes",
        title="Documents by subject class",
        what="class",
        alt="Bars of the number of documents in each subject class, parted by split, one panel a "
        "config.",
        panels=[Panel(own.config, partial(_bars, own.counts, labels, False)) for own in counted],
        axes=(f"subject class{scheme}", "documents"),
        named=lambda label: f"{label} {names[label]}" if label in names else label,
    )


def category_balance(configs: Sequence[StagedConfig], scheme: str = " (LCGFT)") -> Figure | None:
    """Documents of each genre and form category by split, as `class_balance` gives them."""
    counted = _counted(configs, "lcgft_category")
    labels = _labels(counted)
    return _figure(
        counted,
        name="categories",
        title="Documents by category of genre and form",
        what="category",
        alt="Bars of the number of documents in each category of genre and form, parted by split, "
        "one panel a config.",
        panels=[Panel(own.config, partial(_bars, own.counts, labels, True)) for own in counted],
        axes=("documents", f"category{scheme}"),
        share_y=True,
    )


def form_balance(configs: Sequence[StagedConfig], scheme: str = " (LCGFT)") -> Figure | None:
    """Documents of each form by split, as `class_balance` gives them."""
    counted = _counted(configs, "lcgft_form")
    return _figure(
        counted,
        name="forms",
        title="Documents by genre and form",
        what="form",
        alt="The number of documents of each form, from the most frequent form to the rarest, one "
        "panel a config.",
        panels=[Panel(own.config, partial(_ranks, own.counts)) for own in counted],
        axes=(f"forms{scheme}, from the most frequent to the rarest", "documents"),
    )


def _counted(configs: Sequence[StagedConfig], column: str) -> list[_Counted]:
    found = (_Counted(config.name, label_counts(config, column)) for config in configs)
    return [own for own in found if totals_of(own.counts)]


def _labels(counted: Sequence[_Counted]) -> list[str]:
    """The labels that the panels have in common, and in their order where they are few."""
    together: Counts = {"train": {}}
    for own in counted:
        for label, documents in totals_of(own.counts).items():
            together["train"][label] = together["train"].get(label, 0) + documents
    if len(together["train"]) <= _MOST_LABELS:
        return sorted(together["train"])
    return [*labels_by_frequency(together)[: _MOST_LABELS - 1], _OTHERS]


def _figure(
    counted: Sequence[_Counted],
    *,
    name: str,
    title: str,
    what: str,
    alt: str,
    panels: Sequence[Panel],
    axes: tuple[str, str],
    share_y: bool = False,
    named: Callable[[str], str] = str,
) -> Figure | None:
    if not counted:
        return None
    rows = [
        (own.config, label, *by_split(own.counts, label))
        for own in counted
        for label in totals_of(own.counts)
    ]
    totals = [totals_of(own.counts) for own in counted]
    header = (what, *(own.config for own in counted))
    shown = [
        (named(label), *(own.get(label, 0) for own in totals))
        for label in sorted(set().union(*totals))
    ]
    return Figure(
        name=name,
        title=title,
        alt=f"{alt} {_range(counted)}",
        csv=csv_bytes(("config", what, *SPLITS), rows),
        png=picture(panels, x=axes[0], y=axes[1], share_y=share_y),
        shown_header=header,
        shown_rows=if_short(header, shown),
        note=left_out([own.config for own in counted]),
    )


def _range(counted: Sequence[_Counted]) -> str:
    said = []
    for own in counted:
        totals = totals_of(own.counts).values()
        least, most = min(totals), max(totals)
        size = f"{least} documents each" if least == most else f"{least} to {most} documents"
        said.append(f"{own.config}: {len(totals)}, of {size}")
    return f"{'; '.join(said)}."


def _bars(counts: Counts, labels: Sequence[str], flat: bool, axes: Axes) -> None:
    named = set(labels)
    parts = []
    for split in SPLITS:
        own = counts.get(split, {})
        rest = sum(documents for label, documents in own.items() if label not in named)
        values = [
            own.get(label, 0) + (rest if label == _OTHERS and number == len(labels) - 1 else 0)
            for number, label in enumerate(labels)
        ]
        parts.append((split, values))
    stacked(axes, labels, iter(parts), flat=flat)


def _ranks(counts: Counts, axes: Axes) -> None:
    totals = totals_of(counts)
    ordered = labels_by_frequency(counts)
    heights = [totals[label] for label in ordered]
    edges = [place + 0.5 for place in range(len(heights) + 1)]
    axes.stairs(heights, edges, fill=True, color=COLOURS[0])
    axes.set_xlim(0.5, len(heights) + 0.5)
    axes.set_ylim(bottom=0)
    round_numbers(axes.xaxis)
    round_numbers(axes.yaxis)
    ends = [f"{short(label)}, {totals[label]:,}" for label in (ordered[0], ordered[-1])]
    axes.text(
        0.98,
        0.98,
        f"most: {ends[0]}\nleast: {ends[1]}",
        ha="right",
        va="top",
        fontsize=9,
        transform=axes.transAxes,
    )
