"""Which models can be told apart: ranks that the tests leave open, and tie groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluate_shelf.comparison.results import Comparison, Contest
from evaluate_shelf.counts import counted
from evaluate_shelf.report.compared import Compared
from evaluate_shelf.report.document import Block, Heading, Listing, Paragraph, Section, Table
from evaluate_shelf.report.evidence import Evidence
from evaluate_shelf.report.sections.boards import board_name
from evaluate_shelf.report.sections.numbers import metric_name, number
from evaluate_shelf.report.source import Source, csv_data

_NONE = "–"
_CSV = (
    "task", "metric", "model", "value", "place_low", "place_high", "groups",
    "smallest_difference", "found_four_times_in_five",
)  # fmt: skip


def told_apart(found: Sequence[Compared], evidence: Evidence) -> Section:
    """Tie groups and rank intervals of each board.

    Parameters
    ----------
    found : sequence of Compared
        The boards of computed runs.
    evidence : Evidence
        What there is.

    Returns
    -------
    Section
        A sentence for each board that could not be compared.
    """
    blocks: list[Block] = []
    for place, one in enumerate(found, start=1):
        blocks += _board(one, evidence, f"told-apart-{place}")
    if not blocks:
        blocks.append(
            Paragraph(
                "No runs were given that could be compared. Reported scores have no items, so "
                "which of their models can be told apart is not known.",
                "absent",
            )
        )
    return Section("told-apart", "Which models can be told apart", tuple(blocks))


def _board(one: Compared, evidence: Evidence, name: str) -> Iterator[Block]:
    yield Heading(board_name(one.board))
    comparison = one.comparison
    if comparison is None:
        kind = "unusable" if one.is_damaged else "absent"
        yield Paragraph(f"Not compared: {one.why_not}.", kind)
        return
    yield Paragraph(
        f"From paired resamples of the same items. A rank is given as the best and the worst that "
        f"the tests leave open, {100 * comparison.level:g} % for all models of a column together, "
        "after Holm's correction over "
        f"{counted(comparison.n_tests, 'difference')}. Models that share a letter cannot be told "
        "apart. The last two rows say which difference a task can resolve, at the level that the "
        "correction asks of the first of its tests: one that is told apart, and one that is so "
        "four times in five."
    )
    command = evidence.command_over(one.runs, "compare", "--data", one.data or "", "--json")
    yield from _tables(comparison, Source(name, csv_data(_CSV, _rows(comparison)), command))
    if one.left_out:
        yield Paragraph("Left out of the comparison:", "note")
        yield Listing(tuple(f"{row.model}: {row.reason}" for row in dict.fromkeys(one.left_out)))


def _tables(comparison: Comparison, source: Source) -> Iterator[Table]:
    mean = comparison.mean
    if mean is not None:
        name = f"mean of {len(mean.tasks)} tasks"
        yield _table("Ranks and tie groups by the mean", [(name, mean.contest)], source)
    for facet in dict.fromkeys(own.facet for own in comparison.tasks):
        columns = [
            (f"{own.task} ({metric_name(own.metric)})", own.contest)
            for own in comparison.tasks
            if own.facet == facet
        ]
        yield _table(f"Ranks and tie groups, facet {facet}", columns, source)


def _rows(comparison: Comparison) -> Iterator[tuple[object, ...]]:
    mean = comparison.mean
    contests = [("mean", "mean", mean.contest)] if mean else []
    contests += [(own.task, own.metric, own.contest) for own in comparison.tasks]
    for task, metric, contest in contests:
        found = (contest.smallest_difference, contest.smallest_difference_with_power)
        for one in contest.standings:
            places = (one.place_low, one.place_high, " ".join(one.groups))
            yield (task, metric, one.model, one.value, *places, *found)


def _table(caption: str, columns: Sequence[tuple[str, Contest]], source: Source) -> Table:
    contests = [contest for _, contest in columns]
    models = dict.fromkeys(one.model for contest in contests for one in contest.standings)
    rows = [(model, *(_cell(contest, model) for contest in contests)) for model in models]
    smallest = [number(contest.smallest_difference) for contest in contests]
    found = [number(contest.smallest_difference_with_power) for contest in contests]
    return Table(
        caption=caption,
        header=("model", *(name for name, _ in columns)),
        rows=(
            *rows,
            ("smallest difference", *smallest),
            ("found four times in five", *found),
        ),
        source=source,
    )


def _cell(contest: Contest, model: str) -> str:
    own = next((one for one in contest.standings if one.model == model), None)
    if own is None:
        return _NONE
    low, high = own.place_low, own.place_high
    places = str(low) if low == high else f"{low} to {high}"
    return f"{number(own.value)} #{places} {''.join(own.groups)}".rstrip()
