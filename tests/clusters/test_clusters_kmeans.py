"""k-means gives scikit-learn's labels to the bit, in any number of threads."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from evaluate_shelf.clusters.kmeans import kmeans_labels
from evaluate_shelf.registry import load_protocol

SETTINGS = load_protocol().kmeans
SEEDS = [42, 0, 3]


def of_scikit_learn(vectors: object, n_clusters: int, seed: int, **settings: int) -> np.ndarray:
    values = {"n_init": 10, "max_iter": 300, **settings}
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = KMeans(n_clusters, random_state=seed, **values)
        labels: np.ndarray = model.fit_predict(vectors)
    return labels


@pytest.fixture(scope="module")
def texture() -> np.ndarray:
    """Vectors with overlapping structure, as embeddings have: starts end in different optima."""
    random = np.random.default_rng(5)
    parts = [random.normal(size=(k, 96))[random.integers(0, k, 1500)] for k in (21, 133, 8)]
    vectors = sum(parts) + random.normal(size=(1500, 96))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("n_clusters", [2, 8, 21, 133])
def test_labels_are_scikit_learns(texture: np.ndarray, n_clusters: int) -> None:
    found = kmeans_labels(texture, n_clusters, SEEDS, SETTINGS)
    assert list(found) == SEEDS
    for seed, labels in found.items():
        np.testing.assert_array_equal(labels, of_scikit_learn(texture, n_clusters, seed))


@pytest.mark.parametrize("n_clusters", [2, 30])
def test_labels_of_sparse_vectors_are_scikit_learns(texture: np.ndarray, n_clusters: int) -> None:
    sparse = csr_matrix(np.where(np.abs(texture) > 0.1, texture, np.float32(0)))
    (labels,) = kmeans_labels(sparse, n_clusters, [42], SETTINGS).values()
    np.testing.assert_array_equal(labels, of_scikit_learn(sparse, n_clusters, 42))


def test_labels_are_scikit_learns_where_few_vectors_are_distinct(texture: np.ndarray) -> None:
    """Many starts are equally good here, and rounding must not choose among them otherwise."""
    repeated = np.repeat(texture[:5], 20, axis=0)
    for n_clusters in (2, 5, 21):
        (labels,) = kmeans_labels(repeated, n_clusters, [7], SETTINGS).values()
        np.testing.assert_array_equal(labels, of_scikit_learn(repeated, n_clusters, 7))


def test_starts_and_iterations_are_the_protocols(texture: np.ndarray) -> None:
    settings = SETTINGS.model_copy(update={"n_init": 3, "max_iter": 2})
    (labels,) = kmeans_labels(texture, 21, [1], settings).values()
    expected = of_scikit_learn(texture, 21, 1, n_init=3, max_iter=2)
    np.testing.assert_array_equal(labels, expected)
    assert (labels != of_scikit_learn(texture, 21, 1)).any()


def test_threads_change_no_byte(texture: np.ndarray) -> None:
    one, two, five = (kmeans_labels(texture, 21, SEEDS, SETTINGS, threads=n) for n in (1, 2, 5))
    for seed in SEEDS:
        assert one[seed].tobytes() == two[seed].tobytes() == five[seed].tobytes()


def test_a_callers_threads_change_no_byte(texture: np.ndarray) -> None:
    alone = kmeans_labels(texture, 21, [42], SETTINGS)[42]
    with threadpool_limits(2):
        assert kmeans_labels(texture, 21, [42], SETTINGS)[42].tobytes() == alone.tobytes()


def test_vectors_are_left_as_they_are(texture: np.ndarray) -> None:
    texture.setflags(write=False)
    before = texture.copy()
    kmeans_labels(texture, 5, [42], SETTINGS)
    np.testing.assert_array_equal(texture, before)


def test_planted_clusters_are_found(planted: Callable[..., np.ndarray]) -> None:
    numbers = np.arange(300) % 6
    labels = kmeans_labels(planted(numbers, spread=0.05), 6, [42], SETTINGS)[42]
    assert len(set(zip(numbers.tolist(), labels.tolist(), strict=True))) == 6
