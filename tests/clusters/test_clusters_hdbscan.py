"""HDBSCAN is scikit-learn's, with the protocol's settings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN

from evaluate_shelf.clusters import hdbscan
from evaluate_shelf.clusters.hdbscan import NOISE, hdbscan_labels
from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.registry import load_protocol

SETTINGS = load_protocol().hdbscan


def test_planted_clusters_are_found_and_lone_vectors_are_noise(
    planted: Callable[..., np.ndarray],
) -> None:
    numbers = np.arange(200) % 4
    dense = planted(numbers, spread=0.1)
    random = np.random.default_rng(2).normal(size=(20, dense.shape[1]))
    lone = (random / np.linalg.norm(random, axis=1, keepdims=True)).astype(np.float32)
    labels = hdbscan_labels(np.concatenate([dense, lone]), SETTINGS)
    assert len(set(zip(numbers.tolist(), labels[:200].tolist(), strict=True))) == 4
    assert NOISE not in labels[:200]
    assert (labels[200:] == NOISE).mean() > 0.5


@pytest.mark.parametrize("method", ["eom", "leaf"])
def test_labels_are_scikit_learns(planted: Callable[..., np.ndarray], method: str) -> None:
    vectors = planted(np.arange(400) % 9, spread=0.7)
    settings = SETTINGS.model_copy(update={"cluster_selection_method": method})
    expected = HDBSCAN(
        min_cluster_size=15, min_samples=5, cluster_selection_method=method, copy=True
    ).fit_predict(vectors)
    np.testing.assert_array_equal(hdbscan_labels(vectors, settings), expected)


def test_the_way_that_saves_memory_finds_the_same(
    planted: Callable[..., np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = planted(np.arange(400) % 9, spread=0.5)
    in_memory = hdbscan_labels(vectors, SETTINGS)
    monkeypatch.setattr(hdbscan, "_MOST_IN_MEMORY", 100)
    np.testing.assert_array_equal(hdbscan_labels(vectors, SETTINGS), in_memory)


def test_equal_vectors_are_one_cluster_or_none() -> None:
    labels = hdbscan_labels(np.ones((40, 4), dtype=np.float32) / 2, SETTINGS)
    assert len(set(labels.tolist())) == 1


def test_too_few_documents_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="5 documents, there are 4"):
        hdbscan_labels(np.eye(4, dtype=np.float32), SETTINGS)
