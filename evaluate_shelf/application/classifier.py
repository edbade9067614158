"""A run's classifier, fitted again: the encoder, and the probe on its vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.application.scored_run import ScoredRun
from evaluate_shelf.application.vectors import encoded, usable_vectors
from evaluate_shelf.errors import ShelfError, UnsupportedError
from evaluate_shelf.formulations.data import label_names, labels_of, numbered
from evaluate_shelf.formulations.registry import formulation_of, refuse_model
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.models.protocol import Encoder, Vectors
from evaluate_shelf.probes import Design, LinearProbe


@dataclass(frozen=True)
class Classifier:
    """Gives the probability of each class for a text.

    Attributes
    ----------
    encoder : Encoder
        The model, or what was fitted from it on the training split.
    probe : LinearProbe
        Fitted on the vectors of the training split.
    labels : list of str
        The classes, in the order of the columns of `probabilities`.
    batch_size : int
        Texts that the encoder is given at a time.
    zero_says_nothing : bool
        Whether a zero vector means a text without a known term, and no fault of the model.
    """

    encoder: Encoder
    probe: LinearProbe
    labels: list[str]
    batch_size: int
    zero_says_nothing: bool

    def probabilities(self, vectors: Vectors) -> NDArray[np.float64]:
        """Probability of each class.

        In double precision and rounded to 1e-9, so that they do not depend on how many vectors
        are given at once.

        Parameters
        ----------
        vectors : ndarray of float32, shape (n, dimension)

        Returns
        -------
        ndarray of float64, shape (n, n_labels)
        """
        return np.round(self.probe.softmax_probabilities(vectors.astype(np.float64)), 9)

    def encode(self, ids: Sequence[str], texts: Sequence[str]) -> Vectors:
        """Vectors of texts that must all have one."""
        return self._checked(encoded(self.encoder, ids, texts, self.batch_size))

    def classify(self, texts: Sequence[str]) -> tuple[NDArray[np.float64], list[str]]:
        """Probability of each class for each text, where the model can say anything of it.

        Parameters
        ----------
        texts : sequence of str
            None of them blank.

        Returns
        -------
        probabilities : ndarray of float64, shape (n_texts, n_labels)
            NaN where there is none.
        reasons : list of str, length n_texts
            Why there is none; "" where there is one.
        """
        vectors, reasons = usable_vectors(
            self.encoder, texts, self.batch_size, zero_says_nothing=self.zero_says_nothing
        )
        probabilities = np.full((len(texts), len(self.labels)), np.nan)
        usable = [row for row, reason in enumerate(reasons) if not reason]
        if usable:
            probabilities[usable] = self.probabilities(self._checked(vectors))
        return probabilities, reasons

    def _checked(self, vectors: Vectors) -> Vectors:
        dimension = self.probe.coef.shape[1]
        if vectors.shape[1] != dimension:
            raise ShelfError(
                f"the model gave vectors of {vectors.shape[1]} dimensions, and of {dimension} for "
                "the training split"
            )
        return vectors


def fitted_classifier(run: ScoredRun, work: Workspace) -> tuple[Classifier, Vectors]:
    """Fit a run's classifier as `lcc_classification` does.

    Parameters
    ----------
    run : ScoredRun
        The run with its release.
    work : Workspace
        Its loaded model. Vectors of a model that needs no fit come from the store where they are.

    Returns
    -------
    classifier : Classifier
    test_vectors : ndarray of float32, shape (n_test, dimension)
        Of the release's test split.

    Raises
    ------
    ShelfError
        If the model gives no vectors, or the release has no labels to fit on.
    """
    try:
        refuse_model(formulation_of(run.task), work.model)
    except UnsupportedError as error:
        raise ShelfError(f"{run.file.model.name} cannot assign classes: {error}") from error
    labels = labels_of(run.data.train, run.task.label_field)
    names = label_names(labels, f"config {run.data.config!r}, train split")
    vectors = work.document_vectors(run.data, fit_on=["train"])
    encoder = work.fitted_encoder(run.data, ["train"]) if work.needs_fit else work.model
    gold = numbered(labels, names)
    probe = Design(vectors["train"]).softmax(gold, len(names), run.protocol.probe)
    classifier = Classifier(
        encoder, probe, names, run.protocol.batch_size, zero_says_nothing=work.needs_fit
    )
    return classifier, vectors["test"]
