"""A work of Project Gutenberg's catalogue, and whether the corpus can take it."""

from __future__ import annotations

from dataclasses import dataclass

from builders.corpora.gutenberg.people import Person

MAIN_CLASSES = frozenset("ABCDEFGHJKLMNPQRSTUVZ")


@dataclass(frozen=True, slots=True)
class Work:
    """One row of the catalogue.

    Parameters
    ----------
    number : int
        Project Gutenberg's number of the work.
    kind : str
        The column `Type`: `Text`, `Sound` and so on.
    title : str
        The title on one line.
    languages : tuple of str
        Codes of the languages.
    authors : tuple of Person
        The people without a role.
    contributors : tuple of Person
        The people with a role, such as translators.
    subjects : tuple of str
        Library of Congress Subject Headings.
    locc : tuple of str
        Library of Congress classes, such as `QL` or `E456`.
    issued : str
        The date of publication at Project Gutenberg.
    bookshelves : tuple of str
        Project Gutenberg's own groupings.

    Examples
    --------
    >>> bees = Work(number=4511, title="The Life of the Bee", locc=("QL", "SF"))
    >>> sorted(bees.main_classes)
    ['Q', 'S']
    """

    number: int
    kind: str = "Text"
    title: str = ""
    languages: tuple[str, ...] = ("en",)
    authors: tuple[Person, ...] = ()
    contributors: tuple[Person, ...] = ()
    subjects: tuple[str, ...] = ()
    locc: tuple[str, ...] = ()
    issued: str = ""
    bookshelves: tuple[str, ...] = ()

    @property
    def main_classes(self) -> frozenset[str]:
        """First letters of `locc` that are among the 21 main classes."""
        return frozenset(code[:1].upper() for code in self.locc) & MAIN_CLASSES

    @property
    def people(self) -> tuple[Person, ...]:
        """Authors, then contributors."""
        return self.authors + self.contributors


def refusal(work: Work) -> str | None:
    """Say why the catalogue row keeps a work out of the corpus.

    Parameters
    ----------
    work : Work
        The row.

    Returns
    -------
    str or None
        The reason, or None if the work can be taken.

    Examples
    --------
    >>> refusal(Work(number=1, locc=("PR",))) is None
    True
    >>> refusal(Work(number=1, locc=("PR", "QL")))
    'several main classes: P, Q'
    >>> refusal(Work(number=1, languages=("en", "la"), locc=("PR",)))
    "language is 'en; la', not English alone"
    """
    if work.kind != "Text":
        return f"type is {work.kind!r}, not 'Text'"
    if set(work.languages) != {"en"}:
        return f"language is {'; '.join(work.languages)!r}, not English alone"
    if not work.locc:
        return "no Library of Congress class"
    unknown = sorted(code for code in work.locc if code[:1].upper() not in MAIN_CLASSES)
    if unknown:
        return f"unknown Library of Congress class: {', '.join(unknown)}"
    if len(work.main_classes) > 1:
        return f"several main classes: {', '.join(sorted(work.main_classes))}"
    return None
