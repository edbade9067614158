"""What is kept of the assignments while they pass."""

from __future__ import annotations

from collections import Counter

from evaluate_shelf.application.assignments import Assignment
from evaluate_shelf.application.estimate import Outcomes
from evaluate_shelf.application.marc_copies import Classes


class Tally:
    """Counts assignments, and keeps what a MARC copy and the estimate need.

    Parameters
    ----------
    outcomes : Outcomes
        For the estimate.
    keeps_classes : bool
        Whether a MARC copy is to be written; then about 200 bytes are kept of each record.

    Attributes
    ----------
    classed : int
        Records that were given a class.
    unclassed : Counter of str
        Records that were read and given none, by reason.
    classes : dict of int to Classes
        The class of each record, by the number of its file.
    """

    def __init__(self, outcomes: Outcomes, *, keeps_classes: bool) -> None:
        self.outcomes = outcomes
        self.classed = 0
        self.unclassed: Counter[str] = Counter()
        self.classes: dict[int, Classes] = {}
        self._keeps_classes = keeps_classes

    def add(self, assignment: Assignment) -> None:
        """Count an assignment."""
        self.outcomes.add(assignment)
        if not assignment.guesses:
            if assignment.was_read:
                self.unclassed[assignment.kind_of_reason] += 1
            return
        self.classed += 1
        if self._keeps_classes:
            best = assignment.guesses[0]
            own = self.classes.setdefault(assignment.file_number, {})
            own[assignment.position] = (best.label, best.probability)
