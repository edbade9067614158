"""Published labels as labels of the taxonomy."""

from __future__ import annotations

import functools
from collections.abc import Collection
from dataclasses import dataclass

from builders.published.findings import Finding, Findings
from evaluate_shelf.registry.taxonomy import load_taxonomy

FILLED = "stored as null, published as an empty text"
_RESPELT = "written as in the taxonomy, published in another case or spacing"
_UNKNOWN = "set to null, no label of the taxonomy"
_UNKNOWN_ITEM = "left out of the list, no label of the taxonomy"
_REPEATED = "left out of the list, it stands there twice"


@dataclass(frozen=True)
class LabelSpace:
    """The labels that a column can have.

    Attributes
    ----------
    labels : frozenset of str
        As the taxonomy writes them.
    folded : dict of str to str
        By their form without case and with single spaces.
    """

    labels: frozenset[str]
    folded: dict[str, str]

    @classmethod
    def of(cls, labels: Collection[str]) -> LabelSpace:
        """Labels that are different without case and spacing too."""
        return cls(frozenset(labels), {_folded(label): label for label in labels})

    def found(self, value: str) -> str | None:
        """The label that a value is, but for case and white space; None where it is none.

        Examples
        --------
        >>> space = LabelSpace.of(["Policy makers"])
        >>> space.found(" policy  Makers"), space.found("Bees")
        ('Policy makers', None)
        """
        return value if value in self.labels else self.folded.get(_folded(value))


@functools.cache
def label_spaces() -> dict[str, LabelSpace]:
    """The label space of each column that has one.

    Examples
    --------
    >>> label_spaces()["register"].found("Academic")
    'academic'
    """
    taxonomy = load_taxonomy()
    spaces: dict[str, Collection[str]] = {
        "lcc_code": [subject.code for subject in taxonomy.classes],
        "lcgft_category": [category.name for category in taxonomy.categories],
        "lcgft_form": taxonomy.forms,
        "audience": taxonomy.audiences,
        "register": [register.id for register in taxonomy.registers],
        "target_length": [length.id for length in taxonomy.lengths],
        "topics": taxonomy.topics,
        "geographic": [place.name for place in taxonomy.places],
    }
    return {field: LabelSpace.of(labels) for field, labels in spaces.items()}


def known_label(value: str | None, field: str, document: str, findings: Findings) -> str | None:
    """A column's value as a label, or None; what was changed is counted."""
    if value is None:
        return None
    if not value.strip():
        findings.add(Finding(FILLED, field), document)
        return None
    label = label_spaces()[field].found(value)
    if label is None:
        findings.add(Finding(_UNKNOWN, field), document, value)
    elif label != value:
        findings.add(Finding(_RESPELT, field), document, value)
    return label


def known_labels(values: list[str], field: str, document: str, findings: Findings) -> list[str]:
    """A list's values as labels, each once; what was changed is counted."""
    found: list[str] = []
    for value in values:
        label = label_spaces()[field].found(value)
        if label is None:
            findings.add(Finding(_UNKNOWN_ITEM, field), document, value)
        elif label in found:
            findings.add(Finding(_REPEATED, field), document, label)
        else:
            if label != value:
                findings.add(Finding(_RESPELT, field), document, value)
            found.append(label)
    return found


def _folded(value: str) -> str:
    return " ".join(value.casefold().split())
