"""Scores, ranks, means and order against `leaderboard.boards`, which is another way to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_runs import run

from evaluate_shelf.aggregate.board_size import SMALL_RELEASE
from evaluate_shelf.aggregate.building import aggregate_of, what_is_left_out
from evaluate_shelf.aggregate.evidence import Evidence
from evaluate_shelf.aggregate.schema import Aggregate, Board
from evaluate_shelf.aggregate.schema.rows import Cell
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.leaderboard import boards as leaderboard
from evaluate_shelf.leaderboard.boards import boards
from evaluate_shelf.release.documents import Release
from evaluate_shelf.reported.runs import reported_runs
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.runs.schema import RateRecord

TASKS = (
    "lcc_retrieval",
    "form_retrieval",
    "lcc_classification",
    "same_lcc_pairs",
    "same_register_pairs",  # a control
    "lcc_clustering_hdbscan",  # optional
)
SCORE = st.tuples(
    st.sampled_from([0.1, 0.2, 0.25, 0.3, 0.5, 0.9]), st.sampled_from([0.0, 0.01, 0.05, 0.3])
)


def of_runs(runs: Sequence[Run], **evidence: Any) -> Board:
    [board] = aggregate_of(Evidence(computed=tuple(runs), **evidence)).boards
    return board


def assert_same_view(found: Board, wanted: leaderboard.Board, facet: str | None, form: str | None):
    """A view of an aggregate's board shows what `shelf leaderboard` shows of the same tasks."""
    [view] = [own for own in found.views if (own.facet, own.formulation) == (facet, form)]
    assert [found.tasks[task] for task in view.tasks] == [task.id for task in wanted.tasks]
    assert [found.tasks[task] for task in view.mean_tasks] == list(wanted.shared)
    assert [found.rows[row].name for row in view.order] == [row.name for row in wanted.rows]
    for place, row in zip(view.order, wanted.rows, strict=True):
        assert view.means[place] == row.mean
        assert view.coverage[place] == row.coverage
        for task in view.tasks:
            assert_same_cell(found, found.rows[place].cells[task], row.cells[found.tasks[task]])


def assert_same_cell(board: Board, found: Cell, wanted: leaderboard.Cell) -> None:
    if len(found) == 1:
        assert wanted.value is None
        assert board.reasons[found[0]] == wanted.reason
        return
    value, low, high, rank, tied, *_ = found
    assert (value, low, high, rank) == (wanted.value, wanted.low, wanted.high, wanted.rank)
    assert bool(tied) == wanted.tied


def every_choice(board: Board) -> list[tuple[str | None, str | None]]:
    return [(view.facet, view.formulation) for view in board.views]


@pytest.mark.parametrize("kind", ["computed", "reported"])
def test_every_view_is_the_leaderboard_of_its_tasks(
    aggregate: Aggregate, runs: list[Run], kind: str
) -> None:
    given_runs = list(runs) if kind == "computed" else reported_runs("all")
    [found] = [
        own
        for own in aggregate.boards
        if own.config == "all" and bool(own.reported) == (kind == "reported")
    ]
    given_runs.sort(key=lambda own: [row.name for row in found.rows].index(own.file.model.name))
    choices = every_choice(found)
    assert choices[0] == (None, None)
    assert len(choices) == len(set(choices)) > 5
    for facet, formulation in choices:
        [wanted] = boards(given_runs, facet=facet, formulation=formulation)
        assert_same_view(found, wanted, facet, formulation)
    # A choice that has no view has no score.
    for facet in {view.facet for view in found.views} - {None}:
        for formulation in {view.formulation for view in found.views} - {None}:
            if (facet, formulation) not in choices:
                with pytest.raises(ShelfError):
                    boards(given_runs, facet=facet, formulation=formulation)


@settings(max_examples=60)
@given(
    st.lists(
        st.dictionaries(st.sampled_from(TASKS), SCORE, min_size=1), min_size=1, max_size=9
    ).filter(lambda own: any(own))
)
def test_ranks_means_and_order_of_any_scores(scores: list[dict[str, tuple[float, float]]]) -> None:
    made = [
        run(
            f"model {place}",
            {task: (v, max(v - half, 0), min(v + half, 1)) for task, (v, half) in own.items()},
        )
        for place, own in enumerate(scores)
    ]
    found = of_runs(made)
    # Equals stand in the order in which the leaderboard is given them, here in that of the rows.
    made.sort(key=lambda own: [row.name for row in found.rows].index(own.file.model.name))
    for facet, formulation in every_choice(found):
        [wanted] = boards(made, facet=facet, formulation=formulation)
        assert_same_view(found, wanted, facet, formulation)


