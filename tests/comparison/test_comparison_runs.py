"""Real runs of four models, compared: against their own scores and against plain loops."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import stats
from shelf_process import shelf_in

from evaluate_shelf.comparison.compare import compare_models
from evaluate_shelf.comparison.outcomes import Grouped, Paired, outcomes_of_items
from evaluate_shelf.comparison.results import Comparison, Difference, TaskContest, as_values
from evaluate_shelf.comparison.words import for_terminal
from evaluate_shelf.errors import ItemsError, ShelfError
from evaluate_shelf.evaluation import Evaluation, evaluate, prepare, run_folder
from evaluate_shelf.files import sha256_of_file, write_json
from evaluate_shelf.formulations.data import TaskData, labelled
from evaluate_shelf.leaderboard.boards import boards
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.protocols import Protocol, load_protocol
from evaluate_shelf.registry.tasks import task as task_named
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.folder import write_parquet
from evaluate_shelf.runs.reading import Run, load_run
from evaluate_shelf.statistics.bootstrap import bootstrap_weights, units
from evaluate_shelf.statistics.intervals import percentile_intervals, stated_interval
from evaluate_shelf.statistics.resamples import copies_matrix
from evaluate_shelf.statistics.sums import replicated

MODELS = ["tf", "tfidf", "bm25", "wordllama"]
TASKS = [
    "lcc_retrieval",
    "form_retrieval",
    "instruction_same_subject_diff_form",
    "lcc_classification",
    "x_audience_classification",
    "topic_classification",
    "lcc_clustering",
    "lcc_clustering_hdbscan",
    "same_lcc_pairs",
]
CONDITIONAL = "geographic_clustering_conditional"


def asked(folder: Path, tasks: list[str], protocol: Protocol | None = None) -> Evaluation:
    return prepare(
        shipped_release(),
        "all",
        task_ids=tasks,
        protocol=protocol or load_protocol(),
        runs=folder / "runs",
        store=folder / "store",
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the runs of all four models."""
    folder = tmp_path_factory.mktemp("compared")
    evaluate(MODELS, asked(folder, TASKS))
    return folder / "runs"


@pytest.fixture(scope="module")
def runs(finished: Path) -> list[Run]:
    evaluation = asked(finished.parent, TASKS)
    folders = [run_folder(resolve_model(m, evaluation.protocol), evaluation) for m in MODELS]
    return [load_run(folder) for folder in folders]


@pytest.fixture(scope="module")
def release() -> Release:
    return Release.open(shipped_release())


@pytest.fixture(scope="module")
def compared(runs: list[Run], release: Release) -> Comparison:
    return compare_models(runs, release, tasks=TASKS)


def data_of(release: Release, task: str) -> TaskData:
    pairs = task_named(task).formulation == "pair_classification"
    return TaskData(release, release.pairs_of("all", task) if pairs else "all")


def outcomes_of(run: Run, release: Release, task: str) -> Grouped | Paired:
    items = pq.read_table(run.checked(f"items/{task}.parquet"))
    return outcomes_of_items(task_named(task), data_of(release, task), items, load_protocol())


def primary(run: Run, task: str) -> dict[str, Any] | None:
    rows = [row for row in run.scores.to_pylist() if row["task"] == task and row["primary"]]
    return rows[0] if rows else None


def task_of(comparison: Comparison, task: str) -> TaskContest:
    (found,) = [one for one in comparison.tasks if one.task == task]
    return found


def every_difference(comparison: Comparison) -> Iterator[Difference]:
    for task in comparison.tasks:
        yield from task.contest.differences


@pytest.mark.parametrize("task", TASKS)
def test_outcomes_give_the_scores_and_intervals_of_the_runs(
    runs: list[Run], release: Release, task: str
) -> None:
    settings = load_protocol().bootstrap
    scored = [(run, row) for run in runs if (row := primary(run, task))]
    assert len(scored) >= 2
    for run, row in scored:
        outcomes = outcomes_of(run, release, task)
        assert outcomes.value == pytest.approx(row["value"], abs=1e-12)
        if isinstance(outcomes, Grouped):
            copies = copies_matrix(
                outcomes.sums.n_units,
                task=task,
                seed=settings.seed,
                replicates=settings.replicates,
            )
            bounds = percentile_intervals(replicated([outcomes.sums], copies), settings.level)
            stated = stated_interval(row["metric"], outcomes.value, bounds[0])
            assert stated == pytest.approx((row["low"], row["high"]), abs=1e-12)
            assert int(outcomes.scored.sum()) == row["n"]
        else:
            assert outcomes.documents.number == row["n_units"]


