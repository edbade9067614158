"""A probe on the words of texts: TF-IDF, whole, and logistic regression."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.models.sparse import FullSparse
from evaluate_shelf.probes import Fit, SparseDesign
from evaluate_shelf.registry.protocols import Protocol


class LexicalProbe:
    """Texts to learn from and texts to tell, ready for any labels.

    The vocabulary and the weights of its terms are learned from the first alone.

    Parameters
    ----------
    train, test : sequence of str
        Texts.
    protocol : Protocol
        Its settings of TF-IDF and of the probe.

    Raises
    ------
    ShelfError
        If no term occurs in enough of the texts to learn from.
    """

    def __init__(self, train: Sequence[str], test: Sequence[str], protocol: Protocol) -> None:
        encoder, vectors = FullSparse("tfidf", protocol).fit_encode(train)
        self._design = SparseDesign(vectors)
        self._test = encoder.encode_sparse(test)
        self._settings = protocol.probe

    def probabilities(
        self, labels: NDArray[np.intp], n_labels: int
    ) -> tuple[NDArray[np.float64], Fit]:
        """Fit labels and give those of the texts to tell.

        Parameters
        ----------
        labels : ndarray of int, shape (n_train,)
            Numbers from 0 to n_labels - 1.
        n_labels : int
            A label without an example gets probability 0.

        Returns
        -------
        tuple of ndarray of float64, shape (n_test, n_labels), and Fit
        """
        probe = self._design.softmax(labels, n_labels, self._settings)
        return probe.softmax_probabilities(self._test), probe.fit
