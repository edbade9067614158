# ruff: noqa: D103 - the names of attacks say what is wrong
"""Items that no evaluation writes.

All hashes are those of the forged files. Where it says so, outcomes and scores follow from the
forged items too.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.hostile.forging import (
    CLUSTERS,
    LABELS,
    PAIRS,
    RETRIEVAL,
    TASKS,
    TOPICS,
    Contents,
    data_of,
    rescored,
    table_of,
    with_items,
    zipped,
)
from benchmarks.hostile.payloads import TEXTS
from builders.draws import Draws
from evaluate_shelf.formulations.data import labelled
from evaluate_shelf.registry.tasks import task as task_named
from evaluate_shelf.submissions.contents import items_name

Values = list[Any]


# Scores


def the_right_answers(draws: Draws, run: Contents) -> bytes:
    """Predictions are the labels; the claimed scores stay."""
    items = _items(run, LABELS)
    gold = labelled(task_named(LABELS), data_of(LABELS).test).labels
    known = items["predicted"].chunk(0).dictionary.to_pylist()
    right = [own if own in known else known[0] for own in gold]
    return _zipped_items(run, LABELS, _replaced(items, "predicted", _labels(right, known)))


def swapped_answers(draws: Draws, run: Contents) -> bytes:
    task = draws.choice(TASKS)
    items = _items(run, task)
    column = draws.choice([own for own in items.column_names if own not in ("row", "outcome")])
    order = draws.shuffled(range(len(items)))
    moved = items[column].combine_chunks().take(pa.array(order))
    forged = _replaced(items, column, moved)
    if column in ("probability", "scores", "control") or forged.equals(items):
        # No score need depend on it; another row does.
        return _zipped_items(run, task, items.take(pa.array(order)))
    return _zipped_items(run, task, forged)


def other_outcomes(draws: Draws, run: Contents) -> bytes:
    task = draws.choice(TASKS)
    items = _items(run, task)
    value = draws.choice([1.0, 0.0, 1e300, -1.0, float("nan"), float("inf")])
    forged = pa.array([value] * len(items), pa.float64())
    return _zipped_items(run, task, _replaced(items, "outcome", forged))


def a_shuffled_control(draws: Draws, run: Contents) -> bytes:
    """Chance looks lower than it was."""
    items = _items(run, LABELS)
    known = items["control"].chunk(0).dictionary.to_pylist()
    forged = _labels([draws.choice(known)] * len(items), known)
    return _zipped_items(run, LABELS, _replaced(items, "control", forged))


# Rows


def other_rows(draws: Draws, run: Contents) -> bytes:
    task = draws.choice(TASKS)
    items = _items(run, task)
    n = len(items)
    kind = draws.integer(6)
    if kind == 0:
        forged = items.slice(0, n - draws.between(1, n - 1))
    elif kind == 1:
        forged = pa.concat_tables([items, items.slice(0, draws.between(1, n))])
    elif kind == 2:
        forged = items.take(pa.array(draws.shuffled(range(n))))
    elif kind == 3:
        forged = items.slice(0, 0)
    elif kind == 4:
        forged = items.take(pa.array([0] * n))
    else:
        forged = pa.concat_tables([items] * 20)
    return _zipped_items(run, task, forged)


def rows_of_nowhere(draws: Draws, run: Contents) -> bytes:
    task = draws.choice(TASKS)
    items = _items(run, task)
    rows = items["row"].to_pylist()
    rows[draws.integer(len(rows))] = draws.choice([-1, 10**6, 2**31 - 1, len(rows), None])
    return _zipped_items(run, task, _replaced(items, "row", pa.array(rows, pa.int32())))


# Values, with the scores that follow from them


def labels_of_nobody(draws: Draws, run: Contents) -> bytes:
    """A label that no document has is wrong in any case, and could be a script."""
    items = _items(run, LABELS)
    column = draws.choice(["predicted", "control"])
    given = items[column].cast(pa.string()).to_pylist()
    known = items[column].chunk(0).dictionary.to_pylist()
    text = draws.choice([own for own in TEXTS if "\ud800" not in own] + ["ZZ", ""])
    if draws.happens(0.7):
        given[draws.integer(len(given))] = text
    forged = _replaced(items, column, _labels(given, [*known, text]))
    return _zipped_rescored(run, LABELS, forged)


def megabytes_in_a_label(draws: Draws, run: Contents) -> bytes:
    items = _items(run, LABELS)
    known = items["predicted"].chunk(0).dictionary.to_pylist()
    given = items["predicted"].cast(pa.string()).to_pylist()
    long = "a" * draws.choice([10**6, 30 * 10**6])
    forged = _replaced(items, "predicted", _labels([long, *given[1:]], [*known, long]))
    return _zipped_items(run, LABELS, forged)


def no_answers(draws: Draws, run: Contents) -> bytes:
    """Absent predictions count as wrong, and no probe leaves one out."""
    items = _items(run, LABELS)
    column = draws.choice(["predicted", "control", "probability"])
    given: Values = (
        items[column].cast(pa.string() if column != "probability" else pa.float32()).to_pylist()
    )
    given[draws.integer(len(given))] = None
    if column == "probability":
        forged = _replaced(items, column, pa.array(given, pa.float32()))
        return _zipped_items(run, LABELS, forged)
    known = items[column].chunk(0).dictionary.to_pylist()
    return _zipped_rescored(run, LABELS, _replaced(items, column, _labels(given, known)))


def probabilities_that_are_none(draws: Draws, run: Contents) -> bytes:
    items = _items(run, LABELS)
    given = items["probability"].to_pylist()
    given[draws.integer(len(given))] = draws.choice([float("nan"), 1.5, -0.1, float("inf"), 3e38])
    return _zipped_items(
        run, LABELS, _replaced(items, "probability", pa.array(given, pa.float32()))
    )


def topics_that_are_no_probabilities(draws: Draws, run: Contents) -> bytes:
    items = _items(run, TOPICS)
    column = draws.choice(["scores", "control_scores"])
    given = items[column].to_pylist()
    bad = draws.choice([float("nan"), float("inf"), 1.5, -0.5, 3e38])
    given[draws.integer(len(given))][draws.integer(10)] = bad
    forged = _replaced(items, column, pa.array(given, items.schema.field(column).type))
    if not np.isfinite(bad):
        return _zipped_items(run, TOPICS, forged)
    return _zipped_rescored(run, TOPICS, forged)


def topics_of_another_number(draws: Draws, run: Contents) -> bytes:
    items = _items(run, TOPICS)
    size = items.schema.field("scores").type.list_size + draws.choice([-5, 1, 50])
    values = pa.array(np.zeros(size * len(items), np.float32))
    forged = pa.FixedSizeListArray.from_arrays(values, size)
    return _zipped_items(run, TOPICS, _replaced(items, "scores", forged))


def only_the_queries_that_went_well(draws: Draws, run: Contents) -> bytes:
    """Rankings of bad queries are left out, as a reranker's cap leaves them out."""
    items = _items(run, RETRIEVAL)
    outcomes = items["outcome"].fill_null(0.0).to_numpy()
    kept = outcomes > np.quantile(outcomes, draws.choice([0.25, 0.5, 0.9]))
    for column in ("ranked", "scores"):
        given = items[column].to_pylist()
        values = [own if keep else None for own, keep in zip(given, kept, strict=True)]
        kind = items.schema.field(column).type
        items = _replaced(items, column, pa.array(values, kind))
    return _zipped_rescored(run, RETRIEVAL, items)


