"""Scores with whole texts, without label terms, and without as many tokens chosen at random."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from evaluate_shelf.diagnostics.masking.missing import MissingArm, missing_arms
from evaluate_shelf.diagnostics.masking.placing import ARM_WORDS, ARMS, TextArm, place_of
from evaluate_shelf.registry.conditions import with_full_text
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.statistics.intervals import percentile_intervals
from evaluate_shelf.transfer.agreement import (
    Agreement,
    Floats,
    agreement,
    model_copies,
    resampled_spearman,
)
from evaluate_shelf.transfer.members import LeftOut, ModelKey, members, refuse_other_data
from evaluate_shelf.transfer.scores import Measure, measure, scores_by_model
from evaluate_shelf.transfer.settings import Panel, Resampling, TransferSettings

__all__ = ["ARMS", "ArmScores", "Difference", "Masking", "masking", "masking_values"]


class Difference(NamedTuple):
    """Correlation of masked with whole texts, less that of the sham; with its interval."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class ArmScores:
    """One task of one corpus in all three arms.

    Attributes
    ----------
    corpus, task, metric : str
        What was scored.
    reported : str or None
        Who reported the scores; None where they were computed here.
    protocol : str
        Its id, with whole texts.
    models : tuple of str
        Those that have a score in every arm, which the means are over.
    unmasked, masked, sham : float
        Means over these models.
    masked_agreement, sham_agreement : Agreement
        Rank correlation of the models' scores with those on whole texts.
    difference : Difference or None
        Of the two correlations; None where one is not defined.
    lacking : tuple of LeftOut
        Models with a score in some arms only.
    """

    corpus: str
    task: str
    metric: str
    reported: str | None
    protocol: str
    models: tuple[str, ...]
    unmasked: float
    masked: float
    sham: float
    masked_agreement: Agreement
    sham_agreement: Agreement
    difference: Difference | None
    lacking: tuple[LeftOut, ...]

    @property
    def primary_metric(self) -> str:
        """The metric that leaderboards show of the task; `metric` is what models are ranked by."""
        return load_tasks()[self.task].primary_metric

    @property
    def masked_change(self) -> float:
        """What the mean gains without the documents' own label terms."""
        return self.masked - self.unmasked

    @property
    def sham_change(self) -> float:
        """What the mean gains without as many tokens chosen at random."""
        return self.sham - self.unmasked


@dataclass(frozen=True)
class Masking:
    """All corpora and tasks that were scored in every arm, and what is not among them.

    Attributes
    ----------
    rows : tuple of ArmScores
    left_out : tuple of LeftOut
        Models, runs and tasks that are in no row.
    missing : tuple of MissingArm
        Arms that models computed here lack.
    """

    rows: tuple[ArmScores, ...]
    left_out: tuple[LeftOut, ...]
    missing: tuple[MissingArm, ...] = ()


def masking(
    runs: Sequence[Run],
    panel: Panel,
    settings: TransferSettings,
    releases: Mapping[str, str] = MappingProxyType({}),
) -> Masking:
    """Compare the three arms on every task that runs have scored in all of them.

    Parameters
    ----------
    runs : sequence of Run
        Computed here, reported, or both; the two are never in one row.
    panel : Panel
        Which models are compared.
    settings : TransferSettings
        How intervals are made, and the metrics that models are ranked by.
    releases : mapping of str to str, default={}
        Paths of releases by their id, for the commands that make a missing arm.

    Returns
    -------
    Masking
        Rows in the order of the corpora and of the registry's tasks, computed ones first.

    Raises
    ------
    ShelfError
        If runs of one config are on different data, or two give a model a score in one arm.
    """
    rows: list[ArmScores] = []
    left_out: dict[LeftOut, None] = {}
    missing: list[MissingArm] = []
    for own in _of_one_kind(runs):
        kept: dict[TextArm, Sequence[Run]] = {}
        for arm, of_arm in own.arms.items():
            found = members(of_arm, panel)
            kept[arm] = found.runs
            left_out.update(dict.fromkeys(found.left_out))
        if not own.reported:
            computed = [run for of_arm in kept.values() for run in of_arm]
            refuse_other_data(computed)
            missing += missing_arms(computed, releases)
        for corpus in _corpora(kept):
            for task in load_tasks():
                wanted = measure(f"{corpus}/{task}", settings)
                row = _row(own, kept, wanted, settings.resampling)
                if isinstance(row, LeftOut):
                    left_out[row] = None
                elif row is not None:
                    rows.append(row)
    return Masking(tuple(rows), tuple(left_out), tuple(missing))


