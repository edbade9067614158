"""A figure: pictures, and the numbers behind them."""

from __future__ import annotations

from dataclasses import dataclass

from evaluate_shelf.report.source import Source


@dataclass(frozen=True)
class Picture:
    """A drawing.

    Attributes
    ----------
    alternative : str
        What it shows, in words, for those who do not see it.
    svg, png : bytes
        The same drawing in two forms.
    """

    alternative: str
    svg: bytes
    png: bytes


@dataclass(frozen=True)
class Figure:
    """Pictures of one kind over one table of data.

    Attributes
    ----------
    caption : str
        What it shows and how to read it.
    pictures : tuple of Picture
        At least one.
    source : Source
        The numbers that are drawn; the pictures' files have its name, so it is no other figure's.
    """

    caption: str
    pictures: tuple[Picture, ...]
    source: Source

    def picture_names(self) -> list[str]:
        """The name of each picture's files, without suffix.

        Examples
        --------
        >>> empty, source = Picture("", b"", b""), Source("cost", b"", "")
        >>> Figure("", (empty,), source).picture_names()
        ['cost']
        >>> Figure("", (empty, empty), source).picture_names()
        ['cost-1', 'cost-2']
        """
        name = self.source.name
        if len(self.pictures) == 1:
            return [name]
        return [f"{name}-{number}" for number in range(1, len(self.pictures) + 1)]
