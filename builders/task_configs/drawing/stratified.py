"""Pairs by the strata of the relation ladder, every document at most once."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from builders.task_configs.drawing.buckets import Budget, bucket_pairs, one_each
from builders.task_configs.drawing.hashed import Codes, Flags, HashStream, mixed
from builders.task_configs.drawing.places import (
    OTHER_CLASS,
    SAME_CLASS,
    affordable,
    class_sizes,
    number,
    planned_places,
    share_of,
)
from builders.task_configs.drawing.quotas import in_proportion, shared_out, water_filled
from builders.task_configs.drawing.record import (
    Conflict,
    Drawn,
    Pairs,
    joined,
    left_out,
    no_pairs,
    recorded,
)
from builders.task_configs.drawing.regular import regular_pairs
from builders.task_configs.drawing.scattered import scattered_pairs
from builders.task_configs.drawing.selection import chosen, matchable
from builders.task_configs.drawing.sides import Sides
from builders.task_configs.drawing.strata import STRATA, strata_of

BALANCED: Mapping[int, int] = MappingProxyType({0: 0, 1: 0, 2: 4, 3: 1, 4: 1, 5: 1, 6: 1})
"""Half of the pairs S2, the other half evenly S3 to S6."""

BALANCED_WITH_SUBCLASSES: Mapping[int, int] = MappingProxyType(
    {0: 4, 1: 4, 2: 4, 3: 3, 4: 3, 5: 3, 6: 3}
)
"""Half of the pairs evenly S0 to S2, the other half evenly S3 to S6."""

_TRIES = 6


def stratified_pairs(
    sides: Sides,
    *,
    wanted: int,
    shares: Mapping[int, int] = BALANCED,
    seed: int,
    key: str,
) -> Drawn:
    """Draw pairs of each stratum of the relation ladder, every document at most once.

    A class has as many places in pairs of one class (S0 to S2) as in pairs of two (S3 to S6),
    where these are wanted in equal number, so that a document's class does not tell its label.

    Parameters
    ----------
    sides : Sides
        The split's documents. One without a class is not used.
    wanted : int
        Pairs of all strata.
    shares : mapping of int to int
        Shares of the strata 0 to 6; one that is left out has none.
    seed : int
        The build's seed.
    key : str
        What is drawn: config and split.

    Returns
    -------
    Drawn
        The level of a pair is its stratum. Rarer strata are filled before common ones. Where the
        documents do not suffice for all pairs, all strata are cut in proportion; where a stratum
        cannot be filled, it stays short. The record counts subject classes.

    Raises
    ------
    ValueError
        If `wanted` is negative, or a stratum is not 0 to 6.
    """
    if wanted < 0 or set(shares) - set(range(len(STRATA))):
        raise ValueError("wanted must not be negative, and strata are 0 to 6")
    shares = {stratum: shares.get(stratum, 0) for stratum in range(len(STRATA))}
    stream = HashStream(seed, key, "stratified pairs")
    usable = sides.lcc >= 0
    full = shared_out(wanted, shares)
    quotas = shared_out(affordable(sides, wanted, shares), shares)
    pairs = _pairs(sides, quotas, usable.copy(), stream)
    return recorded(
        pairs,
        wanted=full,
        reasons={
            stratum: _reason(sides, stratum, quotas, full[stratum], len(pairs[stratum]))
            for stratum in full
        },
        classes=sides.lcc,
        cap=1,
        stream=stream,
        notes=left_out(~usable, "have no class"),
    )


def _pairs(
    sides: Sides, quotas: Mapping[int, int], free: Flags, stream: HashStream
) -> dict[int, Pairs]:
    """The pairs of every stratum; documents are struck out of `free`."""
    same, other = planned_places(sides, quotas, stream)
    alike, unlike = Budget(sides.lcc, same.copy()), Budget(sides.lcc, other.copy())
    pairs: dict[int, Pairs] = {}

    def draw(stratum: int, kind: tuple[int, ...], places: Codes, budget: Budget) -> None:
        part = share_of(places, quotas[stratum], number(quotas, kind))
        pairs[stratum] = _rare_pairs(sides, stratum, quotas[stratum], free, part, budget, stream)

    for stratum in (0, 1):
        draw(stratum, SAME_CLASS, same, alike)
    for stratum in _rarest_first(sides, quotas, free):
        draw(stratum, OTHER_CLASS, other, unlike)
    pairs[2] = _class_pairs(sides, quotas[2], free, same, same - alike.left, stream)
    pairs[6] = _unrelated_pairs(sides, quotas, free, pairs, stream)
    return pairs


def _rarest_first(sides: Sides, quotas: Mapping[int, int], free: Flags) -> list[int]:
    """S3 to S5, that with the fewest candidates for each pair that is wanted first."""

    def candidates(stratum: int) -> int:
        keys, _ = _buckets(sides, stratum, free)
        sizes = np.unique(keys, return_counts=True)[1]
        return int((sizes * (sizes - 1) // 2).sum()) // max(quotas[stratum], 1)

    return sorted((3, 4, 5), key=candidates)


def _rare_pairs(
    sides: Sides,
    stratum: int,
    quota: int,
    free: Flags,
    part: Codes,
    budget: Budget,
    stream: HashStream,
) -> Pairs:
    """Pairs of a stratum whose documents have a label in common.

    At first no class gets more than its share of the stratum, and documents of many topics are
    no more likely than others; then, if pairs are missing, both may be.
    """
    if not quota:
        return no_pairs()
    entries = _buckets(sides, stratum, free)

    def found(keys: Codes, documents: Codes, missing: int, limits: Budget) -> Pairs:
        return bucket_pairs(
            keys,
            documents,
            free=free,
            conflict=_not_of(sides, stratum),
            quota=missing,
            stream=stream,
            budget=limits,
        )

    limits = Budget(sides.lcc, np.minimum(part, budget.left))
    even = found(*one_each(*entries, stream), quota, limits)
    budget.take(even)
    return joined([even, found(*entries, quota - len(even), budget)])


def _not_of(sides: Sides, stratum: int) -> Conflict:
    """Whether pairs are of another stratum, or of one group."""

    def conflict(first: Codes, second: Codes) -> Flags:
        other: Flags = strata_of(sides, first, second) != stratum
        return other | sides.same_group(first, second)

    return conflict


def _buckets(sides: Sides, stratum: int, free: Flags) -> tuple[Codes, Codes]:
    """Free documents, with keys that are the same for the documents of a pair of the stratum."""
    documents = np.flatnonzero(free)
    if stratum == 5:
        return sides.topics.subsets(1, documents)
    column = {0: sides.subclass, 1: sides.subclass, 3: sides.form, 4: sides.category}[stratum]
    if column is None:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    documents = documents[column[documents] >= 0]
    if stratum:
        return column[documents], documents
    documents = documents[(sides.form[documents] >= 0) & (sides.topics.counts[documents] > 0)]
    labels = column[documents] * (int(sides.form.max()) + 1) + sides.form[documents]
    hashes = sides.topics.set_hashes()[documents] + mixed(labels.astype(np.uint64))
    return hashes.view(np.int64), documents


def _class_pairs(
    sides: Sides,
    quota: int,
    free: Flags,
    places: Codes,
    used: Codes,
    stream: HashStream,
) -> Pairs:
    """Pairs of S2, which divide those of S0 to S2 over the classes as was planned."""
    # Two documents of one subclass would be of S1.
    units = sides.group if sides.subclass is None else _or_own(sides.subclass)
    found: list[Pairs] = []
    for attempt in range(_TRIES):
        missing = quota - sum(map(len, found))
        if not missing:
            break
        # Where a class cannot have its part, others get more, up to their places.
        most = places // 2 if attempt else in_proportion(places, int(used.sum()) // 2 + missing)
        capacity = np.minimum(
            matchable(sides.lcc, units, free, 1) // 2, np.maximum(most - used // 2, 0)
        )
        quotas = 2 * water_filled(capacity, missing, stream)
        hashes = stream.hashes(len(sides))
        documents = chosen(sides.lcc, units, free, quotas, 1, hashes)
        if not len(documents):
            continue
        pairs, wrong = regular_pairs(documents, sides.lcc[documents], 1, _not_of(sides, 2), stream)
        good = pairs.where(~wrong)
        free[good.documents] = False
        used = used + class_sizes(sides, good.documents)
        found.append(good)
    return joined(found)


def _or_own(codes: Codes) -> Codes:
    """Codes, with one of its own for every document that has none."""
    own = codes.max(initial=-1) + 1 + np.arange(len(codes))
    return np.where(codes < 0, own, codes)


def _unrelated_pairs(
    sides: Sides,
    quotas: Mapping[int, int],
    free: Flags,
    pairs: Mapping[int, Pairs],
    stream: HashStream,
) -> Pairs:
    """Pairs of S6, which make the places of the classes in pairs of two match those of one."""
    same, other = (
        class_sizes(sides, joined([pairs[stratum] for stratum in strata]).documents)
        for strata in (SAME_CLASS, (3, 4, 5))
    )
    budget = None
    if number(quotas, SAME_CLASS):
        whole = 2 * number(quotas, OTHER_CLASS)
        budget = Budget(
            sides.lcc, np.maximum(-(-same * whole // max(int(same.sum()), 1)) - other, 0)
        )
    return scattered_pairs(
        free, conflict=_not_of(sides, 6), quota=quotas[6], stream=stream, budget=budget
    )


def _reason(sides: Sides, stratum: int, quotas: Mapping[int, int], wanted: int, found: int) -> str:
    usable = int((sides.lcc >= 0).sum())
    reasons = []
    if quotas[stratum] < wanted:
        reasons.append(
            f"{usable} documents have a class, each is used once, and all strata are cut alike "
            f"(to {quotas[stratum]} here)"
        )
    if found < quotas[stratum]:
        reasons.append(_lack(sides, stratum))
    return "; ".join(reasons)


def _lack(sides: Sides, stratum: int) -> str:
    """Why documents for a stratum are lacking."""
    has_topic = np.where(sides.topics.counts > 0, 0, -1)
    columns = {
        "subclass": (sides.subclass, (0, 1)),
        "form": (sides.form, (0, 3)),
        "category": (sides.category, (4,)),
        "topic": (has_topic, (0, 5)),
    }
    for name, (column, strata) in columns.items():
        if stratum in strata and (column is None or not (column >= 0).any()):
            return f"no document has a {name}"
    if len(np.unique(sides.lcc[sides.lcc >= 0])) < 2:
        return "all documents are of one class"
    if not matchable(sides.lcc, sides.group, sides.lcc >= 0, 1).any():
        return "no class has documents of two groups, and so no class has places in pairs"
    return (
        f"no further two free documents of different groups are of this stratum "
        f"({STRATA[stratum]}) within the quotas of their classes"
    )
