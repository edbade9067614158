"""Measure the probe against scikit-learn's solver at the same optimum, and print Markdown.

    python -m benchmarks.probes [--data RELEASE] > benchmarks/probes.md

RELEASE is a folder that `shelf build` made, with the config `all`. Its first 37,795 training
documents are encoded by wordllama, twice: the whole text to 256 values, and its first quarter,
projected at random to 128, since the published models' vectors have 384. Without it, vectors and
labels are drawn: clusters on the unit sphere.
"""

from __future__ import annotations

import argparse
import functools
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import Timed, machine, timed
from evaluate_shelf.models.static import WordLlama
from evaluate_shelf.parallel import workers
from evaluate_shelf.probes import Design
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.statistics.streams import stream

SEED = 42
N = 37_795
DIMENSION = 384
FIELDS = {"lcc_code": 21, "lcgft_form": 133, "lcgft_category": 14, "register": 8}
GAP = 1e-6
TOLERANCES = (1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 3e-8, 1e-8)
HEAD = """# The probe against scikit-learn's solver

Logistic regression on {n:,} x {dimension} vectors in float32, {source}. Four label sets; C = 1, no
class weights. Made by

```sh
python -m benchmarks.probes{arguments} > benchmarks/probes.md
```

*Gap*: the objective's relative distance from its minimum, which a fit at tolerance 1e-11 gives.
*scikit-learn*: `LogisticRegression(solver="lbfgs")` on the vectors in float64, with the largest of
the values 1e-4, 3e-5, 1e-5, ... of `tol` whose gap is at most {gap:g}; the time is that of this
fit alone. The probe's time has its preparation, once for all four label sets, on a line of its
own. *Equal*: share of the training vectors with the same prediction. scikit-learn is timed with
one thread in BLAS and OpenMP and with {cores}, and the faster counts; the probe works on {cores}
blocks at a time with one BLAS thread each.

"""

Labels = NDArray[np.intp]


