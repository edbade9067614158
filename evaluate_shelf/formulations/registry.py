"""The formulations by name, and what each needs of a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.formulations import (
    classification,
    clustering,
    conditional_clustering,
    instructions,
    multilabel,
    pairs,
    retrieval,
)
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.formulations.scores import Score
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.models.hybrid import Hybrid
from evaluate_shelf.models.protocol import Encoder, Fittable, Lookup, Searcher
from evaluate_shelf.models.reranker import Reranker
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
    chance : callable
        Task, data, item rows and protocol to each metric's value for the shuffled-label control.
    outcomes : callable or None
        Task, data and item rows to each item's outcome, NaN where it has none; None where the
        metrics are no means over items.
    takes : tuple of type
        Kinds of models that can do it.
    lacking : str
        What other models lack.
    """

    predict: Callable[[Task, TaskData, Workspace], pa.Table]
    score: Callable[[Task, TaskData, pa.Table, Protocol], list[Score]]
    chance: Callable[[Task, TaskData, pa.Table, Protocol], dict[str, float]]
    outcomes: Callable[[Task, TaskData, pa.Table], NDArray[np.float64]] | None
    takes: tuple[type, ...]
    lacking: str


_VECTORS = (Encoder, Fittable, Lookup)
_PAIRS = (*_VECTORS, Searcher)
_RANKINGS = (*_PAIRS, Hybrid, Reranker)
_NO_VECTORS = "the model gives no vectors"
_NO_PAIRS = "the model gives no score of a pair"
_NO_RANKING = "the model gives no ranking"

FORMULATIONS = {
    name: Formulation(
        module.predict,
        module.score,
        module.chance,
        getattr(module, "outcomes", None),
        takes,
        lacking,
    )
    for name, module, takes, lacking in (
        ("classification", classification, _VECTORS, _NO_VECTORS),
        ("multilabel_classification", multilabel, _VECTORS, _NO_VECTORS),
        ("clustering", clustering, _VECTORS, _NO_VECTORS),
        ("conditional_clustering", conditional_clustering, _VECTORS, _NO_VECTORS),
        ("retrieval", retrieval, _RANKINGS, _NO_RANKING),
        ("pair_classification", pairs, _PAIRS, _NO_PAIRS),
        ("instruction_retrieval", instructions, _RANKINGS, _NO_RANKING),
    )
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
    if not isinstance(model, formulation.takes):
        raise UnsupportedError(formulation.lacking)
