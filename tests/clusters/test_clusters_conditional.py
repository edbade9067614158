"""Each class is clustered as if it stood alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evaluate_shelf.clusters.conditional import conditional_labels, skipped_classes
from evaluate_shelf.clusters.kmeans import kmeans_labels
from evaluate_shelf.registry import load_protocol

PROTOCOL = load_protocol()


def test_a_class_needs_twenty_documents_and_two_labels() -> None:
    classes = np.repeat([0, 1, 2, 3], [20, 19, 40, 21])
    labels = np.concatenate([np.arange(20) % 2, np.arange(19), np.zeros(40), np.arange(21)])
    assert skipped_classes(classes, labels.astype(np.intp), PROTOCOL.conditional) == [1, 2]


def test_a_class_has_the_clusters_that_it_has_alone(planted: Callable[..., np.ndarray]) -> None:
    random = np.random.default_rng(1)
    classes = random.integers(0, 3, 180)
    labels = random.integers(0, 4, 180)
    labels[classes == 2] %= 2
    vectors = planted(labels, spread=0.8)
    found = conditional_labels(vectors, classes, labels, [42, 0], PROTOCOL.kmeans)
    for seed, clusters in found.items():
        for number, (n_clusters, before) in enumerate([(4, 0), (4, 4), (2, 8)]):
            rows = classes == number
            alone = kmeans_labels(vectors[rows], n_clusters, [seed], PROTOCOL.kmeans)[seed]
            np.testing.assert_array_equal(clusters[rows] - before, alone)


def test_threads_change_no_byte(planted: Callable[..., np.ndarray]) -> None:
    classes, labels = np.arange(120) % 3, np.arange(120) % 5
    vectors = planted(labels, spread=0.8)
    one, two = (
        conditional_labels(vectors, classes, labels, [42], PROTOCOL.kmeans, threads=n)[42]
        for n in (1, 2)
    )
    assert one.tobytes() == two.tobytes()
