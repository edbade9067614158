"""How often each group counts in each resample, as one matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.statistics.bootstrap import bootstrap_copies
from evaluate_shelf.statistics.streams import stream

Copies = NDArray[np.uint16]
Swaps = NDArray[np.uint8]


def copies_matrix(n_units: int, *, task: str, seed: int, replicates: int) -> Copies:
    """How often each group is drawn in each resample: `bootstrap_copies`, row by row.

    The draws are those that a score's interval comes from, so that the models of a task, their
    scores and their differences are all seen in the same resamples.

    Parameters
    ----------
    n_units : int
        Number of groups.
    task : str
        The task's id, part of the random stream's key.
    seed, replicates : int
        The protocol's seed and number of resamples.

    Returns
    -------
    ndarray of uint16, shape (replicates, n_units)
        Numbers of copies; a row adds up to `n_units`.

    Examples
    --------
    >>> copies_matrix(3, task="t", seed=42, replicates=2).sum(axis=1).tolist()
    [3, 3]
    """
    copies = np.empty((replicates, n_units), dtype=np.uint16)
    for row, drawn in enumerate(
        bootstrap_copies(n_units, task=task, seed=seed, replicates=replicates)
    ):
        copies[row] = drawn
    return copies


def swaps_matrix(n_units: int, *, task: str, seed: int, replicates: int) -> Swaps:
    """Whether two models' items of a group are swapped in each permutation, by fair coins.

    Parameters
    ----------
    n_units, task, seed, replicates
        As for `copies_matrix`; the coins have a stream of their own. More permutations begin with
        the same ones.

    Returns
    -------
    ndarray of uint8, shape (replicates, n_units)
        1 where the group is swapped.

    Examples
    --------
    >>> swaps_matrix(3, task="t", seed=42, replicates=2).shape
    (2, 3)
    """
    width = -(-n_units // 8)
    coins = stream(seed, task, "swaps").bytes(replicates * width)
    rows = np.frombuffer(coins, dtype=np.uint8).reshape(replicates, width)
    return np.unpackbits(rows, axis=1, count=n_units)


def all_swaps(n_units: int) -> Swaps:
    """Every way to swap groups or not, up to swapping all of them, the unswapped one first.

    Swapping all the groups gives two models' difference the other sign and no other size; so the
    last group stays.

    Returns
    -------
    ndarray of uint8, shape (2 ** (n_units - 1), n_units)

    Examples
    --------
    >>> all_swaps(3).tolist()
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
    >>> all_swaps(0).shape
    (1, 0)
    """
    patterns = np.arange(2 ** max(n_units - 1, 0))
    return ((patterns[:, None] >> np.arange(n_units)) & 1).astype(np.uint8)
