"""What a report says, before it is a page or Markdown: every text is plain and not yet escaped.

Commands stand between backticks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluate_shelf.report.figures.figure import Figure
from evaluate_shelf.report.source import Source

COMMAND = re.compile(r"`((?:shelf |--)[^`|]+)`")
"""What a text writes as a command or an option of one; shown as such."""


@dataclass(frozen=True)
class Heading:
    """The title of a part of a section."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """Prose.

    Attributes
    ----------
    text : str
        One paragraph.
    kind : str
        `note` for what explains a table, `absent` for what was not given, `unusable` for what
        cannot be shown because something that was given is damaged, `warning` for what nobody may
        overlook, else `prose`.
    """

    text: str
    kind: str = "prose"


@dataclass(frozen=True)
class Listing:
    """Statements, one an item."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Rows of text under a header; the first column names the row.

    Attributes
    ----------
    caption : str
        What the table shows.
    header : tuple of str
        The columns.
    rows : tuple of tuple of str
        As many cells each as there are columns.
    source : Source
        The numbers that it shows, among others.
    words : frozenset of int
        Columns besides the first that hold words, not numbers.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    source: Source
    words: frozenset[int] = frozenset()


Block = Heading | Paragraph | Listing | Table | Figure


@dataclass(frozen=True)
class Section:
    """A part of the report with an address of its own.

    Attributes
    ----------
    key : str
        Its address in the page.
    title : str
        Its heading.
    blocks : tuple of Block
        What it says.
    """

    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Report:
    """All of it.

    Attributes
    ----------
    title : str
        Its heading.
    lead : tuple of str
        Paragraphs: what was reported on.
    sections : tuple of Section
        In order.
    """

    title: str
    lead: tuple[str, ...]
    sections: tuple[Section, ...]

    def blocks(self) -> list[Block]:
        """The blocks of all sections, in order."""
        return [block for section in self.sections for block in section.blocks]

    def figures(self) -> list[Figure]:
        """All figures, in order."""
        return [block for block in self.blocks() if isinstance(block, Figure)]

    def sources(self) -> list[Source]:
        """What all tables and figures show, each once, in order."""
        shown = [block.source for block in self.blocks() if isinstance(block, Figure | Table)]
        return list(dict.fromkeys(shown))

    def unusable(self) -> list[str]:
        """What is damaged, and the section that lacks it, each once and in order."""
        return list(
            dict.fromkeys(
                f"{section.title}: {block.text}"
                for section in self.sections
                for block in section.blocks
                if isinstance(block, Paragraph) and block.kind == "unusable"
            )
        )