def test_clusters_inside_classes_give_their_score_too(tmp_path: Path, release: Release) -> None:
    protocol = load_protocol()
    # The shipped release has too few documents of a class for the protocol's own rule.
    rule = protocol.conditional.model_copy(update={"min_documents": 3})
    own = protocol.model_copy(update={"conditional": rule})
    evaluation = asked(tmp_path, [CONDITIONAL], own)
    evaluate(["wordllama"], evaluation)
    run = load_run(run_folder(resolve_model("wordllama", own), evaluation))
    items = pq.read_table(run.checked(f"items/{CONDITIONAL}.parquet"))
    task = task_named(CONDITIONAL)
    outcomes = outcomes_of_items(task, data_of(release, CONDITIONAL), items, own)
    assert outcomes.value == pytest.approx(primary(run, CONDITIONAL)["value"], abs=1e-12)


def test_every_score_stands_in_the_comparison(compared: Comparison, runs: list[Run]) -> None:
    assert {task.task for task in compared.tasks} == set(TASKS)
    for task in compared.tasks:
        expected = {run.file.model.name: row for run in runs if (row := primary(run, task.task))}
        assert {one.model: one.value for one in task.contest.standings} == {
            model: row["value"] for model, row in expected.items()
        }
        assert set(task.lacking) == set(MODELS) - set(expected)
        assert {(one.unit, one.n_units) for one in [task.contest]} == {
            (row["unit"], row["n_units"]) for row in expected.values()
        }
        values = [one.value for one in task.contest.standings]
        assert values == sorted(values, reverse=True)


def test_every_two_models_differ_by_their_scores(compared: Comparison) -> None:
    for task in compared.tasks:
        values = {one.model: one.value for one in task.contest.standings}
        pairs = [(one.first, one.second) for one in task.contest.differences]
        assert pairs == list(combinations(values, 2))
        for one in task.contest.differences:
            assert one.value == pytest.approx(values[one.first] - values[one.second], abs=1e-12)
            assert one.value >= 0
            assert one.low <= one.high


def test_the_difference_of_macro_f1_is_that_of_a_plain_bootstrap(
    compared: Comparison, runs: list[Run], release: Release
) -> None:
    task, data = (
        task_named("x_audience_classification"),
        data_of(release, "x_audience_classification"),
    )
    test = labelled(task, data.test)
    gold = np.array(test.labels)
    groups = [data.test.groups[position] for position in test.positions]
    predicted = {}
    for run in runs:
        if primary(run, task.id):
            column = pq.read_table(run.folder / f"items/{task.id}.parquet")["predicted"]
            of_all = column.cast(pa.string()).to_pylist()
            predicted[run.file.model.name] = np.array([of_all[p] for p in test.positions])

    names = sorted(set(gold))

    def macro_f1(labels: np.ndarray, weights: np.ndarray) -> float:
        found = []
        for name in names:
            of_gold, of_labels = weights[gold == name].sum(), weights[labels == name].sum()
            if of_gold:
                both = weights[(gold == name) & (labels == name)].sum()
                found.append(2 * both / (of_gold + of_labels))
        return float(np.mean(found))

    draws = [*bootstrap_weights(units(groups), task=task.id, seed=42, replicates=2000)]
    one = next(
        one
        for one in task_of(compared, task.id).contest.differences
        if {one.first, one.second} == {"tfidf", "wordllama"}
    )
    first, second = (
        np.array([macro_f1(predicted[model], weights) for weights in draws])
        for model in (one.first, one.second)
    )
    low, high = np.quantile(first - second, [0.025, 0.975])
    assert (one.low, one.high) == pytest.approx((low, high), abs=1e-12)
    assert one.error == pytest.approx((first - second).std(ddof=1), abs=1e-12)


def test_the_difference_of_pairs_has_the_dyadic_variance(
    compared: Comparison, runs: list[Run], release: Release
) -> None:
    task = "same_lcc_pairs"
    outcomes = {run.file.model.name: outcomes_of(run, release, task) for run in runs}
    test = data_of(release, task).test
    sides = list(zip(test.column("doc_a_id"), test.column("doc_b_id"), strict=True))
    for one in task_of(compared, task).contest.differences:
        influence = outcomes[one.first].estimate.influence - outcomes[one.second].estimate.influence
        sums: dict[str, float] = {}
        for pair, value in zip(sides, influence, strict=True):
            for document in pair:
                sums[document] = sums.get(document, 0.0) + value
        squares = float((influence**2).sum())
        variance = max(sum(s * s for s in sums.values()) - squares, squares) / len(sides) ** 2
        assert one.error == pytest.approx(variance**0.5, rel=1e-9)
        assert one.p == pytest.approx(2 * stats.norm.sf(one.value / variance**0.5), rel=1e-9)
        assert one.p_bootstrap is None


