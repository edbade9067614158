"""Holm's correction against its definition step by step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_shelf.statistics.holm import holm, least_replicates

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def rejected(p: list[float], alpha: float) -> set[int]:
    """Which tests Holm's procedure rejects at a level, one after another."""
    out: set[int] = set()
    for step, number in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        if p[number] * (len(p) - step) > alpha:
            break
        out.add(number)
    return out


@given(P_VALUES, st.floats(0.001, 0.999))
def test_adjusted_values_reject_what_the_procedure_rejects(p: list[float], alpha: float) -> None:
    adjusted = holm(np.array(p))
    assert {int(i) for i in np.flatnonzero(adjusted <= alpha)} == rejected(p, alpha)


@given(P_VALUES)
def test_adjusted_values_lie_between_the_raw_ones_and_bonferroni_s(p: list[float]) -> None:
    raw, adjusted = np.array(p), holm(np.array(p))
    assert (adjusted >= raw).all()
    assert (adjusted <= np.minimum(raw * len(p), 1)).all()
    assert (np.diff(adjusted[np.argsort(raw, kind="stable")]) >= 0).all()


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan")])
def test_what_is_no_p_value_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="p-value"):
        holm(np.array([0.5, bad]))


@given(st.integers(1, 5000), st.sampled_from([0.05, 0.01, 0.1]), st.sampled_from([1, 2]))
def test_least_replicates_are_the_fewest_that_can_pass(n: int, alpha: float, least: int) -> None:
    needed = least_replicates(n, alpha, least=least)
    assert n * least / (needed + 1) <= alpha * (1 + 1e-9)
    assert n * least / needed > alpha * (1 - 1e-9)
