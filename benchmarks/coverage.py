"""Measure how often intervals cover and tests reject, and print Markdown.

    python -m benchmarks.coverage > benchmarks/coverage.md

Models are simulated whose true scores are known (`benchmarks.simulated_models`). Every repetition
has a random stream of its own, so that the numbers hang neither on the cores nor on the order.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from multiprocessing.sharedctypes import Synchronized

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import machine, table, timed, told
from benchmarks.rejections import (
    ALPHA,
    FAMILY_GAP,
    N_FAMILY,
    N_TESTS,
    TESTED,
    family_of_items,
    family_of_pairs,
    tested_items,
    tested_pairs,
    tested_tasks,
)
from benchmarks.repetitions import (
    AREAS,
    DOCUMENTS,
    ITEMS,
    LEVEL,
    N_DOCUMENTS,
    N_MODELS,
    N_PAIRS,
    REPLICATES,
    SEED,
    Row,
    correlation_row,
    item_row,
    other_pair_row,
    pair_row,
)
from evaluate_shelf.parallel import workers
from evaluate_shelf.statistics.streams import stream

REPETITIONS = 2_000
CORRELATIONS = (0.0, 0.6, 0.8, 0.9, 0.95)
N_TASKS = (5, 8, 23)
RULES = ("dyadic", "text", "code", "pairs")

Mean = Callable[[Callable[[int], Row]], NDArray[np.float64]]

HEAD = """# What intervals cover, and how often tests reject

Simulated models whose true scores are known: {repetitions:,} repetitions of everything,
{replicates:,} resamples each, {level:.0%} intervals, tests at 5 %. Made by

```sh
python -m benchmarks.coverage{arguments} > benchmarks/coverage.md
```

Over {repetitions:,} repetitions a share of 95 % has a standard error of {error:.1f} points. All
shares are in per cent.

## Scores and differences from items

Intervals from resampling groups of items, the same resamples for all models. The two models fail on
much the same items, and items of a group are alike: groups are of one or two documents, or of one
to five queries. Of the better model's score: *percentile*: how often the interval by the
percentiles of the resamples holds the true score; *below*, *above*: how often it lies wholly on one
side of it; *reflected*: how often the same interval holds it that is reflected at the observed
score and, where it then does not hold that, widened to do so; *error*: the mean error of the score
itself, in hundredths. Scores of F1 have the reflected interval here, other scores the percentile
one. Of the *difference*, how often the percentile interval of the paired bootstrap, which
comparisons have here, holds the true one, and how often the reflected one does. The true score is
that of a test split without end; of clusterings, that of the clusters as a rule for documents,
since k-means is not run anew.

"""

MACRO_F1 = """
Where classes are small, the F1 of a class lies below its true value by about F1 (1 - F1) / (gold +
predicted) in the mean, for independent documents, and in a resample by as much again. A percentile
interval then lies too low by twice that. Reflected, it lies where it should, and in the difference
of two models the two errors nearly cancel. Where classes have so few documents that a test split
lacks some, no interval helps: the score is of other classes than the true one. The release that
comes with the package is as small as that (118 test documents in 59 groups): what it shows is how
SHELF works, not which model is better."""

PAIRS = f"""
## Pairs that share documents

{N_PAIRS} pairs, half of them positive, of {N_DOCUMENTS} documents where not said otherwise, none
in more than about eight; two models with a true AUC of {AREAS[0]:.2f} and {AREAS[1]:.2f}. Rows
differ in how much of the variance of a pair's score comes from its two documents, and how: a
document lifts all its pairs alike, or it is *clear or not*, lifting its positive pairs and lowering
its negative ones, or the other way round. Coverage of the better model's AUC, and of the
difference:

- *dyadic*: the intervals that scores and comparisons have here, by the dyadic variance of
  influence values;
- *text*: the rule of the paper's text. A document that is drawn brings all its pairs, so a pair
  counts as often as both its documents together;
- *code*: the rule of the paper's published script. A pair counts as often as the product of its
  two documents' copies;
- *pairs*: a naive bootstrap of pairs, as if they were independent.

"""

WIDTHS = """
A dyadic variance is an estimate from the documents: where they are few, it is a poor one, and its
intervals are somewhat too narrow. Mean widths of the AUC's interval:

