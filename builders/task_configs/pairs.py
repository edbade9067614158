"""Pairs of documents with and without a common label."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from builders.corpora.built import BuiltConfig, tables_by_split
from builders.corpora.columns import PAIRS
from builders.draws import Draws
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.generation import Plan
from evaluate_shelf.release.manifest import Split

# A pair that no free documents are found for in so many draws counts as a shortfall.
_TRIES = 60


class Side(NamedTuple):
    """A document as a pair sees it."""

    id: str
    label: str
    group: str
    title: str
    body: str


def build_pairs(source: BuiltConfig, plan: Plan, *, field: str, seed: int) -> BuiltConfig:
    """Draw positive and negative pairs from each split of a corpus.

    The two documents of a pair are of different groups, so that a pair is never two versions of
    one specification or two passages of one writer. Each class has its quota, no document stands
    in more pairs than the plan says, no pair comes twice, and ids are hashes.

    Parameters
    ----------
    source : BuiltConfig
        A corpus of documents. The pairs of a natural corpus, which is small and whose pairs no
        model is trained on, are drawn from all its splits and stored as test pairs.
    plan : Plan
        Numbers of pairs and the cap on reuse.
    field : str
        Column of the label.
    seed : int
        Of all draws.

    Returns
    -------
    BuiltConfig
        Named `same_lcc_pairs`, with the corpus before it where the corpus is not `all`.

    Raises
    ------
    ShelfError
        If the corpus allows no positive or no negative test pair.
    """
    task = "same_lcc_pairs"
    name = task if source.name == "all" else f"{source.name}_{task}"
    wanted = plan.pairs.model_dump()
    tables: dict[Split, pa.Table] = dict(source.splits)
    if source.group_column != "spec_id":
        tables = {"test": pa.concat_tables(source.splits.values())}
    rows: list[dict[str, Any]] = []
    splits: list[Split] = []
    notes = []
    if "train" not in tables:
        notes.append(
            "Drawn from all splits, as published: a model that was trained on the train split "
            "must not be scored on these pairs."
        )
    for split, table in tables.items():
        sides = _sides(table, field, source.group_column)
        capacity = len(sides) * plan.uses_per_document // 2
        drawer = _Drawer(sides, plan.uses_per_document, Draws(seed, name, split))
        drawn = drawer.pairs(min(wanted[split], capacity) // 2)
        new = [_row(pair, name, seed, field) for pair in drawn]
        rows.extend(new)
        splits.extend([split] * len(new))
        notes.append(_note(split, drawn, wanted[split]))
    built = BuiltConfig(
        name=name,
        kind="pairs",
        splits=tables_by_split(rows, splits, PAIRS),
        group_column=None,
        source=f"pairs of {source.name}",
        seeds={"pairs": seed},
        counted=("label",),
        derived_from=source.name,
        notes=tuple(notes),
    )
    labels = set(built.splits["test"]["label"].to_pylist()) if "test" in built.splits else set()
    if labels != {0, 1}:
        raise ShelfError(f"{name}: {source.name} is too small for positive and negative test pairs")
    return built


class _Pair(NamedTuple):
    first: Side
    second: Side
    positive: bool


class _Drawer:
    """Draws the pairs of one split under the cap on reuse.

    Parameters
    ----------
    sides : sequence of Side
        The split's documents.
    uses : int
        How often a document may be used.
    draws : Draws
        The split's stream.
    """

    def __init__(self, sides: Sequence[Side], uses: int, draws: Draws) -> None:
        self._uses = uses
        self._draws = draws
        self._used: Counter[str] = Counter()
        self._taken: set[tuple[str, str]] = set()
        self._by_label: dict[str, list[Side]] = {}
        for side in sides:
            self._by_label.setdefault(side.label, []).append(side)
        self._labels = sorted(self._by_label)

    def pairs(self, half: int) -> list[_Pair]:
        """`half` negative and `half` positive pairs, fewer where documents run out."""
        several = [
            label
            for label in self._labels
            if len({side.group for side in self._by_label[label]}) > 1
        ]
        drawn: list[_Pair] = []
        if len(self._labels) < 2 or not several:
            return drawn
        # In turn, so that neither kind takes the documents that the other needs.
        for number in range(half):
            positive = self._first(several, number, positive=True)
            negative = self._first(self._labels, number, positive=False) if positive else None
            if positive is None or negative is None:
                break
            drawn.extend((positive, negative))
        return drawn

    def _first(self, labels: Sequence[str], number: int, *, positive: bool) -> _Pair | None:
        """A pair of the label whose turn it is, or of another one where it has none left."""
        start = number % len(labels)
        for label in (*labels[start:], *labels[:start]):
            if pair := self._pair(label, positive):
                return pair
        return None

    def _pair(self, label: str, positive: bool) -> _Pair | None:
        for _ in range(_TRIES):
            first = self._draws.choice(self._by_label[label])
            second = self._draws.choice(self._by_label[label if positive else self._other(label)])
            key = (min(first.id, second.id), max(first.id, second.id))
            if first.group == second.group or key in self._taken:
                continue
            if self._used[first.id] < self._uses and self._used[second.id] < self._uses:
                self._taken.add(key)
                self._used.update((first.id, second.id))
                return _Pair(first, second, positive)
        return None

    def _other(self, label: str) -> str:
        return self._draws.choice([other for other in self._labels if other != label])


def _sides(table: pa.Table, field: str, group_column: str | None) -> list[Side]:
    ids: list[str] = table["id"].to_pylist()
    groups = table[group_column].to_pylist() if group_column else ids
    columns = (table[name].to_pylist() for name in (field, "title", "body"))
    return sorted(
        Side(identity, label, group or identity, title or "", body)
        for identity, group, label, title, body in zip(ids, groups, *columns, strict=True)
        if label
    )


def _row(pair: _Pair, name: str, seed: int, field: str) -> dict[str, Any]:
    key = f"{seed}\x1f{name}\x1f{pair.first.id}\x1f{pair.second.id}"
    return {
        "id": hashlib.sha256(key.encode()).hexdigest()[:16],
        "doc_a_id": pair.first.id,
        "doc_a_title": pair.first.title,
        "doc_a_body": pair.first.body,
        "doc_b_id": pair.second.id,
        "doc_b_title": pair.second.title,
        "doc_b_body": pair.second.body,
        "label": int(pair.positive),
        "label_field": field,
    }


def _note(split: str, drawn: Sequence[_Pair], wanted: int) -> str:
    uses = Counter(side.id for pair in drawn for side in (pair.first, pair.second))
    positive = sum(pair.positive for pair in drawn)
    return (
        f"{split}: {positive} positive and {len(drawn) - positive} negative pairs of {wanted} "
        f"wanted, from {len(uses)} documents, none used more than {max(uses.values(), default=0)} "
        "times"
    )
