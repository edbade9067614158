"""A comparison for a terminal, in words that need no statistics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evaluate_shelf.comparison.results import (
    Comparison,
    Contest,
    Difference,
    MeanContest,
    TaskContest,
)
from evaluate_shelf.counts import counted
from evaluate_shelf.printable import columns, one_line, shortened
from evaluate_shelf.runs.reading import NOT_RUN
from evaluate_shelf.text_columns import aligned, terminal_width, wrapped

_NARROWEST = 60
_FEW_UNITS = 100
_LARGEST_DIFFERENCE = 1.0
_MOST_DIFFERENCES = 10
_MOST_GROUPS = 5
_MOST_NAMES = 10
_LONGEST_NAME = 40
_SHORTEST_NAME = 12


def for_terminal(comparison: Comparison, width: int | None = None) -> str:
    """The comparison as text: the mean first, then each task, then how to read it.

    Parameters
    ----------
    comparison : Comparison
        From `compare_models`.
    width : int, default=None
        Where sentences are broken, and names in tables cut; the terminal's width without it.

    Returns
    -------
    str
        Lines of text. Where there are more than ten differences, they are counted.
    """
    at = max(_NARROWEST, width or terminal_width(100))
    mean = comparison.mean
    parts = [
        [*_sentences([_title(comparison), *_summary(comparison)], at)],
        [*(_of_mean(mean, at) if mean else _sentences([_NO_MEAN], at))],
        *([*_of_task(task, at)] for task in comparison.tasks),
        [*_sentences([_legend(comparison)], at)],
    ]
    return "\n".join("".join(f"{line}\n" for line in part) for part in parts)


_NO_MEAN = "No mean over tasks: these models have fewer than two tasks in common that count."


def _title(comparison: Comparison) -> str:
    on = f"{comparison.config}, release {comparison.release_id}, protocol {comparison.protocol}"
    if comparison.limit is None:
        return on
    return f"{on}; SMOKE RUNS of {counted(comparison.limit, 'document')} a split"


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
    for pair, (ahead, behind, open_) in sorted(counts.items()):
        first, second = map(_name, pair)
        yield (
            f"{first} and {second}, {counted(ahead + behind + open_, 'task')}: {first} is better "
            f"on {ahead}, {second} on {behind}, not told apart on {open_}."
        )


def _of_mean(mean: MeanContest, at: int) -> Iterator[str]:
    yield from _sentences(
        [f"MEAN over {counted(len(mean.tasks), 'task')}: {', '.join(mean.tasks)}"], at
    )
    yield from _of_contest(mean.contest, at)
    if mean.lacking:
        names = _many(mean.lacking)
        yield from _sentences([f"  No mean, for want of a score on each of them: {names}."], at)


def _of_task(task: TaskContest, at: int) -> Iterator[str]:
    control = "; a control, at or near chance by nature" if task.control else ""
    heading = f"{task.task} ({task.metric}), {task.facet}: {_units(task.contest)}{control}"
    yield from _sentences([heading], at)
    yield from _of_contest(task.contest, at)
    yield from _sentences(_lacking(task.lacking), at)


def _lacking(reasons: dict[str, str]) -> Iterator[str]:
    """Who has no score: models that were not run are counted, the others named by reason."""
    of_reason: dict[str, list[str]] = {}
    for model, reason in reasons.items():
        of_reason.setdefault(reason, []).append(model)
    not_run = len(of_reason.pop(NOT_RUN, ()))
    for reason, models in of_reason.items():
        yield f"  No score, {one_line(reason)}: {_many(models)}."
    if not_run:
        yield f"  {counted(not_run, 'model')} not run on it."


def _many(models: Iterable[str]) -> str:
    """Names of models, and the number of those that are too many to name."""
    named = [*map(_name, models)]
    more = len(named) - _MOST_NAMES
    if more <= 1:
        return "; ".join(named)
    return f"{'; '.join(named[:_MOST_NAMES])}; {more} more"


def _units(contest: Contest) -> str:
    *some, most = sorted({standing.n for standing in contest.standings})
    items = " or ".join([*(f"{number:,}" for number in some), counted(most, "item")])
    return f"{items}, {counted(contest.n_units, 'unit')} ({contest.unit})"


def _of_contest(contest: Contest, at: int) -> Iterator[str]:
    yield from _standings(contest, at)
    yield from _sentences([*_differences(contest), *_groups(contest), *_smallest(contest)], at)


def _standings(contest: Contest, at: int) -> Iterator[str]:
    heading = ("model", "score", "interval", "place", "group")
    rows = [
        (
            one.model,
            _number(one.value),
            _interval(one.low, one.high),
            _places(one.place_low, one.place_high),
            "".join(one.groups) if max(map(len, one.groups)) == 1 else " ".join(one.groups),
        )
        for one in contest.standings
    ]
    # What is left of a line for names: the table is not broken, a name in it may be cut.
    others = max(map(columns, aligned([row[1:] for row in [heading, *rows]])))
    longest = min(_LONGEST_NAME, max(_SHORTEST_NAME, at - others - 4))
    named = [(shortened(model, longest), *cells) for model, *cells in rows]
    yield from (f"  {line}" for line in aligned([heading, *named], left=(0,)))


def _differences(contest: Contest) -> Iterator[str]:
    every = contest.differences
    if len(every) <= _MOST_DIFFERENCES:
        yield from (f"  {_sentence(one)}" for one in every)
    else:
        apart = sum(one.told_apart for one in every)
        yield f"  {apart:,} of {len(every):,} differences told apart; --json has all of them."


def _sentence(one: Difference) -> str:
    ahead = f"{_name(one.first)} is ahead of {_name(one.second)} by {_number(one.value)}"
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
                yield f"  Group {letter}, not told apart: {_many(tied)}."


def _plural(unit: str) -> str:
    return "tasks" if unit == "task" else "units"


def _smallest(contest: Contest) -> Iterator[str]:
    least, found = contest.smallest_difference, contest.smallest_difference_with_power
    if least is not None and least > _LARGEST_DIFFERENCE:
        yield f"  There are too few {_plural(contest.unit)} to tell any difference apart."
    elif least is not None and found is not None:
        yield (
            f"  By itself a difference of about {least:.3f} is told apart; one of {found:.3f} is "
            "so four times in five."
        )


def _legend(comparison: Comparison) -> str:
    level, chance = f"{100 * comparison.level:g} %", f"{1 - comparison.level:.2g}"
    looked_at = counted(comparison.n_tests, "difference")
    return (
        "How to read this. The interval holds the scores that other texts of the same kind "
        f"could well have given ({level}). Models with a letter in common cannot be told "
        "apart: their difference may be chance; that does not make them equal. The place is "
        "the best and the worst rank that a model may have, as far as models are told apart. "
        "p is how often chance alone would make a difference of that size or more, were both "
        f"models equally good. {looked_at} of tasks, and those of the mean, are each looked at "
        "together, and among many some are large by chance; so p is corrected for their number "
        f"(Holm), and two models are told apart where it is at most {chance}. By itself means "
        f"before all others, as the correction asks it of the first: at {chance} divided by their "
        "number; the next ones need a little less. For the mean it is tasks that could have been "
        "others: it says whether one model would be ahead on other tasks like these."
        f"{_few_units(comparison)}"
    )


def _few_units(comparison: Comparison) -> str:
    fewest = min((task.contest.n_units for task in comparison.tasks), default=_FEW_UNITS)
    if fewest >= _FEW_UNITS:
        return ""
    return (
        f" Where there are fewer than {_FEW_UNITS} units, as here, intervals and p are rough: in "
        "simulations of 60 groups intervals of macro-F1 held the true score 85 times in 100, and "
        "tests found a difference where there was none 6 times in 100."
    )


def _name(model: str) -> str:
    return shortened(model, _LONGEST_NAME)


def _sentences(lines: Iterable[str], at: int) -> Iterator[str]:
    """Lines broken between words where they are too long; what begins with blanks is indented."""
    for line in lines:
        yield from wrapped(line, at, "    " if line.startswith("  ") else "")


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
