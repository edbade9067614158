"""What died half-way is finished, and what was forged is noticed."""

from __future__ import annotations

import errno
import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from release_forgery import Release as Forgery

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.evaluation import Evaluation, evaluate, prepare, run_folder
from evaluate_shelf.evaluation.rescore import rescored_differences
from evaluate_shelf.files import sha256_of_file, write_json
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.runs import reading
from evaluate_shelf.runs.folder import RunFolder, write_parquet
from evaluate_shelf.runs.reading import load_run, read_runs


def asked(runs: Path, data: Path | None = None, *tasks: str) -> Evaluation:
    return prepare(
        data or shipped_release(),
        "all",
        task_ids=tasks or ("lcc_retrieval", "same_lcc_pairs"),
        protocol=load_protocol(),
        runs=runs,
        store=runs.parent / "store",
    )


def folder(evaluation: Evaluation, model: str = "bm25") -> Path:
    return run_folder(resolve_model(model, evaluation.protocol), evaluation)


def test_tasks_that_were_recorded_before_a_death_are_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate(["bm25"], asked(tmp_path / "runs", None, "lcc_retrieval"))

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "finish", die)
        with pytest.raises(KeyboardInterrupt):
            evaluate(["bm25"], asked(tmp_path / "runs", None, "same_lcc_pairs"))
    (run,) = evaluate(["bm25"], asked(tmp_path / "runs", None, "lcc_retrieval"))
    assert set(run.tasks) == {"lcc_retrieval", "same_lcc_pairs"}
    assert {
        row["task"] for row in load_run(folder(asked(tmp_path / "runs"))).scores.to_pylist()
    } == {
        "lcc_retrieval",
        "same_lcc_pairs",
    }


@pytest.mark.parametrize("text", ["", "{", '{"record": {"status": "done"}}', "[]"])
def test_a_damaged_entry_of_progress_runs_again(tmp_path: Path, text: str) -> None:
    evaluation = asked(tmp_path / "runs", None, "lcc_retrieval")
    progress = folder(evaluation) / "progress"
    progress.mkdir(parents=True)
    (progress / "lcc_retrieval.json").write_text(text)
    (run,) = evaluate(["bm25"], evaluation)
    assert run.tasks["lcc_retrieval"].status == "done"


def rewritten(run: Path, name: str, table: pa.Table) -> None:
    """Put a file in place and its hash into `run.json`, as a forger would."""
    write_parquet(run / name, table)
    value = json.loads((run / "run.json").read_text())
    value["files"][name] = sha256_of_file(run / name)
    write_json(run / "run.json", value)


def noticed(run: Path) -> bool:
    """Whether a run is refused, or a score of it found to be another."""
    try:
        return bool(rescored_differences(run, shipped_release()))
    except ShelfError:
        return True


@pytest.fixture
def run(tmp_path: Path) -> Path:
    evaluation = asked(
        tmp_path / "runs", None, "lcc_retrieval", "lcc_classification", "same_lcc_pairs"
    )
    evaluate(["bm25"], evaluation)
    return folder(evaluation)


def test_a_score_of_a_task_that_was_skipped_is_refused(run: Path) -> None:
    rows = pq.read_table(run / "scores.parquet").to_pylist()
    rows.append({**rows[0], "task": "lcc_classification", "metric": "macro_f1", "value": 0.99})
    schema = pq.read_schema(run / "scores.parquet")
    rewritten(run, "scores.parquet", pa.Table.from_pylist(rows, schema=schema))
    with pytest.raises(ShelfError, match="lcc_classification"):
        load_run(run)


@pytest.mark.parametrize(
    "change",
    [
        {"value": 0.99},
        {"value": 1e300},
        {"value": None},
        {"high": None},
        {"metric": "recall_at_10"},
    ],
    ids=str,
)
def test_a_forged_score_is_noticed(run: Path, change: dict[str, Any]) -> None:
    rows = pq.read_table(run / "scores.parquet").to_pylist()
    rows[0].update(change)
    schema = pq.read_schema(run / "scores.parquet")
    rewritten(run, "scores.parquet", pa.Table.from_pylist(rows, schema=schema))
    assert noticed(run)


