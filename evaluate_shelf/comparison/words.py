"""A comparison for a terminal, in words that need no statistics."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from evaluate_shelf.comparison.results import (
    Comparison,
    Contest,
    Difference,
    MeanContest,
    TaskContest,
)
from evaluate_shelf.printable import one_line, shortened
from evaluate_shelf.text_columns import aligned, terminal_width

_NARROWEST = 60
_MOST_DIFFERENCES = 10
_MOST_GROUPS = 5
_LONGEST_NAME = 40


def for_terminal(comparison: Comparison, width: int | None = None) -> str:
    """The comparison as text: the mean first, then each task, then how to read it.

    Parameters
    ----------
    comparison : Comparison
        From `compare_models`.
    width : int, default=None
        Where sentences are broken; the terminal's width without it.

    Returns
    -------
    str
        Lines of text. Where there are more than ten differences, they are counted.
    """
    columns = max(_NARROWEST, width or terminal_width(100))
    mean = comparison.mean
    parts = [
        [*_title(comparison), *_summary(comparison)],
        *([_of_mean(mean)] if mean else [_no_mean()]),
        *(_of_task(task) for task in comparison.tasks),
        _legend(comparison),
    ]
    return "\n".join("".join(_wrapped(line, columns) for line in part) for part in parts)


def _title(comparison: Comparison) -> list[str]:
    on = f"{comparison.config}, release {comparison.release_id}, protocol {comparison.protocol}"
    if comparison.limit is None:
        return [on]
    return [f"{on}; SMOKE RUNS of {comparison.limit} documents a split"]


def _summary(comparison: Comparison) -> Iterator[str]:
    """How often each of two models is ahead, where there are not too many of them."""
    counts: dict[tuple[str, str], list[int]] = {}
    for task in comparison.tasks:
        for one in task.contest.differences:
            first, second = sorted((one.first, one.second))
            ahead = 2 if not one.told_apart else 0 if one.first == first else 1
            counts.setdefault((first, second), [0, 0, 0])[ahead] += 1
    if len(counts) > _MOST_DIFFERENCES:
        return
    for (first, second), (ahead, behind, open_) in sorted(counts.items()):
        yield (
            f"{one_line(first)} and {one_line(second)}, {_tasks(ahead + behind + open_)}: "
            f"{one_line(first)} is better on {ahead}, {one_line(second)} on {behind}, not told "
            f"apart on {open_}."
        )


def _tasks(count: int) -> str:
    return "1 task" if count == 1 else f"{count} tasks"


def _no_mean() -> list[str]:
    return ["No mean over tasks: these models have fewer than two tasks in common that count."]


def _of_mean(mean: MeanContest) -> list[str]:
    lacking = [
        f"  {one_line(model)} has no mean: no score on {', '.join(tasks)}"
        for model, tasks in mean.lacking.items()
    ]
    return [
        f"MEAN over {len(mean.tasks)} tasks: {', '.join(mean.tasks)}",
        *_of_contest(mean.contest),
        *lacking,
    ]


def _of_task(task: TaskContest) -> list[str]:
    control = "; a control, at or near chance by nature" if task.control else ""
    lacking = [
        f"  {one_line(model)} has no score: {one_line(reason)}"
        for model, reason in task.lacking.items()
    ]
    heading = f"{task.task} ({task.metric}), {task.facet}: {_counted(task.contest)}{control}"
    return [heading, *_of_contest(task.contest), *lacking]


def _counted(contest: Contest) -> str:
    numbers = {standing.n for standing in contest.standings}
    items = " or ".join(f"{number:,}" for number in sorted(numbers))
    return f"{items} items, {contest.n_units:,} units ({contest.unit})"


def _of_contest(contest: Contest) -> list[str]:
    return [
        *_standings(contest),
        *_differences(contest),
        *_groups(contest),
        *_smallest(contest),
    ]


def _standings(contest: Contest) -> Iterator[str]:
    heading = ("model", "score", "interval", "place", "group")
    rows = [
        (
            shortened(one.model, _LONGEST_NAME),
            _number(one.value),
            _interval(one.low, one.high),
            _places(one.place_low, one.place_high),
            "".join(one.groups) if max(map(len, one.groups)) == 1 else " ".join(one.groups),
        )
        for one in contest.standings
    ]
    yield from (f"  {line}" for line in aligned([heading, *rows], left=(0,)))


def _differences(contest: Contest) -> Iterator[str]:
    every = contest.differences
    if len(every) <= _MOST_DIFFERENCES:
        yield from (f"  {_sentence(one)}" for one in every)
    else:
        apart = sum(one.told_apart for one in every)
        yield f"  {apart:,} of {len(every):,} differences are told apart; --json has all of them."


def _sentence(one: Difference) -> str:
    ahead = f"{one_line(one.first)} is ahead of {one_line(one.second)} by {_number(one.value)}"
    if one.low is None:
        return f"{ahead}: one group of documents does not tell whether that is chance"
    interval = f"({_interval(one.low, one.high)})"
    if one.p_holm is None:
        return f"{ahead} {interval}: too few groups of documents to tell whether that is chance"
    verdict = "told apart" if one.told_apart else "may be chance"
    return f"{ahead} {interval}, p {_chance(one.p_holm)}: {verdict}"


def _groups(contest: Contest) -> Iterator[str]:
    models = [standing.model for standing in contest.standings]
    members: dict[str, list[str]] = {}
    for standing in contest.standings:
        for letter in standing.groups:
            members.setdefault(letter, []).append(standing.model)
    if models in members.values():
        yield "  No two of these models can be told apart."
    elif len(members) <= _MOST_GROUPS:
        for letter, tied in members.items():
            if len(tied) > 1:
                yield f"  Group {letter}, not told apart: {', '.join(map(one_line, tied))}."


def _smallest(contest: Contest) -> Iterator[str]:
    if contest.smallest_difference is not None:
        power = (
            f"; one of {contest.smallest_difference_with_power:.3f} is found four times in five"
            if contest.smallest_difference_with_power is not None
            else ""
        )
        yield (
            f"  A difference below about {contest.smallest_difference:.3f} cannot be seen here"
            f"{power}, if it were the only one that is tested."
        )


def _legend(comparison: Comparison) -> list[str]:
    level, chance = f"{100 * comparison.level:g} %", f"{1 - comparison.level:.2g}"
    return [
        (
            "How to read this. The interval holds the scores that other texts of the same kind "
            f"could well have given ({level}). Models with a letter in common cannot be told "
            "apart: their difference may be chance; that does not make them equal. The place is "
            "the best and the worst rank that a model may have, as far as models are told apart. "
            "p is how often chance alone would make a difference of that size or more, were both "
            f"models equally good. {comparison.n_tests:,} differences of tasks are looked at "
            "together, and among many some are large by chance; so p is corrected for their number "
            f"(Holm), and two models are told apart where it is at most {chance}. For the mean it "
            "is tasks that could have been others: it says whether one model would be ahead on "
            "other tasks like these."
        )
    ]


def _wrapped(line: str, width: int) -> str:
    # Rows of a table begin with two spaces and hold runs of them, which wrapping would fold.
    if len(line) <= width:
        return f"{line}\n"
    indent = "    " if line.startswith("  ") else ""
    broken = textwrap.wrap(
        line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "".join(f"{part}\n" for part in broken)


def _number(value: float) -> str:
    # Nothing is gained by the sign of a nought.
    text = f"{value:.3f}"
    return "0.000" if text == "-0.000" else text


def _interval(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{_number(low)} to {_number(high)}"


def _places(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} to {high}"


def _chance(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"
