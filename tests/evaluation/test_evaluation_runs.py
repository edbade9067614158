"""Runs: complete, repeatable to the byte, resumable, and cheap to repeat."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score, f1_score, roc_auc_score

from evaluate_shelf.embeddings import store
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.evaluation import Evaluation, Reporter, evaluate, prepare, run_folder
from evaluate_shelf.evaluation import running as module
from evaluate_shelf.evaluation.rescore import rescored_differences
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.formulations.data import checked_items
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.registry.tasks import task as task_named
from evaluate_shelf.release.documents import Documents, Release
from evaluate_shelf.runs.reading import load_run
from evaluate_shelf.runs.schema import RunFile

SUBJECT = {
    "lcc_classification",
    "lcc_clustering",
    "lcc_retrieval",
    "same_lcc_pairs",
    "instruction_same_subject_diff_form",
}
MODELS = ["tf", "tfidf", "bm25", "wordllama"]


def prepared(runs: Path, **changes: Any) -> Evaluation:
    settings: dict[str, Any] = {
        "facets": ["subject"],
        "protocol": load_protocol(),
        "store": runs.parent / "store",
        **changes,
    }
    return prepare(shipped_release(), "all", runs=runs, **settings)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Evaluation, list[RunFile]]:
    asked = prepared(tmp_path_factory.mktemp("finished") / "runs")
    return asked, evaluate(MODELS, asked)


def folder_of(model: str, asked: Evaluation) -> Path:
    return run_folder(resolve_model(model, asked.protocol), asked)


def parquet_hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): sha256_of_file(path)
        for path in sorted(folder.rglob("*.parquet"))
    }


def items_of(model: str, task: str, asked: Evaluation) -> list[dict[str, Any]]:
    """Item rows with the ids that their row numbers stand for."""
    release = Release.open(shipped_release())
    config = asked.config_of(task_named(task))
    test = release.documents(config, "test").ids
    rows = pq.read_table(folder_of(model, asked) / f"items/{task}.parquet").to_pylist()
    for row in rows:
        row["id"] = test[row["row"]]
    if "ranked" in rows[0]:
        corpus = [i for s in ("train", "validation") for i in release.documents(config, s).ids]
        for row in rows:
            row["ranked_ids"] = [corpus[number] for number in row["ranked"]]
    return rows


def primary(model: str, task: str, asked: Evaluation) -> dict[str, Any]:
    rows = load_run(folder_of(model, asked)).scores.to_pylist()
    (row,) = [row for row in rows if row["task"] == task and row["primary"]]
    return row


def test_every_model_has_every_task_that_it_supports(
    finished: tuple[Evaluation, list[RunFile]],
) -> None:
    for model, run in zip(MODELS, finished[1], strict=True):
        assert set(run.tasks) == SUBJECT
        skipped = {task for task, record in run.tasks.items() if record.status == "skipped"}
        expected = {"lcc_classification", "lcc_clustering"} if model == "bm25" else set()
        assert skipped == expected
        assert all(run.tasks[task].reason for task in skipped)


def test_every_score_is_finite_and_within_its_interval(
    finished: tuple[Evaluation, list[RunFile]],
) -> None:
    for model in MODELS:
        for row in load_run(folder_of(model, finished[0])).scores.to_pylist():
            assert math.isfinite(row["value"]), row
            if row["low"] is None:
                assert not row["primary"], row
                continue
            assert row["low"] <= row["high"], row
            if row["task"] != "lcc_classification":
                assert row["low"] <= row["value"] <= row["high"], row


def test_run_json_names_the_hash_of_every_other_file(
    finished: tuple[Evaluation, list[RunFile]],
) -> None:
    for model, run in zip(MODELS, finished[1], strict=True):
        folder = folder_of(model, finished[0])
        present = {
            path.relative_to(folder).as_posix()
            for path in folder.rglob("*")
            if path.is_file() and path.name != "run.json"
        }
        assert present == set(run.files)
        assert parquet_hashes(folder) == run.files


def test_scores_follow_from_items_and_labels_alone(
    finished: tuple[Evaluation, list[RunFile]],
) -> None:
    for model in MODELS:
        assert rescored_differences(folder_of(model, finished[0]), shipped_release()) == []


def test_macro_f1_of_the_items_is_that_of_scikit_learn(
    finished: tuple[Evaluation, list[RunFile]],
) -> None:
    asked = finished[0]
    test = Release.open(shipped_release()).documents("all", "test")
    gold = dict(zip(test.ids, test.column("lcc_code"), strict=True))
    for model in ("tf", "tfidf", "wordllama"):
        items = items_of(model, "lcc_classification", asked)
        labels = [gold[item["id"]] for item in items]
        predicted = [item["predicted"] for item in items]
        theirs = f1_score(
            labels, predicted, labels=sorted(set(labels)), average="macro", zero_division=0
        )
        assert primary(model, "lcc_classification", asked)["value"] == pytest.approx(theirs)


def test_ari_and_auc_of_the_items_are_those_of_scikit_learn(
    finished: tuple[Evaluation, list[RunFile]],
) -> None:
    asked = finished[0]
    release = Release.open(shipped_release())
    test, pairs = release.documents("all", "test"), release.documents("same_lcc_pairs", "test")
    gold = dict(zip(test.ids, test.column("lcc_code"), strict=True))
    label = dict(zip(pairs.ids, pairs.column("label"), strict=True))
    for model in ("tfidf", "wordllama"):
        items = items_of(model, "lcc_clustering", asked)
        theirs = adjusted_rand_score(
            [gold[item["id"]] for item in items], [item["cluster_seed_42"] for item in items]
        )
        assert primary(model, "lcc_clustering", asked)["value"] == pytest.approx(theirs)
        items = items_of(model, "same_lcc_pairs", asked)
        theirs = roc_auc_score([label[i["id"]] for i in items], [i["score"] for i in items])
        assert primary(model, "same_lcc_pairs", asked)["value"] == pytest.approx(theirs)


def test_ndcg_of_the_items_is_that_of_trec_eval(
    finished: tuple[Evaluation, list[RunFile]],
) -> None:
    import pytrec_eval

    asked = finished[0]
    release = Release.open(shipped_release())
    splits = {split: release.documents("all", split) for split in ("train", "validation", "test")}
    facts = {
        split: list(zip(d.ids, d.column("lcc_code"), d.column("lcgft_form"), strict=True))
        for split, d in splits.items()
    }
    corpus = [*facts["train"], *facts["validation"]]
    for task, relevant in (
        ("lcc_retrieval", lambda q, d: q[1] == d[1]),
        ("instruction_same_subject_diff_form", lambda q, d: q[1] == d[1] and q[2] != d[2]),
    ):
        qrels = {q[0]: {d[0]: int(relevant(q, d)) for d in corpus} for q in facts["test"]}
        for model in MODELS:
            run = {
                item["id"]: {d: -float(rank) for rank, d in enumerate(item["ranked_ids"])}
                for item in items_of(model, task, asked)
            }
            measured = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"}).evaluate(run)
            theirs = np.mean([value["ndcg_cut_10"] for value in measured.values()])
            assert primary(model, task, asked)["value"] == pytest.approx(theirs), (task, model)


def test_the_probe_is_the_published_one(finished: tuple[Evaluation, list[RunFile]]) -> None:
    """Logistic regression with scikit-learn's defaults, at the optimum of its objective."""
    asked = finished[0]
    release = Release.open(shipped_release())
    train, test = release.documents("all", "train"), release.documents("all", "test")
    encoder = resolve_model("wordllama", asked.protocol).load()
    vectors = [
        encoder.encode(d.column("text"), role="document").astype(np.float64) for d in (train, test)
    ]
    probe = LogisticRegression(max_iter=10_000, tol=1e-10).fit(vectors[0], train.column("lcc_code"))
    items = items_of("wordllama", "lcc_classification", asked)
    assert [item["predicted"] for item in items] == probe.predict(vectors[1]).tolist()
    best = probe.predict_proba(vectors[1]).max(axis=1)
    np.testing.assert_allclose([item["probability"] for item in items], best, atol=1e-4)
    (fit, control) = finished[1][MODELS.index("wordllama")].tasks["lcc_classification"].fits
    assert fit.converged
    assert control.converged


