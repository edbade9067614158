"""From concepts to the rows of a facet, in the form of the taxonomy's files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from builders.taxonomies.descriptions import Describer, as_gloss
from builders.taxonomies.facet_ids import class_codes, register_ids
from builders.taxonomies.form import Case, Concept, Facet, Kind, Reading
from builders.taxonomies.hierarchy import Hierarchy
from builders.taxonomies.selection import down_to, not_chosen, some_of
from evaluate_shelf.errors import ShelfError

Tables = dict[str, Any]
"""Content of the taxonomy's files, by name."""

ONE_DOMAIN = "all"
"""The domain of topics that have no hierarchy."""

OTHERS = "other"
"""The domain, and the category, of what has neither above nor below it."""

_MOST_NARROWER = 40
_PLAIN = "plain_prose"


@dataclass(frozen=True)
class Wanted:
    """How much of a vocabulary becomes labels.

    Attributes
    ----------
    level : int or None
        For the subject, the level whose concepts are the classes (1 if None). For other facets
        the last level that is taken (all if None).
    most : int or None
        The most classes, topics, forms, places, audiences or registers.
    """

    level: int | None = None
    most: int | None = None


@dataclass(frozen=True)
class Made:
    """A facet that was made.

    Attributes
    ----------
    tables : dict of str to object
        The files that it changes.
    labels : int
        How many labels the facet has.
    cases : list of Case
        What was left out, repaired, cleaned.
    concepts : list of Concept
        Those that became labels, or groups of labels.
    remarks : list of str
        What a reader should know of how it was made.
    """

    tables: Tables
    labels: int
    cases: list[Case]
    concepts: list[Concept]
    remarks: list[str]


def make_facet(facet: Facet, reading: Reading, base: Tables, wanted: Wanted) -> Made:
    """Make a facet of the concepts of a vocabulary.

    Parameters
    ----------
    facet : str
        Which.
    reading : Reading
        Tidied; its cases are not repeated.
    base : dict of str to object
        The taxonomy's files that are added to.
    wanted : Wanted
        How much is taken.

    Returns
    -------
    Made

    Raises
    ------
    ShelfError
        If what is left is too little for the facet, or concepts lie above themselves.
    """
    if wanted.level is not None and facet != "subject":
        cut = down_to(reading, wanted.level)
        extra = cut.cases[len(reading.cases) :]
        made = _MAKERS[facet](Hierarchy(cut.concepts), base, wanted, cut.name)
        return Made(made.tables, made.labels, [*extra, *made.cases], made.concepts, made.remarks)
    return _MAKERS[facet](Hierarchy(reading.concepts), base, wanted, reading.name)


def _subject(hierarchy: Hierarchy, base: Tables, wanted: Wanted, name: str) -> Made:
    level = wanted.level or 1
    of_level = [own for own in hierarchy.concepts if hierarchy.level(own) == level]
    chosen = some_of(of_level, wanted.most)
    classes = [hierarchy.concepts[own] for own in of_level if own in chosen]
    if len(classes) < 2:
        raise ShelfError(
            f"{name}: {len(classes)} concept on level {level}, and a subject facet needs two; "
            "choose another --level, or the concepts --under one"
        )
    describer = Describer(hierarchy)
    codes = class_codes(classes)
    rows: list[dict[str, Any]] = []
    described = []
    for concept in classes:
        description = describer.description(concept)
        described.append((concept, description))
        rows.append(
            {
                "code": codes[concept.id],
                "name": concept.label,
                "uri": concept.id,
                "description": description,
                **_narrower(hierarchy, concept.id),
            }
        )
    describer.note_same(described)
    topics = dict(base["topics.yaml"])
    topics["domains_of_class"] = {code: list(topics["domains"]) for code in codes.values()}
    below = {own for concept in classes for own in hierarchy.descendants(concept.id)}
    cases = [
        *not_chosen(hierarchy, chosen, of_level),
        *(
            Case(Kind.NOT_CHOSEN, own, hierarchy.label(own), f"not on level {level}")
            for own in hierarchy.concepts
            if own not in below and hierarchy.level(own) != level
        ),
        *describer.cases,
    ]
    remarks = [
        f"classes are the concepts of level {level}; what lies below one belongs to it",
        "every class draws its topics from all domains",
    ]
    tables = {"lcc.yaml": {"classes": rows}, "topics.yaml": topics}
    return Made(tables, len(rows), cases, classes, remarks)


