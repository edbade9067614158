"""Part the dev file into train and validation."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from evaluate_shelf.release.manifest import Split


def dev_splits(groups: Sequence[str], labels: Sequence[str], *, seed: int) -> list[Split]:
    """Assign train or validation to each record of the dev file.

    Within each class a quarter of the records, rounded to the nearest number, is for validation,
    and all others for train. The published split rounds both shares down, and so loses one record
    of every class whose count is no multiple of four; it also parts records of one work.

    The groups of a class are taken for validation in the order of a hash of seed and group, as
    long as they fit into the quarter. A group of several classes is for train.

    Parameters
    ----------
    groups : sequence of str
        Work of each record; its records stay together.
    labels : sequence of str
        Class of each record.
    seed : int
        Another seed takes other groups.

    Returns
    -------
    list of {'train', 'validation'}
        One a record. Every class has a record in train.

    Examples
    --------
    >>> sorted(dev_splits(["a", "b", "c", "d", "e"], ["S"] * 5, seed=42))
    ['train', 'train', 'train', 'train', 'validation']
    """
    classes: dict[str, set[str]] = {}
    for group, label in zip(groups, labels, strict=True):
        classes.setdefault(group, set()).add(label)
    sizes = Counter(groups)
    room = {label: (count + 2) // 4 for label, count in Counter(labels).items()}
    validation: set[str] = set()
    for group in sorted(classes, key=lambda group: _hash(seed, group)):
        label = min(classes[group])
        if len(classes[group]) == 1 and sizes[group] <= room[label]:
            room[label] -= sizes[group]
            validation.add(group)
    return ["validation" if group in validation else "train" for group in groups]


def _hash(seed: int, group: str) -> bytes:
    return hashlib.sha256(f"{seed}\x1f{group}".encode()).digest()