class Interrupted(Reporter):
    """Presses Ctrl-C after so many events."""

    def __init__(self, events: int) -> None:
        self.left = events

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt

    def task(self, task: str) -> None:
        self._count()

    def encoding(self, done: int, total: int, seconds_left: float) -> None:
        self._count()


@pytest.mark.parametrize("events", [0, 1, 4, 9, 18, 25])
def test_an_interrupted_run_goes_on_to_the_same_bytes(
    finished: tuple[Evaluation, list[RunFile]], tmp_path: Path, events: int
) -> None:
    asked = prepared(tmp_path / "runs")
    with pytest.raises(KeyboardInterrupt):
        evaluate(["wordllama"], asked, Interrupted(events))
    folder = folder_of("wordllama", asked)
    assert not (folder / "run.json").exists()
    evaluate(["wordllama"], asked)
    assert parquet_hashes(folder) == parquet_hashes(folder_of("wordllama", finished[0]))


def test_a_resume_encodes_no_flushed_batch_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_SECONDS_BETWEEN_CHECKPOINTS", -1.0)
    release = Release.open(shipped_release())
    documents = [
        i for s in ("train", "validation", "test") for i in release.documents("all", s).ids
    ]
    asked = prepared(tmp_path / "runs", facets=[], task_ids=["lcc_retrieval"])
    with pytest.raises(KeyboardInterrupt):
        evaluate(["wordllama"], asked, Interrupted(6))

    seen: list[int] = []

    class Counting(Reporter):
        def encoding(self, done: int, total: int, seconds_left: float) -> None:
            seen.append(done)

    evaluate(["wordllama"], asked, Counting())
    # The interruption came when the sixth batch was flushed; the seventh is the next.
    first = len(documents) % asked.protocol.batch_size or asked.protocol.batch_size
    assert seen[0] == first + 6 * asked.protocol.batch_size


