"""What was changed, set aside and dropped on the way, counted and named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from evaluate_shelf.bounded import one_line

_EXAMPLES = 5
_SHOWN_VALUES = 5
_MOST_VALUES = 10_000
_OTHERS = "(other values)"
_LONGEST_VALUE = 200


class Finding(NamedTuple):
    """One kind of thing that happened to rows.

    Attributes
    ----------
    what : str
        In a few words.
    field : str
        Of which column; empty where it is about rows.
    """

    what: str
    field: str = ""


@dataclass
class Tally:
    """How often, and the first ids."""

    count: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, example: str, count: int = 1) -> None:
        """Count, and name it if it is among the first."""
        self.count += count
        if example and len(self.examples) < _EXAMPLES and example not in self.examples:
            self.examples.append(example)


class Findings:
    """Findings of one config.

    Examples
    --------
    >>> findings = Findings()
    >>> findings.add(Finding("set to null, no label of the taxonomy", "audience"), "d1", "Bees")
    >>> findings.add(Finding("dropped, the body is empty"), "d2")
    >>> for note in findings.notes():
    ...     print(note)
    set to null, no label of the taxonomy: audience: 1 (1 different: 'Bees' 1)
    dropped, the body is empty: 1 (d2)
    """

    def __init__(self) -> None:
        self._tallies: dict[Finding, dict[str, Tally]] = {}

    def add(self, finding: Finding, example: str = "", value: str = "", count: int = 1) -> None:
        """Count a finding: of which row, and with which value."""
        of_value = self._tallies.setdefault(finding, {})
        if value not in of_value and len(of_value) >= _MOST_VALUES:
            value = _OTHERS
        of_value.setdefault(value, Tally()).add(example, count)

    def count(self, finding: Finding) -> int:
        """How often a finding was made."""
        return sum(tally.count for tally in self._tallies.get(finding, {}).values())

    def notes(self) -> list[str]:
        """A line a finding, for a manifest or a terminal."""
        return [one_line(_note(finding, values)) for finding, values in self._sorted()]

    def table(self) -> str:
        """All findings as tab-separated values: what, field, value, rows, ids of the first."""
        lines = ["what\tfield\tvalue\tcount\texamples"]
        for finding, values in self._sorted():
            for value, tally in _by_count(values):
                cells = (
                    *finding, value[:_LONGEST_VALUE], str(tally.count), " ".join(tally.examples)
                )  # fmt: skip
                lines.append("\t".join(one_line(cell) for cell in cells))
        return "\n".join(lines) + "\n"

    def _sorted(self) -> Iterator[tuple[Finding, dict[str, Tally]]]:
        """In the order in which the kinds came up."""
        yield from self._tallies.items()


def _note(finding: Finding, values: dict[str, Tally]) -> str:
    total = sum(tally.count for tally in values.values())
    head = (
        f"{finding.what}: {finding.field}: {total}"
        if finding.field
        else (f"{finding.what}: {total}")
    )
    if set(values) == {""}:
        examples = values[""].examples
        shown = ", ".join(examples) + (", ..." if total > len(examples) else "")
        return f"{head} ({shown})" if examples else head
    named = [f"{value[:60]!r} {tally.count}" for value, tally in _by_count(values)]
    more = f" and {len(named) - _SHOWN_VALUES} more" if len(named) > _SHOWN_VALUES else ""
    return f"{head} ({len(named)} different: {', '.join(named[:_SHOWN_VALUES])}{more})"


def _by_count(values: dict[str, Tally]) -> list[tuple[str, Tally]]:
    """The most frequent value first."""
    return sorted(values.items(), key=lambda item: (-item[1].count, item[0]))
