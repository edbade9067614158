"""Whether a run's items give the score that the run recorded."""

from __future__ import annotations

from pathlib import Path

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.runs.folder import SCORES
from evaluate_shelf.runs.reading import Run

TOLERANCE = 1e-9
"""How far the two may be apart: another order of adding, no more."""


def check_recorded(run: Run, task: Task, value: float | None, items: Path) -> None:
    """Refuse a run whose items give another score than the one that stands in its table.

    Parameters
    ----------
    run : Run
    task : Task
    value : float or None
        The task's primary metric over all items; None where it is not defined.
    items : pathlib.Path
        Where these lie.

    Raises
    ------
    ShelfError
        Names both files and both values.
    """
    recorded = run.primary_scores().get(task.id, {}).get("value")
    # So that NaN is refused as well.
    if value is not None and recorded is not None and abs(value - recorded) <= TOLERANCE:
        return
    raise ShelfError(
        f"{items}: its items give {task.id} a {task.primary_metric} of {_shown(value)}, and "
        f"{run.folder / SCORES} has {_shown(recorded)}; parts of a score that does not follow say "
        f"nothing: remove {run.folder} and evaluate {run.file.model.spec} again"
    )


def _shown(value: float | None) -> str:
    return "none" if value is None else f"{value:.12g}"
