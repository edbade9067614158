"""One ranking of the corpus for each query, the same for every kind of relevance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.formulations.data import TaskData, in_order_of
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.models.checks import checked_hits, fitted
from evaluate_shelf.models.ordering import cosine_top_k
from evaluate_shelf.models.protocol import Encoder, Fittable, Hits, Searcher, Vectors
from evaluate_shelf.release.documents import Documents


def corpus_of(data: TaskData) -> Documents:
    """The searched documents: training and validation splits, ordered by id.

    The order by id is what decides between equal scores.
    """
    table = pa.concat_tables([data.train.table, data.validation.table])
    return Documents(table.sort_by("id"), data.train.group_column)


def ranked_items(data: TaskData, work: Workspace, queries: Sequence[str] | None) -> pa.Table:
    """Rank the corpus for each test document.

    Parameters
    ----------
    data : TaskData
        A config of documents.
    work : Workspace
        The model.
    queries : sequence of str or None
        The queries' texts where they are not the documents' own.

    Returns
    -------
    pyarrow.Table
        A row a query: id, `ranked_ids` and `ranked_scores`, best first.
    """
    corpus = corpus_of(data)
    # All relevance kinds of a config's own queries are read off one ranking.
    if queries is None:
        hits = work.once(("hits", data.config), lambda: _hits(data, corpus, work, None))
    else:
        hits = _hits(data, corpus, work, queries)
    corpus_ids = np.array(corpus.ids, dtype=object)
    return pa.table(
        {
            "id": pa.array(data.test.ids, pa.string()),
            "ranked_ids": pa.array(corpus_ids[hits.position].tolist(), pa.list_(pa.string())),
            "ranked_scores": pa.array(hits.score.tolist(), pa.list_(pa.float64())),
        }
    )


def positions(data: TaskData, items: pa.Table) -> NDArray[np.int64]:
    """Positions in `corpus_of(data)` of each query's ranked ids, shape (n_queries, depth)."""
    place = {identity: number for number, identity in enumerate(corpus_of(data).ids)}
    ranked = in_order_of(data.test.ids, items)["ranked_ids"].to_pylist()
    if any(len(set(row)) < len(row) for row in ranked):
        raise ShelfError("the run's items rank a document twice for one query")
    return np.array([[place[identity] for identity in row] for row in ranked], dtype=np.int64)


def _hits(
    data: TaskData, corpus: Documents, work: Workspace, queries: Sequence[str] | None
) -> Hits:
    depth = work.protocol.ranking_depth
    texts = data.test.column("text") if queries is None else queries
    if isinstance(work.model, Searcher):
        given = work.model.score(list(texts), corpus.column("text"), k=depth)
        return checked_hits(given, len(texts), len(corpus), depth)
    if isinstance(work.model, Fittable):
        encoder, of_corpus = work.once(
            ("corpus", data.config), lambda: _fitted_on_corpus(work, corpus)
        )
        of_queries = work.encode_with(encoder, data.test.ids, texts, "query")
        return cosine_top_k(of_queries, of_corpus, depth)
    vectors = work.document_vectors(data, fit_on=[])
    place = {i: row for row, i in enumerate([*data.train.ids, *data.validation.ids])}
    unordered = np.concatenate([vectors["train"], vectors["validation"]])
    of_corpus = unordered[[place[i] for i in corpus.ids]]
    of_queries = vectors["test"]
    if queries is not None:
        of_queries = work.encode(data.test.ids, texts, role="query")
    return cosine_top_k(of_queries, of_corpus, depth)


def _fitted_on_corpus(work: Workspace, corpus: Documents) -> tuple[Encoder, Vectors]:
    texts = corpus.column("text")
    encoder = fitted(work.model, texts)
    return encoder, work.encode_with(encoder, corpus.ids, texts, "document")
