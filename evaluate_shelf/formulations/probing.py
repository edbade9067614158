"""Probes on a config's frozen vectors: all label sets of an embedding share one preparation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.formulations.controls import control_stream
from evaluate_shelf.formulations.data import TaskData, labelled
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.models.protocol import Vectors
from evaluate_shelf.probes import Design, Fit, SparseDesign
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.runs.schema import FitRecord


def design_of(task: Task, data: TaskData, work: Workspace) -> tuple[Design, Vectors]:
    """The training documents' vectors, prepared for probes, and the test split's vectors."""
    vectors = work.document_vectors(data, fit_on=["train"])
    of_train = vectors["train"]
    which: tuple[str, ...] = ()
    if task.missing == "leave_out":
        # A design of its own: its documents are not those of the other tasks.
        which = (task.label_field,)
        of_train = of_train[labelled(task, data.train).positions]

    def prepared() -> Design:
        with work.notes.stage("prepare probe"):
            return Design(of_train) if isinstance(of_train, np.ndarray) else SparseDesign(of_train)

    return work.once(("design", data.config, *which), prepared), vectors["test"]


def shuffled_order(task: Task, work: Workspace, n: int) -> NDArray[np.int64]:
    """The order that training labels are put into for the control."""
    return control_stream(task, work.protocol).permutation(n)


def note_fit(work: Workspace, target: str, fit: Fit) -> None:
    """Keep what is known of a fit."""
    work.notes.fits.append(
        FitRecord(
            target=target,
            iterations=fit.iterations,
            gradient_norm=fit.gradient_norm,
            objective=fit.objective,
            converged=fit.converged,
        )
    )