"""

OTHERS = """
Other metrics of pairs by dyadic variance, with documents for a half of the variance:

"""

TESTS = f"""
## Tests of two models

How often a test at 5 % rejects where both models have one true score (*level*), and where they
differ (*power*; true scores as above, means over tasks by one standard deviation of a task's
score). *Bootstrap*: twice the smaller tail of the resampled differences, the observed one counted
in. *Student*: the difference over its standard error from the resamples, by Student's distribution
over groups, or over tasks for means over tasks; for pairs the error is that of the dyadic variance
and the distribution the normal one. It is what comparisons have here; the column after it has the
same test at {100 * ALPHA / N_TESTS:.2f} %, the level that Holm's correction asks of the first of
{N_TESTS} tests. *Permutation*: swapping the two models' answers to whole groups, scores of whole
tasks for means over tasks. It asks whether the models' answers could be exchanged, which is more
than whether their scores are equal.

"""

FAMILIES = f"""
## Tables of models: Holm's correction and ranks

{N_FAMILY} models, all {N_FAMILY * (N_FAMILY - 1) // 2} pairs compared. *Family*: how often any
two of {N_FAMILY} equal models are told apart after Holm's correction, of Student's (for pairs
normal) and of bootstrap p-values; the latter are at least 2 / {REPLICATES + 1:,}. *Rank*: of
{N_FAMILY} models with true scores {FAMILY_GAP:g} apart, how many rank intervals hold the true
rank, and how many ranks are in one: by percentiles of the resamples' ranks (normal draws for
pairs), and by the tests: one more than the number of models told to be better, and so on. *All at
once*: how often all {N_FAMILY} intervals by tests hold.

"""

CORRELATION = f"""
## A rank correlation over {N_MODELS} models

The paper's interval of Spearman's correlation between two corpora, as `shelf transfer` has it:
percentiles over resamples of the models. Models are drawn from a population in which the
correlation is known (normal scores). *Below*, *above*: how often the interval lies wholly below or
above it. *Passes*: how often an observed correlation is at least 0.6 with a lower bound above 0.
*Fisher*: coverage of the interval by Fisher's transformation with the variance
(1 + r²/2) / (n - 3) of Bonett and Wright, for comparison.

"""


@contextmanager
def repeated(repetitions: int) -> Iterator[Mean]:
    """Give a function that repeats a simulation on all cores, and means over the repetitions."""
    context = get_context("spawn")
    taken = context.Value("i", 0)
    with ProcessPoolExecutor(workers(), context, _one_core, (taken,)) as pool:

        def mean(row: Callable[[int], Row]) -> NDArray[np.float64]:
            starts = range(0, repetitions, 20)
            parts = pool.map(
                partial(_rows, row), ((at, min(at + 20, repetitions)) for at in starts)
            )
            found, spent = timed(lambda: np.concatenate([*parts]))
            told(f"{spent.seconds:.0f} s")
            return np.asarray(found.mean(axis=0))

        yield mean


def _one_core(taken: Synchronized[int]) -> None:
    """Keep a process to a core of its own, where that can be done."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
    with taken.get_lock():
        number, taken.value = taken.value, taken.value + 1
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[number % len(cores)]})


def _rows(row: Callable[[int], Row], numbers: tuple[int, int]) -> NDArray[np.float64]:
    return np.array([row(number) for number in range(*numbers)], dtype=np.float64)


def of_items(mean: Mean) -> str:
    """Coverage from items."""
    rows = []
    for name, (draw, levels) in ITEMS.items():
        told(name)
        found = mean(partial(item_row, name))
        truth = draw(levels, stream(SEED, "truth", name)).truth
        rows.append(
            [
                name,
                ", ".join(f"{score:.3f}" for score in truth),
                *percents(found[:4]),
                f"{100 * found[4]:+.2f}",
                *percents(found[5:7]),
                f"{found[7]:.3f}",
            ]
        )
    header = ["metric", "true scores", "percentile", "below", "above", "reflected", "error"]
    return table([*header, "difference", "reflected", "its width"], rows) + "\n" + MACRO_F1


