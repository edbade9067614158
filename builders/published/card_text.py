"""Row counts in the tables of a card's text, for configs of which its YAML gives none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_COLUMNS = {
    "train": "train",
    "val": "validation",
    "validation": "validation",
    "test": "test",
    "documents": "total",
    "rows": "total",
    "total": "total",
}
_NAME = re.compile(r"[*\s]*`?([A-Za-z0-9][A-Za-z0-9_.+-]*)`?[*\s]*(?:\([^()]*\))?\s*")
_NUMBER = re.compile(r"[*\s]*(\d{1,3}(?:,\d{3})*|\d+)[*\s]*")
_RULE = re.compile(r"[\s|:-]+")


@dataclass(frozen=True)
class Counts:
    """Numbers of rows that a card declares.

    Attributes
    ----------
    splits : mapping of str to int
        Of splits; a split that is not there is not declared.
    total : int or None
        Of all splits, where only that is declared.
    """

    splits: Mapping[str, int] = field(default_factory=dict)
    total: int | None = None


def counts_in_tables(text: str) -> dict[str, Counts]:
    r"""Find tables whose rows begin with a config's name and have numbers of rows.

    Parameters
    ----------
    text : str
        Markdown.

    Returns
    -------
    dict of str to Counts
        A config whose tables contradict each other is left out.

    Examples
    --------
    >>> card = "| Config | Documents |\n|---|---|\n| `v0_4_core` | 18,345 |\n| other | many |\n"
    >>> counts_in_tables(card)
    {'v0_4_core': Counts(splits={}, total=18345)}
    """
    found: dict[str, Counts] = {}
    contradicted: set[str] = set()
    for name, counts in _rows(text):
        if found.setdefault(name, counts) != counts:
            contradicted.add(name)
    return {name: counts for name, counts in found.items() if name not in contradicted}


def _rows(text: str) -> Iterator[tuple[str, Counts]]:
    header: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.lstrip().startswith("|"):
            header = []
        elif not header:
            header = [_COLUMNS.get(cell.lower(), "") for cell in cells]
        elif not _RULE.fullmatch(line):
            name = _NAME.fullmatch(cells[0])
            counts = _counts(header, cells)
            if name and counts:
                yield name[1], counts


def _counts(header: list[str], cells: list[str]) -> Counts | None:
    numbers = {
        column: int(number[1].replace(",", ""))
        for column, cell in zip(header, cells, strict=False)
        if column and (number := _NUMBER.fullmatch(cell))
    }
    total = numbers.pop("total", None)
    if not numbers and total is None:
        return None
    return Counts(numbers, None if numbers else total)
