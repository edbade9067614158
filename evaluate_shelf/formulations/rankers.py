"""How each kind of model ranks a corpus for the test documents."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.formulations.workspace import Workspace, workspace_for
from evaluate_shelf.models.checks import checked_hits, checked_pair_scores, within_memory
from evaluate_shelf.models.hybrid import Hybrid, reciprocal_rank_fusion
from evaluate_shelf.models.named import NamedModel
from evaluate_shelf.models.ordering import cosine_top_k, ordered_hits
from evaluate_shelf.models.protocol import Hits, Indexed, Lookup, Searcher, Vectors
from evaluate_shelf.models.reranker import Reranker

Asked = NDArray[np.int64]


def ranked_hits(
    data: TaskData, work: Workspace, instruction: str | None = None, asked: Asked | None = None
) -> tuple[Asked, Hits]:
    """Rank the corpus for test documents.

    Parameters
    ----------
    data : TaskData
        A config of documents.
    work : Workspace
        The model.
    instruction : str, default=None
        Put before the queries' texts.
    asked : ndarray of int64, default=None
        Positions in the test split of the queries that are needed; all without it.

    Returns
    -------
    asked : ndarray of int64, shape (n_asked,)
        Positions in the test split of the queries that were ranked.
    hits : Hits
        Positions in the corpus.

    Raises
    ------
    UnsupportedError
        If the model cannot rank such queries.
    """
    model = work.model
    if isinstance(model, Reranker):
        return _reranked(data, work, model, instruction)
    everyone = np.arange(len(data.test)) if asked is None else asked
    if isinstance(model, Hybrid):
        return everyone, _fused(data, work, model, instruction, everyone)
    if isinstance(model, Searcher):
        return everyone, _searched(data, work, instruction, everyone)
    return everyone, _nearest(data, work, instruction, everyone)


def query_texts(data: TaskData, instruction: str | None) -> list[str]:
    """Texts of the test split as queries, with an instruction before them if there is one."""
    texts = data.test.column("text")
    if instruction is None:
        return texts
    return [f"Instruct: {instruction}\nQuery: {text}" for text in texts]


def _nearest(data: TaskData, work: Workspace, instruction: str | None, asked: Asked) -> Hits:
    of_corpus = work.document_vectors(data, ["train", "validation"])["corpus"]
    of_queries = _query_vectors(data, work, instruction)
    if len(asked) < len(data.test):
        of_queries = of_queries[asked]
    depth = work.protocol.ranking_depth
    if not isinstance(of_corpus, np.ndarray):
        return _nearest_sparse(data, work, of_queries, of_corpus, depth)
    with work.notes.stage("rank"):
        return cosine_top_k(
            of_queries, of_corpus, depth, tie_rank=data.tie_rank, memory_bytes=work.memory_bytes
        )


def _nearest_sparse(
    data: TaskData, work: Workspace, of_queries: Any, of_corpus: Any, depth: int
) -> Hits:
    from evaluate_shelf.models.sparse_search import CosineSearch

    with work.notes.stage("index"):
        search = work.once(
            ("sparse search", data.config), lambda: CosineSearch(of_corpus, work.memory_bytes)
        )
    with work.notes.stage("rank"):
        return search.nearest(of_queries, depth, data.tie_rank)


def _query_vectors(data: TaskData, work: Workspace, instruction: str | None) -> Vectors:
    if instruction is None:
        return work.query_vectors(data)
    if isinstance(work.model, Lookup):
        raise UnsupportedError("the file holds no vectors of queries with an instruction")
    if work.needs_fit:
        encoder = work.fitted_encoder(data, ["train", "validation"])
        with work.notes.stage("encode"):
            texts = query_texts(data, instruction)
            return work.encode_with(encoder, data.test.ids, texts, "query")
    field = f"Instruct: {instruction} Query: text"
    return work.encode(
        data, field, data.test.ids, lambda: query_texts(data, instruction), role="query"
    )


def _searched(data: TaskData, work: Workspace, instruction: str | None, asked: Asked) -> Hits:
    """Documents are given in the order of their ids, so that ties go to the lower one."""
    depth, n_documents = work.protocol.ranking_depth, len(data.corpus)
    by_id = np.argsort(data.tie_rank)
    texts = query_texts(data, instruction)
    queries = [texts[position] for position in asked]

    def documents() -> list[str]:
        corpus = data.corpus.column("text")
        return [corpus[position] for position in by_id]

    model = within_memory(work.model, work.memory_bytes)
    if isinstance(model, Indexed):
        with work.notes.stage("index"):
            index = work.once(("index", data.config), lambda: model.index(documents()))
        with work.notes.stage("rank"):
            given = index.score(queries, k=depth)
    else:
        with work.notes.stage("rank"):
            given = work.model.score(queries, documents(), k=depth)
    hits = checked_hits(given, len(queries), n_documents, depth)
    return Hits(by_id[hits.position], hits.score)


def _fused(
    data: TaskData, work: Workspace, model: Hybrid, instruction: str | None, asked: Asked
) -> Hits:
    parts = []
    for named in (model.first, model.second):
        _, hits = ranked_hits(data, _part(named, work), instruction, asked)
        parts.append(hits)
    with work.notes.stage("rank"):
        depth = work.protocol.ranking_depth
        return reciprocal_rank_fusion(
            parts[0], parts[1], depth, model.constant, tie_rank=data.tie_rank
        )


def _part(named: NamedModel, work: Workspace) -> Workspace:
    """A model that the workspace's one is made of, loaded once for all tasks."""
    part = work.once(("part", named.identity.spec), lambda: workspace_for(named, work))
    return part.noting(work.notes)


def _reranked(
    data: TaskData, work: Workspace, model: Reranker, instruction: str | None
) -> tuple[Asked, Hits]:
    asked = sampled_queries(data.test.ids, model.queries_cap)
    _, hits = ranked_hits(data, _part(model.first, work), instruction, asked)
    texts, corpus = query_texts(data, instruction), data.corpus.column("text")
    depth = min(model.depth, hits.position.shape[1])
    with work.notes.stage("rerank"):
        scores = np.empty((len(asked), depth))
        for row, query in enumerate(asked):
            documents = [corpus[position] for position in hits.position[row, :depth]]
            given = model.rerank_scores([texts[query]] * depth, documents)
            scores[row] = checked_pair_scores(given, depth)
            if work.progress:
                work.progress(row + 1, len(asked), 0.0)
    return asked, ordered_hits(hits.position[:, :depth], scores, data.tie_rank)


def sampled_queries(ids: Sequence[str], cap: int | None) -> Asked:
    """Positions of at most `cap` queries, chosen by a hash of their ids.

    Examples
    --------
    >>> len(sampled_queries(["a", "b", "c"], 2)), len(sampled_queries(["a"], None))
    (2, 1)
    """
    if cap is None or cap >= len(ids):
        return np.arange(len(ids))
    by_hash = sorted(range(len(ids)), key=lambda i: hashlib.sha256(ids[i].encode()).digest())
    return np.array(sorted(by_hash[:cap]), dtype=np.int64)