def test_permutations_are_there_where_answers_can_be_exchanged(compared: Comparison) -> None:
    for task in compared.tasks:
        exchangeable = task.formulation not in ("clustering", "pair_classification")
        assert (task.contest.why_no_permutation is None) == exchangeable
        for one in task.contest.differences:
            assert (one.p_permutation is not None) == exchangeable
            if exchangeable:
                assert 0 < one.p_permutation <= 1


def test_tests_of_one_difference_agree(compared: Comparison) -> None:
    for one in every_difference(compared):
        for other in (one.p_bootstrap, one.p_permutation):
            if other is not None and one.p < 0.001:
                assert other < 0.02, one
            if other is not None and one.p > 0.3:
                assert other > 0.1, one


def test_holm_is_over_the_differences_of_all_tasks(compared: Comparison) -> None:
    differences = [*every_difference(compared)]
    assert compared.n_tests == len(differences)
    ordered = sorted(differences, key=lambda one: one.p)
    least = 0.0
    for number, one in enumerate(ordered):
        least = min(1.0, max(least, one.p * (len(ordered) - number)))
        assert one.p_holm == pytest.approx(least, abs=1e-12)
        assert one.told_apart == (one.p_holm <= 1 - compared.level)
    assert any(one.told_apart for one in differences)
    assert not all(one.told_apart for one in differences)


def test_two_models_share_a_letter_if_they_cannot_be_told_apart(compared: Comparison) -> None:
    contests = [*(task.contest for task in compared.tasks), compared.mean.contest]
    for contest in contests:
        standing = {one.model: one for one in contest.standings}
        for one in contest.differences:
            first, second = standing[one.first], standing[one.second]
            assert one.told_apart == (not set(first.groups) & set(second.groups))
            if one.told_apart:
                assert first.place_low < second.place_high
        for own in standing.values():
            assert 1 <= own.place_low <= own.rank <= own.place_high <= len(standing)
            if own.rank_low is not None:
                assert 1 <= own.rank_low <= own.rank_high <= len(standing)


def test_the_mean_is_the_leaderboard_s_with_tasks_as_units(
    runs: list[Run], release: Release
) -> None:
    comparison = compare_models(runs, release)
    (board,) = boards(runs)
    assert comparison.mean.tasks == board.shared
    means = {row.name: row.mean for row in board.rows if row.mean is not None}
    standings = {one.model: one.value for one in comparison.mean.contest.standings}
    assert standings == pytest.approx(means, abs=1e-12)
    assert set(comparison.mean.lacking) == {"bm25"}
    cells = {row.name: row.cells for row in board.rows}
    for one in comparison.mean.contest.differences:
        of_first, of_second = (
            [cells[model][task].value for task in board.shared] for model in (one.first, one.second)
        )
        assert one.p == pytest.approx(stats.ttest_rel(of_first, of_second).pvalue, rel=1e-9)
    # Optional tasks are compared where they are asked for.
    assert "lcc_clustering_hdbscan" not in {task.task for task in comparison.tasks}


def test_the_order_of_the_runs_changes_nothing(
    compared: Comparison, runs: list[Run], release: Release
) -> None:
    assert compare_models(runs[::-1], release, tasks=TASKS[::-1]) == compared


def test_what_a_task_s_interval_is_depends_on_no_other_model(
    compared: Comparison, runs: list[Run], release: Release
) -> None:
    two = [run for run in runs if run.file.model.name in ("tfidf", "wordllama")]
    alone = compare_models(two, release, tasks=["lcc_retrieval"])
    (one,) = task_of(alone, "lcc_retrieval").contest.differences
    (same,) = (
        other
        for other in task_of(compared, "lcc_retrieval").contest.differences
        if (other.first, other.second) == (one.first, one.second)
    )
    assert (one.low, one.high, one.p, one.p_permutation) == (
        same.low,
        same.high,
        same.p,
        same.p_permutation,
    )
    assert one.p_holm == one.p


def test_json_has_no_number_that_json_has_not(compared: Comparison) -> None:
    json.dumps(as_values(compared), allow_nan=False)


