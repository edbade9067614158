"""What a model answered, as a hash that another run of the same weights has too."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.formulations.multilabel import THRESHOLD
from evaluate_shelf.registry.tasks import Task

_FIRST = 10
"""How much of a ranking counts: what the primary metric looks at."""

SAME_FOR_ALL = ""
"""In place of a hash where every item has the same answer, as models have that tell nothing."""


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
    if len(answers) < 2 or (answers == answers[0]).all():
        return SAME_FOR_ALL
    digest = hashlib.sha256(f"{task.id}\x1f{content_sha256}\x1f{answers.shape}\x1f".encode())
    digest.update(np.ascontiguousarray(answers, dtype="<i8").tobytes())
    return digest.hexdigest()


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
