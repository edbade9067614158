"""Published minimal pairs, of which both documents are taken over or none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from builders.published.findings import Finding, Findings
from builders.published.index import Index

_WHOLE = "a, b"
_LONGEST_ROLES = 30
_IN_NONE = Finding("dropped, it is of no minimal pair", "pair_id")
_BROKEN = Finding(
    "dropped, its minimal pair is not, or no longer, one document a and one b", "pair_id"
)


def roles_of_pairs(pairs: Sequence[str], roles: Sequence[str | None]) -> dict[str, str]:
    """The roles of each pair's documents, in words.

    Examples
    --------
    >>> roles_of_pairs(["p", "q", "p", "r", "r"], ["b", "a", "a", "a", None])
    {'p': 'a, b', 'q': 'a', 'r': 'a, none'}
    """
    found: dict[str, list[str]] = {}
    for pair, role in zip(pairs, roles, strict=True):
        found.setdefault(pair, []).append(role or "none")
    return {pair: ", ".join(sorted(own))[:_LONGEST_ROLES] for pair, own in found.items()}


def without_broken_pairs(index: Index, pairs: pa.Array, findings: Findings) -> Index:
    """Drop documents without their counterpart, counted by pair and by the roles that it has.

    Parameters
    ----------
    index : Index
        Published rows with `pair_role`, without those that are dropped for another reason.
    pairs : pyarrow.Array of string, shape (n_kept,)
        The pair of each row that is taken over; null for a row that is of none.
    findings : Findings
        Where the rows are counted.

    Returns
    -------
    Index
        Each pair in it is one document in role `a` and one in role `b`.
    """
    index = index.without(
        np.asarray(pc.is_null(pairs)), pa.repeat("", len(pairs)), _IN_NONE, findings
    )
    names = pairs.drop_null().to_pylist()
    roles = roles_of_pairs(names, index.column("pair_role").to_pylist())
    broken = np.array([roles[name] != _WHOLE for name in names], np.bool_)
    told = pa.array([f"{roles[name]} of {name}" for name in names], pa.string())
    return index.without(broken, told, _BROKEN, findings)
