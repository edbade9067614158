"""One score of each model: on a task of a corpus, by a metric."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.tasks import task as task_named
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer.members import ModelKey, model_key
from evaluate_shelf.transfer.settings import TransferSettings


class Measure(NamedTuple):
    """What models are ranked by.

    Attributes
    ----------
    corpus : str
        A config.
    task, metric : str
        A task and one of its metrics.
    """

    corpus: str
    task: str
    metric: str

    @property
    def text(self) -> str:
        """The form that `shelf transfer --x` takes."""
        return "/".join(self)


def measure(text: str, settings: TransferSettings) -> Measure:
    """Read `CORPUS/TASK` or `CORPUS/TASK/METRIC`.

    Parameters
    ----------
    text : str
        For example `all/lcc_clustering`. Without a metric it is that of the formulation which
        ranks by the task, else the task's primary one.
    settings : TransferSettings
        The formulations.

    Raises
    ------
    ShelfError
        If it has another form, or the task is unknown.

    Examples
    --------
    >>> from evaluate_shelf.transfer.settings import load_transfer
    >>> measure("all/lcc_clustering", load_transfer()).metric
    'ari_median_of_seeds'
    >>> measure("all/form_classification", load_transfer()).metric
    'macro_f1'
    """
    parts = text.split("/")
    if len(parts) not in (2, 3) or not all(parts):
        raise ShelfError(f"{text!r}: must be CORPUS/TASK or CORPUS/TASK/METRIC")
    corpus, identity, *named = parts
    task = task_named(identity)
    ranked = {row.task: row.metric for row in settings.formulations.values()}
    return Measure(
        corpus, identity, named[0] if named else ranked.get(identity, task.primary_metric)
    )


def scores_by_model(runs: Iterable[Run], wanted: Measure) -> dict[ModelKey, float]:
    """The score of each model that has one, models in order.

    Parameters
    ----------
    runs : iterable of Run
        Of one condition, as `members` gives them.
    wanted : Measure
        Corpus, task and metric. No other metric stands in for one that is absent.

    Raises
    ------
    ShelfError
        If two runs give a model a score.
    """
    found: dict[ModelKey, tuple[float, Run]] = {}
    for run in runs:
        if run.file.data.config != wanted.corpus:
            continue
        value = score_of(run, wanted.task, wanted.metric)
        if value is None:
            continue
        key = model_key(run)
        if key in found:
            raise ShelfError(
                f"{key.name}: two runs have its score on {wanted.text}, {found[key][1].folder} "
                f"and {run.folder}; give one of them"
            )
        found[key] = (value, run)
    return {key: found[key][0] for key in sorted(found)}


def score_of(run: Run, task: str, metric: str) -> float | None:
    """One score of a run; None where it has none."""
    columns = (run.scores[name].to_pylist() for name in ("task", "metric", "value"))
    # A table of a few dozen rows is read sooner than it is filtered.
    return next(
        (value for *key, value in zip(*columns, strict=True) if key == [task, metric]), None
    )