def _topics(hierarchy: Hierarchy, base: Tables, wanted: Wanted, name: str) -> Made:
    groups, own_group = _groups(hierarchy, wanted.most)
    members = {own for group in groups.values() for own in group}
    topics = [own for own in hierarchy.concepts if own in members]
    names = _names_of_groups(hierarchy, groups, ONE_DOMAIN if hierarchy.is_flat else OTHERS)
    domains = {names[top]: [hierarchy.label(own) for own in group] for top, group in groups.items()}
    describer = Describer(hierarchy)
    glosses, narrower = {}, {}
    for own in topics:
        concept = hierarchy.concepts[own]
        text = describer.own(concept)
        if text:
            glosses[concept.label] = as_gloss(text)
        elif concept.description or concept.scope_note:
            describer.cases.append(Case(Kind.NO_GLOSS, own, concept.label))
        below = _narrower(hierarchy, own)
        if below:
            narrower[concept.label] = below["narrower"]
    classes = {row["code"]: row.get("uri") for row in base["lcc.yaml"]["classes"]}
    domains_of_class = {
        code: [names[uri]] if uri in groups else list(domains) for code, uri in classes.items()
    }
    same = sum(uri in groups for uri in classes.values())
    others = len(classes) - same
    remarks = [
        "a domain is a concept with nothing above it; its topics are what lies below"
        if own_group
        else f"the vocabulary has no hierarchy, so one domain, {ONE_DOMAIN!r}, has all topics",
        f"{same} classes are domains of this vocabulary and draw from their own, {others} from all",
    ]
    table: dict[str, Any] = {"domains": domains, "domains_of_class": domains_of_class}
    if narrower:
        table["narrower_of_topic"] = narrower
    tables = {"topics.yaml": table, "glosses.yaml": _glosses(base, topics=glosses)}
    concepts = [hierarchy.concepts[own] for own in {**groups, **dict.fromkeys(topics)} if own]
    cases = [*_beyond(hierarchy, topics, groups), *describer.cases]
    return Made(tables, len(topics), cases, concepts, remarks)


def _forms(hierarchy: Hierarchy, base: Tables, wanted: Wanted, name: str) -> Made:
    groups, own_group = _groups(hierarchy, wanted.most)
    forms = list(dict.fromkeys(own for members in groups.values() for own in members))
    if len(forms) < 2:
        raise ShelfError(f"{name}: {len(forms)} form, and the facet needs two")
    names = _names_of_groups(hierarchy, groups, name if hierarchy.is_flat else OTHERS)
    describer = Describer(hierarchy, {top: set(members) for top, members in groups.items() if top})
    own_table = base["lcgft.yaml"]
    known_categories = {row["name"].casefold(): row for row in own_table["categories"]}
    known_forms = {
        form.casefold(): layout for form, layout in own_table["output_format_of_form"].items()
    }
    rows = []
    for top, members in groups.items():
        like = known_categories.get(names[top].casefold(), {})
        rows.append(
            {
                "name": names[top],
                "description": describer.description(hierarchy.concepts[top], None)
                if top
                else "Texts of kinds that stand in no group.",
                "output_format": like.get("output_format", _PLAIN),
                "forms": [hierarchy.label(own) for own in members],
            }
        )
    glosses = {}
    layouts = {}
    for own in forms:
        concept = hierarchy.concepts[own]
        text = describer.description(concept, "Works")
        glosses[concept.label] = text if text == concept.label else as_gloss(text)
        if concept.label.casefold() in known_forms:
            layouts[concept.label] = known_forms[concept.label.casefold()]
    table = {
        "output_formats": own_table["output_formats"],
        "categories": rows,
        "output_format_of_form": layouts,
    }
    remarks = [
        "a category is a concept with nothing above it; its forms are what lies below"
        if own_group
        else "the vocabulary has no hierarchy, so one category has all forms",
        f"layout: {_PLAIN}; {len(layouts)} forms, and categories, have that of one with their name",
    ]
    concepts = [hierarchy.concepts[own] for own in {**groups, **dict.fromkeys(forms)} if own]
    cases = [*_beyond(hierarchy, forms, groups), *describer.cases]
    tables = {"lcgft.yaml": table, "glosses.yaml": _glosses(base, forms=glosses)}
    return Made(tables, len(forms), cases, concepts, remarks)


def _places(hierarchy: Hierarchy, base: Tables, wanted: Wanted, name: str) -> Made:
    chosen = some_of(hierarchy.concepts, wanted.most)
    known = {row["name"].casefold(): row for row in base["geographic.yaml"]["places"]}
    regions = [top for top in hierarchy.tops if hierarchy.below[top]]
    region_of: dict[str, str] = {}
    cases = not_chosen(hierarchy, chosen, hierarchy.concepts)
    for region in regions:
        for own in (region, *hierarchy.descendants(region)):
            other = region_of.setdefault(own, region)
            if other != region and own in chosen:
                detail = f"{hierarchy.label(other)}, {hierarchy.label(region)}"
                label = hierarchy.label(own)
                cases.append(Case(Kind.SEVERAL_REGIONS, own, label, detail))
    kept = [concept for own, concept in hierarchy.concepts.items() if own in chosen]
    names = [hierarchy.label(region) for region in regions]
    rows = []
    for concept in kept:
        like = known.get(concept.label.casefold(), {})
        above = hierarchy.label(region_of[concept.id]) if concept.id in region_of else None
        rows.append(
            {
                "name": concept.label,
                "kind": "region" if concept.id in regions else like.get("kind", "place"),
                "region": above if regions else like.get("region"),
            }
        )
    table = {"regions": names or base["geographic.yaml"]["regions"], "places": rows}
    remarks = [
        "a region is a concept with nothing above it and something below, which counts for it"
        if regions
        else "the vocabulary has no hierarchy: a place has a region where the taxonomy that was "
        "added to knows its name, and none otherwise",
    ]
    return Made({"geographic.yaml": table}, len(rows), cases, kept, remarks)


