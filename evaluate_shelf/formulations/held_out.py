"""A config whose validation split is scored, so that the test split stays unseen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from evaluate_shelf.formulations.data import TaskData, first_of_each_class
from evaluate_shelf.release.documents import Documents


@dataclass(frozen=True)
class ValidationData(TaskData):
    """As `TaskData`, with the validation split in the place of the test split.

    Probes learn from the training split, which is the whole of the searched corpus too. The test
    split is not read.

    Attributes
    ----------
    train_limit, scored_limit : int or None
        Documents (or pairs) of each of the two, class by class in turn; all without one.
    """

    train_limit: int | None = None
    scored_limit: int | None = None

    @cached_property
    def train(self) -> Documents:
        """Documents that a probe may learn from, and that are searched."""
        return _first(self._split("train"), self.train_limit)

    @cached_property
    def validation(self) -> Documents:
        """No documents: those of the validation split are scored."""
        return self.train.take([])

    @cached_property
    def test(self) -> Documents:
        """The validation split."""
        return _first(self._split("validation"), self.scored_limit)


def _first(documents: Documents, limit: int | None) -> Documents:
    return documents if limit is None else first_of_each_class(documents, limit)
