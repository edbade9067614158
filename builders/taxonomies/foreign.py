"""Whose labels a taxonomy has where they are not SHELF's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from builders.taxonomies.form import Facet
from builders.taxonomies.importing import imports_of
from evaluate_shelf.bounded import one_line
from evaluate_shelf.registry.taxonomy import Taxonomy, load_taxonomy

_LONGEST = 200


class Slot(NamedTuple):
    """Where a facet's labels stand.

    Attributes
    ----------
    labels : str
        What they are called in a sentence.
    columns : tuple of str
        Of a release.
    of : callable
        The labels of a taxonomy.
    """

    labels: str
    columns: tuple[str, ...]
    of: Callable[[Taxonomy], Sequence[str]]


SLOTS: Mapping[Facet, Slot] = {
    "subject": Slot(
        "subject classes",
        ("lcc_code", "lcc_name", "lcc_uri"),
        lambda own: [row.name for row in own.classes],
    ),
    "forms": Slot("forms", ("lcgft_category", "lcgft_form"), lambda own: own.forms),
    "topics": Slot("topics", ("topics",), lambda own: own.topics),
    "places": Slot("places", ("geographic",), lambda own: [row.name for row in own.places]),
    "audience": Slot("audiences", ("audience",), lambda own: own.audiences),
    "register": Slot(
        "registers",
        ("register", "register_description"),
        lambda own: [row.id for row in own.registers],
    ),
}
"""The columns of each facet, which keep their names whatever stands in them."""


@dataclass(frozen=True)
class ForeignLabels:
    """The labels of a facet that are not SHELF's.

    Attributes
    ----------
    facet : str
    vocabulary : str
        Its name; "" where no import is on record.
    uri : str
        Of the vocabulary, or what the ids of its concepts begin with; "" if unknown.
    licence : str
        As its file, or who imported it, says; "" if neither does.
    labels : int
        How many the taxonomy has.
    read : int or None
        Concepts that were read; None where no import is on record.
    file : str
        Name and format of the file; "" where no import is on record.
    counts : mapping of str to int
        What was left out, repaired or cleaned.
    """

    facet: Facet
    vocabulary: str
    uri: str
    licence: str
    labels: int
    read: int | None = None
    file: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def slot(self) -> Slot:
        """Where its labels stand."""
        return SLOTS[self.facet]

    @property
    def name(self) -> str:
        """The vocabulary's name, or that it has none."""
        return self.vocabulary or "a vocabulary that is not on record"


def foreign_labels(folder: Path | None) -> tuple[ForeignLabels, ...]:
    """The facets of a taxonomy that are not SHELF's.

    Parameters
    ----------
    folder : pathlib.Path or None
        As for `load_taxonomy`.

    Returns
    -------
    tuple of ForeignLabels
        In the order of `SLOTS`: those that were imported, and those that differ from SHELF's
        without an import on record.

    Raises
    ------
    ShelfError
        If there is no such taxonomy, or its record is damaged.

    Examples
    --------
    >>> foreign_labels(None)
    ()
    """
    if folder is None:
        return ()
    taxonomy, shelfs = load_taxonomy(folder), load_taxonomy()
    records = {one["facet"]: one for one in imports_of(folder)}
    return tuple(
        _of(facet, len(slot.of(taxonomy)), records.get(facet, {}))
        for facet, slot in SLOTS.items()
        if facet in records or set(slot.of(taxonomy)) != set(slot.of(shelfs))
    )


def in_words(labels: Sequence[ForeignLabels]) -> str:
    """Whose labels they are, for a sentence.

    Examples
    --------
    >>> topics, forms = (ForeignLabels(own, "YSO", "", "", 3) for own in ("topics", "forms"))
    >>> in_words([topics, forms, ForeignLabels("places", "Parishes", "", "", 9)])
    'topics and forms of YSO; places of Parishes'
    """
    facets: dict[str, list[str]] = {}
    for own in labels:
        facets.setdefault(own.name, []).append(own.slot.labels)
    return "; ".join(f"{_listed(names)} of {name}" for name, names in facets.items())


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _of(facet: Facet, labels: int, record: Mapping[str, Any]) -> ForeignLabels:
    source = record.get("source")
    source = source if isinstance(source, dict) else {}
    file, form = _text(source.get("file")), _text(source.get("format"))
    counts, read = record.get("counts"), record.get("concepts_read")
    return ForeignLabels(
        facet=facet,
        vocabulary=_text(record.get("vocabulary")),
        uri=_text(record.get("uri")),
        licence=_text(record.get("licence")),
        labels=labels,
        read=read if isinstance(read, int) else None,
        file=f"{file} ({form})" if file and form else file,
        counts={
            _text(kind): count
            for kind, count in (counts.items() if isinstance(counts, dict) else ())
            if isinstance(count, int)
        },
    )


def _text(value: object) -> str:
    return one_line(value, _LONGEST) if isinstance(value, str) else ""
