"""Which part of a vocabulary is taken."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace

from builders.taxonomies.form import Case, Concept, Kind, Reading
from builders.taxonomies.hierarchy import Hierarchy
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import brief


def below(reading: Reading, name: str) -> Reading:
    """The concepts below one, which is not among them.

    Parameters
    ----------
    reading : Reading
        Tidied.
    name : str
        Id, notation or label of the concept.

    Returns
    -------
    Reading
        Those right below it have nothing above.

    Raises
    ------
    ShelfError
        If there is no such concept, if several have that name, or if none lies below it.
    """
    hierarchy = Hierarchy(reading.concepts)
    top = _named(reading.concepts, name)
    own = set(hierarchy.descendants(top.id))
    if not own:
        raise ShelfError(f"--under {name}: no concept lies below {top.label!r}")
    kept = [
        replace(concept, broader=tuple(one for one in concept.broader if one in own))
        for concept in reading.concepts
        if concept.id in own
    ]
    return _part_of(reading, kept)


def down_to(reading: Reading, level: int) -> Reading:
    """The concepts of the first levels; 1 is those with nothing above."""
    hierarchy = Hierarchy(reading.concepts)
    own = {one.id for one in reading.concepts if hierarchy.level(one.id) <= level}
    kept = [
        replace(one, broader=tuple(above for above in one.broader if above in own))
        for one in reading.concepts
        if one.id in own
    ]
    return _part_of(reading, kept)


def some_of(ids: Iterable[str], most: int | None) -> set[str]:
    """At most so many ids, drawn by the SHA-256 of each, so that they are the same everywhere.

    Examples
    --------
    >>> len(some_of("abcdef", 4)), some_of("ab", None) == {"a", "b"}
    (4, True)
    """
    known = set(ids)
    if most is None or most >= len(known):
        return known
    return set(sorted(known, key=lambda own: (hashlib.sha256(own.encode()).digest(), own))[:most])


def not_chosen(hierarchy: Hierarchy, chosen: set[str], candidates: Iterable[str]) -> list[Case]:
    """Cases of the candidates that were not chosen."""
    return [
        Case(Kind.NOT_CHOSEN, own, hierarchy.label(own)) for own in candidates if own not in chosen
    ]


def _part_of(reading: Reading, kept: list[Concept]) -> Reading:
    own = {one.id for one in kept}
    gone = (one for one in reading.concepts if one.id not in own)
    cases = [*reading.cases, *(Case(Kind.NOT_CHOSEN, one.id, one.label) for one in gone)]
    return replace(reading, concepts=kept, cases=cases)


def _named(concepts: list[Concept], name: str) -> Concept:
    wanted = name.strip().strip("<>")
    for field in ("id", "notation", "label"):
        found = [one for one in concepts if getattr(one, field).casefold() == wanted.casefold()]
        if len(found) == 1:
            return found[0]
        if found:
            ids = ", ".join(one.id for one in found[:5])
            raise ShelfError(f"--under {name}: several concepts have this {field}: {ids}")
    raise ShelfError(f"--under: no concept has the id, notation or label {brief(name)}")
