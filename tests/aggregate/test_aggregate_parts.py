"""Differences, confusions, strata, cards and rank agreement, each against another way to it."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from transfer_runs import ranked

from evaluate_shelf.aggregate.building import aggregate_of, what_is_left_out
from evaluate_shelf.aggregate.evidence import Evidence
from evaluate_shelf.aggregate.schema import Aggregate, Board
from evaluate_shelf.aggregate.schema.confusions import MOST_CONFUSIONS
from evaluate_shelf.comparison.compare import compare_models
from evaluate_shelf.diagnostics.breakdown.breakdown import breakdown
from evaluate_shelf.leaderboard.boards import comparable
from evaluate_shelf.release.documents import Release
from evaluate_shelf.report_cards.card import cards_of
from evaluate_shelf.report_cards.forms import as_values
from evaluate_shelf.reported.runs import reported_runs
from evaluate_shelf.runs.reading import Run, load_runs
from evaluate_shelf.transfer.forms import outcome_values
from evaluate_shelf.transfer.members import members
from evaluate_shelf.transfer.preregistered import outcome
from evaluate_shelf.transfer.settings import load_transfer
from evaluate_shelf.transfer.stability import reported_stability

ENDS = ("low", "high", "kendall_low", "kendall_high")
SAME_WEIGHTS = "wordllama,dim=64"


def of_panel(runs: list[Run]) -> list[Run]:
    return [run for run in runs if run.file.model.spec != SAME_WEIGHTS]


def test_pairs_are_those_of_compare(board: Board, runs: list[Run], release: Release) -> None:
    wanted = compare_models(of_panel(runs), release)
    name = [row.name for row in board.rows]
    assert {name[row] for row in board.pairs.rows} == {r.file.model.name for r in of_panel(runs)}
    assert board.pairs.n_tests == wanted.n_tests
    assert [own.task for own in board.pairs.tasks] == [own.task for own in wanted.tasks]
    contests = [own.contest for own in wanted.tasks]
    assert wanted.mean
    assert board.pairs.mean
    assert board.pairs.mean_tasks == wanted.mean.tasks
    found = [*board.pairs.tasks, board.pairs.mean]
    for own, contest in zip(found, [*contests, wanted.mean.contest], strict=True):
        assert [
            (name[i], name[j], value, low, high, p, bool(apart))
            for i, j, value, low, high, p, apart in own.differences
        ] == [
            (d.first, d.second, d.value, d.low, d.high, d.p_holm, d.told_apart)
            for d in contest.differences
        ]
        assert [(name[i], best, worst, tuple(g.split())) for i, best, worst, g in own.places] == [
            (s.model, s.place_low, s.place_high, s.groups) for s in contest.standings
        ]
        assert own.smallest == contest.smallest_difference
    # The mean's places stand beside it.
    for row, best, worst, letters in board.pairs.mean.places:
        assert board.rows[row].mean_standing == (best, worst, letters)
    standing = {n for n, row in enumerate(board.rows) if row.mean_standing is not None}
    assert standing == {row for row, *_ in board.pairs.mean.places}
    # The letters stand in the table, too.
    for task, contest in zip(wanted.tasks, contests, strict=True):
        for standing in contest.standings:
            cell = board.rows[name.index(standing.model)].cells[board.tasks.index(task.task)]
            assert cell[5] == " ".join(standing.groups)  # type: ignore[misc]


def test_what_the_panel_leaves_out_is_named(board: Board) -> None:
    [own] = board.pairs.left_out
    assert board.rows[own.row].name.startswith("wordllama, dim 64")
    assert "same weights" in own.reason
    for n, row in enumerate(board.rows):
        assert row.not_compared == (own.reason if n == own.row else None)


def test_confusions_are_those_of_the_items(board: Board, runs: list[Run], release: Release) -> None:
    files = [release.folder / path for path in release.manifest.data_files]
    [test] = [path for path in files if path.parent.name == "all" and path.name.startswith("test")]
    labels = {"lcc_classification": "lcc_code", "lcgft_category_classification": "lcgft_category"}
    by_id = {run.file.run_id: run for run in runs}
    columns = pq.read_table(test, columns=list(labels.values()))
    assert board.confusions.why_not is None
    # BM25 has no vectors, so no classification.
    assert len(board.confusions.rows) == len(runs) - 1
    for row in board.confusions.rows:
        run = by_id[board.rows[row.row].run_id or ""]
        assert [own.task for own in row.tasks] == list(labels)
        for own in row.tasks:
            items = pq.read_table(run.folder / "items" / f"{own.task}.parquet").to_pylist()
            gold = columns[labels[own.task]].to_pylist()
            counts = Counter((gold[item["row"]], item["predicted"]) for item in items)
            wrong = {pair: n for pair, n in counts.items() if pair[0] != pair[1]}
            assert (own.n, own.wrong) == (len(items), sum(wrong.values()))
            assert len(own.most) == min(MOST_CONFUSIONS, len(wrong))
            for true, guess, count, of_gold in own.most:
                assert wrong[true, guess] == count
                assert of_gold == gold.count(true)
            shown = [count for _, _, count, _ in own.most]
            assert shown == sorted(wrong.values(), reverse=True)[: len(shown)]


def test_strata_are_those_of_breakdown(board: Board, runs: list[Run], release: Release) -> None:
    by_id = {run.file.run_id: run for run in runs}
    assert len(board.strata.rows) == len(runs)
    for row in board.strata.rows[:2]:
        run = by_id[board.rows[row.row].run_id or ""]
        assert {part.by for part in row.parts} == {"length", "generator"}
        for part in row.parts:
            wanted = breakdown(run, release, part.task, part.by)
            assert part.in_none == wanted.in_none
            assert [tuple(own) for own in part.strata] == [
                (own.name, own.n, own.value, own.low, own.high) for own in wanted.strata
            ]
    told = {(own.task, own.by) for own in board.strata.definitions}
    assert told == {(part.task, part.by) for row in board.strata.rows for part in row.parts}


def test_cards_are_those_of_cards(aggregate: Aggregate, board: Board, runs, release) -> None:
    panel = of_panel(runs)
    wanted = [as_values(card) for card in cards_of(panel, compare_models(panel, release))]
    compare_cards(board, wanted)
    for group in comparable(reported_runs()):
        [own] = [
            b for b in aggregate.boards if b.reported and b.config == group[0].file.data.config
        ]
        kept = members(group, load_transfer().panel()).runs
        compare_cards(own, [as_values(card) for card in cards_of(kept)])


def compare_cards(board: Board, wanted: list[dict]) -> None:
    assert [card.task for card in board.cards.cards] == [card["task"] for card in wanted]
    for card, other in zip(board.cards.cards, wanted, strict=True):
        found = card.model_dump()
        agreement = {own["task"]: own for own in found.pop("agreement")}
        for one in other["agreement"]:
            # Sums over models depend in their last bits on the models' order.
            assert agreement[one["task"]]["spearman"] == pytest.approx(one["spearman"], abs=1e-12)
        for name, value in found.items():
            assert value == (
                pytest.approx(other[name], abs=1e-12) if isinstance(value, float) else other[name]
            )


def test_transfer_is_that_of_the_command(aggregate: Aggregate) -> None:
    settings = load_transfer()
    panel = settings.panel()
    compared = members(reported_runs(), panel)
    stability = [reported_stability(row) for row in settings.stability.reported]
    found = outcome(compared.runs, settings, stability)
    assert_same_outcome(
        aggregate, "reported", outcome_values(found, compared, panel, settings), aggregate
    )


def test_transfer_of_computed_runs() -> None:
    places = range(8)
    orders = {
        corpus: {
            name: [0.1 + (place * step % 8) / 20 for place in places]
            for name in ("classification", "retrieval", "pairs")
        }
        for corpus, step in (("all", 1), ("transfer_gutenberg", 3), ("transfer_lcshbench", 1))
    }
    made = ranked(orders)
    settings = load_transfer()
    panel = settings.panel("all")
    wanted = outcome_values(outcome(made, settings, []), members(made, panel), panel, settings)
    aggregate = aggregate_of(Evidence(computed=tuple(made)))
    assert_same_outcome(aggregate, "computed", wanted, aggregate)
    # An unverified run is not ranked: seven of eight are left.
    files = [run.file for run in made]
    unverified = {str(run.folder): "unverified" for run in made if run.file.model.name == "m00"}
    assert len(files) > len(unverified) > 0
    fewer = aggregate_of(Evidence(computed=tuple(made), statuses=unverified))  # type: ignore[arg-type]
    [own] = fewer.transfer.outcomes
    assert {cell.n for cell in own.cells if cell.spearman is not None} == {7}


def assert_same_outcome(aggregate: Aggregate, origin: str, wanted: dict, named: Aggregate) -> None:
    [found] = [own for own in aggregate.transfer.outcomes if own.origin == origin]
    assert found.why_not is None
    assert found.verdict == wanted["verdict"]
    for state in ("passed", "failed", "undecided"):
        assert list(getattr(found, state)) == wanted[state]
    for own, other in zip(
        (*found.cells, *found.beside), [*wanted["cells"], *wanted["beside"]], strict=True
    ):
        for name in ("formulation", "passes", "reason", "x", "y", "n", "level", *ENDS):
            assert getattr(own, name) == other[name]
        for name in ("spearman", "kendall"):
            assert getattr(own, name) == pytest.approx(other[name], abs=1e-12)
        for model, ranked_model in zip(own.models, other["models"], strict=True):
            assert named.models[model.model].name == ranked_model["name"] == model.name
            assert (model.x, model.y) == (ranked_model["x"], ranked_model["y"])
            assert (model.rank_x, model.rank_y) == (ranked_model["rank_x"], ranked_model["rank_y"])


def test_a_measure_has_the_scores_of_the_panel(aggregate: Aggregate) -> None:
    [found] = [
        own
        for own in aggregate.transfer.measures
        if own.key == "all/lcc_clustering/ari_median_of_seeds" and own.origin == "reported"
    ]
    kept = members(reported_runs("all"), load_transfer().panel()).runs
    wanted = {
        run.file.model.name: row["value"]
        for run in kept
        for row in run.scores.to_pylist()
        if (row["task"], row["metric"]) == ("lcc_clustering", "ari_median_of_seeds")
    }
    assert {aggregate.models[place].name: value for place, value in found.scores} == wanted


@pytest.fixture
def damaged(finished: Path, tmp_path: Path) -> Path:
    """The runs, those of tfidf with other items on one task."""
    folder = tmp_path / "runs"
    shutil.copytree(finished, folder)
    [items] = folder.glob("tfidf/*/items/lcc_classification.parquet")
    items.write_bytes(items.read_bytes()[:-20] + b"\0" * 20)
    return folder


def test_damaged_items_are_named_and_the_rest_stays(
    damaged: Path, board: Board, release: Release
) -> None:
    made = aggregate_of(Evidence(computed=tuple(load_runs(damaged)), releases=(release,)))
    [found] = made.boards
    rows = {row.name: place for place, row in enumerate(found.rows)}
    # Scores have a hash of their own: the table stays.
    assert [row.name for row in found.rows] == [row.name for row in board.rows]
    reasons = {own.row: own.reason for own in found.pairs.left_out}
    assert "lcc_classification.parquet" in reasons[rows["tfidf"]]
    assert rows["tfidf"] not in found.pairs.rows
    assert {found.rows[row].name for row in found.pairs.rows} == {"bm25", "wordllama"}
    [own] = found.confusions.left_out
    assert own.row == rows["tfidf"]
    assert own.reason.startswith("lcc_classification")
    [others] = [r for r in found.confusions.rows if r.row == rows["tfidf"]]
    assert [task.task for task in others.tasks] == ["lcgft_category_classification"]
    [strata] = [own for own in found.strata.left_out if own.row == rows["tfidf"]]
    assert "lcc_classification" in strata.reason
    told = what_is_left_out(made)
    assert sum("tfidf" in line for line in told) >= 3
    # Nothing says where the files lie on this disk.
    assert str(damaged) not in made.model_dump_json()
    assert str(release.folder.parent) not in made.model_dump_json()


def test_a_release_that_was_not_given_is_named(runs: list[Run], release: Release) -> None:
    made = aggregate_of(Evidence(computed=tuple(runs)))
    [found] = made.boards
    for part in (found.pairs, found.confusions, found.strata):
        assert release.manifest.release_id in (part.why_not or "")
    assert found.cards.cards
    assert len(what_is_left_out(made)) >= 3


def test_a_damaged_release_leaves_the_scores(
    runs: list[Run], release: Release, tmp_path: Path
) -> None:
    folder = tmp_path / "release"
    shutil.copytree(release.folder, folder)
    [test] = folder.glob("data/all/test-*.parquet")
    test.write_bytes(test.read_bytes()[:1000])
    made = aggregate_of(Evidence(computed=tuple(runs), releases=(Release.open(folder),)))
    [found] = made.boards
    assert found.views[0].means[0] is not None
    assert found.pairs.why_not
    assert not found.confusions.rows
    assert len(found.confusions.left_out) == len(runs) - 1
    assert str(folder) not in made.model_dump_json()


def test_unverified_runs_are_in_no_pair_and_have_confusions(
    runs: list[Run], release: Release, board: Board
) -> None:
    [stranger] = [run for run in runs if run.file.model.spec == "tfidf"]
    made = aggregate_of(
        Evidence(
            computed=tuple(runs),
            releases=(release,),
            statuses={stranger.file.run_id: "unverified"},
        )
    )
    [found] = made.boards
    rows = {row.name: place for place, row in enumerate(found.rows)}
    assert rows["tfidf"] not in found.pairs.rows
    assert all(cell[5] == "" for cell in found.rows[rows["tfidf"]].cells if len(cell) > 1)
    assert rows["tfidf"] in [own.row for own in found.confusions.rows]
    wanted = compare_models([r for r in of_panel(runs) if r is not stranger], release)
    assert found.pairs.n_tests == wanted.n_tests < board.pairs.n_tests
    cards = cards_of([r for r in of_panel(runs) if r is not stranger], wanted)
    assert [card.models for card in found.cards.cards] == [card.models for card in cards]
