"""Vectors of what is learned from and of what is tested on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.transfer_matrix.samples import Sample, first_words


class TrainingVectors(NamedTuple):
    """Vectors of a training part, and how others come beside them.

    Attributes
    ----------
    vectors : ndarray of float32 or scipy.sparse.csr_matrix, shape (n_train, dimension)
    of_test : callable
        From a sample to the vectors of its test part, of the same dimension.
    """

    vectors: Any
    of_test: Callable[[Sample], Any]


def training_vectors(train: Sample, work: Workspace) -> TrainingVectors:
    """Vectors of a sample's training part.

    A model that has to be fitted is fitted on this part alone. One that has not encodes each
    corpus once, whatever is learned from; the vectors of a whole corpus are those that
    `shelf evaluate` has stored.

    Parameters
    ----------
    train : Sample
        What is learned from.
    work : Workspace
        A model that gives vectors.
    """
    if not work.needs_fit:
        of_train = encoded(train, work)[train.parts.train]
        return TrainingVectors(of_train, lambda test: encoded(test, work)[test.parts.test])
    with work.notes.stage(f"{train.name}: fit the encoder"):
        encoder, vectors = work.fit_and_encode(train.ids_of("train"), train.texts_of("train"))

    def of_test(test: Sample) -> Any:
        with work.notes.stage(f"{test.name}: encode"):
            return work.encode_with(encoder, test.ids_of("test"), test.texts_of("test"))

    return TrainingVectors(vectors, of_test)


def encoded(sample: Sample, work: Workspace) -> Any:
    """Vectors of a sample's documents, of a model that needs no fit.

    Returns
    -------
    ndarray of float32, shape (n_used, dimension)
    """
    pool, used = sample.corpus.documents, sample.used
    # Documents without a class are encoded as well, for the sake of the shared store.
    documents = pool if sample.is_whole else pool.take(used.tolist())

    def texts() -> list[str]:
        return first_words(documents.column("text"), sample.settings.words)

    def vectors() -> Any:
        found = work.encode(sample.corpus.data, sample.field, documents.ids, texts)
        return found[used] if sample.is_whole else found

    return work.once(("transfer matrix", sample.corpus.data.content_sha256), vectors)
