"""What a draw of pairs has to know of the documents of a split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from builders.task_configs.drawing.hashed import Codes, Flags
from builders.task_configs.drawing.topics import Topics, topics_of

Labels = Sequence[str | None]


@dataclass(frozen=True)
class Sides:
    """The documents of one split, in the order of their ids.

    A document is its position. Labels are codes from 0; -1 says that a document has none.

    Attributes
    ----------
    group : numpy.ndarray of int64, shape (n,)
        Documents of one group never make a pair; no -1.
    lcc, form, category : numpy.ndarray of int64, shape (n,)
        Subject class, form, and category of the form.
    topics : Topics
        Topics of the n documents.
    label : numpy.ndarray of int64, shape (n,), or None
        The label that a config asks for.
    subclass : numpy.ndarray of int64, shape (n,), or None
        Subclass of the subject; None where the corpus knows none.
    """

    group: Codes
    lcc: Codes
    form: Codes
    category: Codes
    topics: Topics
    label: Codes | None = None
    subclass: Codes | None = None

    def __post_init__(self) -> None:
        columns = (self.lcc, self.form, self.category, self.topics.counts)
        optional = [column for column in (self.label, self.subclass) if column is not None]
        if {len(column) for column in (*columns, *optional)} != {len(self.group)}:
            raise ValueError("the columns of a split have different lengths")

    def __len__(self) -> int:
        return len(self.group)

    def same_group(self, first: Codes, second: Codes) -> Flags:
        """Whether the documents of each pair are of one group."""
        same: Flags = self.group[first] == self.group[second]
        return same


def sides_of(
    *,
    group: Labels,
    lcc: Labels,
    form: Labels,
    category: Labels,
    topics: Sequence[Sequence[str] | None],
    label: Labels | None = None,
    subclass: Labels | None = None,
) -> Sides:
    """Code the columns of a split.

    Parameters
    ----------
    group, lcc, form, category, label, subclass : sequence of str or None
        One a document, in the order of the documents' ids. None and the empty string say that a
        document has no label; a document without a group is a group of its own.
    topics : sequence of sequence of str, or None
        One a document.

    Returns
    -------
    Sides

    Examples
    --------
    >>> sides = sides_of(
    ...     group=["x", None, "x"], lcc=["B", "A", ""], form=["Essays"] * 3,
    ...     category=[None] * 3, topics=[["law"], [], None],
    ... )
    >>> sides.group.tolist(), sides.lcc.tolist(), sides.category.tolist()
    ([0, 1, 0], [1, 0, -1], [-1, -1, -1])
    """
    groups = codes_of(group)
    alone = np.flatnonzero(groups < 0)
    groups[alone] = groups.max(initial=-1) + 1 + np.arange(len(alone))
    return Sides(
        group=groups,
        lcc=codes_of(lcc),
        form=codes_of(form),
        category=codes_of(category),
        topics=topics_of(topics),
        label=None if label is None else codes_of(label),
        subclass=None if subclass is None else codes_of(subclass),
    )


def codes_of(values: Labels) -> Codes:
    """Code labels by their place in sorted order.

    Parameters
    ----------
    values : sequence of str or None
        Labels.

    Returns
    -------
    numpy.ndarray of int64, shape (n,)
        -1 for None and the empty string.

    Examples
    --------
    >>> codes_of(["b", None, "a", "b"]).tolist()
    [1, -1, 0, 1]
    """
    code: dict[str | None, int] = {name: n for n, name in enumerate(names_of(values))}
    return np.fromiter((code.get(value, -1) for value in values), np.int64, len(values))


def names_of(values: Labels) -> list[str]:
    """The labels that `codes_of` codes, each at the place of its code.

    Examples
    --------
    >>> names_of(["b", None, "a", "b"])
    ['a', 'b']
    """
    return sorted({value for value in values if value})
