"""How many rows of a config have which label, by split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from builders.staging.config import StagedConfig
from evaluate_shelf.release.manifest import SPLITS, Split

Counts = dict[Split, dict[str, int]]


def label_counts(config: StagedConfig, column: str) -> Counts:
    """Count the labels of a column.

    Parameters
    ----------
    config : StagedConfig
        Any config.
    column : str
        A column of strings, numbers, or lists of them.

    Returns
    -------
    dict of str to dict of str to int
        Split, label, rows, in the order of splits and labels; rows without a label are not
        counted. Empty where the config has no such column. What the build has counted is not
        counted again.
    """
    if column not in config.info.schema.names:
        return {}
    if all(column in config.counts.get(split, {}) for split in config.splits):
        return {split: dict(config.counts[split][column]) for split in config.splits}
    return {split: _counted(config, column, split) for split in config.splits}


def labels_by_frequency(counts: Counts) -> list[str]:
    """All labels, the most frequent first; of equally frequent ones, in their own order.

    Examples
    --------
    >>> labels_by_frequency({"train": {"A": 1, "B": 2}, "test": {"C": 1}})
    ['B', 'A', 'C']
    """
    totals = totals_of(counts)
    return sorted(totals, key=lambda label: (-totals[label], label))


def totals_of(counts: Counts) -> dict[str, int]:
    """Rows of each label in all splits, in the order of the labels.

    Examples
    --------
    >>> totals_of({"train": {"B": 1}, "test": {"B": 2, "A": 1}})
    {'A': 1, 'B': 3}
    """
    totals: Counter[str] = Counter()
    for own in counts.values():
        totals.update(own)
    return dict(sorted(totals.items()))


def by_split(counts: Counts, label: str, splits: Sequence[Split] = SPLITS) -> list[int]:
    """Rows of a label in each split.

    Examples
    --------
    >>> by_split({"train": {"A": 2}, "test": {}}, "A")
    [2, 0, 0]
    """
    return [counts.get(split, {}).get(label, 0) for split in splits]


def _counted(config: StagedConfig, column: str, split: Split) -> dict[str, int]:
    counter: Counter[str] = Counter()
    for table in config.batches([column], [split]):
        values = table[column]
        if pa.types.is_list(values.type):
            values = pc.list_flatten(values)
        for own in pc.value_counts(values.drop_null()).to_pylist():
            counter[str(own["values"])] += own["counts"]
    return dict(sorted(counter.items()))
