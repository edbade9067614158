"""The formulations by name, and what each needs of a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pyarrow as pa

from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.formulations import classification, clustering, instructions, pairs, retrieval
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.formulations.scores import Score
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.models.protocol import Encoder, Fittable, Searcher
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task


class Formulation(NamedTuple):
    """How a task is run and scored.

    Attributes
    ----------
    predict : callable
        Task, data and workspace to item rows.
    score : callable
        Task, data, item rows and protocol to scores.
    takes_searchers : bool
        Whether a model that only scores documents for queries can do it.
    """

    predict: Callable[[Task, TaskData, Workspace], pa.Table]
    score: Callable[[Task, TaskData, pa.Table, Protocol], list[Score]]
    takes_searchers: bool


FORMULATIONS = {
    "classification": Formulation(classification.predict, classification.score, False),
    "clustering": Formulation(clustering.predict, clustering.score, False),
    "retrieval": Formulation(retrieval.predict, retrieval.score, True),
    "pair_classification": Formulation(pairs.predict, pairs.score, True),
    "instruction_retrieval": Formulation(instructions.predict, instructions.score, True),
}


def formulation_of(task: Task) -> Formulation:
    """Give the formulation of a task.

    Raises
    ------
    UnsupportedError
        If this version cannot run the task.
    """
    if not task.available or task.formulation not in FORMULATIONS:
        raise UnsupportedError(task.note or "not scored by this version")
    return FORMULATIONS[task.formulation]


def refuse_model(formulation: Formulation, model: Any) -> None:
    """Raise `UnsupportedError` where a model lacks what the formulation asks for."""
    if isinstance(model, (Encoder, Fittable)):
        return
    if not (formulation.takes_searchers and isinstance(model, Searcher)):
        raise UnsupportedError("the model gives no vectors (it implements no encode)")