def of_pairs(mean: Mean) -> str:
    """Coverage of pairs by four rules."""
    coverage, widths = [], []
    for name in DOCUMENTS:
        told(f"pairs, {name}")
        found = mean(partial(pair_row, name))
        auc, difference = percents(found[:4]), percents(found[4:8])
        coverage.append([name, *map(", ".join, zip(auc, difference, strict=True))])
        widths.append([name, *(f"{width:.3f}" for width in found[8:])])
    header = ["documents' part of the variance", *RULES]
    return table(header, coverage) + "\n" + WIDTHS + table(header, widths)


def of_other_pairs(mean: Mean) -> str:
    """Coverage of the other metrics of pairs."""
    told("other metrics of pairs")
    found = mean(other_pair_row)
    names = ["average precision", "difference of two", "Spearman's correlation with a count"]
    errors = [f"{100 * found[3]:+.2f}", "", f"{100 * found[4]:+.2f}"]
    rows = [list(row) for row in zip(names, percents(found[:3]), errors, strict=True)]
    return table(["metric", "coverage", "error, hundredths"], rows)


def of_tests(mean: Mean) -> str:
    """Level and power of tests of two models."""
    questions: dict[str, Callable[[bool], Callable[[int], Row]]] = {
        name: partial(partial, tested_items, name) for name in TESTED
    }
    questions[f"AUC, {N_PAIRS} pairs, documents a half"] = partial(partial, tested_pairs)
    for n_tasks in N_TASKS:
        questions[f"mean over {n_tasks} tasks"] = partial(partial, tested_tasks, n_tasks)
    rows = []
    for name, question in questions.items():
        told(f"tests, {name}")
        level, power = mean(question(False)), mean(question(True))
        rows.append([name, *map(", ".join, zip(percents(level), percents(power), strict=True))])
    strict = f"Student at {100 * ALPHA / N_TESTS:.2f} %"
    return table(["level and power", "bootstrap", "Student", strict, "permutation"], rows)


def of_families(mean: Mean) -> str:
    """Whole tables: false differences, and ranks."""
    rows = []
    for name, family in {"nDCG": family_of_items, "AUC": family_of_pairs}.items():
        told(f"ten models, {name}")
        equal, apart = mean(partial(family, True)), mean(partial(family, False))
        ranks = (
            f"{share}, {width:.1f} ranks"
            for share, width in zip(percents(apart[2:4]), apart[4:6], strict=True)
        )
        rows.append([name, *percents(equal[:2]), *ranks, *percents(apart[6:])])
    # The dyadic test is a normal one; there are no resamples to count.
    rows[-1][2] = ""
    header = ["metric", "family: Student", "bootstrap", "rank: percentiles", "tests"]
    return table([*header, "all at once"], rows)


def of_correlations(mean: Mean) -> str:
    """The paper's interval of a rank correlation."""
    rows = []
    for truth in CORRELATIONS:
        told(f"rank correlation {truth}")
        covered, width, *rest = mean(partial(correlation_row, truth))
        rows.append([f"{truth:g}", *percents([covered]), f"{width:.2f}", *percents(rest)])
    return table(
        ["true correlation", "coverage", "width", "below", "above", "passes", "Fisher"], rows
    )


def percents(shares: Sequence[float] | NDArray[np.float64]) -> list[str]:
    """Shares in per cent; a dash where there is none."""
    return ["-" if np.isnan(share) else f"{100 * share:.1f}" for share in shares]


def page(repetitions: int) -> Iterator[str]:
    """The page, part by part."""
    arguments = "" if repetitions == REPETITIONS else f" --repetitions {repetitions}"
    error = 100 * (LEVEL * (1 - LEVEL) / repetitions) ** 0.5
    shown = {"repetitions": repetitions, "replicates": REPLICATES, "level": LEVEL}
    with repeated(repetitions) as mean:
        yield HEAD.format(**shown, error=error, arguments=arguments) + of_items(mean)
        yield PAIRS + of_pairs(mean)
        yield OTHERS + of_other_pairs(mean)
        yield TESTS + of_tests(mean)
        yield FAMILIES + of_families(mean)
        yield CORRELATION + of_correlations(mean)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, metavar="N")
    repetitions = parser.parse_args().repetitions
    parts, spent = timed(lambda: [*page(repetitions)])
    print("\n".join(parts))
    print(f"\nAll of it took {spent.seconds / 60:.0f} minutes. {machine()}")


if __name__ == "__main__":
    main()