def rankings_of_another_depth(draws: Draws, run: Contents) -> bytes:
    """Scores follow from the first ten all the same, but for those that look deeper."""
    items = _items(run, RETRIEVAL)
    depth = draws.choice([1, 10, 50, 99])
    for column in ("ranked", "scores"):
        kind = pa.list_(items.schema.field(column).type.value_type, depth)
        values = [own[:depth] for own in items[column].to_pylist()]
        items = _replaced(items, column, pa.array(values, kind))
    return _zipped_rescored(run, RETRIEVAL, items)


def rankings_that_are_none(draws: Draws, run: Contents) -> bytes:
    items = _items(run, RETRIEVAL)
    given = items["ranked"].to_pylist()
    row = draws.integer(len(given))
    bad = draws.choice([-1, 10**6, 2**31 - 1, given[row][0], None])
    given[row][draws.between(1, 99)] = bad
    forged = _replaced(items, "ranked", pa.array(given, items.schema.field("ranked").type))
    return _zipped_items(run, RETRIEVAL, forged)


def similarities_that_are_none(draws: Draws, run: Contents) -> bytes:
    items = _items(run, RETRIEVAL)
    given = items["scores"].to_pylist()
    row = draws.integer(len(given))
    bad = draws.choice([float("nan"), float("inf"), -float("inf")])
    given[row] = draws.choice([given[row][::-1], [bad, *given[row][1:]], [*given[row][:-1], 99.0]])
    forged = _replaced(items, "scores", pa.array(given, items.schema.field("scores").type))
    return _zipped_items(run, RETRIEVAL, forged)


