"""How much a table varies, and the interval from it, against drawing it again and again."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ncx2

from builders.independence import spread
from builders.independence.cramers_v import bergsma_v, phi_square
from builders.independence.crossing import Crossing, crossing
from builders.independence.spread import spread_of
from builders.independence.strength import Strength, noncentrality, strength_of

GENERATORS, LABELS, SPECIFICATIONS = 6, 4, 120


def whole(generators=GENERATORS, specifications=SPECIFICATIONS):
    """Every generator writes every specification; labels by turns."""
    groups, names = np.divmod(np.arange(generators * specifications), generators)
    return Crossing(names, groups % LABELS, groups)


def some(own, kept):
    return crossing(*(column[kept] for column in own))


def retained(draws, retention=0.8, pattern=0.0):
    own = whole()
    favoured = (own.generators + own.labels) % 2
    at = retention * (1 + pattern * (2 * favoured - 1))
    return some(own, draws.random(len(own.labels)) < at)


def single(draws):
    """Each specification goes to one generator."""
    size = 400
    return crossing(
        draws.integers(GENERATORS, size=size), draws.integers(LABELS, size=size), np.arange(size)
    )


def test_nothing_varies_where_everything_is_kept():
    own = whole()
    assert spread_of(own).chance == 0
    assert strength_of(own) == Strength(0.0, 0.0, (0.0, 0.0))


@pytest.mark.parametrize("retention", [0.9, 0.6])
def test_chance_is_what_many_drawings_give_on_average(retention):
    draws = np.random.default_rng(1)
    tables = [retained(draws, retention) for _ in range(300)]
    seen = np.mean([phi_square(own.table) for own in tables])
    said = np.mean([spread_of(own).chance for own in tables])
    assert said == pytest.approx(seen, rel=0.05)
    # Only what is rejected differs: far less than independent documents would.
    independent = (GENERATORS - 1) * (LABELS - 1) / len(tables[0].labels)
    assert seen == pytest.approx((1 - retention) * independent, rel=0.15)


def test_one_generator_a_specification_is_what_bergsma_corrects():
    draws = np.random.default_rng(2)
    for _ in range(5):
        own = single(draws)
        assert spread_of(own).chance == pytest.approx(
            (GENERATORS - 1) * (LABELS - 1) / 399, rel=0.05
        )
        found = strength_of(own)
        assert found.value == pytest.approx(found.bergsma, abs=0.02)


def test_the_variance_is_that_of_many_drawings():
    draws = np.random.default_rng(3)
    tables = [retained(draws, 0.6, 0.4) for _ in range(400)]
    seen = np.var([phi_square(own.table) for own in tables])
    said = np.mean([spread_of(own).variance for own in tables])
    assert said == pytest.approx(seen, rel=0.2)


def test_bergsma_hides_a_weak_association_that_the_design_shows():
    draws = np.random.default_rng(4)
    tables = [retained(draws, 0.8, 0.05) for _ in range(40)]
    truth = 0.05 / math.sqrt(LABELS - 1)
    found = [strength_of(own) for own in tables]
    assert np.mean([own.bergsma for own in found]) < truth / 4
    assert np.mean([own.value for own in found]) == pytest.approx(truth, rel=0.25)


@pytest.mark.parametrize("pattern", [0.0, 0.05, 0.15])
def test_intervals_hold_the_true_v(pattern):
    """Of 300, 95 % are 285; fewer than 270 would be a wrong interval."""
    draws = np.random.default_rng(5)
    truth = pattern / math.sqrt(LABELS - 1)
    found = [strength_of(retained(draws, 0.8, pattern)).interval for _ in range(300)]
    assert sum(own.low - 1e-9 <= truth <= own.high + 1e-9 for own in found) >= 270


def brute_force(own, table):
    """The squares of `_squares`, specification by specification and cell by cell."""
    total, squares = table.sum(), 0.0
    rows, columns = table.sum(axis=1) / total, table.sum(axis=0) / total
    for group in range(own.shape[2]):
        here = own.weighted((np.arange(own.shape[2]) == group).astype(float))
        for i, j in np.ndindex(*table.shape):
            added = (
                here[i, j]
                - columns[j] * here[i].sum()
                - rows[i] * here[:, j].sum()
                + rows[i] * columns[j] * here.sum()
            )
            squares += added**2 / (rows[i] * columns[j]) / total**2
    return squares


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 5)), min_size=6, max_size=40
    ),
    st.sampled_from([1, 30, 10_000]),
)
def test_specifications_are_summed_whatever_their_order_and_number_at_a_time(rows, cells):
    own = crossing(*zip(*rows, strict=True))
    expected = brute_force(own, own.table)
    before, spread._CELLS = spread._CELLS, cells
    try:
        assert sum(spread._squares(own, own.table)) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    finally:
        spread._CELLS = before


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 8)), min_size=1, max_size=60
    )
)
def test_any_occurrences_give_a_number_or_a_reason(rows):
    found = strength_of(crossing(*zip(*rows, strict=True)))
    if isinstance(found, str):
        assert found
        return
    assert 0 <= found.bergsma <= 1
    assert (found.value is None) == (found.interval is None)
    if found.value is not None:
        assert 0 <= found.value <= 1
        assert 0 <= found.interval.low <= found.interval.high <= 1


def test_each_generator_with_a_label_of_its_own_has_1():
    names = np.repeat(np.arange(3), 20)
    found = strength_of(crossing(names, names, np.arange(60)))
    assert found.value == pytest.approx(1)
    assert found.bergsma == pytest.approx(1)


@pytest.mark.parametrize(
    ("value", "freedom"), [(19.21, 2), (40.0, 12), (300.0, 280), (420.0, 280), (900.0, 280)]
)
@pytest.mark.parametrize("probability", [0.025, 0.975])
def test_with_its_own_variance_it_is_noncentral_chi_square(value, freedom, probability):
    own = noncentrality(value, freedom, 1.0, probability)
    if own == 0:
        assert ncx2.cdf(value, freedom, 1e-9) <= probability
    else:
        assert ncx2.cdf(value, freedom, own) == pytest.approx(probability, abs=0.008)


def test_too_few_specifications_of_each_label_give_no_interval():
    groups, names = np.divmod(np.arange(40), 2)
    own = crossing(names, groups, groups)
    assert spread_of(own) is None
    assert strength_of(own) == Strength(bergsma_v(own.table), None, None)
