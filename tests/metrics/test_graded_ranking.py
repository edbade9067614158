"""Graded nDCG, average precision and precision against trec_eval and ranx."""

from __future__ import annotations

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from evaluate_shelf.metrics.ranking import (
    average_precision_at,
    graded_ndcg_at,
    ndcg_at,
    precision_at,
)

Drawn = tuple[NDArray[np.int64], NDArray[np.int64]]
seeds = st.integers(0, 2**32 - 1)


def drawn(seed: int, n_queries: int, n_docs: int) -> Drawn:
    """Gains of documents, some of them shared by most, and a ranking of them."""
    random = np.random.default_rng(seed)
    gains = random.choice(4, (n_queries, n_docs), p=[0.6, 0.2, 0.1, 0.1])
    gains[gains.max(axis=1) == 0, 0] = 2
    return gains, np.array([random.permutation(n_docs) for _ in range(n_queries)])


def judgements(gains: NDArray[np.int64], order: NDArray[np.int64]):
    qrels = {
        f"q{q:03d}": {f"d{d:03d}": int(gain) for d, gain in enumerate(row)}
        for q, row in enumerate(gains)
    }
    run = {
        f"q{q:03d}": {f"d{d:03d}": float(len(row) - rank) for rank, d in enumerate(row)}
        for q, row in enumerate(order)
    }
    return qrels, run


def ours(gains: NDArray[np.int64], order: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    ranked = np.take_along_axis(gains, order, axis=1)
    counts = np.stack([(gains == gain).sum(axis=1) for gain in (1, 2, 3)], axis=1)
    n_relevant = (gains > 0).sum(axis=1)
    return {
        "ndcg_cut_10": graded_ndcg_at(10, ranked.astype(np.int8), counts),
        "ndcg_cut_100": graded_ndcg_at(100, ranked.astype(np.int8), counts),
        "map_cut_10": average_precision_at(10, ranked > 0, n_relevant),
        "P_10": precision_at(10, ranked > 0, n_relevant),
    }


@given(seeds, st.integers(1, 6), st.integers(10, 130))
def test_metrics_are_those_of_trec_eval(seed: int, n_queries: int, n_docs: int) -> None:
    gains, order = drawn(seed, n_queries, n_docs)
    qrels, run = judgements(gains, order)
    measures = {"ndcg_cut.10,100", "map_cut.10", "P.10"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
    for name, values in ours(gains, order).items():
        expected = [theirs[f"q{q:03d}"][name] for q in range(n_queries)]
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-9)


@pytest.mark.slow
def test_graded_ndcg_is_that_of_ranx() -> None:
    ranx = pytest.importorskip("ranx", reason="ranx is not installed")
    gains, order = drawn(5, 40, 120)
    qrels, run = judgements(gains, order)
    theirs = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), "ndcg@10", return_mean=False)
    values = ours(gains, order)["ndcg_cut_10"]
    np.testing.assert_allclose(values, theirs, rtol=0, atol=1e-9)


@given(seeds, st.sampled_from([1, 2, 3]))
def test_graded_with_one_gain_is_binary(seed: int, gain: int) -> None:
    gains, order = drawn(seed, 4, 30)
    relevant = gains > 0
    counts = np.zeros((4, 3), np.int64)
    counts[:, gain - 1] = relevant.sum(axis=1)
    ranked = np.take_along_axis(relevant, order, axis=1)
    np.testing.assert_allclose(
        graded_ndcg_at(10, gain * ranked.astype(np.int8), counts),
        ndcg_at(10, ranked, relevant.sum(axis=1)),
        rtol=1e-12,
    )


def test_a_query_to_which_nothing_is_relevant_has_no_value() -> None:
    nothing, none = np.zeros((1, 12), np.bool_), np.zeros(1, np.int64)
    assert np.isnan(graded_ndcg_at(10, nothing.astype(np.int8), np.zeros((1, 3), np.int64))).all()
    assert np.isnan(average_precision_at(10, nothing, none)).all()
    assert np.isnan(precision_at(10, nothing, none)).all()


def test_a_constant_scorer_gets_what_a_random_ranking_gets_on_average() -> None:
    # All scores tie, so documents come by their tie rank, which knows nothing of relevance.
    random = np.random.default_rng(0)
    share, n_queries, n_docs = 0.2, 4000, 400
    gains = 2 * (random.random((n_queries, n_docs)) < share).astype(np.int8)
    counts = np.stack([np.zeros(n_queries, np.int64), (gains > 0).sum(axis=1)], axis=1)
    assert graded_ndcg_at(10, gains, counts).mean() == pytest.approx(share, abs=0.01)
    assert precision_at(10, gains > 0, counts[:, 1]).mean() == pytest.approx(share, abs=0.01)


@given(st.integers(1, 12), st.integers(1, 3))
def test_a_perfect_ranking_gets_one_and_nothing_passes_it(n_relevant: int, gain: int) -> None:
    found = np.zeros((1, 12), dtype=bool)
    found[0, :n_relevant] = True
    binary = ndcg_at(10, found, np.array([n_relevant]))[0]
    counts = np.zeros((1, 3), dtype=np.int64)
    counts[0, gain - 1] = n_relevant
    graded = graded_ndcg_at(10, (gain * found).astype(np.int8), counts)[0]
    for value in (binary, graded):
        assert value <= 1
        assert value == pytest.approx(1, abs=1e-15)