@pytest.mark.parametrize("width", [60, 100])
def test_lines_fit_the_terminal(compared: Comparison, width: int) -> None:
    lines = for_terminal(compared, width).splitlines()
    assert all(model in "\n".join(lines) for model in MODELS)
    assert all(len(line) <= width for line in lines)
    assert not any("-0.000" in line for line in lines)


def test_a_run_of_another_release_is_refused(
    runs: list[Run], tmp_path: Path, release: Release
) -> None:
    entry = release.config("all").model_copy(update={"content_sha256": "0" * 64})
    manifest = release.manifest.model_copy(
        update={"configs": {**release.manifest.configs, "all": entry}}
    )
    with pytest.raises(ShelfError, match="'all'"):
        compare_models(runs, replace(release, manifest=manifest))


def test_a_task_that_two_runs_do_not_have_is_refused(runs: list[Run], release: Release) -> None:
    with pytest.raises(ShelfError, match="lcgft_clustering"):
        compare_models(runs, release, tasks=["lcgft_clustering"])
    with pytest.raises(ShelfError, match="lcc_clasification"):
        compare_models(runs, release, tasks=["lcc_clasification"])


def forged(run: Run, folder: Path, name: str, table: pa.Table) -> Run:
    """A copy with a file in place and its hash in `run.json`."""
    copy = folder / "forged"
    shutil.copytree(run.folder, copy)
    write_parquet(copy / name, table)
    value = json.loads((copy / "run.json").read_text())
    value["files"][name] = sha256_of_file(copy / name)
    write_json(copy / "run.json", value)
    return load_run(copy)


def test_outcomes_that_do_not_follow_from_the_rankings_are_refused(
    runs: list[Run], release: Release, tmp_path: Path
) -> None:
    """The mean is the same, and the paired differences are others."""
    name = "items/lcc_retrieval.parquet"
    items = pq.read_table(runs[0].folder / name)
    place = items.column_names.index("outcome")
    rotated = pa.array(np.roll(items["outcome"].to_numpy(), 1))
    made = forged(runs[0], tmp_path, name, items.set_column(place, "outcome", rotated))
    damaged(made, name, "outcomes", runs, release)


@pytest.mark.parametrize("field", ["value", "n_units"])
def test_scores_that_the_items_do_not_give_are_refused(
    runs: list[Run], release: Release, tmp_path: Path, field: str
) -> None:
    name = "scores.parquet"
    rows = runs[0].scores.to_pylist()
    [row] = [row for row in rows if row["task"] == "lcc_retrieval" and row["primary"]]
    row[field] += {"value": 0.01, "n_units": -1}[field]
    table = pa.Table.from_pylist(rows, schema=runs[0].scores.schema)
    made = forged(runs[0], tmp_path, name, table)
    name = "items/lcc_retrieval.parquet"
    with pytest.raises(ItemsError, match=f"as {field} of lcc_retrieval") as raised:
        compare_models([made, *runs[1:]], release)
    message = str(raised.value)
    assert message.startswith(f"{made.folder / name}: ")
    assert f"`shelf rescore {made.folder} --data {release.folder}`" in message
    assert message.endswith(f"remove {made.folder} and evaluate the model again")


@pytest.mark.parametrize("wrong", [2.0, -1.0, float("inf")])
def test_an_outcome_that_is_none_is_refused(
    runs: list[Run], release: Release, tmp_path: Path, wrong: float
) -> None:
    name = "items/lcc_retrieval.parquet"
    items = pq.read_table(runs[0].folder / name)
    place = items.column_names.index("outcome")
    outcomes = items["outcome"].to_numpy().copy()
    outcomes[0] = wrong
    broken = items.set_column(place, "outcome", pa.array(outcomes))
    damaged(forged(runs[0], tmp_path, name, broken), name, "outcome", runs, release)


@pytest.mark.parametrize("task", ["lcc_classification", "same_lcc_pairs", "topic_classification"])
def test_items_that_lack_a_row_are_refused(
    runs: list[Run], release: Release, tmp_path: Path, task: str
) -> None:
    name = f"items/{task}.parquet"
    short = pq.read_table(runs[0].folder / name).slice(1)
    damaged(forged(runs[0], tmp_path, name, short), name, "lack row", runs, release)


