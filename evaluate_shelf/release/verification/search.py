"""Queries, corpus, relevance and instruction of a retrieval subset belong together."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.formulations.qrels import judged
from evaluate_shelf.formulations.relevance import label_fields
from evaluate_shelf.registry.tasks import Task, load_tasks
from evaluate_shelf.release.manifest import MANIFEST, Manifest
from evaluate_shelf.release.reading import columns_of, parts_of
from evaluate_shelf.release.verification.relevance import check_answered, check_qrels

_QRELS, _QUERIES, _CORPUS, _INSTRUCTION = "-qrels", "-queries", "-corpus", "-instruction"


def check_subsets(folder: Path, manifest: Manifest) -> None:
    """Refuse queries, relevance or instructions of a subset that lacks the others."""
    for name in manifest.configs:
        for part in (_QRELS, _QUERIES, _INSTRUCTION):
            if name.endswith(part):
                subset = name.removesuffix(part)
                for other in (_QRELS, _QUERIES, _CORPUS):
                    _part(folder, manifest, subset, other)
                task = _task(folder, subset, manifest.configs[name].derived_from or "")
                if task.instruction is not None:
                    _part(folder, manifest, subset, _INSTRUCTION)


def check_search(folder: Path, manifest: Manifest, name: str) -> None:
    """Refuse a subset whose corpus, queries, relevance or instruction are not the task's.

    The corpus is the train documents, then the validation documents; queries are test documents;
    relevance is what the labels say; every query has the task's instruction.

    Parameters
    ----------
    folder : pathlib.Path
        A release folder.
    manifest : Manifest
        Its manifest.
    name : str
        The config of the subset's qrels.

    Raises
    ------
    ShelfError
        Names file, row and field.
    """
    subset = name.removesuffix(_QRELS)
    source = manifest.configs[name].derived_from or ""
    task = _task(folder, subset, source)
    fields = [field for field in label_fields(task) if field is not None]
    missing = [field for field in fields if field not in manifest.configs[source].columns]
    if missing:
        raise ShelfError(f"{folder / MANIFEST}, configs.{source}.schema: no column {missing[0]!r}")
    queries_name, corpus_name = (
        _part(folder, manifest, subset, part) for part in (_QUERIES, _CORPUS)
    )
    documents = columns_of(folder, manifest, source, ["id", *fields])
    corpus = pa.concat_tables(
        [documents.filter(pc.equal(documents["split"], split)) for split in ("train", "validation")]
    )
    _check_corpus(folder, manifest, corpus_name, corpus["id"])
    query_ids = columns_of(folder, manifest, queries_name, ["id"])["id"].combine_chunks()
    tests = documents.filter(pc.equal(documents["split"], "test"))
    places = pc.index_in(query_ids, value_set=tests["id"].combine_chunks())
    if places.null_count:
        identity = query_ids.filter(pc.is_null(places))[0].as_py()
        raise ShelfError(f"{folder}: config {queries_name!r}: {identity!r} is no test document")
    of_subset = judged(task, tests.take(places), corpus)
    check_answered(of_subset, f"{folder}: config {queries_name!r}")
    check_qrels(of_subset, parts_of(folder, manifest, name), f"{folder}: config {name!r}")
    if task.instruction is not None:
        own = _part(folder, manifest, subset, _INSTRUCTION)
        _check_instruction(folder, manifest, own, query_ids, task.instruction)


def _task(folder: Path, subset: str, source: str) -> Task:
    for task in load_tasks().values():
        if subset in (task.id, f"{source}_{task.id}") and "retrieval" in task.formulation:
            return task
    raise ShelfError(f"{folder / MANIFEST}, configs: {subset!r} is no retrieval task on {source!r}")


def _part(folder: Path, manifest: Manifest, subset: str, part: str) -> str:
    name = manifest.aliases.get(f"{subset}{part}", f"{subset}{part}")
    if name not in manifest.configs:
        raise ShelfError(f"{folder / MANIFEST}, configs: {subset!r} lacks its {subset}{part}")
    return name


def _check_corpus(folder: Path, manifest: Manifest, name: str, ids: pa.ChunkedArray) -> None:
    given = columns_of(folder, manifest, name, ["id"])["id"]
    if not given.equals(ids):
        raise ShelfError(
            f"{folder}: config {name!r}, field 'id': not the train and validation documents, in "
            "this order"
        )


def _check_instruction(
    folder: Path, manifest: Manifest, name: str, query_ids: pa.Array, instruction: str
) -> None:
    row = 0
    for part in parts_of(folder, manifest, name):
        for given in part.table.to_pylist():
            wanted = query_ids[row].as_py() if row < len(query_ids) else None
            for field, value in (("query-id", wanted), ("instruction", instruction)):
                if given[field] != value:
                    raise ShelfError(f"{part.place}, row {row}, field {field!r}: not {value!r}")
            row += 1
    if row < len(query_ids):
        identity = query_ids[row].as_py()
        raise ShelfError(f"{folder}: config {name!r}: no instruction for query {identity!r}")
