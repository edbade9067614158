"""What a maintainer has to look at in a run that is consistent: a flag refuses nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from evaluate_shelf.submissions.checking import Checked, Limits, ScoreRow, checked
from evaluate_shelf.submissions.likeness import Known, Likeness, likeness
from evaluate_shelf.submissions.published import Published, best_published
from evaluate_shelf.submissions.records import Passed

NEAR_PERFECT = 0.98
"""From here on a primary score is held, whatever others have.

Labels are public, so whoever wants to can answer with them. No published model has more than 0.89
on any task, and labels of a specification that nobody has judged leave room for doubt: a model that
is right nearly everywhere has seen the answers, or the task is trivial on that release.
"""

NEARLY_PERFECT, ORDINARY = 0.95, 0.90
"""From the first on it is held too, where the best known score of the task is below the second.

Known are the runs of the board and the published panel.
"""

FAR_ABOVE = 0.05
"""So far above the best known score a score's interval has to begin to be pointed out.

Where even the lower end of the interval is five hundredths above the best, chance does not explain
it.
"""

LEAST_KNOWN = 5
"""Of so many runs with a score on the task; to fewer the published panel's scores are added."""

MOST_NAMED = 5
"""So many runs are named with the same answers, those with the most first."""

Kind = Literal["near-perfect", "same-run", "same-answers", "near-answers", "far-above"]


class Flag(NamedTuple):
    """Something to look at.

    Attributes
    ----------
    kind : {'near-perfect', 'same-run', 'same-answers', 'near-answers', 'far-above'}
        What it is.
    text : str
        A sentence that says it, with its numbers.
    tasks : tuple of str
        Where.
    holds : bool
        Whether the run has to wait for a maintainer; what does not hold it is noted alone.
    """

    kind: Kind
    text: str
    tasks: tuple[str, ...]
    holds: bool = True


class _Alike(NamedTuple):
    other: Known
    found: Likeness


class _Comparison:
    """What comes of comparing a run with others, one after the other."""

    def __init__(self, run: Known) -> None:
        self._run = run
        self.first_of_id: Known | None = None
        self.alike: list[_Alike] = []
        self.n_alike = 0
        self.noted: list[_Alike] = []
        self.best: dict[str, tuple[float, str]] = {}
        self.n_known: dict[str, int] = {}

    def take(self, other: Known) -> None:
        """Compare with one more."""
        if other.run_id == self._run.run_id and self.first_of_id is None:
            self.first_of_id = other
        found = likeness(self._run, other)
        if found.is_same or found.is_near:
            self.n_alike += 1
            self.alike = _first([*self.alike, _Alike(other, found)])
        elif found.same:
            self.noted = _first([*self.noted, _Alike(other, found)])
        for task in self._run.values.keys() & other.values.keys():
            value = (other.values[task], other.name)
            self.best[task] = max(value, self.best.get(task, value))
            self.n_known[task] = self.n_known.get(task, 0) + 1


