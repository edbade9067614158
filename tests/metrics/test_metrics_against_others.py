"""Metrics agree with implementations that were written by others."""

from __future__ import annotations

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, adjusted_rand_score, f1_score, roc_auc_score

from evaluate_shelf.metrics.classification import accuracy, confusion_matrix, macro_f1, weighted_f1
from evaluate_shelf.metrics.clustering import adjusted_rand_index, pair_counts
from evaluate_shelf.metrics.pairs import auc_roc
from evaluate_shelf.metrics.ranking import ndcg_at, recall_at, reciprocal_rank

labels_and_predictions = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=80
)


@given(labels_and_predictions)
def test_classification_metrics_are_those_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    gold, predicted = (np.array(side) for side in zip(*pairs, strict=True))
    confusion = confusion_matrix(gold, predicted, 7)
    present = sorted(set(gold.tolist()))
    assert macro_f1(confusion) == pytest.approx(
        f1_score(gold, predicted, labels=present, average="macro", zero_division=0)
    )
    assert weighted_f1(confusion) == pytest.approx(
        f1_score(gold, predicted, average="weighted", zero_division=0)
    )
    assert accuracy(confusion) == pytest.approx(accuracy_score(gold, predicted))


@given(labels_and_predictions)
def test_ari_is_that_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    gold, clusters = (np.array(side) for side in zip(*pairs, strict=True))
    contingency = confusion_matrix(gold, clusters, 7)
    assert adjusted_rand_index(pair_counts(contingency)) == pytest.approx(
        adjusted_rand_score(gold, clusters), abs=1e-12
    )


@given(
    st.lists(st.tuples(st.booleans(), st.integers(-5, 5)), min_size=2, max_size=60).filter(
        lambda pairs: len({label for label, _ in pairs}) == 2
    )
)
def test_auc_is_that_of_scikit_learn_ties_included(pairs: list[tuple[bool, int]]) -> None:
    label = np.array([label for label, _ in pairs])
    score = np.array([float(score) for _, score in pairs])
    auc = auc_roc(label, score)
    assert auc.value == pytest.approx(roc_auc_score(label, score))
    assert auc.influence.mean() == pytest.approx(0, abs=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(12, 60))
def test_ranking_metrics_are_those_of_trec_eval(seed: int, n_queries: int, n_docs: int) -> None:
    random = np.random.default_rng(seed)
    relevant = random.random((n_queries, n_docs)) < 0.2
    relevant[:, 0] |= ~relevant.any(axis=1)
    order = np.array([random.permutation(n_docs) for _ in range(n_queries)])
    qrels = {
        f"q{q}": {f"d{d:03d}": int(relevant[q, d]) for d in range(n_docs)} for q in range(n_queries)
    }
    depth = min(n_docs, 100)
    run = {
        f"q{q}": {f"d{d:03d}": float(n_docs - rank) for rank, d in enumerate(order[q][:depth])}
        for q in range(n_queries)
    }
    measured = pytrec_eval.RelevanceEvaluator(
        qrels, {"ndcg_cut.10", "recip_rank", "recall.10"}
    ).evaluate(run)
    relevance = np.take_along_axis(relevant, order, axis=1)[:, :depth]
    n_relevant = relevant.sum(axis=1)
    for name, ours in (
        ("ndcg_cut_10", ndcg_at(10, relevance, n_relevant)),
        ("recip_rank", reciprocal_rank(relevance, n_relevant)),
        ("recall_10", recall_at(10, relevance, n_relevant)),
    ):
        theirs = [measured[f"q{q}"][name] for q in range(n_queries)]
        np.testing.assert_allclose(ours, theirs, atol=1e-9, err_msg=name)


def test_a_query_without_a_relevant_document_has_no_score() -> None:
    nothing = np.zeros((1, 10), dtype=bool)
    for value in (
        ndcg_at(10, nothing, np.array([0])),
        reciprocal_rank(nothing, np.array([0])),
        recall_at(10, nothing, np.array([0])),
    ):
        assert np.isnan(value).all()


@given(st.integers(0, 2**32 - 1))
def test_every_metric_lies_within_its_range(seed: int) -> None:
    random = np.random.default_rng(seed)
    relevance = random.random((5, 30)) < 0.3
    n_relevant = relevance.sum(axis=1) + random.integers(0, 5, 5)
    for metric in (ndcg_at(10, relevance, n_relevant), recall_at(10, relevance, n_relevant)):
        defined = metric[~np.isnan(metric)]
        assert ((defined >= 0) & (defined <= 1 + 1e-12)).all()