def clusters_that_are_none(draws: Draws, run: Contents) -> bytes:
    """Of one document each, of a negative number, or absent."""
    items = _items(run, CLUSTERS)
    column = draws.choice([own for own in items.column_names if own.startswith("cluster")])
    given: Values = items[column].to_pylist()
    kind = draws.integer(3)
    if kind == 0:
        given = list(range(len(given)))
    elif kind == 1:
        given[draws.integer(len(given))] = draws.choice([-1, -32_768, 32_767])
    else:
        given[draws.integer(len(given))] = None
    forged = _replaced(items, column, pa.array(given, pa.int16()))
    if kind == 2:
        return _zipped_items(run, CLUSTERS, forged)
    return _zipped_rescored(run, CLUSTERS, forged)


def pairs_with_scores_of_none(draws: Draws, run: Contents) -> bytes:
    items = _items(run, PAIRS)
    given: Values = items["score"].to_pylist()
    bad = draws.choice([1e300, -1e300, 1e10, float("nan"), float("inf"), None])
    given[draws.integer(len(given))] = bad
    forged = _replaced(items, "score", pa.array(given, pa.float64()))
    if bad is None or not np.isfinite(bad):
        return _zipped_items(run, PAIRS, forged)
    return _zipped_rescored(run, PAIRS, forged)


def items_of_another_task(draws: Draws, run: Contents) -> bytes:
    one, other = draws.sample(TASKS, 2)
    return _zipped_items(run, one, _items(run, other))


def _items(run: Contents, task: str) -> pa.Table:
    return table_of(run, items_name(task))


def _replaced(items: pa.Table, column: str, values: pa.Array) -> pa.Table:
    return items.set_column(items.column_names.index(column), column, values)


def _labels(values: Sequence[str | None], names: Sequence[str]) -> pa.Array:
    """Labels as a run writes them; names that nobody has are kept."""
    number = {name: place for place, name in enumerate(names)}
    indices = pa.array([None if own is None else number[own] for own in values], pa.int32())
    return pa.DictionaryArray.from_arrays(indices, pa.array(list(number), pa.string()))


def _zipped_items(run: Contents, task: str, items: pa.Table) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return zipped(with_items(run, task, items, Path(folder)))


def _zipped_rescored(run: Contents, task: str, items: pa.Table) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return zipped(rescored(run, task, items, Path(folder)))


ATTACKS = (
    the_right_answers,
    swapped_answers,
    other_outcomes,
    a_shuffled_control,
    other_rows,
    rows_of_nowhere,
    labels_of_nobody,
    megabytes_in_a_label,
    no_answers,
    probabilities_that_are_none,
    topics_that_are_no_probabilities,
    topics_of_another_number,
    only_the_queries_that_went_well,
    rankings_of_another_depth,
    rankings_that_are_none,
    similarities_that_are_none,
    clusters_that_are_none,
    pairs_with_scores_of_none,
    items_of_another_task,
)
"""Each takes draws and a run's files, and gives an archive."""