def test_rows_stand_in_the_order_of_the_first_view(aggregate: Aggregate) -> None:
    for board in aggregate.boards:
        assert list(board.views[0].order) == list(range(len(board.rows)))


def test_chance_is_that_of_the_own_run_and_the_header_says_which(
    aggregate: Aggregate, board: Board, runs: list[Run]
) -> None:
    by_id = {own.file.run_id: own.primary_scores() for own in runs}
    stated = {task.id: task.chance for task in aggregate.tasks}
    for n, task in enumerate(board.tasks):
        measured = []
        for row in board.rows:
            own = by_id[row.run_id or ""].get(task)
            cell = row.cells[n]
            assert (own is None) == (len(cell) == 1)
            if own is not None:
                assert cell[-1] == own["chance_level"]
                measured.append(own["chance_level"])
        known = [level for level in measured if level is not None]
        assert board.chance[n] == stated[task]
        assert board.chance_low[n] == min(known, default=None)
        assert board.chance_high[n] == max(known, default=None)


def test_a_model_more_changes_no_chance_level_of_another(runs: list[Run]) -> None:
    every = of_runs(runs)
    for left_out in runs:
        fewer = of_runs([own for own in runs if own is not left_out])
        for row in fewer.rows:
            [same] = [own for own in every.rows if own.run_id == row.run_id]
            for task, cell in zip(fewer.tasks, row.cells, strict=True):
                other = same.cells[every.tasks.index(task)]
                assert len(cell) == len(other)
                assert len(cell) == 1 or cell[-1] == other[-1]


def test_a_board_says_how_many_documents_and_that_few_tell_little(
    board: Board, aggregate: Aggregate, release: Release, runs: list[Run]
) -> None:
    rows = release.manifest.rows_of("all")
    assert (board.n_train, board.n_test) == (rows["train"], rows["test"])
    assert board.release_name == release.manifest.name
    assert f"{rows['test']} test documents of {release.manifest.name}" in board.title
    assert board.notes
    # Without the release, what tasks were scored on tells.
    alone = of_runs(runs)
    assert (alone.n_train, alone.n_test) == (None, rows["test"])
    assert alone.notes == board.notes
    for own in aggregate.boards:
        if own.reported:
            assert own.title == f"{own.config}, as published"
            assert (own.n_test, own.notes) == (None, ())


def test_a_large_release_is_not_called_small() -> None:
    score = (0.5, 0.4, 0.6)
    for n, is_small in ((SMALL_RELEASE - 1, True), (SMALL_RELEASE, False)):
        made = run("m", {"lcc_retrieval": score})
        scores = made.scores.set_column(
            made.scores.column_names.index("n"), "n", pa.array([n], pa.int64())
        )
        found = of_runs([replace(made, scores=scores)])
        assert found.n_test == n
        assert bool(found.notes) == is_small


def test_an_optional_task_is_a_column_and_not_in_the_view_of_all(board: Board) -> None:
    optional = board.tasks.index("lcc_clustering_hdbscan")
    assert optional not in board.views[0].tasks
    [view] = [v for v in board.views if (v.facet, v.formulation) == ("subject", "clustering")]
    assert optional in view.tasks
    assert optional not in view.mean_tasks


def test_a_row_leads_to_its_model_and_its_run(
    aggregate: Aggregate, board: Board, runs: list[Run]
) -> None:
    by_id = {own.file.run_id: own for own in runs}
    for row in board.rows:
        own = by_id[row.run_id or ""].file
        model = aggregate.models[row.model]
        assert (model.spec, model.revision) == (own.model.spec, own.model.revision)
        assert row.status == "computed"
        rate = own.rate.documents_per_second if own.rate else None
        assert row.documents_per_second == rate
    assert len({row.model for row in board.rows}) == len(board.rows) == len(runs)


def test_units_are_those_of_the_scores(board: Board, runs: list[Run]) -> None:
    rows = [own for one in runs for own in one.primary_scores().values()]
    for task, unit in zip(board.tasks, board.units, strict=True):
        known = {(own["unit"], own["n_units"], own["n"]) for own in rows if own["task"] == task}
        assert unit is not None
        assert (unit.unit, unit.n_units, unit.n) in known


ONE, TWO, STRANGER = "one", "two", "stranger"


