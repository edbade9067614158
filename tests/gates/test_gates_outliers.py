"""Generators that stand out: found where they are, and not by chance."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_gate_tables import gate_table_of
from scipy.stats import binom, binomtest, fisher_exact, hypergeom

from builders.gates import outliers as outliers_module
from builders.gates.outliers import is_far, outliers
from builders.gates.rates_words import verdict
from builders.gates.stratified import SMALLEST_P, Counts, exact_p
from builders.gates.table import GATE_TABLE


def counts_of(*strata):
    return Counts(*(np.array(own) for own in zip(*strata, strict=True)))


# The test


@given(st.data())
def test_of_one_stratum_it_is_fishers(data):
    items = data.draw(st.integers(2, 60))
    marked, own = data.draw(st.integers(0, items)), data.draw(st.integers(0, items))
    hits = data.draw(st.integers(max(0, own + marked - items), min(own, marked)))
    table = [[hits, own - hits], [marked - hits, items - own - marked + hits]]
    assert exact_p(counts_of((items, marked, own, hits))) == pytest.approx(
        max(SMALLEST_P, fisher_exact(table)[1]), rel=1e-6
    )


@given(st.integers(0, 40), st.integers(0, 40))
def test_of_pairs_it_is_mcnemars(first, second):
    strata = [(2, 1, 1, 1)] * first + [(2, 1, 1, 0)] * second + [(2, 2, 1, 1), (2, 0, 1, 0)]
    expected = binomtest(first, first + second).pvalue if first + second else 1.0
    assert exact_p(counts_of(*strata)) == pytest.approx(expected)


def dealt(items, marked, own):
    """How often each count is the group's, over all ways to deal a stratum's marks out."""
    ways = [
        sum(place < own for place in way) for way in itertools.combinations(range(items), marked)
    ]
    return {hits: ways.count(hits) / len(ways) for hits in set(ways)}


@settings(max_examples=40)
@given(st.data())
def test_of_some_strata_it_counts_every_way_to_deal_the_marks_out(data):
    strata = []
    for _ in range(data.draw(st.integers(1, 4))):
        items = data.draw(st.integers(1, 6))
        marked, own = data.draw(st.integers(0, items)), data.draw(st.integers(0, items))
        hits = data.draw(st.sampled_from(sorted(dealt(items, marked, own))))
        strata.append((items, marked, own, hits))
    chances: dict[int, float] = {}
    for way in itertools.product(*(dealt(*own[:3]).items() for own in strata)):
        total = sum(hits for hits, _ in way)
        chances[total] = chances.get(total, 0.0) + math.prod(chance for _, chance in way)
    seen = chances[sum(own[3] for own in strata)]
    expected = sum(chance for chance in chances.values() if chance <= seen * (1 + 1e-7))
    assert exact_p(counts_of(*strata)) == pytest.approx(expected)


def test_it_does_not_lose_itself_in_large_counts():
    one = counts_of((62_899, 3_100, 4_193, 250))
    table = [[250, 3_943], [2_850, 55_856]]
    assert exact_p(one) == pytest.approx(fisher_exact(table)[1], rel=1e-6)
    many = counts_of(*[(15, 3, 1, int(number < 900)) for number in range(4_000)])
    low = binom.cdf(700, 4_000, 0.2)
    found = exact_p(counts_of(*[(15, 3, 1, int(number < 700)) for number in range(4_000)]))
    assert low < found < 2.1 * low
    assert exact_p(many) < 1e-3
    assert exact_p(counts_of((9_000, 4_500, 4_500, 4_500))) == SMALLEST_P
    assert hypergeom.pmf(4_500, 9_000, 4_500, 4_500) < SMALLEST_P


# What is flagged


def corpus(generators, specs, rates, seed, gate="G4", alike=0.0):
    """Every generator's documents of the same specifications, refused at a rate of its own."""
    rng = np.random.default_rng(seed)
    hard = rng.random(specs) < alike
    models, ids, flags = [], [], []
    for number in range(generators):
        rate = rates.get(number, rates[None])
        models += [f"g{number:02}"] * specs
        ids += [f"s{spec}" for spec in range(specs)]
        flags += ((rng.random(specs) < rate) | hard).tolist()
    return gate_table_of(models, ids, {gate: flags})


def test_a_generator_that_a_gate_refuses_far_more_often_is_found_and_no_other():
    found = outliers(corpus(15, 300, {3: 0.25, None: 0.04}, seed=1))
    [own] = found.found
    assert (own.generator, own.gate, own.documents) == ("g03", "G4", 300)
    assert 0.15 < own.rate < 0.35
    assert 0.02 < own.others < 0.06
    assert own.p < 1e-6
    assert (found.generators, found.tests) == (15, 15 * 8)


def test_one_that_is_refused_far_less_often_is_found_as_well():
    [own] = outliers(corpus(6, 400, {0: 0.02, None: 0.2}, seed=2, gate="G2")).found
    assert (own.generator, own.gate) == ("g00", "G2")


