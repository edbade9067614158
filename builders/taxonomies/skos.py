"""Concepts of a SKOS vocabulary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from builders.taxonomies.form import MOST_CONCEPTS, Case, Concept, Kind, Reading
from builders.taxonomies.rdf_file import rdf_graph
from evaluate_shelf.errors import ShelfError

if TYPE_CHECKING:
    from rdflib import Graph, URIRef

ALL_SCHEMES = "all"

_SKOS = "http://www.w3.org/2004/02/skos/core#"
_SKOS_XL = "http://www.w3.org/2008/05/skos-xl#"
_ISO_THES = "http://purl.org/iso25964/skos-thes#"
_NO_CONCEPTS = (
    *(f"{_SKOS}{name}" for name in ("ConceptScheme", "Collection", "OrderedCollection")),
    f"{_SKOS_XL}Label",
)
_BROADER = (
    f"{_SKOS}broader",
    *(f"{_ISO_THES}broader{kind}" for kind in ("Generic", "Partitive", "Instantial")),
)
_LICENCE = (
    "http://purl.org/dc/terms/license",
    "http://creativecommons.org/ns#license",
    "https://schema.org/license",
    "http://schema.org/license",
    "http://purl.org/dc/terms/rights",
    "http://purl.org/dc/elements/1.1/rights",
)
_NARROWER = (
    f"{_SKOS}narrower",
    *(f"{_ISO_THES}narrower{kind}" for kind in ("Generic", "Partitive", "Instantial")),
)


def read_skos(path: Path, *, language: str, scheme: str | None = None) -> Reading:
    """Read the concepts of a SKOS file.

    Parameters
    ----------
    path : pathlib.Path
        Turtle or RDF/XML.
    language : str
        Of labels and notes. A text of this very language is taken, else one of a variety of it
        (en-GB for en), else one without a language; a concept that has a label in other languages
        alone is left out. Of several, the first in the order of characters is the label, and
        notes follow each other in that order.
    scheme : str or None
        URI or label of the concept scheme to take, or "all". None: the only one that there is.

    Returns
    -------
    Reading
        In the order of the ids. Alternative labels are kept as such; hidden ones are not.

    Raises
    ------
    ShelfError
        The file cannot be read, has no concept, or has several schemes and none is named.
    """
    graph = rdf_graph(path)
    schemes = _schemes(graph, language)
    chosen = _chosen_scheme(schemes, scheme, path)
    reader = _Reader(graph, language)
    concepts: list[Concept] = []
    members = reader.concepts() if chosen is None else schemes[chosen].concepts
    if not members:
        raise ShelfError(f"{path}: no skos:Concept in it")
    if len(members) > MOST_CONCEPTS:
        raise ShelfError(f"{path}: more than {MOST_CONCEPTS:,} concepts; take a part of it")
    for member in sorted(members, key=str):
        concept = reader.concept(member)
        if concept is not None:
            concepts.append(concept)
    own = [one for one in schemes if chosen in (None, one)]
    terms = (_licence(graph, one, language) for one in own)
    return Reading(
        name=", ".join(schemes[one].name for one in own) or path.name,
        concepts=concepts,
        cases=reader.cases,
        broader_of_left_out=reader.broader_of_left_out,
        uri=", ".join(map(str, own)),
        licence="; ".join(dict.fromkeys(filter(None, terms))),
    )


class _Scheme:
    """A concept scheme and the concepts that say that they are in it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.concepts: set[Any] = set()


class _Reader:
    """Makes concepts of a graph's nodes, and keeps the cases."""

    def __init__(self, graph: Graph, language: str) -> None:
        self.cases: list[Case] = []
        self.broader_of_left_out: dict[str, tuple[str, ...]] = {}
        self._graph = graph
        self._language = language
        self._above = _broader_of(graph)

    def concepts(self) -> set[Any]:
        return _concepts(self._graph)

    def concept(self, node: Any) -> Concept | None:
        from rdflib import URIRef

        label, several = _label(self._graph, node, self._language)
        if not isinstance(node, URIRef):
            self._case(Kind.NO_URI, "", label)
            return None
        broader = tuple(sorted(map(str, self._above[node])))
        is_deprecated = _is_deprecated(self._graph, node)
        if is_deprecated or label is None:
            kind = Kind.DEPRECATED if is_deprecated else Kind.NO_LABEL
            self._case(kind, str(node), label or _any_label(self._graph, node))
            self.broader_of_left_out[str(node)] = broader
            return None
        if several:
            self._case(Kind.SEVERAL_LABELS, str(node), label)
        return Concept(
            id=str(node),
            label=label,
            broader=broader,
            description=self._note(node, f"{_SKOS}definition"),
            scope_note=self._note(node, f"{_SKOS}scopeNote"),
            other_labels=tuple(
                _in_language(self._values(node, f"{_SKOS}altLabel"), self._language)
            ),
            notation=min(map(str, self._values(node, f"{_SKOS}notation")), default=""),
        )

    def _case(self, kind: Kind, identity: str, label: str | None) -> None:
        self.cases.append(Case(kind, identity, label or ""))

    def _values(self, node: Any, predicate: str) -> list[Any]:
        return _literals(self._graph, node, predicate)

    def _note(self, node: Any, predicate: str) -> str:
        return " ".join(_in_language(self._values(node, predicate), self._language))


def _uri(text: str) -> URIRef:
    from rdflib import URIRef

    return URIRef(text)


