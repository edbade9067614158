"""Distinct labels of one line, distinct ids, and broader concepts that are there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from builders.taxonomies.form import (
    LONGEST_LABEL,
    LONGEST_TEXT,
    Case,
    Concept,
    Kind,
    Reading,
    plain,
)
from evaluate_shelf.printable import UNPRINTABLE

_LETTER = re.compile(r"[^\W_]")
_CONTROL = re.compile(f"[{UNPRINTABLE}]")
_QUALIFIED = "{} ({})"


def tidied(reading: Reading) -> Reading:
    """Repair or leave out what a taxonomy cannot hold.

    Parameters
    ----------
    reading : Reading
        As a reader gave it.

    Returns
    -------
    Reading
        Concepts whose labels are distinct in any case, at most `LONGEST_LABEL` characters, and
        one line; whose ids are distinct; whose broader concepts are among them. Of concepts with
        one id, the first stays. Of concepts with one label, the first keeps it and the others are
        qualified by the label of what is above them, or left out where that makes none of its
        own. Where a broader concept was left out, the next above it takes its place.
    """
    cases = list(reading.cases)
    kept = _with_own_ids(_with_labels(reading.concepts, cases), cases)
    # Before concepts with repeated labels go, since their place in the hierarchy tells them apart.
    known = {concept.id: concept for concept in kept}
    distinct = _with_own_labels(kept, known, cases)
    above = dict(reading.broader_of_left_out)
    above |= {concept.id: concept.broader for concept in reading.concepts}
    own = {concept.id for concept in distinct}
    concepts = [_bridged(concept, own, above, cases) for concept in distinct]
    return Reading(
        name=plain(reading.name)[:LONGEST_LABEL] or "vocabulary",
        concepts=concepts,
        cases=cases,
        uri=plain(reading.uri)[:LONGEST_LABEL],
        licence=plain(reading.licence)[:LONGEST_LABEL],
    )


def _with_labels(concepts: Iterable[Concept], cases: list[Case]) -> Iterable[Concept]:
    for concept in concepts:
        label, identity = plain(concept.label), plain(concept.id)
        if not _LETTER.search(label):
            cases.append(Case(Kind.EMPTY_LABEL, identity, label))
            continue
        if len(label) > LONGEST_LABEL:
            cases.append(Case(Kind.LONG_LABEL, identity, f"{label[:60]}…", f"{len(label):,}"))
            continue
        if _CONTROL.search(concept.label):
            cases.append(Case(Kind.CONTROL, identity, label))
        yield Concept(
            id=identity,
            label=label,
            broader=tuple(map(plain, concept.broader)),
            description=plain(concept.description[:LONGEST_TEXT]),
            scope_note=plain(concept.scope_note[:LONGEST_TEXT]),
            other_labels=tuple(
                other
                for other in dict.fromkeys(map(plain, concept.other_labels))
                if _LETTER.search(other) and len(other) <= LONGEST_LABEL
            ),
            notation=plain(concept.notation)[:LONGEST_LABEL],
        )


def _with_own_ids(concepts: Iterable[Concept], cases: list[Case]) -> list[Concept]:
    first: dict[str, Concept] = {}
    cases += [
        Case(Kind.SAME_ID, concept.id, concept.label, first[concept.id].label)
        for concept in concepts
        if first.setdefault(concept.id, concept) is not concept
    ]
    return list(first.values())


def _with_own_labels(
    concepts: list[Concept], known: Mapping[str, Concept], cases: list[Case]
) -> list[Concept]:
    taken = {concept.label.casefold() for concept in concepts}
    seen: set[str] = set()
    kept = []
    for concept in concepts:
        if concept.label.casefold() not in seen:
            seen.add(concept.label.casefold())
            kept.append(concept)
            continue
        above = (known[one].label for one in concept.broader if one in known)
        qualified = (_QUALIFIED.format(concept.label, label) for label in above)
        free = (
            label
            for label in qualified
            if label.casefold() not in taken and len(label) <= LONGEST_LABEL
        )
        label = next(free, None)
        if label is None:
            cases.append(Case(Kind.SAME_LABEL, concept.id, concept.label))
            continue
        taken.add(label.casefold())
        cases.append(Case(Kind.QUALIFIED, concept.id, label, concept.label))
        kept.append(replace(concept, label=label))
    return kept


def _bridged(
    concept: Concept, own: set[str], above: Mapping[str, tuple[str, ...]], cases: list[Case]
) -> Concept:
    """The concept with broader ones that are there: a way up leads past those that are not."""
    found: dict[str, None] = {}
    for broader in concept.broader:
        if broader in own:
            found[broader] = None
            continue
        nearest = _nearest(broader, own, above)
        found.update(dict.fromkeys(nearest))
        kind = Kind.BRIDGED if nearest else Kind.NO_BROADER
        cases.append(Case(kind, concept.id, concept.label, broader))
    return concept if tuple(found) == concept.broader else replace(concept, broader=tuple(found))


def _nearest(start: str, own: set[str], above: Mapping[str, tuple[str, ...]]) -> list[str]:
    nearest, seen, waiting = [], {start}, [start]
    while waiting:
        for one in above.get(waiting.pop(), ()):
            if one in own:
                nearest.append(one)
            elif one not in seen:
                seen.add(one)
                waiting.append(one)
    return sorted(set(nearest))
