"""Measure the comparison of a whole panel on all tasks, and print Markdown.

    python -m benchmarks.resampling > benchmarks/resampling.md

Items are made: 28 models of graded quality, 12,504 items a task, every item a group of its own,
which is the most that there can be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import Timed, machine, peak_gib, table, timed, told
from evaluate_shelf.metrics.pairs import auc_roc
from evaluate_shelf.parallel import workers
from evaluate_shelf.registry import load_protocol, load_tasks
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.statistics.bootstrap import Units
from evaluate_shelf.statistics.differences import (
    Differences,
    bootstrap_differences,
    pair_differences,
)
from evaluate_shelf.statistics.dyadic import dyadic_covariance
from evaluate_shelf.statistics.holm import holm
from evaluate_shelf.statistics.intervals import percentile_intervals
from evaluate_shelf.statistics.model_pairs import square
from evaluate_shelf.statistics.permutation import Permutations, permutation_tests
from evaluate_shelf.statistics.ranks import (
    normal_replicates,
    rank_intervals,
    ranks_by_tests,
    smallest_resolvable_difference,
    tie_groups,
)
from evaluate_shelf.statistics.resamples import copies_matrix
from evaluate_shelf.statistics.streams import stream
from evaluate_shelf.statistics.sums import (
    GroupSums,
    ari_sums,
    macro_f1_sums,
    mean_sums,
    multilabel_macro_f1_sums,
    observed,
    replicated,
)

MODELS, ITEMS, PAIRS = 28, 12_504, 4_000
COMPARED = MODELS * (MODELS - 1) // 2
BOOTSTRAP = load_protocol().bootstrap
PERMUTED = ("form_retrieval", "lcc_classification", "form_classification")
ALONE = Units(np.arange(ITEMS), ITEMS)

HEAD = f"""# Resampling a panel

{BOOTSTRAP.replicates:,} resamples of {MODELS} models on every task that runs without being named:
the 23 published ones, and two that were never published. {ITEMS:,} items a task, each a group of
its own; {PAIRS:,} pairs for a pair task. Items are made. Made by

```sh
python -m benchmarks.resampling > benchmarks/resampling.md
```

For each task: all models' scores in all resamples, their intervals, the differences of all
{COMPARED} pairs of models with intervals and p-values, Holm's correction, rank intervals, tie
groups and the smallest difference that the task resolves. Pair tasks have no resamples but dyadic
variances, and as many normal draws for the ranks.

"""

PERMUTATIONS = f"""
Permutation tests of all {COMPARED} pairs of models with {BOOTSTRAP.replicates:,} swaps each are
apart from that. Of one task each:

"""


class Pairs(NamedTuple):
    """What pair tasks are compared by."""

    values: NDArray[np.float64]
    influences: NDArray[np.float64]
    documents: tuple[NDArray[np.intp], NDArray[np.intp]]


def means(task: Task, random: np.random.Generator) -> list[GroupSums]:
    """NDCG of queries, some of them hard for all models."""
    hardness = random.random(ITEMS)
    return [
        mean_sums(np.clip(skill - hardness + random.normal(0, 0.3, ITEMS), 0, 1), ALONE)
        for skill in skills()
    ]


def classifications(task: Task, random: np.random.Generator) -> list[GroupSums]:
    """Predictions that are right as often as a model is good."""
    n_labels = task.n_labels or 2
    gold = labels(n_labels, random)
    return [
        macro_f1_sums(gold, blurred(gold, n_labels, skill, random), n_labels, ALONE)
        for skill in skills()
    ]


def multilabel(task: Task, random: np.random.Generator) -> list[GroupSums]:
    """Two and a half labels a document, found as often as a model is good."""
    n_labels = task.n_labels or 2
    gold = random.random((ITEMS, n_labels)) < 2.5 / n_labels
    return [
        multilabel_macro_f1_sums(
            gold,
            np.where(random.random(gold.shape) < skill, gold, random.random(gold.shape) < 0.02),
            ALONE,
        )
        for skill in skills()
    ]


def clusterings(task: Task, random: np.random.Generator) -> list[GroupSums]:
    """As many clusters as labels, which agree with them as often as a model is good."""
    n_labels = task.n_labels or 2
    gold = labels(n_labels, random)
    return [ari_sums(gold, blurred(gold, n_labels, skill, random), ALONE) for skill in skills()]


def pairs(task: Task, random: np.random.Generator) -> Pairs:
    """Scores of pairs in which both documents have a part."""
    first = random.integers(0, ITEMS, PAIRS)
    second = (first + random.integers(1, ITEMS, PAIRS)) % ITEMS
    label = np.arange(PAIRS) % 2 == 0
    effect = random.normal(0, 0.5, ITEMS)
    found = [
        auc_roc(label, 2 * skill * label + effect[first] + effect[second] + noise)
        for skill, noise in zip(skills(), random.normal(size=(MODELS, PAIRS)), strict=True)
    ]
    values = np.array([one.value for one in found])
    return Pairs(values, np.array([one.influence for one in found]), (first, second))


MADE: dict[str, Callable[[Task, np.random.Generator], list[GroupSums] | Pairs]] = {
    "retrieval": means,
    "instruction_retrieval": means,
    "classification": classifications,
    "multilabel_classification": multilabel,
    "clustering": clusterings,
    "conditional_clustering": clusterings,
    "pair_classification": pairs,
}


def skills() -> NDArray[np.float64]:
    """How good each model is."""
    return np.linspace(0.4, 0.8, MODELS)


def labels(n_labels: int, random: np.random.Generator) -> NDArray[np.intp]:
    """Labels of unequal size, each of which occurs."""
    share = 1 / np.sqrt(np.arange(1, n_labels + 1))
    rest = random.choice(n_labels, size=ITEMS - n_labels, p=share / share.sum())
    return np.concatenate([np.arange(n_labels), rest])


def blurred(
    gold: NDArray[np.intp], n_labels: int, skill: float, random: np.random.Generator
) -> NDArray[np.intp]:
    """Labels that are kept as often as `skill`, and drawn else."""
    return np.where(random.random(len(gold)) < skill, gold, random.integers(0, n_labels, len(gold)))


def compared(task: str, made: list[GroupSums] | Pairs) -> int:
    """Everything that a table of a task's models has; the number of tie groups."""
    if isinstance(made, Pairs):
        values, drawn = made.values, draws_of_pairs(task, made)
        differences: Differences | None = pair_differences(
            values, made.influences, made.documents, level=BOOTSTRAP.level
        )
    else:
        values, drawn = np.array([observed(one) for one in made]), draws_of_items(task, made)
        differences = bootstrap_differences(values, drawn, level=BOOTSTRAP.level)
    if differences is None:
        raise ValueError(f"{task}: no resample defines the metric of every model")
    percentile_intervals(drawn, BOOTSTRAP.level)
    rank_intervals(drawn, BOOTSTRAP.level)
    told_apart = holm(differences.p_normal) <= 1 - BOOTSTRAP.level
    differ = square(differences.first, differences.second, told_apart.astype(np.float64)) > 0
    ranks_by_tests(values, differ)
    errors = square(differences.first, differences.second, differences.error)
    alpha = (1 - BOOTSTRAP.level) / len(differences.value)
    smallest_resolvable_difference(values, errors, alpha=alpha, power=0.8)
    return len(tie_groups(values, differ))


