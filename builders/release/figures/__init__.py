"""Figures of a release: what the build counted, as tables and, with matplotlib, as pictures."""

from __future__ import annotations

from collections.abc import Sequence

from builders.release.figures.balance import category_balance, class_balance, form_balance
from builders.release.figures.drawing import PICTURES_MISSING, has_matplotlib
from builders.release.figures.figure import Figure
from builders.release.figures.generators import generator_shares
from builders.release.figures.label_signal import LabelSignal, label_signal_figure
from builders.release.figures.length import length_figure
from builders.release.origins import documents_of
from builders.staging.config import StagedConfig
from builders.taxonomies.foreign import ForeignLabels
from evaluate_shelf.registry.taxonomy import Taxonomy

__all__ = ["Figure", "LabelSignal", "figure_files", "figures", "figures_of"]


def figures(configs: Sequence[StagedConfig], label_signal: LabelSignal) -> dict[str, bytes]:
    """The files of all figures of a release.

    Parameters
    ----------
    configs : sequence of StagedConfig
        The release's.
    label_signal : mapping of str to mapping of str to tuple of float and float
        By config and facet, the share of the documents that contain the name of their own label:
        in the full text, and in the first 200 words. May be empty.

    Returns
    -------
    dict of str to bytes
        `figures/NAME.csv` and, with matplotlib, `figures/NAME.png`. The same inputs give the same
        bytes; those of a picture depend on matplotlib's version.
    """
    return figure_files(figures_of(configs, label_signal))


def figures_of(
    configs: Sequence[StagedConfig],
    label_signal: LabelSignal,
    taxonomy: Taxonomy | None = None,
    foreign: Sequence[ForeignLabels] = (),
) -> tuple[Figure, ...]:
    """The figures that a release has data for, as `figures` takes them.

    Parameters
    ----------
    configs, label_signal
        As for `figures`.
    taxonomy : Taxonomy, default=None
        Its labels, which name classes; those of the installation without it.
    foreign : sequence of ForeignLabels, default=()
        Those of them that are not SHELF's.
    """
    if not has_matplotlib():
        from evaluate_shelf.cli.terminal import say

        say(PICTURES_MISSING)
    documents = documents_of(configs)
    imported = {own.facet for own in foreign}
    forms = "" if "forms" in imported else " (LCGFT)"
    drawn = (
        length_figure(documents),
        class_balance(documents, taxonomy, scheme="" if "subject" in imported else " (LCC)"),
        category_balance(documents, scheme=forms),
        form_balance(documents, scheme=forms),
        generator_shares(documents),
        label_signal_figure(label_signal),
    )
    return tuple(figure for figure in drawn if figure is not None)


def figure_files(drawn: Sequence[Figure]) -> dict[str, bytes]:
    """The files of some figures by their paths in the release folder."""
    files: dict[str, bytes] = {}
    for figure in drawn:
        files[figure.table_path] = figure.csv
        if figure.png is not None:
            files[figure.picture_path] = figure.png
    return files