def test_a_second_evaluation_loads_no_model_and_reads_no_data(
    finished: tuple[Evaluation, list[RunFile]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, runs = finished

    def never(*_: object, **__: object) -> None:
        raise AssertionError("something was loaded")

    monkeypatch.setattr(module, "_run_tasks", never)
    monkeypatch.setattr(Release, "documents", never)
    before = {path: path.stat().st_mtime_ns for path in asked.runs.rglob("*") if path.is_file()}
    assert evaluate(MODELS, asked) == runs
    after = {path: path.stat().st_mtime_ns for path in asked.runs.rglob("*") if path.is_file()}
    assert after == before


def test_a_later_evaluation_adds_tasks_and_keeps_the_old_ones(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    (first,) = evaluate(["bm25"], prepared(runs, facets=[], task_ids=["lcc_retrieval"]))
    (second,) = evaluate(["bm25"], prepared(runs, facets=[], task_ids=["same_lcc_pairs"]))
    assert first.run_id == second.run_id
    assert set(second.tasks) == {"lcc_retrieval", "same_lcc_pairs"}
    assert second.files["items/lcc_retrieval.parquet"] == first.files["items/lcc_retrieval.parquet"]


def test_a_task_that_fails_is_recorded_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evaluate_shelf.models import bm25

    asked = prepared(tmp_path / "runs", facets=[], task_ids=["lcc_retrieval", "same_lcc_pairs"])
    with monkeypatch.context() as patch:

        def fail(*_: object, **__: object) -> None:
            raise MemoryError("out of memory")

        patch.setattr(bm25.Bm25, "index", fail)
        (run,) = evaluate(["bm25"], asked)
    assert run.tasks["lcc_retrieval"].status == "failed"
    assert "MemoryError" in (run.tasks["lcc_retrieval"].reason or "")
    assert run.tasks["same_lcc_pairs"].status == "done"
    (again,) = evaluate(["bm25"], asked)
    assert again.tasks["lcc_retrieval"].status == "done"


def test_damaged_items_are_computed_again(tmp_path: Path) -> None:
    asked = prepared(tmp_path / "runs", facets=[], task_ids=["lcc_retrieval"])
    (run,) = evaluate(["bm25"], asked)
    path = folder_of("bm25", asked) / "items/lcc_retrieval.parquet"
    path.write_bytes(b"damaged")
    evaluate(["bm25"], asked)
    assert sha256_of_file(path) == run.files["items/lcc_retrieval.parquet"]


def test_a_limited_run_is_another_run_and_says_so(tmp_path: Path) -> None:
    tasks = {"facets": [], "task_ids": ["lcc_retrieval", "lcc_classification"]}
    (whole,) = evaluate(["tfidf"], prepared(tmp_path / "runs", **tasks))
    (smoke,) = evaluate(["tfidf"], prepared(tmp_path / "runs", limit=60, **tasks))
    assert smoke.limit == 60
    assert whole.limit is None
    assert smoke.run_id != whole.run_id


def test_protocols_give_runs_of_their_own(tmp_path: Path) -> None:
    tasks = {"facets": [], "task_ids": ["lcc_classification"]}
    balanced = load_protocol("shelf-1-balanced")
    (plain,) = evaluate(["wordllama"], prepared(tmp_path / "runs", **tasks))
    (other,) = evaluate(["wordllama"], prepared(tmp_path / "runs", protocol=balanced, **tasks))
    assert plain.run_id != other.run_id
    assert plain.protocol.key != other.protocol.key


def test_run_json_is_strict_json_with_units_in_its_names(
    finished: tuple[Evaluation, list[RunFile]],
) -> None:
    text = (folder_of("tfidf", finished[0]) / "run.json").read_text()

    def no_constant(name: str) -> None:
        raise AssertionError(name)

    value = json.loads(text, parse_constant=no_constant)
    assert value["tasks"]["lcc_retrieval"]["seconds"] >= 0
    assert value["threads"] == {"blas": 1, "torch": 2}


@pytest.mark.parametrize("rows", [[0, 1], [0, 1, 2, 3], [0, 1, 1], [1, 0, 2], [0, 1, 5]])
def test_missing_repeated_foreign_and_disordered_items_are_refused(rows: list[int]) -> None:
    test = Documents(pa.table({"id": ["a", "b", "c"]}), None)
    with pytest.raises(ShelfError, match="items"):
        checked_items(test, pa.table({"row": rows}))


def test_documents_keep_the_release_s_order() -> None:
    documents = Release.open(shipped_release()).documents("all", "test")
    assert isinstance(documents, Documents)
    assert documents.ids == sorted(documents.ids)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_smoke_run_of_any_size_ends(tmp_path: Path, limit: int) -> None:
    """What a few documents cannot tell is skipped by name; nothing stops or fails."""
    (run,) = evaluate(["wordllama"], prepared(tmp_path / "runs", facets=[], limit=limit))
    assert {record.status for record in run.tasks.values()} <= {"done", "skipped"}
    assert all(record.reason for record in run.tasks.values() if record.status == "skipped")


def test_a_score_says_over_how_many_items_it_is(tmp_path: Path) -> None:
    """A query without a document of its form may have one of its category: a graded gain."""
    asked = prepared(tmp_path / "runs", facets=[], task_ids=["form_retrieval"])
    evaluate(["bm25"], asked)
    rows = load_run(folder_of("bm25", asked)).scores.to_pylist()
    of_metric = {row["metric"]: row["n"] for row in rows}
    outcomes = [item["outcome"] for item in items_of("bm25", "form_retrieval", asked)]
    assert of_metric["ndcg_at_10"] == sum(outcome is not None for outcome in outcomes)
    assert of_metric["graded_ndcg_at_10"] == len(outcomes)
