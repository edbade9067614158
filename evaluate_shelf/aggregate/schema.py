"""The form of an aggregate: what a site shows, and nothing that it would have to compute.

Positions stand for names wherever these repeat: `Row.model` counts in `Aggregate.models`, a task
in `Board.tasks`, a row in `Board.rows`. Every text is bounded and on one line, every number is
finite, every list has a greatest length, and a field that is not known is refused.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from evaluate_shelf.bounded import ConfigName, Line, Reason
from evaluate_shelf.registry.panel import Address
from evaluate_shelf.transfer_matrix.matrix import Matrix

AGGREGATE_VERSION: Literal[1] = 1

MOST_MODELS = 20_000
MOST_ROWS = 10_000
MOST_BOARDS = 200
MOST_REASONS = 200_000
MOST_TASKS = 200
MOST_COMPARED = 60
"""Models of a board whose paired differences, confusions and strata are held."""
MOST_JUDGED = 200
"""Models of a board that its cards are of."""
MOST_CONFUSIONS = 12
"""Confusions of a model that are held of a task."""
MOST_STRATA = 100

Status = Literal["computed", "verified", "unverified", "reported"]
"""Who stands for a row.

`computed` by those who hold the results; `verified`: sent in, and computed again with the same
outcome; `unverified`: sent in, consistent with its items, computed again by nobody; `reported`:
published elsewhere, without items.
"""

RANKED: frozenset[Status] = frozenset({"computed", "verified"})
"""Rows that have ranks, and that decide which tasks a mean is over."""

Key = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_.-]{0,119}$")]
"""A name that can stand in a link, a file's name and an id."""
Score = Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]
Number = Annotated[float, Field(ge=-1e15, le=1e15, allow_inf_nan=False)]
"""A metric that is a count or a ratio, or a number of which no more is known."""
Amount = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]
Difference = Annotated[float, Field(ge=-2, le=2, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Correlation = Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, le=10**15)]
Position = Annotated[int, Field(ge=0, lt=10**6)]
Rank = Annotated[int, Field(ge=1, le=10**6)]
Flag = Annotated[int, Field(ge=0, le=1)]
Groups = Annotated[str, StringConstraints(pattern=r"^[a-z0-9 ]{0,400}$")]
"""Letters of tie groups, with a space between: rows that share one are not told apart."""