def masking_values(found: Masking) -> dict[str, Any]:
    """The same as plain values."""
    return {
        "rows": [
            {
                **asdict(row),
                "primary_metric": row.primary_metric,
                "models": list(row.models),
                "masked_change": row.masked_change,
                "sham_change": row.sham_change,
                "difference": row.difference and row.difference._asdict(),
                "lacking": [one._asdict() for one in row.lacking],
            }
            for row in found.rows
        ],
        "left_out": [one._asdict() for one in found.left_out],
        "missing": [one._asdict() for one in found.missing],
    }


class _Kind(NamedTuple):
    """Runs that differ in model, config and arm alone."""

    reported: str | None
    protocol: str
    arms: dict[TextArm, list[Run]]


def _of_one_kind(runs: Iterable[Run]) -> list[_Kind]:
    found: dict[tuple[bool, str, str], _Kind] = {}
    for run in runs:
        protocol = with_full_text(run.file.protocol.id)
        key = (run.reported is not None, run.reported or "", protocol)
        kind = found.setdefault(key, _Kind(run.reported, protocol, {}))
        kind.arms.setdefault(place_of(run).arm, []).append(run)
    return [found[key] for key in sorted(found)]


def _corpora(arms: Mapping[TextArm, Sequence[Run]]) -> list[str]:
    """Corpora with a run in one of the two arms in which something was removed."""
    treated = [run for arm in ARMS[1:] for run in arms.get(arm, ())]
    return list(dict.fromkeys(place_of(run).corpus for run in treated))


def _row(
    kind: _Kind,
    arms: Mapping[TextArm, Sequence[Run]],
    wanted: Measure,
    resampling: Resampling,
) -> ArmScores | LeftOut | None:
    scores = {arm: _scores(arms.get(arm, ()), wanted) for arm in ARMS}
    if not (scores["masked"] or scores["sham"]):
        return None
    shared = sorted(set.intersection(*(set(of_arm) for of_arm in scores.values())))
    if not shared:
        lacking = _without(arm for arm, of_arm in scores.items() if not of_arm)
        reason = f"no run with {lacking}" if lacking else "no model has all arms"
        return LeftOut(wanted.text, reason)
    values = {arm: np.array([scores[arm][key] for key in shared]) for arm in ARMS}
    agreed = {
        arm: agreement(
            values[arm],
            values["none"],
            seed=resampling.seed,
            replicates=resampling.replicates,
            level=resampling.level,
        )
        for arm in ARMS[1:]
    }
    return ArmScores(
        corpus=wanted.corpus,
        task=wanted.task,
        metric=wanted.metric,
        reported=kind.reported,
        protocol=kind.protocol,
        models=tuple(key.name for key in shared),
        unmasked=float(values["none"].mean()),
        masked=float(values["masked"].mean()),
        sham=float(values["sham"].mean()),
        masked_agreement=agreed["masked"],
        sham_agreement=agreed["sham"],
        difference=_difference(values, agreed, resampling),
        lacking=_lacking(scores, shared),
    )


def _scores(runs: Iterable[Run], wanted: Measure) -> dict[ModelKey, float]:
    own = [run for run in runs if place_of(run).corpus == wanted.corpus]
    configs = {run.file.data.config for run in own}
    # The reported arms are configs of their own.
    return {
        key: value
        for config in sorted(configs)
        for key, value in scores_by_model(own, wanted._replace(corpus=config)).items()
    }


def _difference(
    values: Mapping[TextArm, Floats],
    agreed: Mapping[TextArm, Agreement],
    resampling: Resampling,
) -> Difference | None:
    masked, sham = agreed["masked"].spearman, agreed["sham"].spearman
    if masked is None or sham is None:
        return None
    whole = values["none"]
    copies = model_copies(len(whole), seed=resampling.seed, replicates=resampling.replicates)
    drawn = resampled_spearman(values["masked"], whole, copies) - resampled_spearman(
        values["sham"], whole, copies
    )
    found = percentile_intervals(drawn[:, None], resampling.level)
    low, high = (None, None) if found is None else found[0]
    return Difference(masked - sham, low, high)


def _lacking(
    scores: Mapping[TextArm, Mapping[ModelKey, float]], shared: Sequence[ModelKey]
) -> tuple[LeftOut, ...]:
    known = sorted({key for of_arm in scores.values() for key in of_arm} - set(shared))
    return tuple(
        LeftOut(
            key.name, f"no score with {_without(arm for arm in ARMS if key not in scores[arm])}"
        )
        for key in known
    )


def _without(arms: Iterable[TextArm]) -> str:
    return " and ".join(ARM_WORDS[arm] for arm in arms)