def _concepts(graph: Graph) -> set[Any]:
    """What is a skos:Concept, or has a preferred label and is nothing else of SKOS."""
    from rdflib import RDF

    named = set(graph.subjects(_uri(f"{_SKOS}prefLabel"), None))
    others = {node for kind in _NO_CONCEPTS for node in graph.subjects(RDF.type, _uri(kind))}
    return set(graph.subjects(RDF.type, _uri(f"{_SKOS}Concept"))) | (named - others)


def _schemes(graph: Graph, language: str) -> dict[Any, _Scheme]:
    """Those schemes that have concepts, in the order of their URIs."""
    links = [
        *((scheme, node) for node, scheme in graph.subject_objects(_uri(f"{_SKOS}inScheme"))),
        *((scheme, node) for node, scheme in graph.subject_objects(_uri(f"{_SKOS}topConceptOf"))),
        *graph.subject_objects(_uri(f"{_SKOS}hasTopConcept")),
    ]
    concepts = _concepts(graph)
    found: dict[Any, set[Any]] = defaultdict(set)
    for scheme, node in links:
        if node in concepts:
            found[scheme].add(node)
    schemes = {}
    for scheme in sorted(found, key=str):
        schemes[scheme] = _Scheme(_any_label(graph, scheme, language) or str(scheme))
        schemes[scheme].concepts = found[scheme]
    return schemes


def _licence(graph: Graph, scheme: Any, language: str) -> str:
    """What a scheme says of its terms: an address, or a text; "" if nothing."""
    from rdflib import URIRef

    for predicate in map(_uri, _LICENCE):
        addresses = (one for one in graph.objects(scheme, predicate) if isinstance(one, URIRef))
        texts = _literals(graph, scheme, str(predicate))
        named = sorted(map(str, addresses))
        found = named or _in_language(texts, language) or sorted(map(str, texts))
        if found:
            return str(found[0])
    return ""


def _chosen_scheme(schemes: dict[Any, _Scheme], wanted: str | None, path: Path) -> Any:
    """The scheme whose concepts are taken; None for all concepts of the file."""
    if wanted == ALL_SCHEMES or (wanted is None and len(schemes) <= 1):
        return None
    matching = [uri for uri, one in schemes.items() if wanted in (str(uri), one.name)]
    if len(matching) == 1:
        return matching[0]
    counts = (f"{one.name} <{uri}>, {len(one.concepts):,} concepts" for uri, one in schemes.items())
    known = "\n  ".join(counts)
    if wanted is None:
        problem = "several concept schemes; name one with --scheme, or take --scheme all"
    else:
        problem = f"{len(matching) or 'no'} concept scheme of the name {wanted!r}"
    raise ShelfError(f"{path}: {problem}:\n  {known}")


def _broader_of(graph: Graph) -> defaultdict[Any, set[Any]]:
    above: defaultdict[Any, set[Any]] = defaultdict(set)
    for predicate in _BROADER:
        for node, other in graph.subject_objects(_uri(predicate)):
            above[node].add(other)
    for predicate in _NARROWER:
        for other, node in graph.subject_objects(_uri(predicate)):
            above[node].add(other)
    return above


def _is_deprecated(graph: Graph, node: Any) -> bool:
    marks = graph.objects(node, _uri("http://www.w3.org/2002/07/owl#deprecated"))
    if any(str(mark).strip().casefold() in ("true", "1") for mark in marks):
        return True
    return (node, _uri("http://purl.org/dc/terms/isReplacedBy"), None) in graph


def _literals(graph: Graph, node: Any, predicate: str) -> list[Any]:
    """Literals of a property, also where a node with rdf:value stands between."""
    from rdflib import RDF, Literal

    found = []
    for value in graph.objects(node, _uri(predicate)):
        if isinstance(value, Literal):
            found.append(value)
        else:
            own = graph.objects(value, RDF.value)
            found += [inner for inner in own if isinstance(inner, Literal)]
    return found


def _labels(graph: Graph, node: Any) -> list[Any]:
    """Preferred labels, else those of SKOS-XL, else RDFS labels."""
    from rdflib import Literal

    own = _literals(graph, node, f"{_SKOS}prefLabel")
    if not own:
        own = [
            form
            for label in graph.objects(node, _uri(f"{_SKOS_XL}prefLabel"))
            for form in graph.objects(label, _uri(f"{_SKOS_XL}literalForm"))
            if isinstance(form, Literal)
        ]
    return own or _literals(graph, node, "http://www.w3.org/2000/01/rdf-schema#label")


def _label(graph: Graph, node: Any, language: str) -> tuple[str | None, bool]:
    """The label in a language, and whether it has several."""
    found = _in_language(_labels(graph, node), language)
    return (found[0], len(found) > 1) if found else (None, False)


def _any_label(graph: Graph, node: Any, language: str = "en") -> str:
    """A label in the language if there is one, else in any."""
    own, _ = _label(graph, node, language)
    if own is None:
        own = _label(graph, node, "")[0]
    if own is None:
        own = min(map(str, _labels(graph, node)), default="")
    return own


def _in_language(values: Iterable[Any], language: str) -> list[str]:
    """Texts of the language, else of its first variety, else without one; sorted."""
    by_tag: dict[str, set[str]] = defaultdict(set)
    for value in values:
        by_tag[(value.language or "").casefold()].add(str(value))
    wanted = language.casefold()
    varieties = sorted(tag for tag in by_tag if tag.startswith(f"{wanted}-"))
    for tag in (wanted, *varieties, ""):
        if tag in by_tag:
            return sorted(by_tag[tag])
    return []
