"""Which classes each record is given."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from evaluate_shelf.application.classifier import Classifier
from evaluate_shelf.application.training_records import TrainingRecords
from evaluate_shelf.records.record import CatalogueRecord, Unread

NO_TEXT = "no text"


class Guess(NamedTuple):
    """A class and its probability."""

    label: str
    probability: float


class Assignment(NamedTuple):
    """What became of a record.

    Attributes
    ----------
    file_number : int
        Number of its file among those that were given.
    file : str
        The file's name.
    position : int
        Place in the file, from 1.
    id : str
        Its id; "" where it is not known.
    title : str
    own_class : str or None
        The class that the record carries.
    guesses : tuple of Guess
        The classes that it is given, best first; empty where there is a reason.
    reason : str
        Why it is given no class; "" where it is.
    was_read : bool
        Whether there was a record to be read.
    in_training : str
        What it has in common with a document that the classifier was trained on, "text" or
        "work"; "" where there is no such document.
    """

    file_number: int
    file: str
    position: int
    id: str
    title: str
    own_class: str | None
    guesses: tuple[Guess, ...]
    reason: str
    was_read: bool = True
    in_training: str = ""

    @property
    def kind_of_reason(self) -> str:
        """The reason without what is the record's own, to count by."""
        return self.reason.partition(":")[0]


def assignments(
    records: Iterable[tuple[int, CatalogueRecord | Unread]],
    classifier: Classifier,
    training: TrainingRecords,
    *,
    top: int,
    minimum_probability: float,
    batch_records: int,
) -> Iterator[Assignment]:
    """Class records, a bounded number at a time.

    Parameters
    ----------
    records : iterable of (int, CatalogueRecord or Unread)
        With the number of their file.
    classifier : Classifier
        The run's.
    training : TrainingRecords
        What it was trained on.
    top : int
        The most classes a record.
    minimum_probability : float
        What a class needs to be given.
    batch_records : int
        Records that are held at a time; see `Request`.

    Yields
    ------
    Assignment
        One for each, in their order.
    """
    stream = iter(records)
    while batch := list(itertools.islice(stream, batch_records)):
        guesses = _guesses([record for _, record in batch], classifier, top)
        for (number, record), (given, reason) in zip(batch, guesses, strict=True):
            found = _assignment(number, record, given, reason, minimum_probability)
            if isinstance(record, CatalogueRecord):
                found = found._replace(in_training=training.why(record))
            yield found


def _guesses(
    records: list[CatalogueRecord | Unread], classifier: Classifier, top: int
) -> list[tuple[tuple[Guess, ...], str]]:
    """The best classes of each record, or why there are none."""
    found: list[tuple[tuple[Guess, ...], str]] = []
    rows, texts = [], []
    for row, record in enumerate(records):
        if isinstance(record, Unread):
            found.append(((), record.reason))
        elif not record.text.strip():
            found.append(((), NO_TEXT))
        else:
            found.append(((), ""))
            rows.append(row)
            texts.append(record.text)
    probabilities, reasons = classifier.classify(texts)
    # A stable order: of equal probabilities the class that comes first.
    order = np.argsort(-probabilities, axis=1, kind="stable")[:, :top]
    for row, own, best, reason in zip(rows, probabilities, order, reasons, strict=True):
        given = tuple(Guess(classifier.labels[column], float(own[column])) for column in best)
        found[row] = ((), reason) if reason else (given, "")
    return found


def _assignment(
    number: int,
    record: CatalogueRecord | Unread,
    guesses: tuple[Guess, ...],
    reason: str,
    minimum_probability: float,
) -> Assignment:
    if isinstance(record, Unread):
        known = record.control_number or ""
        return Assignment(
            number, record.file, record.position, known, "", None, (), reason, was_read=False
        )
    likely = tuple(guess for guess in guesses if guess.probability >= minimum_probability)
    if guesses and not likely:
        label, probability = guesses[0]
        reason = f"below the minimum probability: {label} {probability:.6f}"
    return Assignment(
        number,
        record.file,
        record.position,
        record.id,
        record.title,
        record.lcc_code,
        likely,
        reason,
    )
