"""A board: rows that can be compared, and all that is known of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field, model_validator

from evaluate_shelf.aggregate.schema.cards import Cards
from evaluate_shelf.aggregate.schema.confusions import Confusions
from evaluate_shelf.aggregate.schema.pairs import Pairs
from evaluate_shelf.aggregate.schema.rows import Row, check_cells
from evaluate_shelf.aggregate.schema.strata import Strata
from evaluate_shelf.aggregate.schema.values import (
    MOST_REASONS,
    MOST_ROWS,
    MOST_TASKS,
    Count,
    Key,
    Part,
    Position,
    Score,
    Share,
    check_positions,
)
from evaluate_shelf.bounded import ConfigName, Line, Reason


class Unit(Part):
    """What the intervals of a task resample, how many of these there are, and items."""

    unit: Line
    n_units: Count
    n: Count


class View(Part):
    """The rows of a board under a choice of tasks.

    Attributes
    ----------
    facet, formulation : str or None
        Which tasks; all but the optional ones without both.
    tasks : tuple of int
        Positions in `Board.tasks`.
    mean_tasks : tuple of int
        What the mean is over: those of these tasks that every model with a mean has.
    means : tuple of float or None
        One a row of the board; None where the row lacks one of `mean_tasks`.
    coverage : tuple of int
        One a row: how many of `tasks` it has a score on.
    order : tuple of int
        All rows: best mean first, then those without one by coverage; where none has a mean, best
        first task first.
    """

    facet: Line | None
    formulation: Line | None
    tasks: Annotated[tuple[Position, ...], Field(min_length=1, max_length=MOST_TASKS)]
    mean_tasks: Annotated[tuple[Position, ...], Field(max_length=MOST_TASKS)]
    means: Annotated[tuple[Score | None, ...], Field(max_length=MOST_ROWS)]
    coverage: Annotated[tuple[Count, ...], Field(max_length=MOST_ROWS)]
    order: Annotated[tuple[Position, ...], Field(max_length=MOST_ROWS)]


class Board(Part):
    """Rows that can be compared: one config of one release, one protocol.

    Attributes
    ----------
    key : str
        Names the board in links.
    title : str
        What it compares, in a line.
    config, release_id, protocol_id : str
        What the rows have in common.
    protocol_version : int
    release_name : str or None
        What the release is called.
    n_train, n_test : int or None
        Documents of the config; None where neither a release nor the scores tell.
    notes : tuple of str
        What a reader has to know before comparing.
    limit : int or None
        Documents a split of smoke runs, which are comparable with nothing else.
    text : str
        `full`, `masked` or `sham`: what was done to the texts.
    reported : str or None
        Who reported the scores, where they were not computed.
    level : float or None
        Coverage of the intervals; None where there are none.
    tasks : tuple of str
        The columns, in the order of the registry.
    chance : tuple of float or None
        By task, the level that the registry states.
    chance_low, chance_high : tuple of float or None
        By task, the least and the greatest level that shuffled labels gave in the runs of rows
        that are not unverified.
    units : tuple of Unit or None
        By task, what its intervals resample.
    reasons : tuple of str
        Why cells are absent.
    rows : tuple of Row
        In the order of the first view.
    views : tuple of View
        All tasks first, then by facet, by formulation, and by both. Each has a score at least.
    pairs, confusions, strata, cards
        What else is known of the rows.
    """

    key: Key
    title: Reason
    config: ConfigName
    release_id: Line
    release_name: Line | None = None
    n_train: Count | None = None
    n_test: Count | None = None
    notes: Annotated[tuple[Reason, ...], Field(max_length=20)] = ()
    protocol_id: Line
    protocol_version: Count
    limit: Count | None
    text: Literal["full", "masked", "sham"]
    reported: Reason | None
    level: Share | None
    tasks: Annotated[tuple[ConfigName, ...], Field(min_length=1, max_length=MOST_TASKS)]
    chance: Annotated[tuple[Score | None, ...], Field(max_length=MOST_TASKS)]
    chance_low: Annotated[tuple[Score | None, ...], Field(max_length=MOST_TASKS)]
    chance_high: Annotated[tuple[Score | None, ...], Field(max_length=MOST_TASKS)]
    units: Annotated[tuple[Unit | None, ...], Field(max_length=MOST_TASKS)]
    reasons: Annotated[tuple[Reason, ...], Field(max_length=MOST_REASONS)]
    rows: Annotated[tuple[Row, ...], Field(min_length=1, max_length=MOST_ROWS)]
    views: Annotated[tuple[View, ...], Field(min_length=1, max_length=200)]
    pairs: Pairs
    confusions: Confusions
    strata: Strata
    cards: Cards

    @model_validator(mode="after")
    def _whole(self) -> Board:
        """Refuse positions that lead nowhere and lists that do not fit together."""
        n_tasks, n_rows = len(self.tasks), len(self.rows)
        for name in ("chance", "chance_low", "chance_high", "units"):
            if len(getattr(self, name)) != n_tasks:
                raise ValueError(f"{name} must have one entry a task")
        if len(set(self.tasks)) != n_tasks:
            raise ValueError("a task stands twice")
        for row in self.rows:
            if len(row.cells) != n_tasks:
                raise ValueError("a row must have one cell a task")
            check_cells(row, len(self.reasons))
        for view in self.views:
            if len(view.means) != n_rows or len(view.coverage) != n_rows:
                raise ValueError("a view must have one mean and one coverage a row")
            check_positions((*view.tasks, *view.mean_tasks), n_tasks, "task")
            check_positions(view.order, n_rows, "row")
        check_positions(self._rows_named(), n_rows, "row")
        return self

    def _rows_named(self) -> Iterable[int]:
        pairs = self.pairs
        yield from pairs.rows
        for part in (pairs, self.confusions, self.strata):
            yield from (own.row for own in part.left_out)
        for contest in (*pairs.tasks, *([pairs.mean] if pairs.mean else [])):
            yield from (place[0] for place in contest.places)
            for first, second, *_ in contest.differences:
                yield from (first, second)
        yield from (own.row for own in self.confusions.rows)
        yield from (own.row for own in self.strata.rows)
