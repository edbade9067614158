"""SKOS in Turtle and RDF/XML: the same concepts, stated rules, no harm from what is hostile."""

from __future__ import annotations

import gzip
import socket
from pathlib import Path

import pytest

from builders.taxonomies import form
from builders.taxonomies.form import Concept, Kind, Reading
from builders.taxonomies.skos import read_skos
from builders.taxonomies.tidying import tidied
from evaluate_shelf.errors import ShelfError

HEAD = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix : <http://x/> .
"""
RDF_XML = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns:skos="http://www.w3.org/2004/02/skos/core#">{}</rdf:RDF>'
)


def read(
    tmp_path: Path, text: str | bytes, language: str = "en", scheme: str | None = None
) -> Reading:
    file = tmp_path / "v.rdf"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_skos(file, language=language, scheme=scheme)


def by_label(reading: Reading) -> dict[str, Concept]:
    return {concept.label: concept for concept in reading.concepts}


def labels_of(reading: Reading, kind: Kind) -> list[str]:
    return [case.label for case in reading.cases if case.kind is kind]


def test_a_thesaurus_is_read_whole(crafts: Path) -> None:
    reading = read_skos(crafts, language="en")
    assert reading.name == "Thesaurus of handcrafts"
    assert len(reading.concepts) == 35
    own = by_label(reading)
    assert own["Weaving"] == Concept(
        id="http://example.org/crafts/c11",
        label="Weaving",
        broader=("http://example.org/crafts/c10",),
        description="The crossing of two sets of threads at right angles on a loom.",
        other_labels=("Loom work",),
    )
    assert own["Woodcraft"].notation == "20"
    assert own["Basketry"].broader == (
        "http://example.org/crafts/c20",
        "http://example.org/crafts/c50",
    )
    assert labels_of(reading, Kind.DEPRECATED) == ["Pokerwork", "Smithcraft"]
    assert labels_of(reading, Kind.NO_LABEL) == ["Lasinhionta"]


def test_turtle_rdf_xml_and_gzip_say_the_same(crafts: Path, tmp_path: Path) -> None:
    import rdflib

    graph = rdflib.Graph().parse(crafts, format="turtle")
    other = tmp_path / "crafts.rdf"
    graph.serialize(other, format="pretty-xml", encoding="utf-8")
    packed = tmp_path / "crafts.ttl.gz"
    packed.write_bytes(gzip.compress(crafts.read_bytes()))
    expected = read_skos(crafts, language="en")
    assert read_skos(other, language="en") == expected
    assert read_skos(packed, language="en") == expected


def test_the_way_up_leads_past_a_deprecated_concept(crafts: Path) -> None:
    reading = tidied(read_skos(crafts, language="en"))
    assert by_label(reading)["Branding irons"].broader == ("http://example.org/crafts/c20",)
    assert labels_of(reading, Kind.BRIDGED) == ["Branding irons"]


def test_a_repeated_label_is_qualified(crafts: Path) -> None:
    reading = tidied(read_skos(crafts, language="en"))
    own = by_label(reading)
    assert own["Engraving"].id.endswith("c36")
    assert own["Engraving (Paper crafts)"].id.endswith("c55")


@pytest.mark.parametrize(
    ("literals", "language", "label", "several"),
    [
        ('"a"@en, "b"@fi', "en", "a", False),
        ('"a"@en, "b"@fi', "FI", "b", False),
        ('"a"@en-GB, "b"@en-US, "c"', "en", "a", False),
        ('"z"@en, "a"@en-GB', "en", "z", False),
        ('"b"@en, "a"@en', "en", "a", True),
        ('"plain", "b"@fi', "en", "plain", False),
        ('"b"@fi', "en", None, False),
        ('"b"@eng', "en", None, False),
    ],
)
def test_which_label_is_taken(
    tmp_path: Path, literals: str, language: str, label: str | None, several: bool
) -> None:
    text = f'{HEAD}:1 a skos:Concept; skos:prefLabel {literals} . :2 skos:prefLabel "other" .'
    reading = read(tmp_path, text, language)
    assert [one.label for one in reading.concepts if one.id == "http://x/1"] == (
        [label] if label else []
    )
    assert bool(labels_of(reading, Kind.SEVERAL_LABELS)) is several


def test_narrower_counts_as_broader_the_other_way_and_labels_of_skos_xl_are_read(
    tmp_path: Path,
) -> None:
    text = f"""{HEAD}
    @prefix xl: <http://www.w3.org/2008/05/skos-xl#> .
    :1 a skos:Concept ; skos:prefLabel "top"@en ; skos:narrower :2 .
    :2 a skos:Concept ; xl:prefLabel [ xl:literalForm "below"@en ] ;
       skos:definition [ <http://www.w3.org/1999/02/22-rdf-syntax-ns#value> "A note."@en ] .
    _:b a skos:Concept ; skos:prefLabel "nameless"@en .
    :c a skos:Collection ; skos:prefLabel "no concept"@en ."""
    reading = read(tmp_path, text)
    below = by_label(reading)["below"]
    assert (below.broader, below.description) == (("http://x/1",), "A note.")
    assert set(by_label(reading)) == {"top", "below"}
    assert labels_of(reading, Kind.NO_URI) == ["nameless"]


SCHEMES = f"""{HEAD}
:s1 a skos:ConceptScheme ; skos:prefLabel "First"@en . :s2 a skos:ConceptScheme .
:1 a skos:Concept ; skos:prefLabel "one"@en ; skos:inScheme :s1 .
:2 a skos:Concept ; skos:prefLabel "two"@en ; skos:topConceptOf :s2 .
:3 a skos:Concept ; skos:prefLabel "three"@en ; skos:inScheme :s1, :s2 ."""


def test_of_several_schemes_one_has_to_be_named(tmp_path: Path) -> None:
    with pytest.raises(ShelfError, match=r"(?s)--scheme.*First <http://x/s1>, 2 concepts"):
        read(tmp_path, SCHEMES)
    with pytest.raises(ShelfError, match="no concept scheme of the name 'Third'"):
        read(tmp_path, SCHEMES, scheme="Third")
    assert set(by_label(read(tmp_path, SCHEMES, scheme="First"))) == {"one", "three"}
    assert set(by_label(read(tmp_path, SCHEMES, scheme="http://x/s2"))) == {"two", "three"}
    assert set(by_label(read(tmp_path, SCHEMES, scheme="all"))) == {"one", "two", "three"}


ENTITY = '<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
LAUGHS = '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]>'
CONCEPT = '<skos:Concept rdf:about="http://x/1"><skos:prefLabel>{}</skos:prefLabel></skos:Concept>'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (ENTITY + RDF_XML.format(CONCEPT.format("&e;")), "DOCTYPE"),
        ('<?xml version="1.0"?>' + LAUGHS + RDF_XML.format(CONCEPT.format("&c;")), "DOCTYPE"),
        (RDF_XML.format(CONCEPT.format("x"))[:-9], "line 1: no well-formed XML"),
        (RDF_XML.format("<skos:Concept>" * 200), "elements inside each other"),
        (RDF_XML.format('<skos:Concept rdf:nodeID="1 2"/>'), "no RDF/XML"),
        (HEAD + ":1 a skos:Concept ; ; ] .", "no Turtle"),
        (HEAD + ":1 skos:broader " + "(" * 5000, "too deeply nested"),
        (HEAD + ':1 a skos:Concept ; skos:prefLabel "\udcff" .', "no Turtle"),
        (HEAD + "nope:1 a skos:Concept .", "line 4: no Turtle"),
        (HEAD, "no skos:Concept"),
        ('{"@context": "http://127.0.0.1:9/"}', "JSON-LD"),
        ("ÿþ".encode("latin-1") + b"<\x00", "UTF-16"),
        (b"\x1f\x8b\x08\x00broken", "cannot be read to its end"),
        (b"\x00\x01\x02binary", "no Turtle"),
        ("just a text\n", "no Turtle"),
    ],
)
def test_what_is_no_vocabulary_is_refused_with_a_message(
    tmp_path: Path, content: str | bytes, message: str
) -> None:
    data = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
    with pytest.raises(ShelfError, match=message) as caught:
        read(tmp_path, data)
    assert str(tmp_path / "v.rdf") in str(caught.value)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.ttl", tmp_path):
        with pytest.raises(ShelfError):
            read_skos(path, language="en")


def test_a_file_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(form, "MOST_BYTES", 2**20)
    bomb = gzip.compress(HEAD.encode() + b"#" * 2**22)
    assert len(bomb) < 2**14
    with pytest.raises(ShelfError, match="larger than 1 MiB"):
        read(tmp_path, bomb)


def test_nothing_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was made")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    text = f"""{HEAD}@base <http://127.0.0.1:9/x> .
    <> a owl:Ontology ; owl:imports <http://127.0.0.1:9/more> .
    <1> a skos:Concept ; skos:prefLabel "one"@en ; skos:broader <http://127.0.0.1:9/2> ."""
    assert set(by_label(read(tmp_path, text))) == {"one"}
    xml = RDF_XML.format(CONCEPT.format("one")).replace(
        "<rdf:RDF", '<rdf:RDF xml:base="http://127.0.0.1:9/"'
    )
    assert set(by_label(read(tmp_path, xml))) == {"one"}


def test_relative_ids_do_not_depend_on_where_the_file_is(tmp_path: Path) -> None:
    text = (
        HEAD
        + '<#1> a skos:Concept ; skos:prefLabel "one" . <2> a skos:Concept ; skos:prefLabel "two" .'
    )
    ids = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        ids.append([one.id for one in read(tmp_path / name, text).concepts])
    assert ids[0] == ids[1]
    assert str(tmp_path) not in "".join(ids[0])