def three(**of_stranger: Any) -> list[Run]:
    """Two models that can be told apart, and one above both that has more tasks than they."""
    named = zip((ONE, TWO), (0.5, 0.3), strict=True)
    made = [
        run(name, {"lcc_retrieval": (v, v - 0.05, v + 0.05), "form_retrieval": (v, v, v)})
        for name, v in named
    ]
    scores = of_stranger or {"lcc_retrieval": (0.9, 0.8, 1.0), "lcc_classification": (1, 1, 1)}
    other = run(STRANGER, dict(scores))
    return [
        replace(own, file=own.file.model_copy(update={"run_id": own.file.model.name}))
        for own in (*made, other)
    ]


def test_unverified_rows_have_no_rank_and_move_nobody() -> None:
    alone = of_runs(three()[:2])
    found = of_runs(three(), statuses={STRANGER: "unverified"})
    [stranger] = [row for row in found.rows if row.name == STRANGER]
    assert stranger.status == "unverified"
    scored = [cell for cell in stranger.cells if len(cell) > 1]
    assert len(scored) == 2
    assert all(cell[3] is None and cell[4] == 0 and cell[5] == "" for cell in scored)
    for row in alone.rows:
        [same] = [own for own in found.rows if own.name == row.name]
        for task, cell in zip(alone.tasks, row.cells, strict=True):
            assert same.cells[found.tasks.index(task)] == cell
    # What it alone has is a column, and in no mean.
    assert "lcc_classification" in found.tasks
    assert [found.tasks[n] for n in found.views[0].mean_tasks] == [
        "lcc_retrieval",
        "form_retrieval",
    ]


@pytest.mark.parametrize("status", ["computed", "verified"])
def test_verified_rows_are_ranked_as_computed_ones(status: Any) -> None:
    found = of_runs(three(), statuses={STRANGER: status})
    assert found.rows[found.views[0].order[0]].cells[0][3] in (1, 2)
    [stranger] = [row for row in found.rows if row.name == STRANGER]
    assert stranger.status == status
    assert stranger.cells[found.tasks.index("lcc_retrieval")][3] == 1


def test_a_board_of_unverified_rows_alone_has_no_mean() -> None:
    found = of_runs(three(), statuses=dict.fromkeys((ONE, TWO, STRANGER), "unverified"))
    assert found.views[0].mean_tasks == ()
    assert set(found.views[0].means) == {None}


def test_of_one_run_twice_the_better_status_is_shown_and_the_other_named() -> None:
    first, *_ = three()
    copy = replace(first, folder=first.folder / "sent-in")
    evidence = Evidence(computed=(copy, first), statuses={str(copy.folder): "unverified"})
    made = aggregate_of(evidence)
    [row] = made.boards[0].rows
    assert row.status == "computed"
    assert len(what_is_left_out(made)) > len(what_is_left_out(aggregate_of(Evidence((first,)))))


HOSTILE: dict[str, dict[str, Any]] = {
    "a negative number of parameters": {"model": {"parameters": -1}},
    "more parameters than there can be": {"model": {"parameters": 10**30}},
    "a rate below everything": {
        "rate": RateRecord(
            documents_per_second=1.0,
            low=float("-inf"),
            high=2.0,
            level=0.95,
            documents=1,
            repeats=2,
            max_tokens=None,
            batch_size=1,
        )
    },
    "a fortune": {"money_usd": 1e300},
    "a level that is no number": {"level": float("nan")},
    "fewer than no items": {"n": -1},
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_run_that_says_what_cannot_be_is_named_and_moves_nobody(what: str) -> None:
    first, second, other = three()
    changes = dict(HOSTILE[what])
    model = other.file.model.model_copy(update=changes.pop("model", {}))
    columns = {name: changes.pop(name) for name in ("level", "n") if name in changes}
    rows = [{**row, **columns} for row in other.scores.to_pylist()]
    hostile = replace(
        other,
        file=other.file.model_copy(update={"model": model, **changes}),
        scores=pa.Table.from_pylist(rows, schema=other.scores.schema),
    )
    made = aggregate_of(Evidence(computed=(first, hostile, second)))
    assert made.boards == aggregate_of(Evidence(computed=(first, second))).boards
    [line] = made.left_out
    assert STRANGER in line


def test_reported_scores_alone_make_a_whole_aggregate() -> None:
    made = aggregate_of(Evidence(reported=tuple(reported_runs())))
    assert {board.config for board in made.boards} == {
        run.file.data.config for run in reported_runs()
    }
    for board in made.boards:
        assert board.reported
        assert {row.status for row in board.rows} == {"reported"}
        assert all(cell[3] is None for row in board.rows for cell in row.cells if len(cell) > 1)
        assert all(part.why_not for part in (board.pairs, board.confusions, board.strata))
        assert board.cards.cards
    assert len(made.models) == len({own.file.model.spec for own in reported_runs()})
    assert what_is_left_out(made) == []