def test_few_documents_and_small_differences_are_not_flagged():
    # Two of three refused, and a sure difference of four points of a large rate.
    few = [*[f"g{own}" for own in range(5) for _ in range(300)], *["few"] * 3]
    flags = [*([True] * 60 + [False] * 240) * 5, True, True, False]
    specs = [*[f"s{own}" for own in range(300)] * 5, "s100", "s101", "s102"]
    assert outliers(gate_table_of(few, specs, {"G3": flags})).found == ()
    many = corpus(4, 6_000, {0: 0.23, None: 0.20}, seed=3)
    rows = [(row["model"], row["passes_self_label"]) for row in many.to_pylist()]
    hits = [sum(not ok for model, ok in rows if (model == "g00") is own) for own in (True, False)]
    assert fisher_exact([[hits[0], 6_000 - hits[0]], [hits[1], 18_000 - hits[1]]])[1] < 1e-4
    assert outliers(many).found == ()


def test_one_that_stands_out_does_not_hide_or_accuse_another():
    found = outliers(corpus(5, 400, {0: 0.6, 1: 0.25, None: 0.05}, seed=12)).found
    first, second = sorted(found, key=lambda own: own.generator)
    assert (first.generator, second.generator) == ("g00", "g01")
    # The second is compared with those that are left.
    assert second.others == pytest.approx(0.05, abs=0.02)
    assert first.others > second.others


@pytest.mark.parametrize(
    ("rate", "others", "far"),
    [
        (0.10, 0.05, True),
        (0.149, 0.10, False),
        (0.95, 0.90, True),
        (0.02, 0.01, True),
        (0.03, 0.02, False),
        (0.01, 0.0, True),
        (0.009, 0.0, False),
        (0.5, 0.5, False),
    ],
)
def test_what_is_far(rate, others, far):
    assert is_far(rate, others) == is_far(others, rate) == far


def test_of_two_generators_none_is_called_the_unusual_one():
    found = outliers(corpus(2, 300, {0: 0.3, None: 0.05}, seed=4))
    [own] = found.found
    assert (found.generators, found.tests, own.generator) == (2, 8, "g00")
    same = outliers(corpus(2, 300, {None: 0.05}, seed=5))
    assert same.found == ()
    assert verdict(found) != verdict(same)


def test_one_generator_or_none_is_compared_with_nothing():
    one = outliers(corpus(1, 50, {None: 0.5}, seed=6))
    none = outliers(GATE_TABLE.empty_table())
    assert (one.generators, one.tests, one.found) == (1, 0, ())
    assert (none.generators, none.tests, none.found) == (0, 0, ())
    assert "nothing to compare" in verdict(one)
    assert "nothing to compare" in verdict(none)


def test_hard_specifications_are_not_held_against_those_who_got_them():
    """One wrote the hard half alone with another; on each half the two are alike."""
    models = ["a"] * 200 + ["b"] * 400 + ["c"] * 200
    specs = [f"s{n}" for n in range(200)] + [f"s{n}" for n in range(400)]
    specs += [f"s{n}" for n in range(200, 400)]
    hard = [int(own[1:]) < 200 for own in specs]
    rng = np.random.default_rng(8)
    flags = [bool(rng.random() < (0.5 if own else 0.05)) for own in hard]
    assert outliers(gate_table_of(models, specs, {"G3": flags})).found == ()


def test_without_shared_specifications_those_of_a_slice_are_compared():
    rng = np.random.default_rng(9)
    models = [f"g{own}" for own in range(3) for _ in range(200)]
    flags = [bool(rng.random() < (0.4 if own == "g1" else 0.1)) for own in models]
    alone = [f"s{number}" for number in range(600)]
    [own] = outliers(gate_table_of(models, alone, {"G7": flags})).found
    assert (own.generator, own.gate) == ("g1", "G7")
    assert outliers(gate_table_of(models, [None] * 600, {"G7": flags})).found == (own,)
    apart = gate_table_of(models, alone, {"G7": flags}, slice=models)
    assert outliers(apart).tests == 0
    assert "nothing to compare" in verdict(outliers(apart))


@pytest.mark.parametrize("alike", [0.0, 0.3])
@pytest.mark.parametrize("generators", [2, 3, 8])
def test_of_generators_that_are_alike_one_in_twenty_corpora_has_a_flag_at_most(
    generators, alike, monkeypatch
):
    """Labels are permuted in a corpus where they meant much; any difference is far enough."""
    monkeypatch.setattr(outliers_module, "is_far", lambda rate, others: True)
    table = corpus(generators, 40, {0: 0.4, None: 0.05}, seed=10, alike=alike)
    rng = np.random.default_rng(11)
    models = np.array(table["model"].to_pylist())
    place = table.column_names.index("model")
    flagged = 0
    for _ in range(200):
        own = table.set_column(place, "model", [rng.permutation(models).tolist()])
        flagged += bool(outliers(own).found)
    # 200 draws of at most 5 %: more than 18 are a chance of less than one in 200.
    assert flagged <= 18


@pytest.mark.parametrize("alike", [0.1, 0.5])
def test_hard_specifications_bring_no_false_flags(alike, monkeypatch):
    monkeypatch.setattr(outliers_module, "is_far", lambda rate, others: True)
    flagged = sum(
        bool(outliers(corpus(6, 60, {None: 0.1}, seed=seed, alike=alike)).found)
        for seed in range(150)
    )
    assert flagged <= 14
