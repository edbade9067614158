"""Retrieval and instruction retrieval as configs: queries, relevance and instruction."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from builders.staging.config import ConfigInfo, StagedConfig
from builders.staging.writing import stage
from builders.task_configs.retrieval.names import config_name
from builders.task_configs.retrieval.queries import sampled_queries, strata_of
from builders.task_configs.retrieval.tables import (
    INSTRUCTION,
    QUERIES,
    corpus_rows,
    instruction_rows,
    query_rows,
)
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.formulations.qrels import QRELS, judged, qrels
from evaluate_shelf.formulations.relevance import answered, label_fields, relevance_of
from evaluate_shelf.registry.tasks import Task


def build_corpus(source: StagedConfig, staging: Path) -> StagedConfig:
    """The documents that retrieval searches, `X-corpus`: train, then validation.

    They stand in one split named `test`, as evaluation libraries ask for the split that is
    evaluated.
    """
    info = ConfigInfo(
        name=config_name(source.name, "corpus"),
        kind="selection",
        schema=corpus_rows(source.info.schema.empty_table()).schema,
        source=f"train and validation documents of {source.name}",
        derived_from=source.name,
    )
    columns = ["id", "title", "text"]
    rows = (corpus_rows(table) for table in source.batches(columns, ["train", "validation"]))
    return stage(info, {"test": rows}, staging / "configs")


def build_search(
    subset: str, task: Task, source: StagedConfig, seed: int, staging: Path
) -> tuple[StagedConfig, ...]:
    """Queries, relevance and, where the task has one, instruction of a retrieval task.

    Parameters
    ----------
    subset : str
        What the configs' names begin with.
    task : Task
        A retrieval or instruction retrieval.
    source : StagedConfig
        The corpus of documents, whose test documents are asked and whose other ones are searched.
    seed : int
        Of the sample of queries.
    staging : pathlib.Path
        Where the configs are written.

    Returns
    -------
    tuple of StagedConfig
        `X-queries`, `X-qrels` and perhaps `X-instruction`.

    Raises
    ------
    ShelfError
        If no query has a relevant document.
    """
    columns = ["id", *(field for field in label_fields(task) if field is not None)]
    tests = source.table(columns, ["test"])
    corpus = source.table(columns, ["train", "validation"])
    sample = sampled_queries(
        tests["id"].to_pylist(),
        strata_of(task, tests),
        seed=seed,
        key=subset,
        answered=answered(relevance_of(task, tests, corpus)),
    )
    if not len(sample.positions):
        raise ShelfError(f"{subset}: no test document of {source.name} has a relevant document")
    asked = tests.take(sample.positions)
    note = (
        f"{len(asked)} of {len(tests)} test documents, stratified; left out of the draw: "
        f"{sample.unlabelled} without a label, {sample.unanswered} without a relevant document"
    )
    of = f"of {source.name}, seed {seed}"
    folder = staging / "configs"
    queries = stage(
        ConfigInfo(
            name=config_name(subset, "queries"),
            kind="selection",
            schema=QUERIES,
            source=f"sample of the test documents {of}",
            seeds={"queries": seed},
            derived_from=source.name,
            notes=(note,),
        ),
        {"test": [_texts(source, asked["id"].combine_chunks())]},
        folder,
    )
    relevances = stage(
        ConfigInfo(
            name=config_name(subset, "qrels"),
            kind="qrels",
            schema=QRELS,
            source=f"labels of {source.name}",
            derived_from=source.name,
        ),
        {"test": qrels(judged(task, asked, corpus))},
        folder,
    )
    if task.instruction is None:
        return queries, relevances
    instruction = stage(
        ConfigInfo(
            name=config_name(subset, "instruction"),
            kind="instructions",
            schema=INSTRUCTION,
            source="the task's instruction",
            derived_from=source.name,
        ),
        {"test": [instruction_rows(asked["id"], task.instruction)]},
        folder,
    )
    return queries, relevances, instruction


def _texts(source: StagedConfig, ids: pa.Array) -> pa.Table:
    """Ids and texts of some test documents, in the order of their ids."""
    found = [
        query_rows(table.filter(pc.is_in(table["id"], value_set=ids)))
        for table in source.batches(QUERIES.names, ["test"])
    ]
    return pa.concat_tables(found)
