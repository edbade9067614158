"""Measure the clusterings of a test split of full size, and write clustering.md.

    python -m benchmarks.clustering

Vectors are made, with structure of the five label sets in them; a start of k-means takes some 25
iterations on them. Plain scikit-learn runs in the same process on the same vectors.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.measuring import machine, peak_gib, timed
from evaluate_shelf.clusters.agglomerative import agglomerative_labels
from evaluate_shelf.clusters.hdbscan import hdbscan_labels
from evaluate_shelf.clusters.kmeans import kmeans_labels
from evaluate_shelf.formulations import clustering
from evaluate_shelf.models.ordering import normalised
from evaluate_shelf.registry import load_protocol, load_tasks
from evaluate_shelf.release.documents import Documents
from evaluate_shelf.statistics.streams import stream

DOCUMENTS, DIMENSION = 12_504, 384
TASKS = {
    "lcc_clustering": 21,
    "lcgft_clustering": 14,
    "register_clustering": 8,
    "geographic_clustering": 8,
    "x_form_clustering": 133,
}
PROTOCOL = load_protocol()

HEAD = f"""# Clusterings of a test split

{DOCUMENTS:,} documents, {DIMENSION} dimensions, vectors made with structure of all five label
sets; every task on all documents, though a part of them has no region. Made by

```sh
python -m benchmarks.clustering
```

"""


class Made(NamedTuple):
    """Unit vectors, and the labels whose structure they have."""

    vectors: NDArray[np.float32]
    labels: dict[str, NDArray[np.intp]]


def made() -> Made:
    """Each document's vector is the sum of its labels' centres and noise."""
    random = stream(42, "benchmark", "clustering")
    labels = {name: random.integers(0, size, DOCUMENTS) for name, size in TASKS.items()}
    total = 1.5 * random.normal(size=(DOCUMENTS, DIMENSION))
    for name, size in TASKS.items():
        total += random.normal(size=(size, DIMENSION))[labels[name]]
    return Made(normalised(total.astype(np.float32)), labels)


def seconds(function: Callable[..., Any], *arguments: Any, **named: Any) -> tuple[float, Any]:
    """Time a call, and give what it gives."""
    result, taken = timed(partial(function, *arguments, **named))
    return taken.seconds, result


def plain(
    vectors: NDArray[np.float32], n_clusters: int, seeds: Sequence[int], *, threads: int | None
) -> dict[int, NDArray[np.int32]]:
    """Call scikit-learn's estimator for one seed after the other."""
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    settings = PROTOCOL.kmeans
    with threadpool_limits(threads) if threads else nullcontext(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            seed: KMeans(
                n_clusters, n_init=settings.n_init, max_iter=settings.max_iter, random_state=seed
            ).fit_predict(vectors)
            for seed in seeds
        }


def equal(one: dict[int, NDArray[np.int32]], other: dict[int, NDArray[np.int32]]) -> bool:
    """Whether two sets of clusterings are the same in every number."""
    return all(np.array_equal(one[seed], other[seed]) for seed in one)


def of_one_seed(data: Made) -> list[str]:
    """Time each task at the seed of the score, three ways."""
    lines = [
        "## One seed",
        "",
        "| task | clusters | shelf, s | scikit-learn, 1 thread, s | its own, s | same labels |",
        "|---|--:|--:|--:|--:|---|",
    ]
    seeds, total = [PROTOCOL.kmeans.seed], np.zeros(3)
    for name, size in TASKS.items():
        ours, found = seconds(kmeans_labels, data.vectors, size, seeds, PROTOCOL.kmeans)
        one, expected = seconds(plain, data.vectors, size, seeds, threads=1)
        more, _ = seconds(plain, data.vectors, size, seeds, threads=None)
        total += (ours, one, more)
        same = "yes" if equal(found, expected) else "NO"
        lines.append(f"| {name} | {size} | {ours:.1f} | {one:.1f} | {more:.1f} | {same} |")
    ours, one, more = total
    lines += [
        f"| all five | | {ours:.1f} | {one:.1f} | {more:.1f} | |",
        "",
        f"scikit-learn takes {one / ours:.2f} times as long in one thread,",
        f"{more / ours:.2f} times with the threads that it takes by itself.",
    ]
    return lines


def of_six_seeds(data: Made) -> list[str]:
    """Time all tasks at all seeds of the protocol."""
    seeds = clustering.kmeans_seeds(PROTOCOL)
    ours = sum(
        seconds(kmeans_labels, data.vectors, size, seeds, PROTOCOL.kmeans)[0]
        for size in TASKS.values()
    )
    theirs = sum(
        seconds(plain, data.vectors, size, seeds, threads=None)[0] for size in TASKS.values()
    )
    return [
        f"## {len(seeds)} seeds",
        "",
        f"All five tasks: {ours:.1f} s;",
        f"scikit-learn with its own threads: {theirs:.1f} s, {theirs / ours:.2f} times as long.",
    ]


def option(name: str) -> tuple[float, float, int]:
    """Run an optional algorithm: seconds, peak memory of the process in GiB, clusters."""
    vectors = made().vectors
    taken, labels = seconds(
        lambda: (
            hdbscan_labels(vectors, PROTOCOL.hdbscan)
            if name == "hdbscan"
            else agglomerative_labels(vectors, TASKS["lcc_clustering"], PROTOCOL.agglomerative)
        )
    )
    return taken, peak_gib(), int(labels.max()) + 1


def of_options() -> list[str]:
    """Time the optional algorithms, each in a process of its own."""
    lines = ["## Options", "", "| algorithm | s | peak, GiB | clusters |", "|---|--:|--:|--:|"]
    for name in ("hdbscan", "agglomerative"):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            taken, peak, clusters = pool.submit(option, name).result()
        lines.append(f"| {name} | {taken:.1f} | {peak:.2f} | {clusters} |")
    return lines


def of_scores(data: Made) -> list[str]:
    """Time scores, intervals and chance of a task from its items."""
    lines = ["## Scores from items", "", "| task | score, s | chance, s |", "|---|--:|--:|"]
    for name in ("lcc_clustering", "x_form_clustering"):
        task, size = load_tasks()[name], TASKS[name]
        columns = {
            "id": [f"d{row:05d}" for row in range(DOCUMENTS)],
            task.label_field: [f"{label:03d}" for label in data.labels[name]],
        }
        config: Any = SimpleNamespace(test=Documents(pa.table(columns), None), config="made")
        random = stream(42, "benchmark", "items")
        items = pa.table(
            {"row": pa.array(np.arange(DOCUMENTS), pa.int32())}
            | {
                column: pa.array(random.integers(0, size, DOCUMENTS), pa.int16())
                for column in clustering.kmeans_columns(PROTOCOL)
            }
        )
        scored, _ = seconds(clustering.score, task, config, items, PROTOCOL)
        dealt, _ = seconds(clustering.chance, task, config, items, PROTOCOL)
        lines.append(f"| {name} | {scored:.1f} | {dealt:.2f} |")
    replicates = PROTOCOL.bootstrap.replicates
    lines += ["", f"{replicates:,} resamples of documents, six clusterings a task."]
    return lines


def main() -> None:
    """Write clustering.md beside this file."""
    data = made()
    parts = [of_one_seed(data), of_six_seeds(data), of_options(), of_scores(data)]
    about = machine()
    text = HEAD + "\n\n".join("\n".join(part) for part in parts) + f"\n\n{about}\n"
    (Path(__file__).parent / "clustering.md").write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
