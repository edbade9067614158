"""`.eval_results/*.yaml`: one number a task, as the Hub's own library reads them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from evaluate_shelf import evaluate
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.export.eval_results import export_eval_results
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.runs.reading import Run

DATASET = "owner/SHELF"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("runs")
    facets = ["subject", "register"]
    [found] = evaluate("wordllama", shipped_release(), facets=facets, runs=folder, store=None)
    return found


def test_the_hubs_library_reads_every_primary_score(run: Run, tmp_path: Path) -> None:
    hub = pytest.importorskip("huggingface_hub")
    if not hasattr(hub, "parse_eval_result_entries"):
        pytest.skip("this huggingface_hub does not read eval results")
    path = export_eval_results(
        run, tmp_path, DATASET, revision="0123456789" * 4, source="https://example.org/run"
    )
    assert path == tmp_path / ".eval_results" / "shelf-all.yaml"
    given = yaml.safe_load(path.read_text(encoding="utf-8"))
    entries = hub.parse_eval_result_entries(given)
    control = {task.id for task in load_tasks().values() if task.control}
    assert {entry.task_id: entry.value for entry in entries} == {
        f"{row['task']}.all": row["value"]
        for row in run.scores.to_pylist()
        if row["primary"] and row["task"] not in control
    }
    assert {(entry.dataset_id, entry.dataset_revision) for entry in entries} == {
        (DATASET, "0123456789" * 4)
    }
    assert hub.eval_result_entries_to_yaml(entries) == given


def test_every_task_of_the_releases_own_eval_yaml_has_an_entry(run: Run, tmp_path: Path) -> None:
    asked = yaml.safe_load((shipped_release() / "eval.yaml").read_text(encoding="utf-8"))
    there = {task["id"] for task in asked["tasks"] if task["config"] in ("all", "same_lcc_pairs")}
    done = {f"{task}.all" for task, r in run.file.tasks.items() if r.status == "done"}
    path = export_eval_results(run, tmp_path, DATASET)
    entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert there & done <= {entry["dataset"]["task_id"] for entry in entries}
    assert all(set(entry) == {"dataset", "value", "notes"} for entry in entries)


def test_the_same_run_gives_the_same_bytes(run: Run, tmp_path: Path) -> None:
    path = export_eval_results(run, tmp_path, DATASET)
    before = path.read_bytes()
    assert export_eval_results(run, tmp_path, DATASET).read_bytes() == before
    with pytest.raises(ShelfError, match="other results"):
        export_eval_results(run, tmp_path, "another/SHELF")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "arguments",
    [
        {"dataset": "SHELF"},
        {"dataset": "owner/SHELF\n- x: 1"},
        {"dataset": "owner/SHELF@main"},
        {"revision": "main"},
        {"source": "javascript:alert(1)"},
        {"source": "http://example.org"},
    ],
)
def test_what_is_not_of_its_form_is_refused(
    run: Run, arguments: dict[str, str], tmp_path: Path
) -> None:
    with pytest.raises(ShelfError, match="needed"):
        export_eval_results(run, tmp_path / "out", **{"dataset": DATASET, **arguments})
    assert not (tmp_path / "out").exists()


def test_another_protocol_is_no_entry(tmp_path: Path) -> None:
    [run] = evaluate(
        "wordllama",
        shipped_release(),
        tasks="lcc_classification",
        protocol="shelf-1-balanced",
        runs=tmp_path,
        store=None,
    )
    with pytest.raises(ShelfError, match="shelf-1-balanced"):
        export_eval_results(run, tmp_path / "out", DATASET)


def test_a_smoke_run_is_no_entry(tmp_path: Path) -> None:
    [run] = evaluate("bm25", shipped_release(), tasks="lcc_retrieval", limit=50, runs=tmp_path)
    with pytest.raises(ShelfError, match="smoke run"):
        export_eval_results(run, tmp_path / "out", DATASET)
