"""What a maintainer has to look at in a run that is consistent: a flag refuses nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from evaluate_shelf.bounded import ConfigName, Line
from evaluate_shelf.submissions.checking import (
    Checked,
    Fingerprint,
    Limits,
    ScoreRow,
    checked,
)
from evaluate_shelf.submissions.fingerprints import SAME_FOR_ALL
from evaluate_shelf.submissions.records import Passed

NEAR_PERFECT = 0.98
"""From here on a primary score is pointed out.

Labels are public, so whoever wants to can answer with them. No published model has more than 0.89
on any task, and labels of a specification that nobody has judged leave room for doubt: a model that
is right nearly everywhere has seen the answers, or the task is trivial on that release.
"""

FAR_ABOVE = 0.05
"""So far above the best known score a score's interval has to begin to be pointed out.

Where even the lower end of the interval is five hundredths above the best, chance does not explain
it.
"""

LEAST_KNOWN = 5
"""Of so many runs with a score on the task; the best of fewer says little."""

Kind = Literal["near-perfect", "same-answers", "far-above"]


class Flag(NamedTuple):
    """Something to look at.

    Attributes
    ----------
    kind : {'near-perfect', 'same-answers', 'far-above'}
        What it is.
    text : str
        A sentence that says it, with its numbers.
    tasks : tuple of str
        Where.
    """

    kind: Kind
    text: str
    tasks: tuple[str, ...]


class Known(BaseModel):
    """What is kept of a run to compare others with it.

    Attributes
    ----------
    name, run_id : str
        The model's name and the run's id.
    board : str
        See `Checked`.
    fingerprints : dict of str to str
        See `Checked`.
    values : dict of str to float
        Primary scores by task.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Line
    run_id: Line
    board: Line
    fingerprints: dict[ConfigName, Fingerprint]
    values: dict[ConfigName, Annotated[float, Field(allow_inf_nan=False)]]


def known_of(run: Checked) -> Known:
    """What is kept of a checked run."""
    return Known(
        name=run.file.model.name,
        run_id=run.file.run_id,
        board=run.board,
        fingerprints=run.fingerprints,
        values={task: row.value for task, row in run.primary_scores().items()},
    )


def known_run(folder: Path, releases: Sequence[Path], limits: Limits | None = None) -> Known:
    """What is kept of a run that was accepted before: read as `checked` does, not recomputed."""
    return known_of(checked(folder, releases, limits, scores=False))


def flags_of(run: Checked, known: Iterable[Known]) -> list[Flag]:
    """What is to be pointed out in a run.

    Parameters
    ----------
    run : Checked
        The run.
    known : iterable of Known
        All others; those of other boards, and the run itself, are passed over.

    Returns
    -------
    list of Flag
        Empty where nothing is.
    """
    others = [
        own
        for own in known
        if own.board == run.board
        and (own.run_id, own.name) != (run.file.run_id, run.file.model.name)
    ]
    scores = run.primary_scores()
    return [*_near_perfect(scores), *_same_answers(run, others), *_far_above(scores, others)]


def check_of(
    releases: Sequence[Path],
    known: Callable[[], Iterable[Known]] = tuple,
    limits: Limits | None = None,
) -> Callable[[Path], Passed]:
    """A store's check: `checked`, with flags against the runs that are known by then.

    Parameters
    ----------
    releases, limits
        As for `checked`.
    known : callable, default=tuple
        Gives the runs to compare with, each time.

    Returns
    -------
    callable
        From a run's folder to a `Passed` whose `found` has `claimed`, `recomputed`, `known` (a
        `Known`), `flags` and `content_sha256`; raises as `checked`.
    """

    def check(folder: Path) -> Passed:
        run = checked(folder, releases, limits)
        flags = flags_of(run, known())
        return Passed(flags=tuple(flag.text for flag in flags), found=found_of(run, flags))

    return check


def found_of(run: Checked, flags: Sequence[Flag]) -> dict[str, Any]:
    """What a check found, as JSON."""
    return {
        "content_sha256": run.content_sha256,
        "claimed": [row.model_dump() for row in run.claimed],
        "recomputed": [row.model_dump() for row in run.recomputed],
        "known": known_of(run).model_dump(),
        "flags": [{**flag._asdict(), "tasks": list(flag.tasks)} for flag in flags],
    }


def _near_perfect(scores: dict[str, ScoreRow]) -> list[Flag]:
    tasks = tuple(task for task, row in scores.items() if row.value >= NEAR_PERFECT)
    if not tasks:
        return []
    text = f"near-perfect, {NEAR_PERFECT:g} or more, on {_named(tasks)}"
    return [Flag("near-perfect", text, tasks)]


def _same_answers(run: Checked, others: Sequence[Known]) -> list[Flag]:
    flags = []
    for other in others:
        shared = [task for task in run.fingerprints if task in other.fingerprints]
        same = tuple(
            task
            for task in shared
            if run.fingerprints[task] != SAME_FOR_ALL
            and run.fingerprints[task] == other.fingerprints[task]
        )
        if same:
            text = (
                f"the same answers as {other.name} (run {other.run_id}) on {len(same)} of "
                f"{len(shared)} tasks: the same weights, or copied outcomes"
            )
            flags.append(Flag("same-answers", text, same))
    return flags


def _far_above(scores: dict[str, ScoreRow], others: Sequence[Known]) -> list[Flag]:
    flags = []
    for task, row in scores.items():
        values = [(own.values[task], own.name) for own in others if task in own.values]
        low = row.value if row.low is None else row.low
        if len(values) >= LEAST_KNOWN and low > (best := max(values))[0] + FAR_ABOVE:
            text = (
                f"{task}: {row.value:.3f}, at least {low:.3f}, is far above the best known, "
                f"{best[0]:.3f} of {best[1]}"
            )
            flags.append(Flag("far-above", text, (task,)))
    return flags


def _named(tasks: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(tasks[:most])
    return shown if len(tasks) <= most else f"{shown} and {len(tasks) - most} more"
