"""A Markdown file's marked numbers against what follows from the committed data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.report.numbers.derivations import DERIVATIONS, derived
from evaluate_shelf.report.numbers.markers import MarkedNumber, Refused, read_markers

_MOST_BYTES = 10_000_000


@dataclass(frozen=True)
class Difference:
    """A number that no longer follows.

    Attributes
    ----------
    file : pathlib.Path
        Where it stands.
    number : MarkedNumber
        As it is written.
    follows : str
        What follows, in the form of what is written.
    """

    file: Path
    number: MarkedNumber
    follows: str

    def __str__(self) -> str:
        return (
            f"{self.file}, line {self.number.line}: {self.number.written} is written, "
            f"{self.follows} follows from {' '.join(self.number.derivation)}"
        )


@dataclass(frozen=True)
class Checked:
    """What a file's check found.

    Attributes
    ----------
    file : pathlib.Path
        The file.
    numbers : int
        How many of its numbers carry a marker.
    differences : tuple of Difference
        Those that no longer follow.
    refused : tuple of Refused
        What is no marker and may have been meant as one, and markers that name nothing.
    """

    file: Path
    numbers: int
    differences: tuple[Difference, ...]
    refused: tuple[Refused, ...]

    def findings(self) -> list[str]:
        """A line for all that does not pass, each with file and line, in their order."""
        differing = [(one.number.line, str(one)) for one in self.differences]
        wrong = [(one.line, f"{self.file}, line {one.line}: {one.problem}") for one in self.refused]
        return [text for _, text in sorted([*differing, *wrong], key=lambda found: found[0])]


def check_numbers(file: Path) -> Checked:
    """Derive every marked number of a Markdown file again.

    Parameters
    ----------
    file : pathlib.Path
        UTF-8 Markdown of at most ten million bytes.

    Returns
    -------
    Checked

    Raises
    ------
    ShelfError
        If the file cannot be read.
    """
    markers = read_markers(_text(file), DERIVATIONS)
    differences, refused = [], list(markers.refused)
    for number in markers.numbers:
        try:
            value = derived(number.derivation)
        except ShelfError as error:
            refused.append(Refused(number.line, str(error)))
            continue
        if not number.follows_from(value):
            differences.append(Difference(file, number, number.as_written(value)))
    return Checked(file, len(markers.numbers), tuple(differences), tuple(refused))


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise ShelfError(f"{file}: more than {_MOST_BYTES:,} bytes; give a smaller file")
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise ShelfError(f"{file}: cannot be read: {reason}") from error
