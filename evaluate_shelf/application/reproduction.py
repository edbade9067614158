"""What the classifier says of the release's test split is what the run says of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evaluate_shelf.application.classifier import Classifier
from evaluate_shelf.application.scored_run import ScoredRun
from evaluate_shelf.embeddings.encoding import canonical_batches
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.models.protocol import Vectors
from evaluate_shelf.runs.environment import library_versions

TOLERANCE = 1e-6
"""By how much a probability may differ from the run's."""

_SAMPLED_BATCHES = 3


def check_reproduced(run: ScoredRun, classifier: Classifier, test_vectors: Vectors) -> None:
    """Compare the classes of all test documents with the run's, to 1e-6.

    The probabilities are computed as the task computes them, in the precision of the vectors. Those
    of records are more precise, which shows only where numbers in vectors are large.

    Parameters
    ----------
    run : ScoredRun
        Holds the run's predictions.
    classifier : Classifier
        Fitted again.
    test_vectors : ndarray of float32, shape (n_test, dimension)
        As the classifier's fit gave them, possibly from the store.

    Raises
    ------
    ShelfError
        Naming the first document that comes out otherwise, and the libraries that have changed.
    """
    probabilities = classifier.probe.softmax_probabilities(test_vectors)
    theirs = np.array(run.probability)
    of_label = {label: column for column, label in enumerate(classifier.labels)}
    column = np.array([of_label.get(label, -1) for label in run.predicted])
    # Of two classes that are equal to the tolerance either may stand first.
    ours = np.where(column >= 0, probabilities[np.arange(len(column)), column], -1.0)
    best = probabilities.max(axis=1)
    differs = (np.abs(ours - theirs) > TOLERANCE) | (np.abs(best - theirs) > TOLERANCE)
    if not differs.any():
        return
    row = int(differs.argmax())
    label = classifier.labels[int(probabilities[row].argmax())]
    raise ShelfError(
        f"{run.folder}: cannot be reproduced here: {int(differs.sum())} of {len(theirs)} test "
        f"documents come out otherwise; {run.data.test.ids[row]!r} was {run.predicted[row]} with "
        f"{theirs[row]:.7f} and is {label} with {best[row]:.7f}. {_changed_libraries(run)}"
        "Evaluate the model here, with another --runs, and apply that run"
    )


def check_encoder(run: ScoredRun, classifier: Classifier, test_vectors: Vectors) -> int:
    """Encode a few test documents anew and compare their classes, to 1e-6.

    Stored vectors may be older than the libraries that the encoder runs on now. Whole batches are
    taken, the very ones of the evaluation, so that nothing but the encoder can differ.

    Parameters
    ----------
    run, classifier, test_vectors
        As for `check_reproduced`.

    Returns
    -------
    int
        Number of test documents that were encoded.

    Raises
    ------
    ShelfError
        Naming the first document that comes out otherwise, and the libraries that have changed.
    """
    checked = 0
    for batch_ids, batch_texts, rows in _sampled_batches(run.data, classifier.batch_size):
        in_test = [place for place, row in enumerate(rows) if row >= 0]
        of_test = [rows[place] for place in in_test]
        anew = classifier.probabilities(classifier.encode(batch_ids, batch_texts)[in_test])
        stored = classifier.probabilities(test_vectors[of_test])
        differs = (np.abs(anew - stored) > TOLERANCE).any(axis=1)
        if differs.any():
            raise ShelfError(
                f"{run.folder}: cannot be reproduced here: the encoder gives another vector than "
                f"the stored one for {run.data.test.ids[of_test[int(differs.argmax())]]!r}. "
                f"{_changed_libraries(run)}Remove the stored vectors and evaluate the model again, "
                "with another --runs"
            )
        checked += len(in_test)
    return checked


def _sampled_batches(
    data: TaskData, batch_size: int
) -> Iterator[tuple[list[str], list[str], list[int]]]:
    """Ids, texts and rows in the test split (-1 outside of it) of a few of the task's batches."""
    splits = (data.train, data.validation, data.test)
    ids = [identity for split in splits for identity in split.ids]
    texts = [text for split in splits for text in split.column("text")]
    first = len(ids) - len(data.test)
    batches = [b for b in canonical_batches(ids, texts, batch_size) if max(b) >= first]
    for number in _spread(len(batches), _SAMPLED_BATCHES):
        batch = batches[number]
        rows = [max(i - first, -1) for i in batch]
        yield [ids[i] for i in batch], [texts[i] for i in batch], rows


def _spread(number: int, wanted: int) -> list[int]:
    """At most `wanted` of `number` places, evenly apart.

    Examples
    --------
    >>> _spread(9, 3), _spread(2, 3)
    ([1, 4, 7], [0, 1])
    """
    return sorted({(2 * k + 1) * number // (2 * wanted) for k in range(wanted)} if number else ())


def _changed_libraries(run: ScoredRun) -> str:
    now = library_versions()
    changed = [
        f"{name} was {then}, is {now.get(name, 'not installed')}"
        for name, then in run.file.versions.items()
        if now.get(name) != then
    ]
    return f"Libraries: {', '.join(changed)}. " if changed else ""
