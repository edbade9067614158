"""`configs/report_cards.yaml`: when a task separates models, and when it does not."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, get_args

from pydantic import Field

from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.strict_yaml import Row, Text, read_yaml, validated, wrong
from evaluate_shelf.registry.tasks import Metric, load_tasks

Scale = Literal["shift", "odds", "pair_odds"]
ChanceRule = Literal["fixed", "of_labels", "of_answers"]
Level = Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)]


class MetricRule(Row):
    """How a metric is read.

    Attributes
    ----------
    id : str
        The metric.
    scale : str
        How far a score lies above chance; see `effects`.
    chance : str
        What chance depends on, and so what its control has to be near.
    note : str
        In words.
    """

    id: Metric
    scale: Scale
    chance: ChanceRule
    note: Text


class ChanceLevel(Row):
    """The chance level of a task for which the registry has none, and how it is known."""

    task: Text
    level: Level
    note: Text


class _File(Row):
    smallest_effect: Annotated[float, Field(gt=0, le=2, allow_inf_nan=False)]
    fewest_models: Annotated[int, Field(ge=3)]
    metrics: Annotated[tuple[MetricRule, ...], Field(min_length=1)]
    chance_levels: tuple[ChanceLevel, ...]


class CardSettings(NamedTuple):
    """All of the file; see there.

    Attributes
    ----------
    smallest_effect : float
        In standard deviations above chance.
    fewest_models : int
        That a verdict needs.
    metrics : dict of str to MetricRule
        By metric.
    chance_levels : dict of str to ChanceLevel
        By task.
    """

    smallest_effect: float
    fewest_models: int
    metrics: dict[str, MetricRule]
    chance_levels: dict[str, ChanceLevel]


def load_card_settings(folder: Path | None = None) -> CardSettings:
    """Read and check `configs/report_cards.yaml`.

    Parameters
    ----------
    folder : pathlib.Path or None
        The configuration folder. None: the one of the installation. A folder is read once in a
        process.

    Raises
    ------
    ShelfError
        If the file is missing, a field is wrong, a metric of the registry has no rule, or a chance
        level is of a task that is unknown or has one already.

    Examples
    --------
    >>> load_card_settings().smallest_effect
    0.2
    """
    return _loaded((folder or config_folder()).resolve())


@functools.lru_cache(maxsize=4)
def _loaded(folder: Path) -> CardSettings:
    file = folder / "report_cards.yaml"
    read = validated(_File, read_yaml(file), file)
    metrics: dict[str, MetricRule] = {rule.id: rule for rule in read.metrics}
    if len(metrics) < len(read.metrics) or set(metrics) != set(get_args(Metric)):
        raise wrong(file, None, "metrics", f"must be {', '.join(get_args(Metric))}, each once")
    levels = {level.task: level for level in read.chance_levels}
    if len(levels) < len(read.chance_levels):
        raise wrong(file, None, "chance_levels", "a task stands twice")
    tasks = load_tasks(folder)
    for name in levels:
        if name not in tasks:
            raise wrong(file, name, "chance_levels", f"unknown task {name!r}")
        if tasks[name].chance_level is not None:
            raise wrong(file, name, "chance_levels", "tasks.yaml has a level for this task")
    return CardSettings(read.smallest_effect, read.fewest_models, metrics, levels)
