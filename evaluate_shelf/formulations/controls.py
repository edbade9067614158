"""The shuffled-label control: what a task's metrics are by chance."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.statistics.streams import stream


def control_stream(task: Task, protocol: Protocol, replicate: int = 0) -> np.random.Generator:
    """Random generator that shuffles a task's labels in one replicate of its control."""
    return stream(protocol.control.seed, task.id, "control", replicate)


def mean_under_shuffling(
    task: Task, protocol: Protocol, measured: Callable[[np.random.Generator], dict[str, float]]
) -> dict[str, float]:
    """Mean of each metric over the replicates of a task's control.

    Parameters
    ----------
    task, protocol
        They fix the random streams and their number.
    measured : callable
        From a random generator to the metrics of labels that it shuffled.

    Returns
    -------
    dict of str to float
        In the order of the metrics.
    """
    replicates = [
        measured(control_stream(task, protocol, replicate))
        for replicate in range(protocol.control.replicates)
    ]
    return {name: float(np.mean([found[name] for found in replicates])) for name in replicates[0]}
