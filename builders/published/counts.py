"""Whether a published release has the rows that its card says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from builders.published.card import PublishedConfig

UNCHECKED = "no count in the card"
ABSENT = "no files here"
EQUAL = "as in the card"
OTHER = "not as in the card"
ALL_SPLITS = "all splits"


class Comparison(NamedTuple):
    """A split, or a whole config, as the card has it and as the files have it.

    Attributes
    ----------
    config, split : str
        `all splits` where the card gives their sum alone.
    declared, found : int or None
        Rows; None where the card, or the folder, has none.
    """

    config: str
    split: str
    declared: int | None
    found: int | None

    @property
    def outcome(self) -> str:
        """In words."""
        if self.found is None:
            return ABSENT
        if self.declared is None:
            return UNCHECKED
        return EQUAL if self.declared == self.found else OTHER

    def __str__(self) -> str:
        split = self.split if self.split == ALL_SPLITS else f"split {self.split!r}"
        return (
            f"config {self.config!r}, {split}: {self.declared} rows expected, "
            f"{self.found or 0} found"
        )


def compared(
    config: PublishedConfig, found: Mapping[str, int], *, is_needed: bool
) -> list[Comparison]:
    """Compare a config's rows with its card.

    Parameters
    ----------
    config : PublishedConfig
        What the card says.
    found : mapping of str to int
        Rows by split, of the files that are there.
    is_needed : bool
        Whether a config without any file lacks its rows; of one that is not needed, the files
        need not be there.

    Returns
    -------
    list of Comparison
        One a split; one alone where the card gives the sum alone.

    Examples
    --------
    >>> from builders.published.card_text import Counts
    >>> config = PublishedConfig("default", declared=Counts({"test": 3}))
    >>> [str(own) for own in compared(config, {"test": 2}, is_needed=True)]
    ["config 'default', split 'test': 3 rows expected, 2 found"]
    """
    declared = config.declared
    is_there = bool(found) or is_needed
    if declared is not None and declared.total is not None:
        total = sum(found.values()) if is_there else None
        return [Comparison(config.name, ALL_SPLITS, declared.total, total)]
    known = declared.splits if declared is not None else {}
    return [
        Comparison(
            config.name,
            split,
            known.get(split),
            found.get(split, 0 if is_there and split in known else None),
        )
        for split in dict.fromkeys([*known, *config.patterns, *found])
    ]