class Part(BaseModel):
    """A part of an aggregate: every field known, none converted, none changed afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class MadeOf(Part):
    """Something that the aggregate was made from.

    Attributes
    ----------
    kind : str
        Runs of one release, reported scores, a release that runs were scored on, or a transfer
        matrix.
    name : str
        The release, the source of the scores, or the model of the matrix.
    n : int
        Runs; 1 for a release and for a matrix.
    """

    kind: Literal["runs", "reported", "release", "matrix"]
    name: Reason
    n: Count


class TaskEntry(Part):
    """A task of the registry; `chance` is the level that the registry states."""

    id: ConfigName
    formulation: Line
    facet: Line
    label_field: Line
    metric: Line
    control: bool
    optional: bool
    note: Reason | None
    chance: Score | None


class MetricEntry(Part):
    """A primary metric: its name, what it says in plain words, and between what it lies."""

    id: ConfigName
    label: Line
    help: Reason
    least: Score
    greatest: Score


class LabelEntry(Part):
    """What a label stands for, where its code alone does not say it."""

    field: Line
    code: Line
    name: Line


class ModelEntry(Part):
    """A model, whatever it was scored on.

    Attributes
    ----------
    key : str
        The same wherever the model is the same: its spec, revision and origin.
    name, spec, kind, revision : str
        As its runs have them.
    reported : bool
        Whether it is known from reported scores alone.
    parameters, dimension, max_tokens : int or None
        None where that is not known, or where there is none.
    licence : str or None
        Of the weights, as the panel states it.
    open_weights : bool or None
        Whether anyone may have the weights, or needs none; None where that is not known.
    released : datetime.date or None
        When the weights were first published.
    checkpoint : str or None
        Name of the weights, where it is known.
    cutoff, cutoff_of, cutoff_source : datetime.date, str and str, or None
        A day after which nothing was learned, what happened on it, and who states it.
    """

    key: Key
    name: Line
    spec: Line
    kind: Line
    revision: Line
    reported: bool
    parameters: Count | None
    dimension: Count | None
    max_tokens: Count | None
    licence: Line | None
    open_weights: bool | None
    released: dt.date | None
    checkpoint: Reason | None
    cutoff: dt.date | None
    cutoff_of: Literal["training", "release"] | None
    cutoff_source: Address | None


Scored: TypeAlias = tuple[Score, Score | None, Score | None, Rank | None, Flag, Groups]
"""Value, low, high, rank, whether the rank is shared, letters of tie groups."""
Absent: TypeAlias = tuple[Position]
"""Position in `Board.reasons` of why there is no score."""
Cell: TypeAlias = Scored | Absent


class Row(Part):
    """A model's scores on the tasks of a board.

    Attributes
    ----------
    model : int
        Position in `Aggregate.models`.
    name : str
        As it stands on this board: with the run's id where two runs have one name.
    run_id : str or None
        None for a reported row.
    status : str
        Who stands for it.
    documents_per_second, rate_low, rate_high : float or None
        How fast it encodes, with the interval, on `machine`.
    machine : str or None
        Where the rate was measured; rates of two machines are not to be compared.
    money_usd : float or None
        What its tokens cost.
    cut_share : float or None
        Share of the texts that its limit cut.
    seen : str
        Whether it may have seen the documents in training: a key of `contamination.seen.MEANINGS`.
    cells : tuple
        One a task of the board.
    """

    model: Position
    name: Reason
    run_id: Line | None
    status: Status
    documents_per_second: Amount | None
    rate_low: Number | None
    rate_high: Number | None
    machine: Reason | None
    money_usd: Amount | None
    cut_share: Share | None
    seen: Literal[
        "out of sample by date",
        "may have seen",
        "unknown",
        "in pretraining data",
        "no pretraining",
    ]
    cells: Annotated[tuple[Cell, ...], Field(max_length=MOST_TASKS)]


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


Paired: TypeAlias = tuple[
    Position, Position, Difference, Difference | None, Difference | None, Share | None, Flag
]
"""The row that stands higher, the other, their difference, low, high, p by Holm, told apart."""
Placed: TypeAlias = tuple[Position, Rank, Rank, Groups]
"""A row, the best and the worst place that the tests leave open, its letters."""


class ContestEntry(Part):
    """Rows compared on a task, or on the mean over tasks.

    Attributes
    ----------
    task : str or None
        None for the mean.
    unit, n_units : str and int
        What is resampled, and how many there are.
    smallest, smallest_with_power : float or None
        A smaller difference is not told from none; one of the other size is found four times in
        five. Both are of one difference, before any correction.
    places : tuple
        Best score first.
    differences : tuple
        Every two rows, in the order of `places`.
    """

    task: ConfigName | None
    unit: Line
    n_units: Count
    smallest: Amount | None
    smallest_with_power: Amount | None
    places: Annotated[tuple[Placed, ...], Field(max_length=MOST_COMPARED)]
    differences: Annotated[
        tuple[Paired, ...], Field(max_length=MOST_COMPARED * (MOST_COMPARED - 1) // 2)
    ]


class LeftOutRow(Part):
    """A row that a part leaves out, and why."""

    row: Position
    reason: Reason


class Pairs(Part):
    """Paired differences between rows of a board.

    Attributes
    ----------
    why_not : str or None
        Why there are none.
    rows : tuple of int
        Those compared: of the default panel, best mean first.
    left_out : tuple of LeftOutRow
        The others.
    n_tests : int
        How many differences of tasks Holm's correction is over.
    tasks : tuple of ContestEntry
        In the order of the board's tasks.
    mean : ContestEntry or None
        None where too few tasks or models have a mean; `mean_tasks` is what it is over.
    """

    why_not: Reason | None
    rows: Annotated[tuple[Position, ...], Field(max_length=MOST_COMPARED)] = ()
    left_out: Annotated[tuple[LeftOutRow, ...], Field(max_length=MOST_REASONS)] = ()
    n_tests: Count = 0
    tasks: Annotated[tuple[ContestEntry, ...], Field(max_length=MOST_TASKS)] = ()
    mean: ContestEntry | None = None
    mean_tasks: Annotated[tuple[ConfigName, ...], Field(max_length=MOST_TASKS)] = ()


Confused: TypeAlias = tuple[Line, Line | None, Count, Count]
"""The true label, the one predicted (None: none), how often, of how many with the true label."""


class TaskConfusions(Part):
    """The confusions of a model on a task, most frequent first.

    Attributes
    ----------
    task : str
        A classification.
    n, wrong : int
        Items, and those with another label than the true one.
    most : tuple
        The most frequent confusions.
    """

    task: ConfigName
    n: Count
    wrong: Count
    most: Annotated[tuple[Confused, ...], Field(max_length=MOST_CONFUSIONS)]


class RowConfusions(Part):
    """The confusions of a row, by task."""

    row: Position
    tasks: Annotated[tuple[TaskConfusions, ...], Field(max_length=MOST_TASKS)]


class Confusions(Part):
    """What models take for what.

    Attributes
    ----------
    why_not : str or None
        Why there are none.
    left_out : tuple of LeftOutRow
        Rows, or tasks of a row, that could not be read, and why.
    rows : tuple of RowConfusions
        In the order of the rows.
    """

    why_not: Reason | None
    left_out: Annotated[tuple[LeftOutRow, ...], Field(max_length=MOST_REASONS)] = ()
    rows: Annotated[tuple[RowConfusions, ...], Field(max_length=MOST_ROWS)] = ()


Stratum: TypeAlias = tuple[Line, Count, Number | None, Number | None, Number | None]
"""Its name, items, value, low, high; without a value where it has too few items."""


class TaskStrata(Part):
    """A score in parts.

    Attributes
    ----------
    task, by : str
        Which score, and what its items are parted by.
    metric : str
        Of the values.
    in_none : int
        Items that are in no part.
    strata : tuple
        The parts.
    """

    task: ConfigName
    by: Literal["length", "generator"]
    metric: Line
    in_none: Count
    strata: Annotated[tuple[Stratum, ...], Field(max_length=MOST_STRATA)]


class RowStrata(Part):
    """The scores of a row in parts."""

    row: Position
    parts: Annotated[tuple[TaskStrata, ...], Field(max_length=2 * MOST_TASKS)]


class Definition(Part):
    """What a part of a task's items is."""

    task: ConfigName
    by: Literal["length", "generator"]
    text: Reason


