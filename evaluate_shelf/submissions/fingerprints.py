"""What a model answered, as a hash that another run of the same weights has too.

A fingerprint is equal where all answers are. A sketch has a byte each for some items, so that two
of them tell how many answers are equal.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.formulations.multilabel import THRESHOLD
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.submissions.likeness import SAME_FOR_ALL

SKETCHED = 128
"""Items of a sketch."""

_FIRST = 10
"""How much of a ranking counts: what the primary metric looks at."""

_PARTNERS = 8
"""Pairs that a pair is set against, a bit each."""


def fingerprint_of(task: Task, content_sha256: str, items: pa.Table) -> str:
    """Hash of a task's answers, not of the numbers behind them.

    Predicted labels, the first ten documents of a ranking, clusters under each seed, the order of
    pairs, predicted topics: these seldom change with the last bits of a vector, so that one model
    has the same answers on most tasks wherever it runs.

    Parameters
    ----------
    task : Task
        What was asked.
    content_sha256 : str
        Hash of the config's rows.
    items : pyarrow.Table
        The item rows, as a check has passed them.

    Returns
    -------
    str
        64 hexadecimal digits, or `SAME_FOR_ALL`.
    """
    answers = _answers(task, items)
    if _tells_nothing(answers):
        return SAME_FOR_ALL
    digest = hashlib.sha256(f"{task.id}\x1f{content_sha256}\x1f{answers.shape}\x1f".encode())
    digest.update(np.ascontiguousarray(answers, dtype="<i8").tobytes())
    return digest.hexdigest()


def sketch_of(task: Task, content_sha256: str, items: pa.Table) -> str:
    """A byte of the hash of each of some answers, the same items for all models.

    Of pairs, whose answer is an order, a bit for each of eight others says which comes first: one
    score that is moved changes what it is set against, and not the rank of all between.

    Parameters
    ----------
    task, content_sha256, items
        As for `fingerprint_of`.

    Returns
    -------
    str
        Two hexadecimal digits an item, of 128 items at most; empty where the fingerprint is.
    """
    answers = _answers(task, items)
    if _tells_nothing(answers):
        return ""
    chosen = _drawn(f"{task.id}\x1f{content_sha256}", len(answers), SKETCHED)
    if task.formulation == "pair_classification":
        others = [
            _drawn(f"{task.id}\x1f{content_sha256}\x1f{item}", len(answers), _PARTNERS)
            for item in chosen
        ]
        rank = answers[:, 0]
        return "".join(
            f"{sum(int(rank[item] > rank[other]) << bit for bit, other in enumerate(own)):02x}"
            for item, own in zip(chosen, others, strict=True)
        )
    rows = np.ascontiguousarray(answers[chosen], dtype="<i8")
    return "".join(hashlib.sha256(row.tobytes()).hexdigest()[:2] for row in rows)


def _tells_nothing(answers: NDArray[np.int64]) -> bool:
    return len(answers) < 2 or bool((answers == answers[0]).all())


def _drawn(seed: str, n: int, most: int) -> list[int]:
    """So many different numbers below n, or all of them; the same for the same seed."""
    if n <= most:
        return list(range(n))
    found: dict[int, None] = {}
    number = 0
    while len(found) < most:
        digest = hashlib.sha256(f"{seed}\x1f{number}".encode()).digest()
        found[int.from_bytes(digest[:8], "big") % n] = None
        number += 1
    return list(found)


def _answers(task: Task, items: pa.Table) -> NDArray[np.int64]:
    """A row of whole numbers an item."""
    if task.formulation == "classification":
        labels = items["predicted"].cast(pa.string()).to_pylist()
        # Numbers that do not depend on which labels others predict.
        found = [int.from_bytes(hashlib.sha256(own.encode()).digest()[:7], "big") for own in labels]
        return np.array(found, dtype=np.int64)[:, None]
    if task.formulation == "multilabel_classification":
        return (_lists(items["scores"]) >= THRESHOLD).astype(np.int64)
    if task.formulation in ("retrieval", "instruction_retrieval"):
        return _lists(items["ranked"])[:, :_FIRST].astype(np.int64)
    if task.formulation == "pair_classification":
        rank = np.unique(items["score"].to_numpy(), return_inverse=True)[1]
        return rank.astype(np.int64)[:, None]
    columns = [name for name in items.column_names if name.startswith("cluster")]
    filled = [items[name].fill_null(-2).to_numpy().astype(np.int64) for name in columns]
    return np.stack(filled, axis=1)


def _lists(column: pa.ChunkedArray) -> NDArray[Any]:
    """Values of lists of one length, those that are absent left out."""
    lists = column.combine_chunks().drop_null()
    values: NDArray[Any] = lists.flatten().to_numpy(zero_copy_only=False)
    return values.reshape(len(lists), -1) if len(lists) else values.reshape(0, 1)