def draws_of_items(task: str, statistics: Sequence[GroupSums]) -> NDArray[np.float64]:
    """All models' scores in all resamples of groups."""
    copies = copies_matrix(
        statistics[0].n_units, task=task, seed=BOOTSTRAP.seed, replicates=BOOTSTRAP.replicates
    )
    return replicated(statistics, copies)


def draws_of_pairs(task: str, made: Pairs) -> NDArray[np.float64]:
    """Normal draws of all models' scores."""
    return normal_replicates(
        made.values,
        dyadic_covariance(made.influences, *made.documents),
        task=task,
        seed=BOOTSTRAP.seed,
        replicates=BOOTSTRAP.replicates,
    )


def permuted(task: str, statistics: Sequence[GroupSums]) -> Permutations:
    """Permutation tests of all pairs of models."""
    seed, replicates = BOOTSTRAP.seed, BOOTSTRAP.replicates
    return permutation_tests(statistics, task=task, seed=seed, replicates=replicates)


def main() -> None:
    """Measure and print."""
    print(HEAD, end="")
    tasks = [task for task in load_tasks().values() if task.available and not task.optional]
    rows: dict[str, list[Timed]] = {}
    of_permutations = []
    for task in tasks:
        told(task.id)
        made = MADE[task.formulation](task, stream(BOOTSTRAP.seed, "made", task.id))
        _, taken = timed(partial(compared, task.id, made))
        rows.setdefault(task.formulation, []).append(taken)
        if task.id in PERMUTED and not isinstance(made, Pairs):
            told(f"{task.id}, permutation tests")
            _, swapped = timed(partial(permuted, task.id, made))
            of_permutations.append(
                [task.id, f"{swapped.seconds:.1f}", f"{swapped.cpu_seconds:.1f}"]
            )
    everything = [taken for of_formulation in rows.values() for taken in of_formulation]
    shown = [[name, *_cells(of_formulation)] for name, of_formulation in rows.items()]
    shown.append(["**all**", *(f"**{cell}**" for cell in _cells(everything))])
    print(table(["formulation", "tasks", "s", "CPU, s", "the slowest task, s"], shown))
    print(PERMUTATIONS + table(["task", "s", "CPU, s"], of_permutations))
    print(f"\nMost memory held: {peak_gib():.2f} GiB; {workers()} threads. {machine()}")


def _cells(taken: Sequence[Timed]) -> list[str]:
    seconds = [one.seconds for one in taken]
    cpu = sum(one.cpu_seconds for one in taken)
    return [str(len(taken)), f"{sum(seconds):.1f}", f"{cpu:.1f}", f"{max(seconds):.1f}"]


if __name__ == "__main__":
    main()