class Strata(Part):
    """Scores in parts, by the family of the generator and by the length of the text.

    Of the tasks that rank agreement is about, for the first rows of the board; `shelf breakdown`
    has the others.

    Attributes
    ----------
    why_not : str or None
        Why there are none.
    least_items : int
        A part with fewer has no value.
    left_out : tuple of LeftOutRow
        Rows, or tasks of a row, without, and why.
    definitions : tuple of Definition
        What the parts are.
    rows : tuple of RowStrata
        In the order of the rows.
    """

    why_not: Reason | None
    least_items: Count = 0
    left_out: Annotated[tuple[LeftOutRow, ...], Field(max_length=MOST_REASONS)] = ()
    definitions: Annotated[tuple[Definition, ...], Field(max_length=2 * MOST_TASKS)] = ()
    rows: Annotated[tuple[RowStrata, ...], Field(max_length=MOST_ROWS)] = ()


class AgreementEntry(Part):
    """How far another formulation of a facet puts the models into the same order."""

    task: ConfigName
    formulation: Line
    n: Count
    spearman: Correlation | None
    low: Correlation | None
    high: Correlation | None


class CardEntry(Part):
    """A task's report card; see `report_cards.card.Card`."""

    task: ConfigName
    verdict: Literal["separates models", "control", "broken"] | None
    agrees: bool | None
    reason: Reason
    nominal_chance: Score | None
    measured_chance: Score | None
    chance: Score | None
    chance_source: Line | None
    limit: Number | None
    models: Count
    best_model: Reason | None
    best: Score | None
    median: Score | None
    worst_model: Reason | None
    worst: Score | None
    effect: Number | None
    spread: Difference | None
    interval_width: Difference | None
    width_to_spread: Number | None
    told_apart: Share | None
    told_apart_by: Literal["tests", "intervals"] | None
    agreement: Annotated[tuple[AgreementEntry, ...], Field(max_length=MOST_TASKS)]


