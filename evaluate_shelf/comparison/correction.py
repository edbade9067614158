"""From drafts to contests: Holm's correction over a family, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.comparison.drafts import Draft
from evaluate_shelf.comparison.results import Contest, Difference, Standing
from evaluate_shelf.statistics.holm import holm
from evaluate_shelf.statistics.model_pairs import all_pairs, square
from evaluate_shelf.statistics.ranks import (
    ranks_by_tests,
    smallest_resolvable_difference,
    tie_groups,
    tie_letters,
)

_POWER = 0.8


def number_of_tests(drafts: Sequence[Draft]) -> int:
    """How many tests the correction of these drafts is over."""
    return sum(len(draft.tests.p) for draft in drafts if draft.tests is not None)


def corrected(drafts: Sequence[Draft], level: float) -> list[Contest]:
    """Correct the p-values of all drafts together, and tell which models are told apart.

    Parameters
    ----------
    drafts : sequence of Draft
        One family of tests.
    level : float
        Coverage; models are told apart at one minus it.

    Returns
    -------
    list of Contest
        In the order of the drafts.
    """
    p_values = [np.empty(0) if draft.tests is None else draft.tests.p for draft in drafts]
    ends = np.cumsum([len(p) for p in p_values])[:-1]
    adjusted = np.split(holm(np.concatenate(p_values)), ends)
    # What Holm's method asks of the least p-value.
    first_alpha = (1 - level) / max(1, number_of_tests(drafts))
    return [
        _contest(draft, own, level, first_alpha)
        for draft, own in zip(drafts, adjusted, strict=True)
    ]


def _contest(
    draft: Draft, adjusted: NDArray[np.float64], level: float, first_alpha: float
) -> Contest:
    pairs = all_pairs(len(draft.models))
    first, second = np.array(pairs, dtype=np.intp).T
    apart = adjusted <= 1 - level if len(adjusted) else np.zeros(len(pairs), dtype=bool)
    differ = square(first, second, apart.astype(np.float64)) > 0
    found = draft.differences
    return Contest(
        unit=draft.unit,
        n_units=draft.n_units,
        n_undefined=0 if found is None else found.n_undefined,
        standings=tuple(_standings(draft, differ)),
        differences=tuple(
            _difference(draft, number, pair, adjusted, bool(apart[number]))
            for number, pair in enumerate(pairs)
        ),
        smallest_difference=_smallest(draft, first_alpha),
        smallest_difference_with_power=_smallest(draft, first_alpha, _POWER),
        why_no_permutation=draft.why_no_permutation,
    )


def _standings(draft: Draft, differ: NDArray[np.bool_]) -> list[Standing]:
    values = draft.values
    places = ranks_by_tests(values, differ)
    letters = tie_letters(tie_groups(values, differ), len(values))
    return [
        Standing(
            model=model,
            value=value,
            low=low,
            high=high,
            n=n,
            rank=1 + int((values > value).sum()),
            rank_low=None if draft.ranks is None else int(draft.ranks.low[number]),
            rank_high=None if draft.ranks is None else int(draft.ranks.high[number]),
            place_low=int(places.low[number]),
            place_high=int(places.high[number]),
            groups=tuple(letters[number].split()),
        )
        for number, (model, (value, low, high, n)) in enumerate(
            zip(draft.models, draft.scores, strict=True)
        )
    ]


def _difference(
    draft: Draft,
    number: int,
    pair: tuple[int, int],
    adjusted: NDArray[np.float64],
    told_apart: bool,
) -> Difference:
    found, tests = draft.differences, draft.tests
    first, second = pair
    return Difference(
        first=draft.models[first],
        second=draft.models[second],
        value=float(draft.values[first] - draft.values[second]),
        low=None if found is None else float(found.low[number]),
        high=None if found is None else float(found.high[number]),
        error=None if found is None else float(found.error[number]),
        p=None if tests is None else float(tests.p[number]),
        p_bootstrap=None if draft.p_bootstrap is None else float(draft.p_bootstrap[number]),
        p_permutation=draft.permutation[number],
        p_holm=None if tests is None else float(adjusted[number]),
        told_apart=told_apart,
    )


def _smallest(draft: Draft, alpha: float, power: float | None = None) -> float | None:
    if draft.tests is None:
        return None
    first, second = np.array(all_pairs(len(draft.models)), dtype=np.intp).T
    return smallest_resolvable_difference(
        draft.values,
        square(first, second, draft.tests.error),
        alpha=alpha,
        freedom=draft.tests.freedom,
        power=power,
    )
