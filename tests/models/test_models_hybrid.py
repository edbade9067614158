"""Reciprocal rank fusion, against ranx and against exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from evaluate_shelf.models.hybrid import reciprocal_rank_fusion
from evaluate_shelf.models.protocol import Hits


def ranking(rng: np.random.Generator, n_queries: int, n_documents: int, depth: int) -> Hits:
    rows = [rng.permutation(n_documents)[:depth] for _ in range(n_queries)]
    scores = np.tile(np.linspace(1, 0.5, depth), (n_queries, 1))
    return Hits(np.array(rows, dtype=np.int64), scores)


def exact(first: Hits, second: Hits, query: int, constant: int) -> dict[int, Fraction]:
    sums: dict[int, Fraction] = {}
    for hits in (first, second):
        for place, document in enumerate(hits.position[query].tolist(), start=1):
            sums[document] = sums.get(document, Fraction(0)) + Fraction(1, constant + place)
    return sums


@pytest.mark.parametrize("constant", [1, 60])
@pytest.mark.parametrize(("depth1", "depth2", "k"), [(100, 100, 100), (30, 12, 25), (5, 40, 40)])
def test_order_is_that_of_exact_fractions(depth1: int, depth2: int, k: int, constant: int) -> None:
    rng = np.random.default_rng(3)
    tie_rank = rng.permutation(130)
    first, second = ranking(rng, 40, 130, depth1), ranking(rng, 40, 130, depth2)
    fused = reciprocal_rank_fusion(first, second, k, constant, tie_rank)
    assert fused.position.dtype == np.int64
    assert fused.score.dtype == np.float64
    for query in range(40):
        sums = exact(first, second, query, constant)
        best = sorted(sums, key=lambda d: (-sums[d], tie_rank[d]))[:k]
        assert fused.position[query].tolist() == best
        assert fused.score[query].tolist() == [float(sums[document]) for document in best]


def test_scores_are_those_of_ranx() -> None:
    ranx = pytest.importorskip("ranx")
    from ranx.fusion import rrf

    rng = np.random.default_rng(5)
    first, second = ranking(rng, 8, 300, 100), ranking(rng, 8, 300, 100)
    runs = [
        ranx.Run(
            {
                f"q{query}": {
                    str(document): float(score)
                    for document, score in zip(hits.position[query], hits.score[query], strict=True)
                }
                for query in range(8)
            }
        )
        for hits in (first, second)
    ]
    theirs = rrf(runs, k=60)
    fused = reciprocal_rank_fusion(first, second, 100, 60)
    for query in range(8):
        given = theirs.run[f"q{query}"]
        ours = {
            str(document): score
            for document, score in zip(fused.position[query], fused.score[query], strict=True)
        }
        assert min(ours.values()) >= sorted(given.values())[-100] - 1e-12
        for document, score in ours.items():
            assert score == pytest.approx(given[document], abs=1e-12)


def test_equal_documents_go_by_their_rank_and_not_by_which_ranking_is_first() -> None:
    one = Hits(np.array([[4, 2]]), np.array([[2.0, 1.0]]))
    two = Hits(np.array([[2, 4]]), np.array([[2.0, 1.0]]))
    for tie_rank, best in ((None, 2), (np.array([0, 1, 9, 3, 4]), 4)):
        forth = reciprocal_rank_fusion(one, two, 2, 60, tie_rank)
        back = reciprocal_rank_fusion(two, one, 2, 60, tie_rank)
        np.testing.assert_array_equal(forth.position, back.position)
        assert forth.position[0, 0] == best