def encoded(folder: Path) -> tuple[NDArray[np.float32], dict[str, Labels]]:
    """Vectors and labels of a release's training documents."""
    import pyarrow.dataset as ds

    files = sorted((folder / "data" / "all").glob("train-*.parquet"))
    table = ds.dataset(files).to_table(columns=["text", *FIELDS]).slice(0, N)
    texts = table["text"].to_pylist()
    openings = [text[: len(text) // 4 + 1] for text in texts]
    projection = stream(SEED, "projection").normal(size=(256, DIMENSION - 256)) / 16
    whole, opening = _wordllama(texts), _wordllama(openings) @ projection
    labels = {
        field: np.unique(np.array(table[field].to_pylist(), dtype=str), return_inverse=True)[1]
        for field in FIELDS
    }
    return _unit(np.column_stack([whole, opening])), labels


def drawn() -> tuple[NDArray[np.float32], dict[str, Labels]]:
    """Vectors near the sum of their labels' centres, whose labels are of unequal size."""
    draws = stream(SEED, "clusters")
    vectors = draws.normal(size=(N, DIMENSION)) * np.linspace(0.2, 1.5, DIMENSION)
    labels: dict[str, Labels] = {}
    for field, n_labels in FIELDS.items():
        share = 1 / np.sqrt(np.arange(1, n_labels + 1))
        labels[field] = draws.choice(n_labels, size=N, p=share / share.sum())
        vectors += 0.6 * draws.normal(size=(n_labels, DIMENSION))[labels[field]]
    return _unit(vectors), labels


def _wordllama(texts: list[str]) -> NDArray[np.float32]:
    model, step = WordLlama(), 256
    batches = [texts[start : start + step] for start in range(0, len(texts), step)]
    return np.concatenate([model.encode(batch, role="document") for batch in batches])


def _unit(vectors: NDArray[Any]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / lengths, dtype=np.float32)


def objective(
    vectors: NDArray[np.float64],
    labels: Labels,
    coef: NDArray[np.float64],
    intercept: NDArray[np.float64],
) -> float:
    """The sum of the losses and half the squared norm of the weights, in float64."""
    scores = vectors @ coef.T + intercept
    scores -= scores.max(axis=1, keepdims=True)
    own = scores[np.arange(len(labels)), labels]
    return float((np.log(np.exp(scores).sum(axis=1)) - own).sum() + 0.5 * (coef**2).sum())


def by_scikit_learn(
    vectors: NDArray[np.float64], labels: Labels, lowest: float
) -> tuple[Any, Timed, float]:
    """The fit with the largest `tol` that is near enough to the minimum."""
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    def fitted(tol: float, threads: int) -> tuple[Any, Timed]:
        model = LogisticRegression(C=1.0, tol=tol, max_iter=10_000)
        with threadpool_limits(threads):
            return timed(lambda: model.fit(vectors, labels))

    for tol in TOLERANCES:
        model, alone = fitted(tol, 1)
        if objective(vectors, labels, model.coef_, model.intercept_) <= lowest * (1 + GAP):
            _, together = fitted(tol, workers())
            return model, min(alone, together, key=lambda taken: taken.seconds), tol
    raise SystemExit("scikit-learn's solver did not come near enough to the minimum")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="release folder; without it, drawn vectors")
    folder = parser.parse_args().data
    single, label_sets = encoded(folder) if folder else drawn()
    vectors = single.astype(np.float64)
    source = (
        "by wordllama of a release's training documents: the text's, and its first quarter's "
        "projected to 128"
        if folder
        else "drawn as clusters on the unit sphere"
    )
    shown = {"n": len(single), "dimension": single.shape[1], "source": source, "gap": GAP}
    arguments = " --data RELEASE" if folder else ""
    print(HEAD.format(**shown, arguments=arguments, cores=workers()))
    print(
        "| labels | scikit-learn, s | CPU, s | steps | `tol` | gap | probe, s | CPU, s | steps "
        "| gap | equal | times as fast, CPU |\n|--:" + "|--:" * 11 + "|"
    )
    settings = load_protocol().probe
    tight = settings.model_copy(update={"tolerance": 1e-11})
    # Threads and libraries are warm before anything is timed.
    Design(single[:4000]).softmax(label_sets["register"][:4000], FIELDS["register"], settings)
    design, preparation = timed(lambda: Design(single))
    all_theirs, all_ours = [], [preparation]
    for field, n_labels in FIELDS.items():
        labels = label_sets[field]
        probe, ours = timed(functools.partial(design.softmax, labels, n_labels, settings))
        lowest = design.softmax(labels, n_labels, tight).fit.objective
        model, theirs, tol = by_scikit_learn(vectors, labels, lowest)
        gaps = [
            objective(vectors, labels, coef, intercept) / lowest - 1
            for coef, intercept in ((model.coef_, model.intercept_), (probe.coef, probe.intercept))
        ]
        equal = (probe.scores(single).argmax(axis=1) == model.predict(vectors)).mean()
        all_theirs.append(theirs)
        all_ours.append(ours)
        print(
            f"| {n_labels} | {theirs.seconds:.1f} | {theirs.cpu_seconds:.1f} "
            f"| {int(model.n_iter_[0])} | {tol:g} | {gaps[0]:.0e} | {ours.seconds:.2f} "
            f"| {ours.cpu_seconds:.2f} | {probe.fit.iterations} | {gaps[1]:.0e} | {equal:.4f} "
            f"| {theirs.seconds / ours.seconds:.1f}, {theirs.cpu_seconds / ours.cpu_seconds:.1f} |",
            flush=True,
        )
    ratios = np.array(_sums(all_theirs)) / np.array(_sums(all_ours))
    print(
        f"| preparation | | | | | | {preparation.seconds:.2f} | {preparation.cpu_seconds:.2f} "
        "| | | | |\n"
        "| all | {:.1f} | {:.1f} | | | ".format(*_sums(all_theirs))
        + "| {:.2f} | {:.2f} | | | ".format(*_sums(all_ours))
        + "| **{:.1f}**, {:.1f} |\n".format(*ratios)
    )
    print(machine())


def _sums(times: list[Timed]) -> tuple[float, float]:
    """Seconds by the clock, and of all processors."""
    return sum(taken.seconds for taken in times), sum(taken.cpu_seconds for taken in times)


if __name__ == "__main__":
    main()
