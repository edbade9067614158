"""mteb and `load_dataset` read the configs from a folder without any transform."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from builders.draws import Draws
from builders.task_configs.retrieval.names import config_name, subset_name
from builders.task_configs.retrieval.queries import sampled_queries, strata_of
from builders.task_configs.retrieval.tables import corpus_rows, instruction_rows, query_rows
from evaluate_shelf.formulations.qrels import judged, qrels
from evaluate_shelf.formulations.relevance import (
    answered,
    count_relevant,
    relevance_of,
    relevant,
)
from evaluate_shelf.metrics.ranking import ndcg_at, recall_at
from evaluate_shelf.registry.tasks import load_tasks

needs_mteb = pytest.mark.skipif(
    importlib.util.find_spec("mteb") is None, reason="mteb is not installed (pip install mteb-core)"
)
TASKS = [task for task in load_tasks().values() if "retrieval" in task.formulation]
EVERY_TASK = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
N_QUERIES = 12


@pytest.fixture(scope="module")
def tables(splits, corpus) -> dict[str, pa.Table]:
    """The configs of every task by name; corpus text once."""
    test = splits["test"]
    configs = {config_name("all", "corpus"): corpus_rows(corpus)}
    for task in TASKS:
        sample = sampled_queries(
            test["id"].to_pylist(),
            strata_of(task, test),
            seed=42,
            key=task.id,
            n=N_QUERIES,
            answered=answered(relevance_of(task, test, corpus)),
        )
        queries, subset = test.take(sample.positions), subset_name("all", task.id)
        configs[config_name(subset, "queries")] = query_rows(queries)
        configs[config_name(subset, "qrels")] = pa.concat_tables(
            qrels(judged(task, queries, corpus))
        )
        if task.instruction:
            configs[config_name(subset, "instruction")] = instruction_rows(
                queries["id"], task.instruction
            )
    return configs


@pytest.fixture(scope="module")
def folder(tables, tmp_path_factory) -> Path:
    """A dataset folder with all configs, and the corpus under each task's name as well."""
    root = tmp_path_factory.mktemp("mteb") / "shelf"
    folders = {name: name for name in tables}
    for name, table in tables.items():
        path = root / "data" / name / "test-00000-of-00001.parquet"
        path.parent.mkdir(parents=True)
        pq.write_table(table, path)
    for task in TASKS:
        folders[config_name(subset_name("all", task.id), "corpus")] = config_name("all", "corpus")
    configs = [
        {
            "config_name": name,
            "data_files": [{"split": "test", "path": f"data/{own}/test-*.parquet"}],
        }
        for name, own in folders.items()
    ]
    front = yaml.safe_dump({"configs": configs}, sort_keys=False)
    (root / "README.md").write_text(f"---\n{front}---\n", encoding="utf-8")
    return root


