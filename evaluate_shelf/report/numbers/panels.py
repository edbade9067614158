"""The reported scores of a panel's models, as derivations name them."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.lookup import found
from evaluate_shelf.registry.tasks import task as task_named
from evaluate_shelf.reported.runs import reported_runs
from evaluate_shelf.reported.source import Corpus, load_reported
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer.members import members
from evaluate_shelf.transfer.scores import score_of
from evaluate_shelf.transfer.settings import Exclusion, Panel, load_transfer

_CHANGED_PANEL = re.compile(r"(?P<panel>[a-z]\w*)(?P<changes>(?:[+-][a-z]\w*)*)")


def reported_config(name: str) -> Corpus:
    """A config of the reported scores, such as `all` or `all_masked`.

    Raises
    ------
    ShelfError
        If there is none of that name.
    """
    return found({row.config: row for row in load_reported().source.corpora}, name, "config")


def panel_of(text: str) -> Panel:
    """A panel of `configs/transfer.yaml`, with models more or less.

    Parameters
    ----------
    text : str
        Its name, then `+MODEL` for one that it leaves out and `-MODEL` for one to leave out.

    Raises
    ------
    ShelfError
        If the panel or a model is unknown, or a model is already in or out.

    Examples
    --------
    >>> left_out = panel_of("distinct+gte_modernbert_8k").left_out
    >>> [exclusion.model for exclusion in left_out]
    ['ogbert_110m_sentence', 'ogbert_2m_sentence']
    """
    parts = _CHANGED_PANEL.fullmatch(text)
    if not parts:
        raise ShelfError(f"{text!r}: must be a panel's name, then +MODEL or -MODEL")
    panel = load_transfer().panel(parts["panel"])
    out = {exclusion.model: exclusion for exclusion in panel.left_out}
    for sign, model in re.findall(r"([+-])(\w+)", parts["changes"]):
        found(load_reported().models, model, "model")
        if (sign == "+") != (model in out):
            raise ShelfError(f"{text!r}: {model} is {'in' if sign == '+' else 'out'} already")
        if sign == "+":
            del out[model]
        else:
            out[model] = Exclusion(model=model, reason="left out by the marker")
    return panel._replace(id=text, left_out=tuple(out.values()))


@functools.lru_cache(maxsize=32)
def runs_of(config: str, panel: str) -> tuple[Run, ...]:
    """The reported runs of a panel's models on a config.

    Raises
    ------
    ShelfError
        If the config, the panel or a model is unknown.
    """
    row = reported_config(config)
    return members(reported_runs(row.corpus, arm=row.arm), panel_of(panel)).runs


def scores_of(task: str, config: str, panel: str) -> Mapping[str, float]:
    """The score of each model, by its key.

    Parameters
    ----------
    task : str
        `TASK`, for its primary metric, or `TASK/METRIC`.
    config, panel : str
        As `reported_config` and `panel_of` take them.

    Returns
    -------
    mapping of str to float
        At least one score.

    Raises
    ------
    ShelfError
        If something is unknown, or no model has a score.

    Examples
    --------
    >>> len(scores_of("lcc_retrieval", "all", "distinct"))
    24
    """
    identity, _, metric = task.partition("/")
    metric = metric or task_named(identity).primary_metric
    scores = {
        run.file.model.spec: value
        for run in runs_of(config, panel)
        if (value := score_of(run, task_named(identity).id, metric)) is not None
    }
    if not scores:
        raise ShelfError(f"no model of {panel!r} has a score on {identity}, {metric}, in {config}")
    return scores
