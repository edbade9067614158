"""Random streams that depend on what they are for, never on what ran before them."""

from __future__ import annotations

import hashlib

import numpy as np


def stream(seed: int, *keys: str | int) -> np.random.Generator:
    """Random generator of a (seed, task, replicate, ...) key.

    Parameters
    ----------
    seed : int
        The protocol's seed.
    *keys : str or int
        What the stream is for, for example the task's id and the replicate's number.

    Returns
    -------
    numpy.random.Generator
        The same for the same keys, in any process and any order.

    Examples
    --------
    >>> a = stream(42, "lcc_retrieval", 7).integers(1000)
    >>> bool(a == stream(42, "lcc_retrieval", 7).integers(1000))
    True
    """
    # The unit separator keeps ("ab", "c") apart from ("a", "bc").
    text = "\x1f".join(str(key) for key in (seed, *keys))
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big")))