@pytest.fixture(autouse=True)
def _cache_of_the_test(tmp_path, monkeypatch) -> None:
    """The default cache serves stale rows, and mteb names no other."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    datasets.disable_progress_bars()


def task_of(folder: Path, task):
    """What a user of mteb writes to run a SHELF task from a folder or a repository."""
    from mteb import TaskMetadata
    from mteb.abstasks import AbsTaskRetrieval

    subset = subset_name("all", task.id)

    class ShelfRetrieval(AbsTaskRetrieval):
        metadata = TaskMetadata(
            name="ShelfRetrieval",
            description="Documents with the query's label are relevant.",
            type="InstructionRetrieval" if task.instruction else "Retrieval",
            category="t2t",
            modalities=["text"],
            dataset={"path": str(folder), "revision": "0" * 40},
            eval_splits=["test"],
            eval_langs={subset: ["eng-Latn"]},
            main_score="ndcg_at_10",
        )

    loaded = ShelfRetrieval()
    loaded.load_data()
    return loaded, loaded.dataset[subset]["test"]


@needs_mteb
@EVERY_TASK
def test_mteb_loads_corpus_queries_qrels_and_instruction(folder, tables, task) -> None:
    _, loaded = task_of(folder, task)
    subset = subset_name("all", task.id)
    assert loaded["corpus"].to_list() == tables["all-corpus"].to_pylist()
    queries = tables[f"{subset}-queries"].to_pylist()
    assert len(queries) == N_QUERIES
    own = {"instruction": task.instruction} if task.instruction else {}
    assert loaded["queries"].to_list() == [{**query, **own} for query in queries]
    rows: dict[str, dict[str, int]] = {}
    for query, document, score in zip(*tables[f"{subset}-qrels"].to_pydict().values(), strict=True):
        rows.setdefault(query, {})[document] = score
    assert loaded["relevant_docs"] == rows
    assert loaded["top_ranked"] is None


class Ranking:
    """A model that ranks by a table of scores."""

    def __init__(self, scores: dict[str, dict[str, float]]) -> None:
        from mteb.models.model_meta import ModelMeta

        self.mteb_model_meta = ModelMeta.create_empty({"name": "shelf/ranking", "revision": "1"})
        self.scores = scores
        self.corpus: list[dict[str, str]] = []

    def index(self, corpus, **options) -> None:
        self.corpus = list(corpus)

    def search(self, queries, **options):
        assert {row["id"] for row in self.corpus} == set(next(iter(self.scores.values())))
        return {query["id"]: self.scores[query["id"]] for query in queries}


@needs_mteb
@EVERY_TASK
def test_mtebs_scores_are_shelfs(folder, splits, corpus, task) -> None:
    """A ranking has the same nDCG and recall in both, so relevance is the same."""
    loaded, data = task_of(folder, task)
    ids = corpus["id"].to_pylist()
    place = {identity: number for number, identity in enumerate(ids)}
    query_ids = data["queries"]["id"][:]
    ranked = {query: Draws(1, query).shuffled(ids) for query in query_ids}
    model = Ranking(
        {
            query: {document: -float(rank) for rank, document in enumerate(row)}
            for query, row in ranked.items()
        }
    )
    theirs = loaded.evaluate(model, "test", encode_kwargs={})[subset_name("all", task.id)]
    of_test = {identity: number for number, identity in enumerate(splits["test"]["id"].to_pylist())}
    relevance = relevance_of(task, splits["test"], corpus).of(
        np.array([of_test[query] for query in query_ids])
    )
    position = np.array([[place[document] for document in ranked[query]] for query in query_ids])
    found, n_relevant = relevant(relevance, position), count_relevant(relevance)
    for name, ours in (
        ("ndcg_at_10", ndcg_at(10, found, n_relevant)),
        ("recall_at_100", recall_at(100, found, n_relevant)),
    ):
        assert theirs[name] == pytest.approx(ours.mean(), abs=1e-5), name


@needs_mteb
def test_an_encoder_of_mteb_can_read_every_document(folder) -> None:
    """It takes the length of the title, which must not be null."""
    from mteb._create_dataloaders import _corpus_to_dict

    _, loaded = task_of(folder, TASKS[0])
    for row in loaded["corpus"]:
        assert _corpus_to_dict(row)["text"] == f"{row['title']} {row['text']}".strip()


@pytest.mark.parametrize("streaming", [False, True])
def test_the_corpus_of_every_task_is_that_of_the_source(folder, tables, streaming) -> None:
    assert len(list((folder / "data").glob("*-corpus"))) == 1
    for task in TASKS:
        name = config_name(subset_name("all", task.id), "corpus")
        loaded = datasets.load_dataset(str(folder), name, streaming=streaming)
        assert list(loaded) == ["test"]
        assert list(loaded["test"]) == tables["all-corpus"].to_pylist()


def test_every_config_loads_as_it_was_written(folder, tables) -> None:
    for name, table in tables.items():
        loaded = datasets.load_dataset(str(folder), name, split="test")
        assert loaded.features == datasets.Features.from_arrow_schema(table.schema)
        assert loaded.to_list() == table.to_pylist()
