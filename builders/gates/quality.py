"""How often the gates are right, on labelled cases."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from builders.gates.cases.reading import CASES, Outcome, outcomes
from evaluate_shelf.application.estimate import wilson_interval

_LEVEL = 0.95


class Share(BaseModel):
    """A share of some cases, with its 95 % interval by Wilson; none where there are no cases."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    right: int
    of: int
    share: float | None
    low: float | None
    high: float | None


class GateQuality(BaseModel):
    """How often a gate is right on its labelled cases.

    Attributes
    ----------
    gate : str
    cases, hard : int
        All cases, and those that pass and look as if they should not.
    precision : Share
        Of the cases that the gate refuses, those that a reader refuses.
    recall : Share
        Of the cases that a reader refuses, those that the gate refuses.
    hard_passed : Share
        Of the hard cases, those that the gate lets pass.
    refused_wrongly, passed_wrongly : tuple of str
        The cases where it is wrong.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    gate: str
    cases: int
    hard: int
    precision: Share
    recall: Share
    hard_passed: Share
    refused_wrongly: tuple[str, ...]
    passed_wrongly: tuple[str, ...]


def gate_quality() -> list[GateQuality]:
    """How often each gate is right on its labelled cases.

    The cases were written for the purpose, by those who know the gates: they say which errors a
    gate makes, not how often it makes them in a corpus.

    Returns
    -------
    list of GateQuality
        G1 to G7.
    """
    return [quality_of(gate, outcomes(gate)) for gate in CASES]


def quality_of(gate: str, cases: list[Outcome]) -> GateQuality:
    """How often a gate is right on some cases.

    Examples
    --------
    >>> cases = [Outcome("a", False, False, False), Outcome("b", True, True, True)]
    >>> quality = quality_of("g", cases)
    >>> quality.precision.share, quality.recall.share, quality.hard_passed.share
    (1.0, 1.0, 1.0)
    """
    refused = [own for own in cases if not own.gate_passes]
    wanted = [own for own in cases if not own.passes]
    hard = [own for own in cases if own.is_hard]
    hits = sum(not own.gate_passes for own in wanted)
    return GateQuality(
        gate=gate,
        cases=len(cases),
        hard=len(hard),
        precision=share_of(hits, len(refused)),
        recall=share_of(hits, len(wanted)),
        hard_passed=share_of(sum(own.gate_passes for own in hard), len(hard)),
        refused_wrongly=tuple(own.id for own in refused if own.passes),
        passed_wrongly=tuple(own.id for own in wanted if own.gate_passes),
    )


def share_of(right: int, of: int) -> Share:
    """A share with its interval, to four places.

    Examples
    --------
    >>> share_of(0, 0).share, share_of(9, 10)
    (None, Share(right=9, of=10, share=0.9, low=0.5958, high=0.9821))
    """
    if not of:
        return Share(right=right, of=of, share=None, low=None, high=None)
    low, high = wilson_interval(right, of, _LEVEL)
    return Share(
        right=right, of=of, share=round(right / of, 4), low=round(low, 4), high=round(high, 4)
    )
