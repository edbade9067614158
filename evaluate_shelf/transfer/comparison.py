"""Two measures of the same models, compared by the order that they give."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer.agreement import FEWEST_MODELS, Agreement, Floats, agreement
from evaluate_shelf.transfer.influence import without_each_model
from evaluate_shelf.transfer.members import LeftOut, ModelKey
from evaluate_shelf.transfer.scores import Measure, scores_by_model
from evaluate_shelf.transfer.settings import Resampling


@dataclass(frozen=True)
class RankedModel:
    """A model under two measures.

    Attributes
    ----------
    name, revision : str
        The model.
    x, y : float
        Its scores.
    rank_x, rank_y : float
        Its ranks among the models compared, 1 for the best, the average rank of equal scores.
    without : float or None
        Spearman's correlation of all other models.
    """

    name: str
    revision: str
    x: float
    y: float
    rank_x: float
    rank_y: float
    without: float | None


@dataclass(frozen=True)
class Comparison:
    """Rank agreement of two measures.

    Attributes
    ----------
    x, y : Measure
        What the models are ranked by.
    agreement : Agreement
        The correlations.
    models : tuple of RankedModel
        By name.
    lacking : tuple of LeftOut
        Models with a score under one of the measures only.
    absent : tuple of Measure
        Measures under which no model has a score.
    """

    x: Measure
    y: Measure
    agreement: Agreement
    models: tuple[RankedModel, ...]
    lacking: tuple[LeftOut, ...]
    absent: tuple[Measure, ...]

    @property
    def why_undefined(self) -> str | None:
        """Why there is no correlation; None where there is one."""
        if self.agreement.spearman is not None:
            return None
        if self.absent:
            return f"no run has a score on {' or '.join(one.text for one in self.absent)}"
        if self.agreement.n < FEWEST_MODELS:
            return f"{self.agreement.n} models have both scores, {FEWEST_MODELS} are needed"
        return "all models have one score"

    def most_influential(self) -> RankedModel | None:
        """The model without which the correlation changes most; None where there is none."""
        value = self.agreement.spearman
        known = [model for model in self.models if model.without is not None]
        if value is None or not known:
            return None
        return max(known, key=lambda model: abs((model.without or 0.0) - value))


def compare(
    runs: Sequence[Run],
    x: Measure,
    y: Measure,
    resampling: Resampling,
    among: Collection[ModelKey] | None = None,
) -> Comparison:
    """Compare the orders that two measures give to the models which have both.

    Parameters
    ----------
    runs : sequence of Run
        Of one condition, as `members` gives them.
    x, y : Measure
        What the models are ranked by.
    resampling : Resampling
        How the interval is made.
    among : collection of ModelKey, default=None
        Only these models; all without it.

    Returns
    -------
    Comparison

    Raises
    ------
    ShelfError
        If two runs give a model a score under one measure.
    """
    of_x, of_y = scores_by_model(runs, x), scores_by_model(runs, y)
    both = [key for key in of_x if key in of_y and (among is None or key in among)]
    first, second = (np.array([own[key] for key in both], dtype=float) for own in (of_x, of_y))
    found = agreement(
        first,
        second,
        seed=resampling.seed,
        replicates=resampling.replicates,
        level=resampling.level,
    )
    columns = zip(
        both,
        first.tolist(),
        second.tolist(),
        _ranks(first),
        _ranks(second),
        without_each_model(first, second),
        strict=True,
    )
    return Comparison(
        x=x,
        y=y,
        agreement=found,
        models=tuple(RankedModel(*key, *rest) for key, *rest in columns),
        lacking=_lacking(of_x, of_y, x, y),
        absent=tuple(one for one, own in ((x, of_x), (y, of_y)) if not own),
    )


def _ranks(values: Floats) -> list[float]:
    ascending = np.sort(values)
    below, up_to = (np.searchsorted(ascending, values, side) for side in ("left", "right"))
    ranks: list[float] = (len(values) - (below + up_to) / 2 + 0.5).tolist()
    return ranks


def _lacking(
    of_x: dict[ModelKey, float], of_y: dict[ModelKey, float], x: Measure, y: Measure
) -> tuple[LeftOut, ...]:
    if not (of_x and of_y):
        # The measure itself is absent, which is said once and not model by model.
        return ()
    missing = {key: y for key in of_x if key not in of_y} | {
        key: x for key in of_y if key not in of_x
    }
    return tuple(LeftOut(key.name, f"no score on {missing[key].text}") for key in sorted(missing))