@pytest.mark.parametrize("task", ["lcc_retrieval", "lcc_classification", "lcc_clustering"])
@pytest.mark.parametrize("damage", ["columns", "order", "twice", "no parquet"])
def test_damaged_items_are_named_with_what_to_do(
    runs: list[Run], release: Release, tmp_path: Path, task: str, damage: str
) -> None:
    name, own = f"items/{task}.parquet", runs[1]
    items = pq.read_table(own.folder / name)
    changed = {
        "columns": items.select(["row"]),
        "order": items.slice(1).slice(0, 1),
        "twice": pa.concat_tables([items, items.slice(0, 1)]),
        "no parquet": items,
    }[damage]
    made = forged(own, tmp_path, name, changed)
    if damage == "no parquet":
        (made.folder / name).write_bytes(b"PAR1" + b"\x07" * 400 + b"PAR1")
        value = json.loads((made.folder / "run.json").read_text())
        value["files"][name] = sha256_of_file(made.folder / name)
        write_json(made.folder / "run.json", value)
        made = load_run(made.folder)
    damaged(made, name, ".", runs, release)


def damaged(made: Run, name: str, said: str, runs: list[Run], release: Release) -> None:
    """The message names the file and what to do."""
    task = Path(name).stem
    others = [own for own in runs if own.file.model.name != made.file.model.name]
    with pytest.raises(ItemsError, match=said) as raised:
        compare_models([made, *others], release, tasks=[task])
    assert str(raised.value).startswith(f"{made.folder / name}: ")
    assert str(raised.value).endswith(f"remove {made.folder} and evaluate the model again")


def test_items_that_were_changed_are_refused(
    runs: list[Run], release: Release, tmp_path: Path
) -> None:
    copy = tmp_path / "changed"
    shutil.copytree(runs[0].folder, copy)
    (copy / "items/lcc_retrieval.parquet").write_bytes(b"PAR1")
    with pytest.raises(ShelfError, match=r"run\.json") as raised:
        compare_models([load_run(copy), *runs[1:]], release)
    assert str(raised.value).startswith(f"{copy / 'items/lcc_retrieval.parquet'}: ")
    assert str(raised.value).endswith(f"remove {copy} and evaluate the model again")


def test_the_command_prints_what_the_library_gives(
    compared: Comparison, finished: Path, tmp_path: Path
) -> None:
    shelf = shelf_in(tmp_path)
    tasks = [part for task in TASKS for part in ("--task", task)]
    result = shelf("compare", finished, "--data", shipped_release(), *tasks, "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == json.loads(json.dumps(as_values(compared)))
    text = shelf("compare", finished, "--data", shipped_release(), *tasks)
    assert text.stdout == for_terminal(compared, 160)


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["RUN", "--data", "DATA"], ["RUN", "two"]),
        (["RUN", "RUN", "--data", "DATA"], ["RUN", "twice"]),
        (["nosuch", "--data", "DATA"], ["nosuch"]),
        (["RUNS", "--data", "nosuch"], ["nosuch"]),
        (["RUNS"], ["--data"]),
        (["--data", "DATA"], ["runs"]),
        (["RUNS", "--data", "DATA", "--facet", "colour"], ["colour", "subject"]),
        (["RUNS", "--data", "DATA", "--task", "lcc_clasification"], ["lcc_classification"]),
        (["RUNS", "--data", "DATA", "--facet", "geography"], ["geographic_clustering"]),
    ],
    ids=" ".join,
)
def test_bad_input_is_told_in_one_message(
    finished: Path, runs: list[Run], tmp_path: Path, arguments: list[str], names: list[str]
) -> None:
    places = {"RUNS": finished, "RUN": runs[0].folder, "DATA": shipped_release()}
    shelf = shelf_in(tmp_path)
    result = shelf("compare", *(places.get(argument, argument) for argument in arguments))
    assert result.returncode == 2, result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    for name in names:
        assert str(places.get(name, name)) in result.stderr or name in result.stderr


def test_a_folder_with_runs_of_other_kinds_beside_is_compared(
    finished: Path, tmp_path: Path
) -> None:
    """What the README's own commands leave: smoke runs, and runs under another protocol."""
    shelf = shelf_in(tmp_path)
    shutil.copytree(finished, tmp_path / "runs")
    alone = ["--data", shipped_release(), "--task", "lcc_retrieval"]
    before = shelf("compare", "runs", *alone, "--json")
    for condition in (["--limit", "40"], ["--text", "masked"]):
        made = shelf("evaluate", "bm25", *alone, "--no-rates", *condition)
        assert made.returncode == 0, made.stderr
    # Without a name it is the default protocol, and the others are named.
    for options in ([], ["--protocol", "shelf-1"]):
        named = shelf("compare", "runs", *alone, *options, "--json")
        assert named.returncode == 0, named.stderr
        assert named.stdout == before.stdout
        assert named.stderr.count("left out: ") == 2
