"""How well a classifier of words tells from a text which generator wrote it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from builders.draws import Draws
from evaluate_shelf.metrics.classification import confusion_matrix, macro_f1
from evaluate_shelf.statistics.bootstrap import Units, units
from evaluate_shelf.statistics.intervals import Interval, percentile_intervals, stated_interval
from evaluate_shelf.statistics.resamples import copies_matrix
from evaluate_shelf.statistics.sums import macro_f1_sums, mean_sums, replicated

FOLDS = 5
MOST_DOCUMENTS = 10_000
"""More are sampled, specification by specification, so that it stays short."""
MOST_WORDS = 500
"""So much of a text is read, from its beginning."""

_MOST_TERMS = 20_000
_REPLICATES = 1_000
_LEVEL = 0.95
_KEY = "generators told apart"

Numbers = NDArray[np.intp]


@dataclass(frozen=True)
class Score:
    """A score and its interval."""

    value: float
    interval: Interval | None


@dataclass(frozen=True)
class ToldApart:
    """How well generators are told apart.

    Attributes
    ----------
    documents, in_all : int
        How many were classified, and how many there are.
    specifications : int
        Of those that were classified.
    accuracy, macro_f1 : Score
        Of texts whose specification the classifier has not seen.
    largest, even : float
        Accuracy of always naming the generator with most documents, and of guessing evenly.
    shuffled_accuracy, shuffled_macro_f1 : Score
        The same, learned and scored on generators that were dealt out anew over the documents.
    """

    documents: int
    in_all: int
    specifications: int
    accuracy: Score
    macro_f1: Score
    largest: float
    even: float
    shuffled_accuracy: Score
    shuffled_macro_f1: Score


def told_apart(
    texts: Sequence[str], generators: Sequence[str], groups: Sequence[str], *, seed: int
) -> ToldApart | str:
    """Learn generators from some documents and tell them from others, in five folds.

    Words are weighted by TF-IDF and told apart by a linear support vector machine. The documents
    of a specification are in one fold. Intervals are of the accuracy of the classifiers that were
    fitted, over draws of specifications: 1,000 resamples, percentiles for accuracy, reflected
    ones for macro-F1.

    Parameters
    ----------
    texts, generators, groups : sequence of str, length n
        Of each document; groups are specifications.
    seed : int
        Of the sample, the folds and the shuffling.

    Returns
    -------
    ToldApart or str
        Why it cannot be measured, where it cannot.
    """
    chosen = _sample(groups, seed)
    own = units([groups[row] for row in chosen])
    if own.number < FOLDS:
        return f"fewer than {FOLDS} specifications"
    names, gold = np.unique(
        np.asarray([generators[row] for row in chosen], dtype=object).astype(str),
        return_inverse=True,
    )
    if len(names) < 2:
        return "one generator alone"
    counts = _counts([texts[row] for row in chosen])
    if counts is None:
        return "no word stands in two texts"
    folds = _folds(own, seed)
    if any(len(np.unique(gold[folds != fold])) < 2 for fold in range(FOLDS)):
        return "some generator has too few specifications"
    dealt = np.asarray(Draws(seed, _KEY, "shuffled").shuffled(gold.tolist()))
    accuracy, f1 = _scores(gold, _predicted(counts, gold, folds), len(names), own, seed)
    by_chance, f1_by_chance = _scores(
        dealt, _predicted(counts, dealt, folds), len(names), own, seed
    )
    return ToldApart(
        documents=len(chosen),
        in_all=len(texts),
        specifications=own.number,
        accuracy=accuracy,
        macro_f1=f1,
        largest=float(np.bincount(gold).max() / len(gold)),
        even=1 / len(names),
        shuffled_accuracy=by_chance,
        shuffled_macro_f1=f1_by_chance,
    )


def _sample(groups: Sequence[str], seed: int) -> list[int]:
    """Rows of whole specifications, as many as there is room for, in the order of the rows."""
    if len(groups) <= MOST_DOCUMENTS:
        return list(range(len(groups)))
    rows: dict[str, list[int]] = {}
    for row, group in enumerate(groups):
        rows.setdefault(group, []).append(row)
    chosen: list[int] = []
    for group in Draws(seed, _KEY, "sample").shuffled(sorted(rows)):
        if len(chosen) + len(rows[group]) > MOST_DOCUMENTS:
            continue
        chosen += rows[group]
    return sorted(chosen)


def _folds(own: Units, seed: int) -> Numbers:
    """The fold of each document; each fold has as many specifications, or one fewer."""
    order = Draws(seed, _KEY, "folds").shuffled(range(own.number))
    fold_of_group = np.empty(own.number, dtype=np.intp)
    fold_of_group[order] = np.arange(own.number) % FOLDS
    return fold_of_group[own.of_item]


def _counts(texts: Sequence[str]) -> Any:
    """How often each text has each word, a sparse matrix; None where no word is left."""
    from sklearn.feature_extraction.text import CountVectorizer

    begun = (" ".join(text.split(maxsplit=MOST_WORDS)[:MOST_WORDS]) for text in texts)
    try:
        return CountVectorizer(min_df=2, max_features=_MOST_TERMS).fit_transform(begun)
    except ValueError:
        return None


def _predicted(counts: Any, gold: Numbers, folds: Numbers) -> Numbers:
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.svm import LinearSVC

    predicted = np.empty(len(gold), dtype=np.intp)
    for fold in range(FOLDS):
        held_out = folds == fold
        weights = TfidfTransformer(sublinear_tf=True).fit(counts[~held_out])
        model = LinearSVC(C=_PENALTY, random_state=0)
        model.fit(weights.transform(counts[~held_out]), gold[~held_out])
        predicted[held_out] = model.predict(weights.transform(counts[held_out]))
    return predicted


_PENALTY = 0.1


def _scores(
    gold: Numbers, predicted: Numbers, n_labels: int, own: Units, seed: int
) -> tuple[Score, Score]:
    copies = copies_matrix(own.number, task=_KEY, seed=seed, replicates=_REPLICATES)
    right = (gold == predicted).astype(np.float64)
    f1 = macro_f1(confusion_matrix(gold, predicted, n_labels))
    sums = [mean_sums(right, own), macro_f1_sums(gold, predicted, n_labels, own)]
    intervals = percentile_intervals(replicated(sums, copies), _LEVEL)
    values = {"accuracy": float(right.mean()), "macro_f1": f1}
    accuracy, of_f1 = (
        Score(value, stated_interval(name, value, intervals[column]) if intervals else None)
        for column, (name, value) in enumerate(values.items())
    )
    return accuracy, of_f1
