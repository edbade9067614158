"""Which records of LCSHBench are of one work."""

from __future__ import annotations

from collections.abc import Sequence

from builders.corpora.lcshbench.records import Record
from builders.works import WorkKeys
from evaluate_shelf.records.titles import plain

__all__ = ["plain", "work_groups"]


def work_groups(records: Sequence[Record]) -> list[str]:
    """Give each record the id of its work, as `WorkKeys` tells works apart.

    Parameters
    ----------
    records : sequence of Record
        Of both files together.

    Returns
    -------
    list of str
        One a record: `w` and 12 hexadecimal digits. Their order does not depend on that of the
        records.

    Examples
    --------
    >>> def record(title, *authors):
    ...     return Record(1, "a", title, "", title * 2, "", authors, "English", "S", 2, ())
    >>> first, again, other = work_groups(
    ...     [record("The bees :", "Fabre, J."), record("The Bees", "Fabre, J"), record("Ants")]
    ... )
    >>> first == again, first == other
    (True, False)
    """
    keys = WorkKeys()
    for record in records:
        keys.add(record.title, _main_author(record), record.text)
    return keys.group_ids()


def _main_author(record: Record) -> str:
    return next(filter(plain, record.authors), "")
