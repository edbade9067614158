"""What was read, kept and dropped."""

from __future__ import annotations

from dataclasses import dataclass, field

from evaluate_shelf.release.manifest import Split

_EXAMPLES = 5
_SHOWN = 3


@dataclass(slots=True)
class Dropped:
    """Records that were dropped for one reason.

    Attributes
    ----------
    count : int
        How many.
    examples : list of str
        The first of them, by file and line.
    """

    count: int = 0
    examples: list[str] = field(default_factory=list)


@dataclass(slots=True)
class LcshbenchReport:
    """What became of every line that is not blank.

    Attributes
    ----------
    read : dict of str to int
        Lines of the file `dev` and of the file `test`.
    kept : dict of str to int
        Rows by split.
    dropped : dict of str to Dropped
        All others by reason, in the order in which the reasons came up.
    """

    read: dict[str, int] = field(default_factory=dict)
    kept: dict[Split, int] = field(default_factory=dict)
    dropped: dict[str, Dropped] = field(default_factory=dict)

    def drop(self, reason: str, example: str) -> None:
        """Count a record, and name it if it is among the first."""
        dropped = self.dropped.setdefault(reason, Dropped())
        dropped.count += 1
        if len(dropped.examples) < _EXAMPLES:
            dropped.examples.append(example)

    def notes(self) -> tuple[str, ...]:
        """Say it in lines for a manifest or a terminal.

        Examples
        --------
        >>> report = LcshbenchReport({"test": 0, "dev": 3}, {"train": 2})
        >>> report.drop("its language is not English", "dev file, line 2, id 0f: 'French'")
        >>> for note in report.notes():
        ...     print(note)
        3 lines read (test file: 0, dev file: 3), 2 records kept, 1 dropped
        dropped: its language is not English: 1 (dev file, line 2, id 0f: 'French')
        """
        of_files = ", ".join(f"{side} file: {count}" for side, count in self.read.items())
        read, kept = sum(self.read.values()), sum(self.kept.values())
        dropped = sum(reason.count for reason in self.dropped.values())
        return (
            f"{read} lines read ({of_files}), {kept} records kept, {dropped} dropped",
            *(
                f"dropped: {reason}: {of_it.count} ({'; '.join(of_it.examples[:_SHOWN])})"
                for reason, of_it in self.dropped.items()
            ),
        )

    def table(self) -> str:
        """The reasons as tab-separated values: reason, count, examples."""
        lines = ["reason\tcount\texamples"]
        for reason, of_it in self.dropped.items():
            examples = " | ".join(" ".join(example.split()) for example in of_it.examples)
            lines.append(f"{reason}\t{of_it.count}\t{examples}")
        return "\n".join(lines) + "\n"