class Cards(Part):
    """The report cards of a board's tasks, by the models of the default panel.

    Attributes
    ----------
    why_not : str or None
        Why there are none.
    note : str or None
        Of which models they are, where they are not of all.
    cards : tuple of CardEntry
        In the order of the registry.
    """

    why_not: Reason | None
    note: Reason | None = None
    cards: Annotated[tuple[CardEntry, ...], Field(max_length=MOST_TASKS)] = ()


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
        By task, the median of what shuffled labels gave.
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
    protocol_id: Line
    protocol_version: Count
    limit: Count | None
    text: Literal["full", "masked", "sham"]
    reported: Reason | None
    level: Share | None
    tasks: Annotated[tuple[ConfigName, ...], Field(min_length=1, max_length=MOST_TASKS)]
    chance: Annotated[tuple[Score | None, ...], Field(max_length=MOST_TASKS)]
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
        for name, own in (("chance", self.chance), ("units", self.units)):
            if len(own) != n_tasks:
                raise ValueError(f"{name} must have one entry a task")
        if len(set(self.tasks)) != n_tasks:
            raise ValueError("a task stands twice")
        for row in self.rows:
            if len(row.cells) != n_tasks:
                raise ValueError("a row must have one cell a task")
            _check_cells(row, len(self.reasons))
        for view in self.views:
            if len(view.means) != n_rows or len(view.coverage) != n_rows:
                raise ValueError("a view must have one mean and one coverage a row")
            _check_positions((*view.tasks, *view.mean_tasks), n_tasks, "task")
            _check_positions(view.order, n_rows, "row")
        _check_positions(self._rows_named(), n_rows, "row")
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


class RankedModelEntry(Part):
    """A model under two measures, as `shelf transfer` ranks it."""

    model: Position
    name: Line
    x: Number
    y: Number
    rank_x: Amount
    rank_y: Amount
    without: Correlation | None


class NamedReason(Part):
    """Something that was left out, and why."""

    name: Reason
    reason: Reason


class TransferCell(Part):
    """A formulation on two corpora.

    Attributes
    ----------
    formulation : str
    passes : bool or None
        Whether the rule is met; None where it cannot be said, and between natural corpora.
    reason : str or None
        Why it cannot be said, or is not met whatever the correlation.
    x, y : str
        Keys of `Measure`: CORPUS/TASK/METRIC.
    n : int
        Models.
    spearman, kendall : float or None
    low, high : float or None
        Interval of Spearman's correlation, from resampling the models.
    level : float
        Its coverage.
    undefined_because : str or None
    lacking : tuple of NamedReason
        Models with one of the scores only.
    models : tuple of RankedModelEntry
        By name.
    """

    formulation: Line
    passes: bool | None
    reason: Reason | None
    x: Reason
    y: Reason
    n: Count
    spearman: Correlation | None
    kendall: Correlation | None
    low: Correlation | None
    high: Correlation | None
    level: Share
    undefined_because: Reason | None
    lacking: Annotated[tuple[NamedReason, ...], Field(max_length=MOST_MODELS)]
    models: Annotated[tuple[RankedModelEntry, ...], Field(max_length=MOST_MODELS)]


class StabilityEntry(Part):
    """How far the order of models depends on a seed, on one corpus."""

    corpus: Line
    median: Correlation | None
    lowest: Correlation | None
    n_models: Count | None
    origin: Literal["computed", "reported"]


class TransferOutcome(Part):
    """What the preregistered rule gives.

    Attributes
    ----------
    origin : str
        `reported`, or `computed` under one protocol.
    protocol : str or None
        Its id; None for reported scores.
    why_not : str or None
        Why the rule was not applied.
    verdict : str or None
        `supported`, `not supported` or `not decidable`.
    passed, failed, undecided : tuple of str
        Formulations.
    cells : tuple of TransferCell
        What the rule asks for.
    beside : tuple of TransferCell
        The natural corpora against each other.
    stability : tuple of StabilityEntry
        Of the formulation that depends on a seed.
    left_out : tuple of NamedReason
        Models that the panel leaves out.
    """

    origin: Literal["computed", "reported"]
    protocol: Line | None
    why_not: Reason | None
    verdict: Literal["supported", "not supported", "not decidable"] | None = None
    passed: Annotated[tuple[Line, ...], Field(max_length=20)] = ()
    failed: Annotated[tuple[Line, ...], Field(max_length=20)] = ()
    undecided: Annotated[tuple[Line, ...], Field(max_length=20)] = ()
    cells: Annotated[tuple[TransferCell, ...], Field(max_length=200)] = ()
    beside: Annotated[tuple[TransferCell, ...], Field(max_length=200)] = ()
    stability: Annotated[tuple[StabilityEntry, ...], Field(max_length=20)] = ()
    left_out: Annotated[tuple[NamedReason, ...], Field(max_length=MOST_MODELS)] = ()


