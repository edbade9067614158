"""Entropies of clusterings agree with scikit-learn's, and contingency tables count right."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import (
    adjusted_rand_score,
    completeness_score,
    homogeneity_score,
    normalized_mutual_info_score,
    v_measure_score,
)
from sklearn.metrics.cluster import contingency_matrix

from evaluate_shelf.metrics.clustering import (
    adjusted_rand_index,
    contingency_table,
    entropies,
    pair_counts,
)

two_partitions = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9)), min_size=1, max_size=80)


def assert_those_of_scikit_learn(labels: np.ndarray, clusters: np.ndarray) -> None:
    found = entropies(contingency_table(labels, clusters))
    assert found.homogeneity == pytest.approx(homogeneity_score(labels, clusters), abs=1e-9)
    assert found.completeness == pytest.approx(completeness_score(labels, clusters), abs=1e-9)
    assert found.v_measure == pytest.approx(v_measure_score(labels, clusters), abs=1e-9)
    nmi = normalized_mutual_info_score(labels, clusters)
    assert found.v_measure == pytest.approx(nmi, abs=1e-9)


@given(two_partitions)
def test_entropies_are_those_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    labels, clusters = (np.array(side) for side in zip(*pairs, strict=True))
    assert_those_of_scikit_learn(labels, clusters)


@pytest.mark.parametrize(("n_labels", "n_clusters"), [(21, 21), (133, 133), (8, 900)])
def test_entropies_at_the_size_of_a_release(n_labels: int, n_clusters: int) -> None:
    random = np.random.default_rng(0)
    labels = random.integers(0, n_labels, 12_504)
    related = np.where(random.random(12_504) < 0.3, labels, random.integers(0, n_clusters, 12_504))
    assert_those_of_scikit_learn(labels, related)
    counts = pair_counts(contingency_table(labels, related))
    expected = adjusted_rand_score(labels, related)
    assert adjusted_rand_index(counts) == pytest.approx(expected, abs=1e-9)


@given(two_partitions)
def test_a_contingency_table_is_that_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    labels, clusters = (np.array(side) for side in zip(*pairs, strict=True))
    table = contingency_table(labels, clusters)
    occurring = table[np.ix_(table.sum(axis=1) > 0, table.sum(axis=0) > 0)]
    np.testing.assert_array_equal(occurring, contingency_matrix(labels, clusters))


@given(two_partitions, st.data())
def test_a_weight_counts_an_item_so_often(
    pairs: list[tuple[int, int]], data: st.DataObject
) -> None:
    labels, clusters = (np.array(side) for side in zip(*pairs, strict=True))
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(pairs), max_size=len(pairs)))
    weighted = contingency_table(labels, clusters, np.array(times, dtype=np.float64))
    again = np.repeat(np.arange(len(pairs)), times)
    expected = np.zeros_like(weighted)
    np.add.at(expected, (labels[again], clusters[again]), 1)
    np.testing.assert_array_equal(weighted, expected)


@given(st.lists(st.integers(0, 6), min_size=2, max_size=40))
def test_equal_partitions_reach_one_and_nothing_passes_it(labels: list[int]) -> None:
    numbers = np.unique(labels, return_inverse=True)[1]
    found = entropies(contingency_table(numbers, numbers))
    assert max(found) <= 1
    assert found.v_measure == pytest.approx(1)
