"""Bergsma's V against scipy, against sums by hand, and in what must hold of any table."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chi2_contingency
from scipy.stats.contingency import association

from builders.independence.cramers_v import bergsma_v, phi_square, why_undefined, without_empty

TABLES = arrays(
    np.int64,
    st.tuples(st.integers(1, 6), st.integers(1, 6)),
    elements=st.one_of(st.just(0), st.integers(0, 500)),
)


def by_definition(table):
    """Bergsma's formula in exact fractions, from its definition."""
    rows, columns = table.shape
    n = int(table.sum())
    phi = -Fraction(1)
    for i in range(rows):
        for j in range(columns):
            both = int(table[i].sum()) * int(table[:, j].sum())
            phi += Fraction(int(table[i, j]) ** 2, both)
    excess = max(Fraction(0), phi - Fraction((rows - 1) * (columns - 1), n - 1))
    sizes = [size - Fraction((size - 1) ** 2, n - 1) for size in (rows, columns)]
    return math.sqrt(excess / (min(sizes) - 1))


@pytest.mark.parametrize(
    ("table", "square"),
    [
        # phi 4/100; (4/100 - 1/99) / (1 - 1/99)
        ([[20, 30], [30, 20]], (Fraction(4, 100) - Fraction(1, 99)) / (1 - Fraction(1, 99))),
        # phi 20/120; (1/6 - 2/119) / (1 - 1/119)
        ([[10, 20, 30], [30, 20, 10]], Fraction(107, 708)),
    ],
)
def test_worked_by_hand(table, square):
    assert bergsma_v(np.array(table)) == pytest.approx(math.sqrt(square), rel=1e-12)


@given(TABLES)
def test_phi_square_is_scipys_and_v_its_definition(table):
    if why_undefined(table) is not None:
        return
    own = without_empty(table)
    chi_square = chi2_contingency(own, correction=False).statistic
    assert phi_square(own) == pytest.approx(chi_square / own.sum(), rel=1e-9, abs=1e-12)
    uncorrected = math.sqrt(phi_square(own) / (min(own.shape) - 1))
    assert uncorrected == pytest.approx(association(own, method="cramer"), rel=1e-9, abs=1e-8)
    assert bergsma_v(table) == pytest.approx(min(1.0, by_definition(own)), rel=1e-7, abs=1e-7)


@given(TABLES, st.randoms(use_true_random=False))
def test_order_and_empty_rows_play_no_part(table, random):
    if why_undefined(table) is not None:
        return
    rows, columns = list(range(table.shape[0])), list(range(table.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    moved = np.pad(table[rows][:, columns], ((0, 1), (0, 1)))
    assert bergsma_v(moved) == pytest.approx(bergsma_v(table), abs=1e-7)
    assert bergsma_v(table.T) == pytest.approx(bergsma_v(table), abs=1e-7)


@given(TABLES)
def test_always_a_number_from_0_to_1_or_a_reason(table):
    reason = why_undefined(table)
    if reason is None:
        assert 0 <= bergsma_v(table) <= 1
    else:
        assert reason
        assert min(without_empty(table).shape) < 2 or table.sum() <= max(without_empty(table).shape)


@given(
    arrays(np.int64, st.integers(2, 5), elements=st.integers(1, 20)),
    arrays(np.int64, st.integers(2, 5), elements=st.integers(1, 20)),
)
def test_independent_tables_have_0(rows, columns):
    assert bergsma_v(np.outer(rows, columns)) == 0


@pytest.mark.parametrize("size", [2, 5, 15])
def test_a_diagonal_has_1(size):
    assert bergsma_v(7 * np.eye(size, dtype=int)) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (np.zeros((0, 0)), "no document"),
        (np.zeros((3, 3)), "no document"),
        ([[3, 4, 5]], "one generator alone"),
        ([[3, 4], [0, 0]], "one generator alone"),
        ([[3], [4]], "one value alone"),
        (np.eye(4), "no more occurrences than values or generators"),
    ],
)
def test_says_why_it_is_not_defined(table, reason):
    assert why_undefined(np.asarray(table)) == reason