@pytest.mark.parametrize(
    "ranking",
    [
        lambda rows: rows[:1] * len(rows),
        lambda rows: [10**6, *rows[1:]],
        lambda rows: [-1, *rows[1:]],
    ],
    ids=["one document a hundred times", "unknown document", "negative"],
)
def test_a_forged_ranking_is_noticed(run: Path, ranking: Any) -> None:
    items = pq.read_table(run / "items/lcc_retrieval.parquet").to_pylist()
    items[5]["ranked"] = ranking(items[5]["ranked"])
    schema = pq.read_schema(run / "items/lcc_retrieval.parquet")
    rewritten(run, "items/lcc_retrieval.parquet", pa.Table.from_pylist(items, schema=schema))
    with pytest.raises(ShelfError):
        rescored_differences(run, shipped_release())


@pytest.mark.parametrize("column", ["chance_level", "low", "high", "n"])
def test_what_was_forged_beside_a_score_is_named(run: Path, column: str) -> None:
    rows = pq.read_table(run / "scores.parquet").to_pylist()
    changed = {"n": rows[0]["n"] + 1, "high": rows[0]["value"]}
    rows[0][column] = changed.get(column, rows[0][column] / 2)
    schema = pq.read_schema(run / "scores.parquet")
    rewritten(run, "scores.parquet", pa.Table.from_pylist(rows, schema=schema))
    (difference,) = rescored_differences(run, shipped_release())
    assert column in difference


@pytest.mark.parametrize("task", ["lcc_retrieval", "same_lcc_pairs"])
def test_forged_outcomes_are_noticed(run: Path, task: str) -> None:
    items = pq.read_table(run / f"items/{task}.parquet")
    forged = pa.array([1.0] * len(items), pa.float64())
    number = items.column_names.index("outcome")
    rewritten(run, f"items/{task}.parquet", items.set_column(number, "outcome", forged))
    (difference,) = rescored_differences(run, shipped_release())
    assert task in difference
    assert "outcome" in difference


@pytest.mark.parametrize("change", [{"low": 0.9, "high": 0.1}, {"primary": False}], ids=str)
def test_a_row_that_no_evaluation_writes_is_refused(run: Path, change: dict[str, Any]) -> None:
    rows = pq.read_table(run / "scores.parquet").to_pylist()
    rows[0].update(change)
    schema = pq.read_schema(run / "scores.parquet")
    rewritten(run, "scores.parquet", pa.Table.from_pylist(rows, schema=schema))
    with pytest.raises(ShelfError, match=next(iter(change))):
        load_run(run)


def test_a_run_that_cannot_be_read_does_not_hide_the_others(run: Path) -> None:
    other = run.parent / "damaged"
    shutil.copytree(run, other)
    (other / "scores.parquet").write_bytes(b"no Parquet")
    value = json.loads((other / "run.json").read_text())
    value["files"]["scores.parquet"] = sha256_of_file(other / "scores.parquet")
    write_json(other / "run.json", value)
    runs, problems = read_runs(run.parents[1])
    assert [found.folder for found in runs] == [run]
    assert len(problems) == 1


def test_a_copy_of_a_run_counts_once_and_is_named(run: Path) -> None:
    shutil.copytree(run, run.parent / "copy")
    runs, problems = read_runs(run.parents[1])
    assert len(runs) == 1
    [problem] = problems
    assert str(run) in problem
    assert str(run.parent / "copy") in problem


@pytest.mark.parametrize("what", ["models", "runs", "files"])
def test_what_cannot_be_read_is_named_and_hides_no_other_run(
    run: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = run.parents[1] / "other" / "abc"
    shutil.copytree(run, other)
    closed = {"models": other.parent, "runs": other, "files": other}[what]
    owner, name = {
        "models": (Path, "iterdir"),
        "runs": (Path, "stat"),
        "files": (reading, "load_run"),
    }[what]
    real = getattr(owner, name)

    # Root, under whom tests may run, can read every file whatever its mode is.
    def refusing(path: Path, **options: Any) -> Any:
        if path == closed or (what == "runs" and closed in path.parents):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path, **options)

    monkeypatch.setattr(owner, name, refusing)
    runs, problems = read_runs(run.parents[1])
    assert [found.folder for found in runs] == [run]
    [problem] = problems
    assert str(closed) in problem


