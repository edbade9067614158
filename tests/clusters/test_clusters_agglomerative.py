"""Agglomerative clustering gives scikit-learn's partition in less memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering

from evaluate_shelf.clusters import agglomerative
from evaluate_shelf.clusters.agglomerative import agglomerative_labels
from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.registry import load_protocol

SETTINGS = load_protocol().agglomerative


def by_first(labels: np.ndarray) -> list[int]:
    """Number clusters in the order of their first members."""
    seen: dict[int, int] = {}
    return [seen.setdefault(label, len(seen)) for label in labels.tolist()]


@pytest.mark.parametrize("linkage", ["average", "complete", "single"])
@pytest.mark.parametrize("n_clusters", [1, 2, 7, 60, 600])
def test_the_partition_is_scikit_learns(
    planted: Callable[..., np.ndarray], linkage: str, n_clusters: int
) -> None:
    vectors = planted(np.arange(600) % 13, spread=0.9)
    settings = SETTINGS.model_copy(update={"linkage": linkage})
    found = agglomerative_labels(vectors, n_clusters, settings)
    expected = AgglomerativeClustering(n_clusters, metric="cosine", linkage=linkage).fit_predict(
        vectors.astype(np.float64)
    )
    assert found.tolist() == by_first(expected)


def test_equal_vectors_come_together_first() -> None:
    vectors = np.eye(3, dtype=np.float32)[[0, 1, 0, 2, 1, 0]]
    assert agglomerative_labels(vectors, 3, SETTINGS).tolist() == [0, 1, 0, 2, 1, 0]


def test_a_zero_vector_is_as_far_from_all() -> None:
    vectors = np.array([[0, 0], [1, 0], [1, 0]], dtype=np.float32)
    assert agglomerative_labels(vectors, 2, SETTINGS).tolist() == [0, 1, 1]


def test_one_document_is_one_cluster() -> None:
    assert agglomerative_labels(np.ones((1, 2), np.float32), 1, SETTINGS).tolist() == [0]


def test_more_documents_than_memory_holds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agglomerative, "_MOST", 3)
    with pytest.raises(UnsupportedError, match="takes 3 documents, not 4"):
        agglomerative_labels(np.eye(4, dtype=np.float32), 2, SETTINGS)