class Measure(Part):
    """Something that models can be ranked by, for a scatter plot of two.

    Attributes
    ----------
    key : str
        CORPUS/TASK/METRIC, as `shelf transfer --x` takes it.
    origin, protocol
        As those of `TransferOutcome`; measures of one origin and protocol may be set side by side.
    config, task, metric : str
    scores : tuple of tuple of int and float
        A position in `Aggregate.models`, and the score.
    """

    key: Reason
    origin: Literal["computed", "reported"]
    protocol: Line | None
    config: ConfigName
    task: ConfigName
    metric: Line
    scores: Annotated[tuple[tuple[Position, Number], ...], Field(max_length=MOST_MODELS)]


class Transfer(Part):
    """Rank agreement between corpora.

    Attributes
    ----------
    reference, natural : str and tuple of str
        The corpus whose order is asked about, and those that people wrote.
    spearman_at_least, lower_end_above, formulations_needed
        The rule.
    panel : str
        Which models are compared, by the id of the panel.
    outcomes : tuple of TransferOutcome
        Reported scores first, then computed ones by protocol.
    measures : tuple of Measure
        All that a plot may be of.
    """

    reference: Line
    natural: Annotated[tuple[Line, ...], Field(max_length=20)]
    spearman_at_least: Correlation
    lower_end_above: Correlation
    formulations_needed: Count
    panel: Line
    outcomes: Annotated[tuple[TransferOutcome, ...], Field(max_length=50)]
    measures: Annotated[tuple[Measure, ...], Field(max_length=5000)]


class Aggregate(Part):
    """All that is shown; see the module.

    Attributes
    ----------
    aggregate_version : int
        Of this form.
    made_with : str
        The version of evaluate-shelf.
    made_of : tuple of MadeOf
        What went into it. No time of day: the same inputs give the same bytes.
    left_out : tuple of str
        What did not, and why.
    tasks, metrics, labels, models, boards, transfer, matrices
        The parts.
    """

    aggregate_version: Literal[1]
    made_with: Line
    made_of: Annotated[tuple[MadeOf, ...], Field(max_length=2000)]
    left_out: Annotated[tuple[Reason, ...], Field(max_length=MOST_REASONS)]
    tasks: Annotated[tuple[TaskEntry, ...], Field(max_length=MOST_TASKS)]
    metrics: Annotated[tuple[MetricEntry, ...], Field(max_length=50)]
    labels: Annotated[tuple[LabelEntry, ...], Field(max_length=2000)]
    models: Annotated[tuple[ModelEntry, ...], Field(max_length=MOST_MODELS)]
    boards: Annotated[tuple[Board, ...], Field(max_length=MOST_BOARDS)]
    transfer: Transfer
    matrices: Annotated[tuple[Matrix, ...], Field(max_length=50)]

    @model_validator(mode="after")
    def _whole(self) -> Aggregate:
        """Refuse keys that stand twice, and models and tasks that are not there."""
        for name, keys in (
            ("models", [model.key for model in self.models]),
            ("boards", [board.key for board in self.boards]),
            ("tasks", [task.id for task in self.tasks]),
        ):
            if len(set(keys)) != len(keys):
                raise ValueError(f"{name}: a key stands twice")
        known = {task.id for task in self.tasks}
        for board in self.boards:
            if not known.issuperset(board.tasks):
                raise ValueError(f"board {board.key}: a task is not among the tasks")
        _check_positions(self._models_named(), len(self.models), "model")
        return self

    def _models_named(self) -> Iterable[int]:
        for board in self.boards:
            yield from (row.model for row in board.rows)
        for outcome in self.transfer.outcomes:
            for cell in (*outcome.cells, *outcome.beside):
                yield from (model.model for model in cell.models)
        for measure in self.transfer.measures:
            yield from (model for model, _ in measure.scores)


def _check_cells(row: Row, n_reasons: int) -> None:
    for cell in row.cells:
        if len(cell) == 1:
            _check_positions(cell, n_reasons, "reason")
            continue
        _, low, high, *_ = cell
        if (low is None) != (high is None) or (low is not None and high is not None and low > high):
            raise ValueError("an interval must have both ends, the lower one first")
        if row.status not in RANKED and (cell[3] is not None or cell[5]):
            raise ValueError(f"a row that is {row.status} must have no rank and no group")


def _check_positions(positions: Iterable[int], number: int, what: str) -> None:
    if any(position >= number for position in positions):
        raise ValueError(f"a position leads to no {what}")
