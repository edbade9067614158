"""Measure the exact top 100 by cosine beside the matrix product that it rests on.

    python -m benchmarks.retrieval

The vectors are drawn: unit vectors around 200 centres, as many as a release of 62,899 documents
has queries and documents. Prints Markdown.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from evaluate_shelf.models.ordering import cosine_top_k, normalised
from evaluate_shelf.parallel import in_order, workers

CENTRES = 200
ROWS_AT_ONCE = 1024
PAGE = """# The exact top {k} of {n_queries:,} x {n_documents:,} cosines

{dimension} dimensions, float32, {cores} cores for each, medians of {repeats} alternating runs, one
of `argpartition`. Processor seconds are those of all cores together; other work moves them less.
The bare product multiplies {rows:,} queries at a time by all documents and throws the block away,
once with BLAS on all cores, once with blocks on Python threads and one BLAS thread each; ratios
are to the faster of the two. SHELF's time includes normalising the vectors and the exact cosines of
all that may be among the first {k}.

| | seconds | ratio | processor seconds | ratio |
|---|--:|--:|--:|--:|
{table}

The first {k} are those of `argpartition`, as sets, for {same:.2%} of the queries; the others have
cosines that float32 cannot tell apart, or that are equal in six decimals.
"""
NAMES = {
    "blas": "bare product, threads of BLAS",
    "python": "bare product, threads of Python",
    "own": "`cosine_top_k`",
    "whole": "product and `argpartition` of whole rows",
}

Vectors = NDArray[np.float32]


def vectors(n: int, dimension: int, seed: int) -> Vectors:
    """Unit vectors around centres that are the same for every seed."""
    centres = np.random.default_rng(0).standard_normal((CENTRES, dimension), dtype=np.float32)
    random = np.random.default_rng(seed)
    noise = random.standard_normal((n, dimension), dtype=np.float32)
    return normalised(centres[random.integers(0, CENTRES, n)] + noise)


def bare_product(queries: Vectors, documents: Vectors, threads: int) -> None:
    """Multiply block by block, and keep nothing."""

    def multiply(first: int) -> float:
        return float((queries[first : first + ROWS_AT_ONCE] @ documents.T)[0, 0])

    list(in_order(multiply, range(0, len(queries), ROWS_AT_ONCE), threads))


def partitioned(queries: Vectors, documents: Vectors, k: int) -> NDArray[np.int64]:
    """The first `k` of each query in no order, as many programs find them."""

    def best(first: int) -> NDArray[np.int64]:
        scores = queries[first : first + ROWS_AT_ONCE // 4] @ documents.T
        return np.argpartition(-scores, k, axis=1)[:, :k]

    return np.concatenate(list(in_order(best, range(0, len(queries), ROWS_AT_ONCE // 4))))


def seconds(work: Callable[[], object], blas_threads: int) -> tuple[float, float]:
    """Seconds of one run by the clock, and of all cores together."""
    with threadpool_limits(blas_threads, user_api="blas"):
        clock, cores = time.perf_counter(), time.process_time()
        work()
        return time.perf_counter() - clock, time.process_time() - cores


def table(times: dict[str, list[tuple[float, float]]]) -> str:
    """A row for each kind of run: medians, and their ratios to the faster bare product."""
    medians = {name: np.median(each, axis=0) for name, each in times.items()}
    bare = np.minimum(medians["blas"], medians["python"])
    return "\n".join(
        "| {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |".format(
            NAMES[name], *np.stack([each, each / bare], axis=1).ravel()
        )
        for name, each in medians.items()
    )


def page(n_queries: int, n_documents: int, dimension: int, k: int, repeats: int) -> str:
    """Measure everything in turn and say what came out."""
    queries, documents = vectors(n_queries, dimension, 1), vectors(n_documents, dimension, 2)
    cores = workers()
    runs: dict[str, tuple[Callable[[], object], int]] = {
        "blas": (lambda: bare_product(queries, documents, 1), cores),
        "python": (lambda: bare_product(queries, documents, cores), 1),
        "own": (lambda: cosine_top_k(queries, documents, k), 1),
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            times[name].append(seconds(*run))
    times["whole"] = [seconds(lambda: partitioned(queries, documents, k), 1)]
    with threadpool_limits(1, user_api="blas"):
        ours = np.sort(cosine_top_k(queries, documents, k).position, axis=1)
        theirs = np.sort(partitioned(queries, documents, k), axis=1)
    return PAGE.format(
        k=k,
        n_queries=n_queries,
        n_documents=n_documents,
        dimension=dimension,
        cores=cores,
        repeats=repeats,
        rows=ROWS_AT_ONCE,
        table=table(times),
        same=(ours == theirs).all(axis=1).mean(),
    )


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--queries", type=int, default=12_504)
    parser.add_argument("--documents", type=int, default=50_395)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--depth", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    print(page(given.queries, given.documents, given.dimension, given.depth, given.repeats))


if __name__ == "__main__":
    main()
