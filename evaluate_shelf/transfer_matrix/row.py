"""A row of the matrix: one probe, tested on several corpora."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.formulations.data import label_names, numbered
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.probes import Design, LinearProbe, SparseDesign
from evaluate_shelf.transfer_matrix.cell import ResampledCell, scored_cell
from evaluate_shelf.transfer_matrix.samples import Sample
from evaluate_shelf.transfer_matrix.vectors import training_vectors


def row_of_cells(
    train: Sample, tests: Sequence[Sample], work: Workspace
) -> Iterator[ResampledCell]:
    """Fit a probe on a sample's training part and test it on the test part of each sample.

    Parameters
    ----------
    train : Sample
        What is learned from.
    tests : sequence of Sample
        What is tested on, one after the other.
    work : Workspace
        A model that gives vectors, and the protocol of the probe.

    Yields
    ------
    ResampledCell
        One a tested sample, as soon as it is done.

    Raises
    ------
    ShelfError
        If the model gives no usable vectors.
    """
    learned = training_vectors(train, work)
    labels = train.labels_of("train")
    names = label_names(labels, train.name)
    with work.notes.stage(f"{train.name}: fit the probe"):
        design = _design(learned.vectors)
        probe = design.softmax(numbered(labels, names), len(names), work.protocol.probe)
    seen = set(train.digests_of("train"))
    for test in tests:
        best = _best(probe, learned.of_test(test))
        yield scored_cell(
            train,
            test,
            [names[number] for number in best],
            fit=probe.fit,
            repeated=sum(digest in seen for digest in test.digests_of("test")),
            protocol=work.protocol,
        )


def _design(vectors: Any) -> Design:
    return Design(vectors) if isinstance(vectors, np.ndarray) else SparseDesign(vectors)


def _best(probe: LinearProbe, vectors: Any) -> list[int]:
    if vectors.shape[1] != probe.coef.shape[1]:
        raise ShelfError(
            f"the model gave vectors of {vectors.shape[1]} dimensions, and of "
            f"{probe.coef.shape[1]} for the corpus that is learned from"
        )
    best: list[int] = probe.scores(vectors).argmax(axis=1).tolist()
    return best
