"""Comparisons of made-up outcomes: what has to come out, and when nothing may."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluate_shelf.comparison.correction import corrected, number_of_tests
from evaluate_shelf.comparison.drafts import Draft, draft_of_mean, draft_of_task
from evaluate_shelf.comparison.entries import Entry
from evaluate_shelf.comparison.outcomes import Grouped
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.statistics.bootstrap import units
from evaluate_shelf.statistics.p_values import student_p
from evaluate_shelf.statistics.sums import mean_sums

SETTINGS = load_protocol().bootstrap


def entry(model: str, values: np.ndarray, groups: list[str]) -> Entry:
    scored = ~np.isnan(values)
    n_units = len({group for group, has in zip(groups, scored, strict=True) if has})
    score = {
        "value": float(values[scored].mean()),
        "low": None,
        "high": None,
        "n": int(scored.sum()),
        "n_units": n_units,
        "unit": "group_id",
    }
    return Entry(model, score, Grouped(mean_sums(values, units(groups)), scored, n_units))


def drafted(values: dict[str, np.ndarray], groups: list[str]) -> Draft:
    entries = [entry(model, own, groups) for model, own in values.items()]
    entries.sort(key=lambda own: -own.score["value"])
    return draft_of_task(entries, "t", SETTINGS)


def singles(n: int) -> list[str]:
    return [f"g{number:03}" for number in range(n)]


@given(st.lists(st.floats(-1, 1), min_size=6, max_size=40))
def test_the_test_of_single_items_is_the_paired_t_test(values: list[float]) -> None:
    difference = np.array(values)
    error = difference.std() / len(difference) ** 0.5
    if error < 1e-6:
        return
    (p,) = student_p(difference.mean(keepdims=True), np.array([error]), len(difference))
    assert p == pytest.approx(stats.ttest_1samp(difference, 0).pvalue, rel=1e-6, abs=1e-12)


def test_a_bootstrap_of_single_items_comes_near_the_t_test() -> None:
    noise = np.random.default_rng(7)
    first, second = noise.uniform(size=(2, 80))
    draft = drafted({"a": first, "b": second}, singles(80))
    expected = stats.ttest_rel(first, second).pvalue
    assert draft.tests.p[0] == pytest.approx(expected, rel=0.15)


def test_equal_models_are_not_told_apart() -> None:
    values = np.random.default_rng(1).uniform(size=40)
    draft = drafted({"a": values, "b": values, "c": values}, singles(40))
    (contest,) = corrected([draft], 0.95)
    assert all((one.value, one.low, one.high) == (0, 0, 0) for one in contest.differences)
    assert all((one.p, one.p_permutation, one.p_holm) == (1, 1, 1) for one in contest.differences)
    assert {one.groups for one in contest.standings} == {("a",)}
    assert {one.rank for one in contest.standings} == {1}
    assert {(one.rank_low, one.rank_high) for one in contest.standings} == {(1, 3)}
    assert {(one.place_low, one.place_high) for one in contest.standings} == {(1, 3)}


def test_a_model_that_is_always_better_is_told_apart() -> None:
    noise = np.random.default_rng(2)
    base = noise.uniform(0, 0.5, size=60)
    values = {"best": base + noise.uniform(0.2, 0.4, size=60), "a": base, "b": base[::-1].copy()}
    (contest,) = corrected([drafted(values, singles(60))], 0.95)
    best, *others = contest.standings
    assert (best.model, best.place_low, best.place_high) == ("best", 1, 1)
    assert (best.rank_low, best.rank_high) == (1, 1)
    assert {(one.place_low, one.place_high) for one in others} == {(2, 3)}
    assert [one.told_apart for one in contest.differences] == [True, True, False]


def test_groups_count_and_not_their_items() -> None:
    """The same outcome ten times over tells no more than once."""
    noise = np.random.default_rng(3)
    first, second = noise.uniform(size=(2, 30))
    once = drafted({"a": first, "b": second}, singles(30))
    tenfold = drafted(
        {"a": first.repeat(10), "b": second.repeat(10)},
        [group for group in singles(30) for _ in range(10)],
    )
    assert tenfold.tests.p == pytest.approx(once.tests.p, rel=1e-9)
    assert tenfold.permutation == pytest.approx(once.permutation, rel=1e-9)
    assert tenfold.differences.low == pytest.approx(once.differences.low, abs=1e-12)


def test_models_that_were_asked_other_queries_exchange_none() -> None:
    values = np.random.default_rng(4).uniform(size=(3, 40))
    values[2, 20:] = np.nan
    draft = drafted({"a": values[0], "b": values[1], "capped": values[2]}, singles(40))
    assert draft.why_no_permutation is not None
    number = {model: place for place, model in enumerate(draft.models)}
    for first, second, p in zip(
        draft.differences.first, draft.differences.second, draft.permutation, strict=True
    ):
        assert (p is None) == (number["capped"] in (first, second))
    # The score of a model is that of its own queries, and so is the difference.
    assert draft.values == pytest.approx(sorted(np.nanmean(values, axis=1), reverse=True))


def test_one_group_bounds_nothing() -> None:
    draft = drafted({"a": np.array([0.9, 0.8]), "b": np.array([0.1, 0.2])}, ["g", "g"])
    (contest,) = corrected([draft], 0.95)
    (one,) = contest.differences
    assert (one.low, one.high, one.p, one.p_holm, one.told_apart) == (None,) * 4 + (False,)
    assert contest.smallest_difference is None
    assert {own.groups for own in contest.standings} == {("a",)}
    assert {(own.rank_low, own.rank_high) for own in contest.standings} == {(None, None)}


@pytest.mark.parametrize(("n", "tested"), [(2, False), (5, False), (6, True)])
def test_a_few_groups_tell_nobody_apart(n: int, tested: bool) -> None:
    better = np.linspace(0.8, 0.9, n)
    draft = drafted({"a": better, "b": better - 0.7 + np.linspace(0, 0.01, n)}, singles(n))
    (contest,) = corrected([draft], 0.95)
    assert (contest.differences[0].p is not None) == tested
    assert contest.differences[0].told_apart == tested
    assert contest.differences[0].low is not None
    assert number_of_tests([draft]) == int(tested)


def test_a_family_is_corrected_as_one() -> None:
    noise = np.random.default_rng(5)
    first, second = noise.uniform(size=(2, 50))
    draft = drafted({"a": first, "b": second}, singles(50))
    alone = corrected([draft], 0.95)[0].differences[0].p_holm
    of_four = [contest.differences[0].p_holm for contest in corrected([draft] * 4, 0.95)]
    assert of_four == pytest.approx([min(1.0, 4 * alone)] * 4)
    untested = drafted({"a": first[:3], "b": second[:3]}, singles(3))
    with_it = corrected([untested, draft], 0.95)
    assert with_it[0].differences[0].p_holm is None
    assert with_it[1].differences[0].p_holm == alone


def test_the_mean_flips_the_signs_of_tasks() -> None:
    scores = np.array([[0.6, 0.5], [0.7, 0.5], [0.4, 0.3], [0.9, 0.6], [0.5, 0.6]])
    draft = draft_of_mean(["a", "b"], list("vwxyz"), scores, SETTINGS)
    differences = scores[:, 0] - scores[:, 1]
    signs = 1 - 2 * ((np.arange(32)[:, None] >> np.arange(5)) & 1)
    as_large = np.abs(signs @ differences) >= abs(differences.sum()) - 1e-12
    assert draft.permutation == pytest.approx([as_large.mean()])
    assert draft.tests.p[0] == pytest.approx(stats.ttest_rel(*scores.T).pvalue)
    assert (draft.unit, draft.n_units) == ("task", 5)


@pytest.mark.parametrize("n_others", [0, 3, 40])
def test_the_smallest_difference_is_what_the_correction_lets_through_first(n_others: int) -> None:
    """A difference of that size, with the error it was found with, has a corrected p of 0.05."""
    noise = np.random.default_rng(6)
    first, second = noise.uniform(size=(2, 70))
    draft = drafted({"a": first, "b": second}, singles(70))
    family = [draft] * (1 + n_others)
    (contest, *_) = corrected(family, 0.95)
    (one,) = contest.differences
    p = student_p(np.array([contest.smallest_difference]), np.array([one.error]), 70)
    assert p[0] * number_of_tests(family) == pytest.approx(0.05, rel=1e-9)
    assert number_of_tests(family) == 1 + n_others
    assert contest.smallest_difference_with_power > contest.smallest_difference


def test_the_mean_s_smallest_difference_is_at_the_level_of_its_own_family() -> None:
    scores = np.random.default_rng(8).uniform(size=(9, 4))
    draft = draft_of_mean(list("abcd"), list("qrstuvwxy"), scores, SETTINGS)
    (contest,) = corrected([draft], 0.95)
    by_place = sorted(range(4), key=lambda model: -draft.values[model])
    of_tasks = [stats.sem(scores[:, a] - scores[:, b]) for a, b in itertools.pairwise(by_place)]
    expected = stats.t.ppf(1 - 0.025 / 6, 8) * np.median(of_tasks)
    assert contest.smallest_difference == pytest.approx(expected)


def test_nothing_is_smallest_where_nothing_is_tested() -> None:
    better = np.linspace(0.8, 0.9, 5)
    draft = drafted({"a": better, "b": better - 0.1 + np.linspace(0, 0.01, 5)}, singles(5))
    (contest,) = corrected([draft], 0.95)
    assert contest.differences[0].low is not None
    assert contest.smallest_difference is None
    assert contest.smallest_difference_with_power is None
