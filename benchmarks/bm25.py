"""Measure BM25 with whole documents as queries beside rank-bm25 and bm25s.

    pip install rank-bm25 bm25s
    python -m benchmarks.bm25 --data RELEASE --config all

Queries are the test documents, the corpus is train and validation. Prints Markdown.
"""

from __future__ import annotations

import argparse
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.measuring import timed
from evaluate_shelf.models.bm25 import Bm25, tokens
from evaluate_shelf.parallel import workers
from evaluate_shelf.release.documents import Release

DEPTH = 100
PAGE = """# BM25 with whole documents as queries

{n_queries:,} queries of {words_a_query:,.0f} words against {n_documents:,} documents, the first
{depth} of each, one run. rank-bm25 {rank_bm25} and bm25s {bm25s} (numpy, one thread, its own top k)
are given the same words, ready-made, and a sample of the queries; SHELF reads texts, and that is
part of its times.

| | index, s | queries | queries/s | SHELF / it |
|---|--:|--:|--:|--:|
| SHELF, {cores} threads | {own_index:.1f} | {n_queries:,} | {own:.1f} | |
| SHELF, 1 thread, a sample | | {n_sample:,} | {single:.1f} | |
| rank-bm25 | {rank_index:.1f} | {n_rank:,} | {rank:.3f} | {rank_ratio:,.0f} |
| bm25s | {bm25s_index:.1f} | {n_sample:,} | {bm25s_rate:.1f} | {bm25s_ratio:.1f} |

SHELF's variant is `lucene`; bm25s has the same without the constant factor k1 + 1, rank-bm25
another idf. Words of documents are read at {words_a_second:,.0f} a second on one core, which is
part of the index. SHELF's scores are those of float64 throughout; bm25s, in float32, gives the same
first {depth} in the same order for {same:.1%} of the sample.
"""


def rank_bm25_rate(corpus: list[list[str]], queries: list[list[str]]) -> tuple[float, float]:
    """Seconds of indexing and queries a second of rank-bm25."""
    from rank_bm25 import BM25Okapi  # type: ignore[import-untyped]

    index, indexing = timed(lambda: BM25Okapi(corpus, k1=1.5, b=0.75))

    def search() -> None:
        for query in queries:
            scores = index.get_scores(query)
            best = np.argpartition(-scores, DEPTH)[:DEPTH]
            best[np.argsort(-scores[best])]

    return indexing.seconds, len(queries) / timed(search)[1].seconds


def bm25s_rate(
    corpus: list[list[str]], queries: list[list[str]]
) -> tuple[float, float, np.ndarray[Any, Any]]:
    """Seconds of indexing, queries a second, and positions of bm25s."""
    import bm25s  # type: ignore[import-untyped]

    retriever = bm25s.BM25(k1=1.5, b=0.75, method="lucene", backend="numpy")
    _, indexing = timed(lambda: retriever.index(corpus, show_progress=False))
    found, searching = timed(lambda: retriever.retrieve(queries, k=DEPTH, show_progress=False))
    return indexing.seconds, len(queries) / searching.seconds, found.documents


def page(release: Path, config: str, n_sample: int, n_rank: int) -> str:
    """Measure all three and say what came out."""
    opened = Release.open(release)
    documents = [
        text
        for split in ("train", "validation")
        for text in opened.documents(config, split).column("text")
    ]
    queries = list(opened.documents(config, "test").column("text"))
    chosen = np.random.default_rng(42).choice(
        len(queries), min(n_sample, len(queries)), replace=False
    )
    sample = [queries[number] for number in chosen]
    index, own_index = timed(lambda: Bm25().index(documents))
    hits, searching = timed(lambda: index.score(queries, DEPTH))
    _, alone = timed(lambda: index.score(sample, DEPTH, threads=1))
    words, reading = timed(lambda: [tokens(text) for text in documents])
    words_of_sample = [tokens(text) for text in sample]
    bm25s_index, bm25s_queries, theirs = bm25s_rate(words, words_of_sample)
    rank_index, rank = rank_bm25_rate(words, words_of_sample[:n_rank])
    own = len(queries) / searching.seconds
    return PAGE.format(
        n_queries=len(queries),
        n_documents=len(documents),
        n_sample=len(sample),
        n_rank=min(n_rank, len(sample)),
        words_a_query=np.mean([len(each) for each in words_of_sample]),
        words_a_second=sum(map(len, words)) / reading.seconds,
        depth=DEPTH,
        cores=workers(),
        own_index=own_index.seconds,
        own=own,
        single=len(sample) / alone.seconds,
        rank_index=rank_index,
        rank=rank,
        rank_ratio=own / rank,
        bm25s_index=bm25s_index,
        bm25s_rate=bm25s_queries,
        bm25s_ratio=own / bm25s_queries,
        same=(hits.position[chosen] == theirs).all(axis=1).mean(),
        rank_bm25=version("rank-bm25"),
        bm25s=version("bm25s"),
    )


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of a release")
    parser.add_argument("--config", default="all")
    parser.add_argument("--sample", type=int, default=500, help="queries for bm25s")
    parser.add_argument("--rank-sample", type=int, default=5, help="queries for rank-bm25")
    given = parser.parse_args()
    with threadpool_limits(1, user_api="blas"):
        print(page(given.data, given.config, given.sample, given.rank_sample))


if __name__ == "__main__":
    main()
