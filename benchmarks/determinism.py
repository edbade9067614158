"""Measure what the batch size and the number of threads change in MiniLM's vectors and scores.

    python -m benchmarks.determinism

Encodes the shipped quickstart release with all-MiniLM-L6-v2 four times: 8 or 64 texts a batch, and
1 or 2 threads of torch. Prints Markdown. The protocol fixes both numbers, so that no score depends
on them; this is what would be lost if it did not.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from itertools import starmap
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import machine
from evaluate_shelf.evaluation import evaluate_models, prepare, run_folder
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.models.ordering import normalised
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.protocols import Protocol, load_protocol
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.reading import load_run

MODEL = "st:minilm"
SIZES, THREADS = (8, 64), (1, 2)
PAGE = """# Batch sizes and threads: {name} on {n:,} documents of the quickstart release

Largest differences between two encodings of the same texts. Cosines are those of all pairs of
documents, rounded to no digit; scores are each task's primary metric. The protocol fixes both
numbers; this is what another choice would change. Made by

```sh
python -m benchmarks.determinism
```

| | batches of {sizes[0]} and {sizes[1]}, {threads[1]} threads | \
{threads[0]} and {threads[1]} threads, batches of {sizes[1]} |
|---|--:|--:|
{table}

{machine}
"""


class Encoded(NamedTuple):
    """What one setting gives."""

    vectors: NDArray[np.float32]
    scores: Mapping[str, float]


def protocol_with(batch_size: int, threads: int) -> Protocol:
    """The default protocol with another batch size and number of threads."""
    return load_protocol().model_copy(update={"batch_size": batch_size, "torch_threads": threads})


def encoded(
    release: Path, protocol: Protocol, tasks: Sequence[str], limit: int | None = None
) -> Encoded:
    """Vectors of all documents, and the primary score of each task, encoded anew.

    Parameters
    ----------
    release : pathlib.Path
        A release with a config `all`.
    protocol : Protocol
        Its batch size and its threads.
    tasks : sequence of str
        All but the optional ones where it is empty.
    limit : int, default=None
        Documents a split; all without it.
    """
    named = resolve_model(MODEL, protocol)
    with tempfile.TemporaryDirectory() as place:
        runs, store = Path(place) / "runs", Path(place) / "store"
        work = Workspace(named.load(), named.base_identity, protocol, store)
        parts = work.document_vectors(TaskData(Release.open(release), "all", limit), [])
        vectors = np.concatenate([parts["corpus"], parts["test"]])
        asked = prepare(
            release,
            "all",
            task_ids=tasks,
            protocol=protocol,
            runs=runs,
            limit=limit,
            store=store,
        )
        evaluate_models([named], asked)
        scores = load_run(run_folder(named, asked)).primary_scores()
    return Encoded(vectors, {task: row["value"] for task, row in scores.items()})


def differences(first: Encoded, second: Encoded) -> dict[str, float]:
    """The largest difference of each kind."""
    units = [normalised(each.vectors).astype(np.float64) for each in (first, second)]
    cosines = [unit @ unit.T for unit in units]
    found = {
        "component of a vector": np.abs(first.vectors - second.vectors).max(),
        "cosine of two documents": np.abs(cosines[0] - cosines[1]).max(),
    }
    found |= {f"`{task}`": abs(first.scores[task] - second.scores[task]) for task in first.scores}
    return {name: float(value) for name, value in found.items()}


def page(release: Path, tasks: Sequence[str]) -> str:
    """Encode under all settings and write the table."""

    def of(size: int, threads: int) -> Encoded:
        return encoded(release, protocol_with(size, threads), tasks)

    small, large, alone = starmap(
        of, ((SIZES[0], THREADS[1]), (SIZES[1], THREADS[1]), (SIZES[1], THREADS[0]))
    )
    columns = [differences(small, large), differences(alone, large)]
    rows = [f"| {name} | {columns[0][name]:.1e} | {columns[1][name]:.1e} |" for name in columns[0]]
    return PAGE.format(
        name=resolve_model(MODEL, load_protocol()).identity.name,
        n=len(large.vectors),
        sizes=SIZES,
        threads=THREADS,
        table="\n".join(rows),
        machine=machine("torch", "sentence-transformers", "transformers", "tokenizers"),
    )


def main() -> None:
    """Run the measurement and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", action="append", default=[], help="Only these tasks.")
    print(page(shipped_release(), parser.parse_args().task))


if __name__ == "__main__":
    main()