def _audience(hierarchy: Hierarchy, base: Tables, wanted: Wanted, name: str) -> Made:
    kept, cases = _kept(hierarchy, wanted)
    table = {**base["audience.yaml"], "audiences": [concept.label for concept in kept]}
    remarks = [f"a specification names no audience with {table['none_probability']}, as before"]
    return Made({"audience.yaml": table}, len(kept), cases, kept, remarks)


def _register(hierarchy: Hierarchy, base: Tables, wanted: Wanted, name: str) -> Made:
    kept, cases = _kept(hierarchy, wanted)
    describer = Describer(hierarchy)
    ids = register_ids(kept)
    rows = [
        {
            "id": ids[concept.id],
            "description": describer.description(concept, "Writing"),
            "weight": 1.0 / len(kept),
        }
        for concept in kept
    ]
    table = {"registers": rows}
    remarks = ["all registers have the same weight"]
    return Made({"register.yaml": table}, len(kept), [*cases, *describer.cases], kept, remarks)


_MAKERS: dict[str, Callable[[Hierarchy, Tables, Wanted, str], Made]] = {
    "subject": _subject,
    "topics": _topics,
    "forms": _forms,
    "places": _places,
    "audience": _audience,
    "register": _register,
}


def _kept(hierarchy: Hierarchy, wanted: Wanted) -> tuple[list[Concept], list[Case]]:
    chosen = some_of(hierarchy.concepts, wanted.most)
    kept = [concept for own, concept in hierarchy.concepts.items() if own in chosen]
    return kept, not_chosen(hierarchy, chosen, hierarchy.concepts)


def _groups(hierarchy: Hierarchy, most: int | None) -> tuple[dict[str, list[str]], bool]:
    """Members by the concept on top of them, "" for those without; and whether any has one.

    A concept on top of others is no member. Of many members, as many are taken as wanted.
    """
    tops = [top for top in hierarchy.tops if hierarchy.below[top]]
    alone = [top for top in hierarchy.tops if not hierarchy.below[top]]
    of_top = {top: hierarchy.descendants(top) for top in tops}
    chosen = some_of([*(own for members in of_top.values() for own in members), *alone], most)
    groups = {
        top: [own for own in members if own in chosen]
        for top, members in (*of_top.items(), ("", alone))
    }
    return {top: members for top, members in groups.items() if members}, bool(tops)


def _names_of_groups(
    hierarchy: Hierarchy, groups: Iterable[str], name_of_others: str
) -> dict[str, str]:
    """Labels of the concepts on top; the group without one has a name that none of them has."""
    names = {top: hierarchy.label(top) for top in groups if top}
    free = name_of_others
    while free.casefold() in {name.casefold() for name in names.values()}:
        free = f"{free} (no group)"
    return {top: names.get(top, free) for top in groups}


def _beyond(hierarchy: Hierarchy, members: Iterable[str], groups: Iterable[str]) -> list[Case]:
    """Cases of the concepts that are neither labels nor on top of any."""
    own = {*members, *groups}
    return not_chosen(hierarchy, own, hierarchy.concepts)


def _narrower(hierarchy: Hierarchy, identity: str) -> dict[str, list[str]]:
    """Labels below a concept, and other labels of them and of it, as the field of a row."""
    below = [hierarchy.concepts[own] for own in hierarchy.descendants(identity)[:_MOST_NARROWER]]
    labels = [concept.label for concept in below]
    labels += hierarchy.concepts[identity].other_labels
    labels += [other for concept in below for other in concept.other_labels]
    kept = list(dict.fromkeys(labels))[:_MOST_NARROWER]
    return {"narrower": kept} if kept else {}


def _glosses(
    base: Tables, *, forms: dict[str, str] | None = None, topics: dict[str, str] | None = None
) -> Tables:
    """The glosses with those of one facet replaced."""
    known = base.get("glosses.yaml") or {}
    return {
        "forms": known.get("forms", {}) if forms is None else forms,
        "topics": known.get("topics", {}) if topics is None else topics,
    }
