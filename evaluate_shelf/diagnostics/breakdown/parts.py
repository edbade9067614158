"""What a task's items are divided into."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.counts import counted
from evaluate_shelf.diagnostics.breakdown.difficulty import LEVELS
from evaluate_shelf.diagnostics.breakdown.facts import Facts
from evaluate_shelf.diagnostics.breakdown.families import family_of, load_families
from evaluate_shelf.diagnostics.breakdown.relations import RELATIONS, Ladder, missing_note
from evaluate_shelf.errors import ShelfError, UnsupportedError
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.release.documents import Documents

Positions = NDArray[np.int64]
LengthUnit = Literal["characters", "words"]

BOUNDS = (500, 2000)
"""Where a longer length bucket begins."""

_LEARNED = (
    "pairs in none of them have a document without the label, or one of the training split, which "
    "the probe has learned"
)

LENGTHS = ("under 500", "500 to 1,999", "2,000 and over")


class Parts(NamedTuple):
    """Strata of a task's test items.

    Attributes
    ----------
    members : dict of str to ndarray of int64
        By name, in the order in which they are shown: positions in the test split that the task
        reads, of documents or of pairs.
    definition : str
        What a stratum is.
    notes : tuple of str
        What to know.
    """

    members: dict[str, Positions]
    definition: str
    notes: tuple[str, ...] = ()


def by_length(data: TaskData, facts: Facts, unit: LengthUnit) -> Parts:
    """By the length of the text; of a pair, by that of its shorter text."""
    lengths = facts.words if unit == "words" else facts.characters
    pairs = _pair_positions(data, facts)
    of_item = lengths if pairs is None else lengths[pairs].min(axis=1)
    labels = [LENGTHS[place] for place in np.searchsorted(BOUNDS, of_item, side="right")]
    what = "the shorter text of the pair" if pairs is not None else "the whole text"
    return Parts(_members(labels, LENGTHS), f"{unit} of {what}, without its title")


def by_generator(data: TaskData, facts: Facts, families: bool) -> Parts:
    """By the family of generators that wrote the text, or by the generator itself.

    Pairs by two families (or generators) are a stratum of their own.
    """
    generators = facts.generators
    named = {name for name in generators if name}
    if not named:
        raise UnsupportedError(f"config {facts.data.config!r}: no document names its generator")
    group = {name: name for name in named}
    notes: tuple[str, ...] = ()
    if families:
        known = load_families()
        found = {name: family_of(name, known) for name in named}
        group = {name: family or name for name, family in found.items()}
        notes = _without_family(generators, found)
    labels = [group[name] if name else None for name in generators]
    if len(set(group.values())) == 1:
        more = "; break the score down by model" if len(named) > 1 else ""
        notes += (f"all are by one {'family' if families else 'generator'}{more}",)
    what = "family of the generator (configs/generators.yaml)" if families else "generator"
    pairs = _pair_positions(data, facts)
    if pairs is None:
        return Parts(_members(labels, _by_size(labels)), f"{what} of the text", notes)
    apart = "two families" if families else "two generators"
    of_pairs = [_common(labels[a], labels[b], apart) for a, b in pairs]
    order = [*_by_size([label for label in of_pairs if label != apart]), apart]
    return Parts(_members(of_pairs, order), f"{what} of both texts of a pair", notes)


def by_difficulty(task: Task, data: TaskData, facts: Facts) -> Parts:
    """By how sure a probe on words alone is of the truth; of a pair, by its harder text."""
    field = label_field_of(task, data)
    levels = facts.levels(field)
    pairs = _pair_positions(data, facts)
    notes: tuple[str, ...] = ()
    if pairs is not None:
        # -1, no level, is the smallest of all.
        levels = levels[pairs].min(axis=1)
        if (levels < 0).any():
            notes = (_LEARNED,)
    labels = [LEVELS[level] if level >= 0 else None for level in levels]
    whose = "the harder text of the pair" if pairs is not None else "the text"
    return Parts(
        _members(labels, LEVELS),
        f"margin of {whose}: probability of its {field} less the largest of another, under a "
        "probe on TF-IDF of all terms fitted on the training split; hard below 0 or up to the "
        "lower tercile of the test documents, easy from the upper tercile on",
        notes,
    )


def by_relation(data: TaskData, facts: Facts) -> Parts:
    """Pairs by the relation of their two documents."""
    pairs = _pair_positions(data, facts)
    if pairs is None:
        raise UnsupportedError("one document has no relation; retrieval and pairs have")
    table = facts.documents.table
    first, second = (table.take(pairs[:, side]) for side in (0, 1))
    ladder = Ladder(first, second)
    relations = ladder.of(np.arange(len(pairs))[:, None])[:, 0]
    return Parts(
        _members([RELATIONS[place] for place in relations], RELATIONS),
        "relation of a pair's two documents, the first that holds",
        missing_note(ladder.absent),
    )


def by_query_class(task: Task, data: TaskData) -> Parts:
    """Queries by their own label; one with several labels is in several strata."""
    field = task.anchor_field or task.label_field
    given = data.test.column(field)
    labels = [
        tuple(sorted(set(filter(None, label)))) if isinstance(label, list) else (label,)
        for label in given
    ]
    names = sorted({label for own in labels for label in own if label})
    members = {
        name: np.array([row for row, own in enumerate(labels) if name in own], dtype=np.int64)
        for name in names
    }
    return Parts(members, f"{field} of the query")


def label_field_of(task: Task, data: TaskData) -> str:
    """The column of documents that a task asks for.

    Raises
    ------
    UnsupportedError
        If pairs do not say which one.
    """
    if task.formulation != "pair_classification":
        return task.anchor_field or task.label_field
    if "label_field" not in data.test.table.column_names:
        raise UnsupportedError("the pairs follow from topics, of which a document has several")
    fields = set(data.test.column("label_field"))
    if len(fields) != 1:
        raise ShelfError(
            f"{data.release.folder}, config {data.config!r}, field 'label_field': must be one for "
            "all pairs; `shelf verify` says whether the release is whole"
        )
    return str(fields.pop())


def sides_of(pairs: Documents, facts: Facts) -> Positions:
    """Positions of each pair's two documents among those of their config.

    Returns
    -------
    ndarray of int64, shape (n_pairs, 2)

    Raises
    ------
    ShelfError
        If a pair has a document that is not there.
    """
    position = facts.position_of
    sides = []
    for side in ("doc_a_id", "doc_b_id"):
        column = pairs.column(side)
        lost = next((row for row, name in enumerate(column) if name not in position), None)
        if lost is not None:
            raise ShelfError(
                f"{facts.data.release.folder}: pair {pairs.ids[lost]!r}, field {side!r}: "
                f"{column[lost]!r} is no document of config {facts.data.config!r}; `shelf verify` "
                "says whether the release is whole"
            )
        sides.append([position[name] for name in column])
    return np.array(sides, dtype=np.int64).T


def _pair_positions(data: TaskData, facts: Facts) -> Positions | None:
    """Of pairs; None where the task's items are documents."""
    return sides_of(data.test, facts) if "doc_a_id" in data.test.table.column_names else None


def _members(labels: Sequence[str | None], order: Iterable[str]) -> dict[str, Positions]:
    rows: dict[str, list[int]] = {name: [] for name in order}
    for row, label in enumerate(labels):
        if label is not None:
            rows[label].append(row)
    return {name: np.array(own, dtype=np.int64) for name, own in rows.items()}


def _by_size(labels: Sequence[str | None]) -> list[str]:
    counts = Counter(label for label in labels if label)
    return sorted(counts, key=lambda name: (-counts[name], name))


def _common(first: str | None, second: str | None, apart: str) -> str | None:
    if first is None or second is None:
        return None
    return first if first == second else apart


def _without_family(
    generators: Sequence[str | None], found: Mapping[str, str | None]
) -> tuple[str, ...]:
    counts = Counter(name for name in generators if name and found[name] is None)
    return tuple(
        f"no family is known of {name!r}, {counted(counts[name], 'document')}: it is one of its own"
        for name in sorted(counts)
    )
