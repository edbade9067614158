"""How far two runs have the same answers, from what is kept of each."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from evaluate_shelf.bounded import ConfigName, Line

Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Fingerprint = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{64})?$")]
Sketch = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{2}){0,128}$")]

SAME_FOR_ALL = ""
"""In place of a hash where every item has the same answer, as models have that tell nothing."""

NEARLY = 0.9
"""Agreement on the items of a sketch from which answers are nearly the same: twelve of 128 differ.

Of 17 models on each of five real collections, the two closest that differ in weights and in what
they read of a text agreed on 0.78 of the items of the better half of the tasks that tell; TF-IDF on
all of a text and on its beginning agreed on 0.81 where texts are long, and a model and its own
weights in eight bits on 0.76 to 1. The threshold lies between the first two and copies.
"""

CEILING = 0.9
"""From this score on models agree because both are right."""

MOST_ALIKE = 0.8
"""Chance that two items of a sketch have one answer, above which a task tells little of a model."""


class Known(BaseModel):
    """What is kept of a run to compare others with it.

    Attributes
    ----------
    name, run_id : str
        The model's name and the run's id.
    board : str
        See `checking.Checked`.
    content_sha256 : str
        Hash of all files: a run that has it is this very run.
    fingerprints, sketches : dict of str to str
        By task; see `fingerprints`.
    values : dict of str to float
        Primary scores by task.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Line
    run_id: Line
    board: Line
    content_sha256: Digest
    fingerprints: dict[ConfigName, Fingerprint]
    sketches: dict[ConfigName, Sketch] = {}
    values: dict[ConfigName, Annotated[float, Field(allow_inf_nan=False)]]


class Likeness(NamedTuple):
    """On which tasks two runs have the same answers.

    Attributes
    ----------
    shared : tuple of str
        Tasks that both have, without those where one of them answers the same to all.
    same : tuple of str
        Those of them with the very same answers.
    telling : tuple of str
        Those of them that different models answer differently: not at the ceiling, and not nearly
        one answer to all.
    near : tuple of str
        Those of the telling ones with nearly the same answers.
    """

    shared: tuple[str, ...]
    same: tuple[str, ...]
    telling: tuple[str, ...]
    near: tuple[str, ...]

    @property
    def is_same(self) -> bool:
        """Whether the answers are the same on more than half of the tasks."""
        return 2 * len(self.same) > len(self.shared)

    @property
    def is_near(self) -> bool:
        """Whether they are nearly the same on at least half of the tasks that tell."""
        return bool(self.near) and 2 * len(self.near) >= len(self.telling)


def likeness(one: Known, other: Known) -> Likeness:
    """Compare the answers of two runs of one board."""
    shared = tuple(
        task
        for task, own in one.fingerprints.items()
        if own != SAME_FOR_ALL and other.fingerprints.get(task, SAME_FOR_ALL) != SAME_FOR_ALL
    )
    same = tuple(task for task in shared if one.fingerprints[task] == other.fingerprints[task])
    telling = tuple(
        task
        for task in shared
        if max(one.values.get(task, 1), other.values.get(task, 1)) < CEILING
        and chance_alike(one.sketches.get(task, "")) <= MOST_ALIKE
    )
    near = tuple(
        task
        for task in telling
        if task in same
        or agreement(one.sketches.get(task, ""), other.sketches.get(task, "")) >= NEARLY
    )
    return Likeness(shared, same, telling, near)


def agreement(one: str, other: str) -> float:
    """Share of the items of two sketches that have the same answer.

    Examples
    --------
    >>> agreement("00ff10", "00ff20") == 2 / 3
    True
    """
    first, second = _bytes(one), _bytes(other)
    if len(first) != len(second) or not len(first):
        return 0.0
    return float((first == second).mean())


def chance_alike(sketch: str) -> float:
    """Chance that two items of a sketch, drawn with replacement, have the same answer.

    Examples
    --------
    >>> chance_alike("00000000"), chance_alike("00010203"), chance_alike("")
    (1.0, 0.25, 1.0)
    """
    if not sketch:
        return 1.0
    counts = np.bincount(_bytes(sketch))
    return float((counts**2).sum() / counts.sum() ** 2)


def _bytes(sketch: str) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.frombuffer(bytes.fromhex(sketch), dtype=np.uint8)