def test_a_run_that_names_no_rows_is_not_rescored(run: Path) -> None:
    value = json.loads((run / "run.json").read_text())
    value["data"]["content_sha256"] = {}
    write_json(run / "run.json", value)
    with pytest.raises(ShelfError):
        rescored_differences(run, shipped_release())


def test_changed_vectors_are_noticed(tmp_path: Path) -> None:
    evaluate(["wordllama"], asked(tmp_path / "runs", None, "lcc_retrieval"))
    (vectors,) = (tmp_path / "store").glob("*/vectors.f32")
    damaged = bytearray(vectors.read_bytes())
    damaged[1000] ^= 1
    vectors.write_bytes(damaged)
    with pytest.raises(ShelfError, match="damaged"):
        evaluate(["wordllama"], asked(tmp_path / "other", None, "lcc_retrieval"))


def test_one_id_in_two_splits_is_refused(tmp_path: Path) -> None:
    forged = Forgery.copy_of(shipped_release(), tmp_path / "data")
    forged.change_row("all", 0, id=forged.rows("all", "train")[0]["id"])
    forged.rehash()
    with pytest.raises(ShelfError, match="split as well"):
        evaluate(["bm25"], asked(tmp_path / "runs", forged.folder, "lcc_retrieval"))


def test_another_resampling_unit_is_another_run(tmp_path: Path) -> None:
    shutil.copytree(shipped_release(), tmp_path / "data")
    manifest = json.loads((tmp_path / "data" / "manifest.json").read_text())
    manifest["configs"]["all"]["group_column"] = None
    write_json(tmp_path / "data" / "manifest.json", manifest)
    ours, theirs = asked(tmp_path / "runs"), asked(tmp_path / "runs", tmp_path / "data")
    assert folder(ours) != folder(theirs)


def test_a_corpus_without_validation_documents_is_scored(tmp_path: Path) -> None:
    forged = Forgery.copy_of(shipped_release(), tmp_path / "data")
    manifest = forged.manifest
    name = next(p for p in manifest["data_files"] if p.startswith("data/all/validation"))
    forged.change_manifest(lambda value: value["data_files"].pop(name))
    (run,) = evaluate(["bm25"], asked(tmp_path / "runs", forged.folder, "lcc_retrieval"))
    assert run.tasks["lcc_retrieval"].status == "done"


@pytest.mark.parametrize("task", ["../../outside", "/tmp/outside", "a/b", ""])
def test_a_task_s_id_is_no_way_out_of_the_run(run: Path, task: str) -> None:
    value = json.loads((run / "run.json").read_text())
    value["tasks"][task] = {"status": "skipped", "reason": "forged"}
    write_json(run / "run.json", value)
    before = set(run.parents[2].rglob("*"))
    with pytest.raises(ShelfError):
        load_run(run)
    evaluate(["bm25"], asked(run.parents[1], None, "form_retrieval"))
    added = set(run.parents[2].rglob("*")) - before
    assert all(run in path.parents for path in added if path.is_file())


@pytest.mark.parametrize(
    "scores", [lambda row: row[::-1], lambda row: [float("nan")] * len(row)], ids=["rising", "nan"]
)
def test_scores_that_no_ranking_has_are_refused(run: Path, scores: Any) -> None:
    items = pq.read_table(run / "items/lcc_retrieval.parquet")
    rows = items.to_pylist()
    rows[3]["scores"] = scores(rows[3]["scores"])
    table = pa.Table.from_pylist(rows, schema=items.schema)
    rewritten(run, "items/lcc_retrieval.parquet", table)
    with pytest.raises(ShelfError, match="scores"):
        rescored_differences(run, shipped_release())


@pytest.mark.parametrize("forge", ["version", "pairs"])
def test_a_header_that_fits_no_evaluation_is_not_rescored(run: Path, forge: str) -> None:
    value = json.loads((run / "run.json").read_text())
    if forge == "version":
        value["protocol"]["version"] = 99
    else:
        del value["data"]["content_sha256"]["same_lcc_pairs"]
    write_json(run / "run.json", value)
    with pytest.raises(ShelfError):
        rescored_differences(run, shipped_release())
