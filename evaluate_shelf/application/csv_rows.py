"""Assignments as rows of CSV that a spreadsheet opens without running anything."""

from __future__ import annotations

from collections.abc import Mapping

from evaluate_shelf.application.assignments import Assignment
from evaluate_shelf.spreadsheets import guarded

_RANKED = ("predicted_class", "class_name", "probability")


def header(top: int) -> list[str]:
    """Names of the columns.

    Examples
    --------
    >>> header(2)[4:]  # doctest: +NORMALIZE_WHITESPACE
    ['predicted_class', 'class_name', 'probability',
     'predicted_class_2', 'class_name_2', 'probability_2', 'own_class', 'reason', 'in_training']
    """
    numbers = ["", *(f"_{number}" for number in range(2, top + 1))]
    ranked = [f"{name}{number}" for number in numbers for name in _RANKED]
    return ["file", "position", "id", "title", *ranked, "own_class", "reason", "in_training"]


def row(assignment: Assignment, class_names: Mapping[str, str], top: int) -> list[str]:
    """The cells of an assignment, in the order of `header`.

    Parameters
    ----------
    assignment : Assignment
        Of a record.
    class_names : mapping of str to str
        Name of each class.
    top : int
        Classes that there are columns for.
    """
    cells = [assignment.file, str(assignment.position), assignment.id, assignment.title]
    for label, probability in assignment.guesses:
        cells += [label, class_names.get(label, ""), f"{probability:.6f}"]
    cells += [""] * 3 * (top - len(assignment.guesses))
    cells += [assignment.own_class or "", assignment.reason, assignment.in_training]
    return [guarded(cell) for cell in cells]
