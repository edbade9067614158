"""How hard a document is for a probe that knows its words alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.diagnostics.breakdown.lexical_probe import LexicalProbe
from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.formulations.data import label_names, numbered
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.release.documents import Documents

LEVELS = ("hard", "medium", "easy")


class Labelled(NamedTuple):
    """Documents, and the label of each, None where it has none."""

    documents: Documents
    labels: Sequence[str | None]

    def known(self) -> tuple[list[int], list[str]]:
        """Positions and labels of the documents that have one."""
        pairs = [(row, label) for row, label in enumerate(self.labels) if label]
        return [row for row, _ in pairs], [label for _, label in pairs]


def margins_of(
    learned: Labelled, asked: Labelled, protocol: Protocol, place: str
) -> NDArray[np.float64]:
    """Margin of documents under a lexical probe.

    Parameters
    ----------
    learned, asked : Labelled
        What the probe is fitted on, and what it tells. Documents without a label are neither
        learned from nor told.
    protocol : Protocol
        Settings of TF-IDF and of the probe.
    place : str
        What is learned from, for the message.

    Returns
    -------
    ndarray of float64, shape (n_asked,)
        NaN for a document without a label. A label that is not learned has probability 0.

    Raises
    ------
    UnsupportedError
        If there is one label only to learn.
    """
    rows, labels = learned.known()
    asked_rows, gold = asked.known()
    if not labels:
        raise UnsupportedError(f"{place}: no document has a label to learn")
    names = label_names(labels, place)
    texts = (
        learned.documents.take(rows).column("text"),
        asked.documents.take(asked_rows).column("text"),
    )
    margins = np.full(len(asked.labels), np.nan)
    if gold:
        probe = LexicalProbe(*texts, protocol)
        probabilities, _ = probe.probabilities(numbered(labels, names), len(names))
        margins[asked_rows] = margins_in(probabilities, numbered(gold, names))
    return margins


def margins_in(probabilities: NDArray[np.float64], gold: NDArray[np.intp]) -> NDArray[np.float64]:
    """Probability of the true label less the largest of another one.

    Parameters
    ----------
    probabilities : ndarray of float64, shape (n, n_labels)
    gold : ndarray of int, shape (n,)
        Numbers of the true labels; `n_labels` for one that no training document has.

    Examples
    --------
    >>> margins_in(np.array([[0.7, 0.3], [0.7, 0.3], [0.5, 0.5]]), np.array([0, 1, 2])).round(1)
    array([ 0.4, -0.4, -0.5])
    """
    own = np.column_stack([probabilities, np.zeros(len(gold))])
    rows = np.arange(len(gold))
    true = own[rows, gold]
    own[rows, gold] = -np.inf
    margins: NDArray[np.float64] = true - own.max(axis=1)
    return margins


def levels_of(
    margins: NDArray[np.float64], among: NDArray[np.float64] | None = None
) -> NDArray[np.int8]:
    """Number of each document's level in `LEVELS`, -1 where it has no margin.

    Hard is a margin below 0 or up to the lower tercile, easy one from the upper tercile on. A
    document that is both is hard.

    Parameters
    ----------
    margins : ndarray of float64, shape (n,)
    among : ndarray of float64, default=margins
        What the terciles are of; a NaN counts for none.

    Examples
    --------
    >>> levels_of(np.array([0.1, 0.5, 0.9, np.nan])).tolist()
    [0, 1, 2, -1]
    >>> levels_of(np.array([-0.3, -0.2, -0.1, 0.9])).tolist()
    [0, 0, 0, 2]
    """
    known = ~np.isnan(margins)
    of = margins if among is None else among
    levels = np.full(len(margins), -1, dtype=np.int8)
    if not known.any() or np.isnan(of).all():
        return levels
    lower, upper = np.nanquantile(of, [1 / 3, 2 / 3])
    levels[known] = 1
    levels[known & (margins >= upper)] = 2
    levels[known & ((margins < 0) | (margins <= lower))] = 0
    return levels