def known_of(run: Checked) -> Known:
    """What is kept of a checked run."""
    return Known(
        name=run.file.model.name,
        run_id=run.file.run_id,
        board=run.board,
        content_sha256=run.content_sha256,
        fingerprints=run.fingerprints,
        sketches=run.sketches,
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
        All others, the first that came first; those of other boards are passed over, and those with
        the very same files. Each is looked at once, and few are held.

    Returns
    -------
    list of Flag
        Empty where nothing is.
    """
    own = known_of(run)
    comparison = _Comparison(own)
    for other in known:
        if other.board == own.board and other.content_sha256 != own.content_sha256:
            comparison.take(other)
    scores = run.primary_scores()
    published = best_published(run.file.data.config)
    perfect = _near_perfect(scores, comparison, published)
    told = {task for flag in perfect for task in flag.tasks}
    others = {task: row for task, row in scores.items() if task not in told}
    return [
        *perfect,
        *_same_run(comparison),
        *_same_answers(comparison),
        *_far_above(others, comparison, published),
    ]


def check_of(
    releases: Sequence[Path],
    known: Callable[[str], Iterable[Known]] = lambda board: (),
    limits: Limits | None = None,
) -> Callable[[Path], Passed]:
    """A store's check: `checked`, with flags against the runs that are known by then.

    Parameters
    ----------
    releases, limits
        As for `checked`.
    known : callable, default=none
        Gives the runs of a board to compare with, each time.

    Returns
    -------
    callable
        From a run's folder to a `Passed` whose `found` has `claimed`, `recomputed`,
        `fingerprints`, `content_sha256` and `flags`, with those that hold nothing;
        raises as `checked`.
    """

    def check(folder: Path) -> Passed:
        run = checked(folder, releases, limits)
        flags = flags_of(run, known(run.board))
        return Passed(
            flags=tuple(flag.text for flag in flags if flag.holds),
            found=found_of(run, flags),
            known=known_of(run),
        )

    return check


def found_of(run: Checked, flags: Sequence[Flag]) -> dict[str, Any]:
    """What a check found, as JSON."""
    return {
        "content_sha256": run.content_sha256,
        "claimed": [row.model_dump() for row in run.claimed],
        "recomputed": [row.model_dump() for row in run.recomputed],
        "fingerprints": run.fingerprints,
        "flags": [{**flag._asdict(), "tasks": list(flag.tasks)} for flag in flags],
    }


def _near_perfect(
    scores: dict[str, ScoreRow], comparison: _Comparison, published: Mapping[str, Published]
) -> list[Flag]:
    flags = []
    perfect = tuple(task for task, row in scores.items() if row.value >= NEAR_PERFECT)
    if perfect:
        text = f"near-perfect, {NEAR_PERFECT:g} or more, on {_named(perfect)}"
        flags.append(Flag("near-perfect", text, perfect))
    best = {task: max((0.0, ""), comparison.best.get(task, (0.0, ""))) for task in scores}
    for task, own in published.items():
        if task in best:
            best[task] = max(best[task], (own.value, own.name))
    nearly = tuple(
        task
        for task, row in scores.items()
        if NEARLY_PERFECT <= row.value < NEAR_PERFECT and best[task][0] < ORDINARY
    )
    if nearly:
        text = (
            f"nearly perfect, {NEARLY_PERFECT:g} or more, where the best known is below "
            f"{ORDINARY:g}, on {_named(nearly)}"
        )
        flags.append(Flag("near-perfect", text, nearly))
    return flags


def _same_run(comparison: _Comparison) -> list[Flag]:
    first = comparison.first_of_id
    if first is None:
        return []
    text = (
        f"the run id {first.run_id} is that of a run that was here before, of {first.name} "
        f"({first.content_sha256[:12]}), with other files"
    )
    return [Flag("same-run", text, ())]


def _same_answers(comparison: _Comparison) -> list[Flag]:
    flags = [_answers_flag(*own) for own in comparison.alike]
    more = comparison.n_alike - len(comparison.alike)
    if more:
        text = f"the same answers, or nearly, as {more:,} more runs"
        flags.append(Flag("same-answers", text, ()))
    return flags + [_answers_flag(*own) for own in comparison.noted]


def _answers_flag(other: Known, found: Likeness) -> Flag:
    named = f"{other.name} (run {other.run_id}, files {other.content_sha256[:12]})"
    if found.is_near and not found.is_same:
        text = (
            f"nearly the same answers as {named} on {len(found.near)} of {len(found.telling)} "
            "tasks: weights that differ in next to nothing, or copied outcomes with a few changed"
        )
        return Flag("near-answers", text, found.near)
    why = ": the same weights, or copied outcomes" if found.is_same else ""
    text = f"the same answers as {named} on {len(found.same)} of {len(found.shared)} tasks{why}"
    return Flag("same-answers", text, found.same, holds=found.is_same)


def _first(alike: list[_Alike]) -> list[_Alike]:
    """Those with the most answers in common; of equal ones, who came first."""
    order = sorted(alike, key=lambda own: (-len(own.found.same), -len(own.found.near)))
    return order[:MOST_NAMED]


def _far_above(
    scores: dict[str, ScoreRow], comparison: _Comparison, published: Mapping[str, Published]
) -> list[Flag]:
    flags = []
    for task, row in scores.items():
        low = row.value if row.low is None else row.low
        n, best = comparison.n_known.get(task, 0), comparison.best.get(task, (0.0, ""))
        if n < LEAST_KNOWN and (other := published.get(task)) is not None:
            # They are of another release: of use where little else is known, and no lower bar.
            n += other.n
            best = max(best, (other.value, f"{other.name}, as published"))
        if n >= LEAST_KNOWN and low > best[0] + FAR_ABOVE:
            text = (
                f"{task}: {row.value:.3f}, at least {low:.3f}, is far above the best known, "
                f"{best[0]:.3f} of {best[1]}"
            )
            flags.append(Flag("far-above", text, (task,)))
    return flags


def _named(tasks: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(tasks[:most])
    return shown if len(tasks) <= most else f"{shown} and {len(tasks) - most} more"
