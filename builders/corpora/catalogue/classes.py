"""Which classes have enough records and works to learn from and to be tested on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from builders.splits import Member, thin_labels

FEWEST_CLASSES = 2
"""Without two classes there is nothing to tell apart."""


@dataclass(frozen=True)
class ClassSize:
    """How much there is of a class.

    Attributes
    ----------
    code : str
        The class.
    records, works : int
        Of the records that are kept.
    thin : str
        Why the class cannot be used; "" for one that can.
    """

    code: str
    records: int
    works: int
    thin: str = ""


def class_sizes(members: Sequence[Member], minimum_records: int) -> list[ClassSize]:
    """Count the records and works of each class, and tell the classes that are too thin.

    Parameters
    ----------
    members : sequence of Member
        One a record: its work and its class.
    minimum_records : int
        The fewest records of a class.

    Returns
    -------
    list of ClassSize
        By code. A class is too thin if it has fewer records, or, once those classes are gone,
        fewer than two works: it could not stand in train and in test.

    Examples
    --------
    >>> of = {"A": ["a", "b"], "B": ["c", "c"], "C": ["d"]}
    >>> members = [Member(work, code, "") for code, works in of.items() for work in works]
    >>> for size in class_sizes(members, minimum_records=2):
    ...     print(size.code, size.records, size.works, size.thin or "enough")
    A 2 2 enough
    B 2 1 fewer than two works of its own
    C 1 1 fewer than 2 records
    """
    records = Counter(member.label for member in members)
    works = Counter(label for label, _ in {(member.label, member.group) for member in members})
    few = {code for code, count in records.items() if count < minimum_records}
    single = set(thin_labels([member for member in members if member.label not in few]))
    reasons = {
        **dict.fromkeys(few, f"fewer than {minimum_records} records"),
        **dict.fromkeys(single, "fewer than two works of its own"),
    }
    return [
        ClassSize(code, records[code], works[code], reasons.get(code, ""))
        for code in sorted(records)
    ]
