"""What a marker may name: each derivation gives one number from the committed configuration.

Words after the name are its arguments. Nothing is evaluated: a name that is not in the table is
refused, and so is an argument that names nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from statistics import fmean, median
from typing import NamedTuple

from evaluate_shelf.diagnostics.masking.arms import ARMS, ArmScores, masking
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.lookup import found
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.registry.tasks import task as task_named
from evaluate_shelf.report.numbers.panels import panel_of, reported_config, scores_of
from evaluate_shelf.reported.runs import reported_runs
from evaluate_shelf.reported.source import ReportedScore, load_reported
from evaluate_shelf.transfer.agreement import Agreement
from evaluate_shelf.transfer.comparison import compare
from evaluate_shelf.transfer.members import members
from evaluate_shelf.transfer.preregistered import Outcome, outcome
from evaluate_shelf.transfer.scores import measure
from evaluate_shelf.transfer.settings import load_transfer
from evaluate_shelf.transfer.stability import reported_stability


class Derivation(NamedTuple):
    """A number that can be derived.

    Attributes
    ----------
    arguments : str
        What follows its name in a marker; in brackets what may be absent.
    gives : str
        What the number is.
    value : callable
        From the arguments, as text, to the number.
    """

    arguments: str
    gives: str
    value: Callable[..., float]


def derived(words: Sequence[str]) -> float:
    """The number that a marker's words name.

    Parameters
    ----------
    words : sequence of str
        Name and arguments.

    Returns
    -------
    float

    Raises
    ------
    ShelfError
        If the derivation is unknown, takes other arguments, or has no value.

    Examples
    --------
    >>> derived(["models"])
    28.0
    >>> round(derived("best lcc_clustering all distinct".split()), 4)
    0.5152
    """
    name, *arguments = words
    derivation = found(DERIVATIONS, name, "derivation")
    optional = derivation.arguments.count("[")
    most = len(derivation.arguments.split())
    if not most - optional <= len(arguments) <= most:
        usage = f"{name} {derivation.arguments}".rstrip()
        raise ShelfError(f"{' '.join(words)!r}: must be {usage}")
    return float(derivation.value(*arguments))


_DEFAULT_PANEL = "distinct"
# The published masking table is over every model of its arms whose weights are not another's.
_MASKING_PANEL, _MASKED_TASK = "weights", "lcc_classification"


def _models(config: str = "") -> float:
    return len({score.model for score in _reported(config)})


def _scores(config: str = "") -> float:
    return len(_reported(config))


def _tasks(config: str = "") -> float:
    return len({score.task for score in _reported(config)})


def _reported(config: str) -> list[ReportedScore]:
    if config:
        reported_config(config)
    return [score for score in load_reported().scores if config in ("", score.config)]


def _panel_models(panel: str) -> float:
    return len({run.file.model.spec for run in members(reported_runs(), panel_of(panel)).runs})


def _corpora() -> float:
    return len({row.corpus for row in load_reported().source.corpora})


def _registered(kind: str) -> float:
    tasks = load_tasks().values()
    counts = {
        "tasks": len(tasks),
        "published": sum(not task.id.startswith("x_") for task in tasks),
        "controls": sum(task.control for task in tasks),
        "facets": len({task.facet for task in tasks}),
        "formulations": len({task.formulation for task in tasks}),
    }
    return found(counts, kind, "kind")


def _labels(task: str) -> float:
    labels = task_named(task).n_labels
    if labels is None:
        raise ShelfError(f"{task}: its label space is open")
    return labels


def _over(statistic: Callable[[list[float]], float]) -> Callable[..., float]:
    def value(task: str, config: str, panel: str = _DEFAULT_PANEL) -> float:
        return statistic(list(scores_of(task, config, panel).values()))

    return value


def _score(task: str, config: str, model: str) -> float:
    return found(scores_of(task, config, "all"), model, "model")


def _rank(task: str, config: str, model: str, panel: str = _DEFAULT_PANEL) -> float:
    scores = scores_of(task, config, panel)
    own = found(scores, model, "model")
    return 1 + sum(value > own for value in scores.values())


def _difference(
    first: str, second: str, config: str, statistic: str, panel: str = _DEFAULT_PANEL
) -> float:
    a, b = (scores_of(task, config, panel) for task in (first, second))
    differences = [a[model] - b[model] for model in a if model in b]
    if not differences:
        raise ShelfError(f"no model of {panel!r} has a score on both tasks in {config}")
    return found(_STATISTICS, statistic, "statistic")(differences)


def _agreement(
    formulation: str, x: str, y: str, statistic: str, panel: str = _DEFAULT_PANEL
) -> float:
    load_transfer().formulation(formulation)
    result = _outcome(panel)
    for cell in (*result.cells, *result.beside):
        corpora = {cell.comparison.x.corpus, cell.comparison.y.corpus}
        if cell.formulation == formulation and corpora == {x, y} and x != y:
            return _part(cell.comparison.agreement, statistic)
    raise ShelfError(f"{x!r}, {y!r}: not two of the corpora {', '.join(load_transfer().corpora)}")


def _agreement_of(x: str, y: str, statistic: str, panel: str = _DEFAULT_PANEL) -> float:
    settings = load_transfer()
    reported = [run for arm in ARMS for run in reported_runs(arm=arm)]
    runs = members(reported, panel_of(panel)).runs
    found_x, found_y = measure(x, settings), measure(y, settings)
    return _part(compare(runs, found_x, found_y, settings.resampling).agreement, statistic)


def _passed(panel: str = _DEFAULT_PANEL) -> float:
    return len(_outcome(panel).passed)


def _cells_passed(panel: str = _DEFAULT_PANEL) -> float:
    return sum(cell.passes is True for cell in _outcome(panel).cells)


def _stability(corpus: str, statistic: str) -> float:
    row = found({r.corpus: r for r in load_transfer().stability.reported}, corpus, "corpus")
    value = found({"median": row.median, "lowest": row.lowest}, statistic, "statistic")
    if value is None:
        raise ShelfError(f"{corpus}: its {statistic} was not reported")
    return value


@functools.lru_cache(maxsize=8)
def _outcome(panel: str) -> Outcome:
    settings = load_transfer()
    runs = members(reported_runs(), panel_of(panel)).runs
    return outcome(runs, settings, [reported_stability(r) for r in settings.stability.reported])


def _part(whole: Agreement, statistic: str) -> float:
    parts = {name: getattr(whole, name) for name in ("spearman", "kendall", "low", "high", "n")}
    value = found(parts, statistic, "statistic")
    if value is None:
        raise ShelfError(f"{statistic} is not defined over {whole.n} models")
    return float(value)


def _masking_models(corpus: str, task: str = _MASKED_TASK, panel: str = _MASKING_PANEL) -> float:
    return len(_arms(corpus, task, panel).models)


def _masking_mean(
    corpus: str, arm: str, task: str = _MASKED_TASK, panel: str = _MASKING_PANEL
) -> float:
    row = _arms(corpus, task, panel)
    return found({"none": row.unmasked, "masked": row.masked, "sham": row.sham}, arm, "arm")


def _masking_change(
    corpus: str, arm: str, task: str = _MASKED_TASK, panel: str = _MASKING_PANEL
) -> float:
    row = _arms(corpus, task, panel)
    return found({"masked": row.masked_change, "sham": row.sham_change}, arm, "arm")


def _masking_agreement(
    corpus: str,
    arm: str,
    statistic: str,
    task: str = _MASKED_TASK,
    panel: str = _MASKING_PANEL,
) -> float:
    row = _arms(corpus, task, panel)
    arms = {"masked": row.masked_agreement, "sham": row.sham_agreement}
    return _part(found(arms, arm, "arm"), statistic)


def _arms(corpus: str, task: str, panel: str) -> ArmScores:
    rows = {(row.corpus, row.task): row for row in _masking(panel)}
    if (corpus, task) not in rows:
        known = ", ".join(f"{one} {other}" for one, other in rows)
        raise ShelfError(f"no reported scores of {corpus} {task} in every arm; known: {known}")
    return rows[corpus, task]


@functools.lru_cache(maxsize=8)
def _masking(panel: str) -> tuple[ArmScores, ...]:
    runs = [run for arm in ARMS for run in reported_runs(arm=arm)]
    return masking(runs, panel_of(panel), load_transfer()).rows


_STATISTICS: dict[str, Callable[[list[float]], float]] = {
    "smallest": min,
    "largest": max,
    "mean": fmean,
    "median": median,
}

_PANEL_SCORES = "TASK CONFIG [PANEL]"
DERIVATIONS: dict[str, Derivation] = {
    "models": Derivation("[CONFIG]", "models with reported scores", _models),
    "scores": Derivation("[CONFIG]", "reported scores", _scores),
    "tasks": Derivation("[CONFIG]", "tasks with reported scores", _tasks),
    "corpora": Derivation("", "corpora with reported scores", _corpora),
    "panel_models": Derivation("PANEL", "models of a panel with reported scores", _panel_models),
    "labels": Derivation("TASK", "size of a task's label space", _labels),
    "registered": Derivation("KIND", "tasks, facets and so on of configs/tasks.yaml", _registered),
    "best": Derivation(_PANEL_SCORES, "the best reported score", _over(max)),
    "worst": Derivation(_PANEL_SCORES, "the worst reported score", _over(min)),
    "median": Derivation(_PANEL_SCORES, "the median over the panel", _over(median)),
    "mean": Derivation(_PANEL_SCORES, "the mean over the panel", _over(fmean)),
    "count": Derivation(_PANEL_SCORES, "models of the panel that have a score", _over(len)),
    "score": Derivation("TASK CONFIG MODEL", "one reported score", _score),
    "rank": Derivation("TASK CONFIG MODEL [PANEL]", "a model's place, 1 for the best", _rank),
    "difference": Derivation(
        "TASK TASK CONFIG STATISTIC [PANEL]",
        "over models, the first task less the second",
        _difference,
    ),
    "agreement": Derivation(
        "FORMULATION CORPUS CORPUS STATISTIC [PANEL]", "rank agreement of two corpora", _agreement
    ),
    "agreement_of": Derivation(
        "CORPUS/TASK CORPUS/TASK STATISTIC [PANEL]", "rank agreement of two tasks", _agreement_of
    ),
    "formulations_passed": Derivation("[PANEL]", "formulations that meet the rule", _passed),
    "cells_passed": Derivation(
        "[PANEL]", "formulations against corpora that meet it", _cells_passed
    ),
    "reported_stability": Derivation(
        "CORPUS STATISTIC", "rank correlation between seeds, as it was reported", _stability
    ),
    "masking_models": Derivation(
        "CORPUS [TASK] [PANEL]", "models with a score in every arm", _masking_models
    ),
    "masking_mean": Derivation(
        "CORPUS ARM [TASK] [PANEL]", "mean over the models that have every arm", _masking_mean
    ),
    "masking_change": Derivation(
        "CORPUS ARM [TASK] [PANEL]", "that mean less that of the whole texts", _masking_change
    ),
    "masking_agreement": Derivation(
        "CORPUS ARM STATISTIC [TASK] [PANEL]", "rank agreement with whole texts", _masking_agreement
    ),
}
"""Every derivation, by its name in a marker."""
