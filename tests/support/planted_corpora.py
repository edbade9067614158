"""Corpora with planted near copies, and what brute force says of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import pyarrow as pa

from builders.draws import Draws

SPLITS = ("train", "validation", "test")


def words(draws: Draws, count: int, vocabulary: int = 3000) -> list[str]:
    """Random words."""
    return [f"w{draws.integer(vocabulary)}" for _ in range(count)]


def near_copy(draws: Draws, original: Sequence[str], changes: int) -> list[str]:
    """The words with some of them replaced by new ones; for no change, one new word behind them."""
    copy = list(original) + ([] if changes else [f"x{draws.integer(10**9)}"])
    for place in draws.sample(range(len(copy)), changes):
        copy[place] = f"x{draws.integer(10**9)}"
    return copy


def corpus(texts: Sequence[str], splits: Sequence[str] | None = None, **columns: list) -> pa.Table:
    """A table of documents; without splits, these take turns."""
    return pa.table(
        {
            "id": [f"d{number}" for number in range(len(texts))],
            "text": list(texts),
            "split": splits or [SPLITS[number % 3] for number in range(len(texts))],
            **columns,
        }
    )


def naive_jaccard(first: str, second: str) -> float:
    """Similarity of the word 5-grams of two texts, straight from the definition."""
    a, b = _grams(first), _grams(second)
    return len(a & b) / len(a | b) if a | b else 0.0


def naive_pairs(texts: Sequence[str], threshold: float) -> dict[tuple[int, int], float]:
    """All pairs of different texts that are so similar; a repeated text counts where it is first.

    Keys are the places of the earlier and the later text.
    """
    firsts: dict[str, int] = {}
    for place, text in enumerate(texts):
        firsts.setdefault(normal(text), place)
    similar = {}
    for a, b in itertools.combinations(sorted(firsts.values()), 2):
        value = naive_jaccard(texts[a], texts[b])
        if value >= threshold:
            similar[a, b] = value
    return similar


def normal(text: str) -> str:
    """Lower case, white space folded."""
    return " ".join(text.lower().split())


def count_by_splits(
    pairs: Iterable[tuple[int, int]], splits: Sequence[str]
) -> tuple[dict[str, int], dict[str, int]]:
    """Pairs within each split, and across each two."""
    within = dict.fromkeys(SPLITS, 0)
    across = {"train-validation": 0, "train-test": 0, "validation-test": 0}
    for a, b in pairs:
        first, second = sorted((splits[a], splits[b]), key=SPLITS.index)
        if first == second:
            within[first] += 1
        else:
            across[f"{first}-{second}"] += 1
    return within, across


def _grams(text: str) -> set[str]:
    tokens = text.lower().split()
    if not tokens:
        return set()
    return {" ".join(tokens[i : i + 5]) for i in range(max(1, len(tokens) - 4))}
