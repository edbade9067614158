"""Rates of gates by label and generator, and what their intervals hold."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_gate_tables import gate_table_of
from scipy.stats import binomtest

from builders.gates.clusters import Clusters
from builders.gates.rates import DIMENSIONS, LEVEL, gate_rates, rates_by
from builders.gates.refused import GATES
from builders.gates.table import GATE_TABLE, VERDICTS
from evaluate_shelf.application.estimate import wilson_interval

SPECS = [f"s{number}" for number in range(6)]
DOCUMENT = st.tuples(
    st.sampled_from("abc"),
    st.sampled_from([*SPECS, None]),
    st.sampled_from(["micro", "medium", "long", "extended"]),
    st.sampled_from([None, "v1", "v2"]),
    st.booleans(),
    st.booleans(),
)


def table_of(documents):
    models, specs, lengths, variants, parse, language = map(list, zip(*documents, strict=True))
    return gate_table_of(
        models,
        specs,
        {"G1": parse, "G2": language},
        target_length=lengths,
        prompt_variant_id=variants,
    )


@given(st.lists(DOCUMENT, min_size=1, max_size=40))
def test_counts_are_those_of_the_rows(documents):
    table = table_of(documents)
    rows = table.to_pylist()
    for column in DIMENSIONS.values():
        found = rates_by(table, column)
        assert Counter(row[column] for row in rows) == {own.value: own.documents for own in found}
        for own in found:
            mine = [row for row in rows if row[column] == own.value]
            ids = [row["spec_id"] for row in mine]
            assert own.specifications == len(set(ids) - {None}) + ids.count(None)
            assert own.passed.count == sum(row["passed"] for row in mine)
            for verdict, gate in VERDICTS.items():
                assert own.refused[gate].count == sum(not row[verdict] for row in mine)
            for rate in (own.passed, *own.refused.values()):
                assert 0 <= rate.low <= rate.share <= rate.high <= 1
                assert rate.share == pytest.approx(rate.count / own.documents, abs=1e-5)


@given(st.lists(DOCUMENT, min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_the_order_of_documents_plays_no_part(taxonomy, documents, random):
    other = list(documents)
    random.shuffle(other)
    one, two = (gate_rates(table_of(own), taxonomy) for own in (documents, other))
    assert one.model_dump_json() == two.model_dump_json()


def test_lengths_stand_in_the_order_of_the_taxonomy_and_what_has_no_value_at_the_end(taxonomy):
    lengths = ["long", "own", "micro", "extended", "very_long", "tiny"]
    table = gate_table_of(
        ["a"] * 6, SPECS, target_length=lengths, prompt_variant_id=[None, "v", "b", "a", "c", "d"]
    )
    by = gate_rates(table, taxonomy).by
    found = [own.value for own in by["length"]]
    assert found == ["micro", "tiny", "long", "very_long", "extended", "own"]
    assert [own.value for own in by["variant"]] == ["a", "b", "c", "d", "v", None]


def test_a_corpus_without_documents_has_no_rates(taxonomy):
    found = gate_rates(GATE_TABLE.empty_table(), taxonomy)
    assert found.in_all is None
    assert set(found.by) == set(DIMENSIONS)
    assert not any(found.by.values())


def test_g5_counts_documents_that_leave_a_topic_out():
    table = gate_table_of(["a"] * 4, SPECS[:4], qc_topic_coverage=[1.0, 0.5, 0.0, 1.0])
    [own] = rates_by(table, "model")
    assert own.refused["G5"].count == 2
    assert own.passed.count == 4
    assert list(own.refused) == list(GATES)


# Intervals


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=60))
def test_a_document_a_specification_has_the_interval_by_wilson(documents):
    cells = np.unique([cell for cell, _ in documents], return_inverse=True)[1]
    flags = np.array([flag for _, flag in documents])
    clusters = Clusters(cells, np.arange(len(cells)))
    for cell, own in enumerate(clusters.intervals(flags, LEVEL)):
        hits, count = int(flags[cells == cell].sum()), int((cells == cell).sum())
        expected = binomtest(hits, count).proportion_ci(LEVEL, method="wilson")
        assert own == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_copies_of_a_document_tell_nothing_new():
    rng = np.random.default_rng(0)
    flags = rng.random(40) < 0.3
    one = Clusters(np.zeros(40, int), np.arange(40))
    ten = Clusters(np.zeros(400, int), np.repeat(np.arange(40), 10))
    [alone], [copied] = one.intervals(flags, LEVEL), ten.intervals(np.repeat(flags, 10), LEVEL)
    assert copied == pytest.approx(alone)


def anova(specs, flags):
    """Intraclass correlation of one cell by its definition, row by row."""
    groups = {key: flags[specs == key] for key in np.unique(specs)}
    sizes = np.array([len(own) for own in groups.values()])
    outer = sum(len(own) * (own.mean() - flags.mean()) ** 2 for own in groups.values())
    inner = sum(((own - own.mean()) ** 2).sum() for own in groups.values())
    outer, inner = outer / (len(groups) - 1), inner / (len(flags) - len(groups))
    typical = (len(flags) - (sizes**2).sum() / len(flags)) / (len(groups) - 1)
    return (outer - inner) / (outer + (typical - 1) * inner)


def test_the_correlation_is_that_of_the_analysis_of_variance():
    rng = np.random.default_rng(1)
    for _ in range(50):
        specs = np.repeat(np.arange(12), rng.integers(1, 9, 12))
        flags = rng.random(len(specs)) < rng.beta(1, 2, 12)[specs]
        found = Clusters(np.zeros(len(specs), int), specs).correlation(flags)
        assert found == pytest.approx(np.clip(anova(specs, flags), 0, 1))


def test_where_nothing_varies_each_specification_counts_once():
    clusters = Clusters(np.zeros(60, int), np.repeat(np.arange(20), 3))
    [own] = clusters.intervals(np.zeros(60, bool), LEVEL)
    assert own == wilson_interval(0, 20, LEVEL)


def drawn(rng, share, alike, cells, specs, generators):
    """Cells, specifications and flags that have an intraclass correlation."""
    count = cells * specs
    if alike == 0:
        chance = np.full(count, share)
    elif alike == 1:
        chance = (rng.random(count) < share).astype(float)
    else:
        size = 1 / alike - 1
        chance = rng.beta(share * size, (1 - share) * size, count)
    spec = np.repeat(np.arange(count), generators)
    return (
        np.repeat(np.arange(cells), specs * generators),
        spec,
        rng.random(len(spec)) < chance[spec],
    )


@pytest.mark.parametrize(
    ("share", "alike", "plain_holds"),
    [
        (0.8, 0.0, (0.92, 0.98)),
        (0.8, 0.3, (0.5, 0.75)),
        (0.95, 0.1, (0.7, 0.88)),
        (0.95, 0.3, (0.5, 0.75)),
        (0.8, 1.0, (0.3, 0.55)),
    ],
)
def test_intervals_hold_the_share_as_often_as_they_say_and_plain_ones_do_not(
    share, alike, plain_holds
):
    rng = np.random.default_rng(7)
    own, plain = [], []
    for _ in range(60):
        cells, specs, flags = drawn(rng, share, alike, cells=8, specs=50, generators=12)
        clusters = Clusters(cells, specs)
        hits = clusters.counts(flags).tolist()
        for (low, high), count in zip(clusters.intervals(flags, LEVEL), hits, strict=True):
            own.append(low <= share <= high)
            low, high = wilson_interval(count, 600, LEVEL)
            plain.append(low <= share <= high)
    assert np.mean(own) >= 0.92
    assert plain_holds[0] <= np.mean(plain) <= plain_holds[1]
