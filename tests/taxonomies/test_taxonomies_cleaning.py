"""Labels are found in descriptions and taken out so that what is left still reads."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.taxonomies.cleaning import says_something, sentences, without_labels
from builders.taxonomies.descriptions import Describer
from builders.taxonomies.finding import LabelFinder, singular, variants
from builders.taxonomies.form import Concept, Kind
from builders.taxonomies.hierarchy import Hierarchy
from builders.taxonomies.scope_notes import covered
from evaluate_shelf.registry.taxonomy import load_taxonomy


def finder(*labels: str) -> LabelFinder:
    return LabelFinder(enumerate_as_ids(labels))


def enumerate_as_ids(labels: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(str(number), label) for number, label in enumerate(labels)]


def cleaned(text: str, *labels: str) -> str:
    return without_labels(text, finder(*labels).places)


@pytest.mark.parametrize(
    ("text", "label", "stands"),
    [
        ("Houses and temples.", "Temple", True),
        ("A TEMPLE.", "temples", True),
        ("The temple's roof.", "Temples", True),
        ("Contemplation of life.", "Temple", False),
        ("Templeton is a town.", "Temple", False),
        ("Many churches.", "Church", True),
        ("Case studies.", "Case study", True),
        ("Children at play.", "Child", True),
        ("Rules of law.", "Law", False),
        ("A modern art of life.", "Art, Modern", True),
        ("Cranes lift loads.", "Cranes (Birds)", True),
        ("Boat-building yards.", "Boat building", True),
        ("A boat. Building it.", "Boat building", False),
        ("The theses of Luther.", "Thesis", True),
        ("Straße und Weg", "STRASSE", True),
    ],
)
def test_a_label_is_found_as_whole_words_in_any_case_and_number(
    text: str, label: str, stands: bool
) -> None:
    assert bool(finder(label).places(text)) is stands


def test_the_longest_label_is_found_and_only_wanted_ones() -> None:
    own = finder("glass", "stained glass")
    text = "Panes of stained glass."
    (place,) = own.places(text)
    assert (text[place.start : place.end], place.id) == ("stained glass", "1")
    (other,) = own.places(text, lambda identity: identity == "0")
    assert text[other.start : other.end] == "glass"


@pytest.mark.parametrize(
    ("singular_form", "plural"),
    [
        ("temple", "temples"),
        ("church", "churches"),
        ("study", "studies"),
        ("box", "boxes"),
        ("man", "men"),
        ("analysis", "analyses"),
        ("tie", "ties"),
        ("glass", "glasses"),
        ("bus", "bus"),
        ("leaf", "leaves"),
    ],
)
def test_singular_and_plural_are_compared_alike(singular_form: str, plural: str) -> None:
    assert singular(singular_form) == singular(plural)


# Text, the one label or more (split at a bar) that it must not hold, and what is left.
CASES = [
    # The subject of a definition.
    ("Temples are buildings for worship.", "temple", "Buildings for worship."),
    ("A temple is a house of a god. It has a hall.", "temple", "A house of a god. It has a hall."),
    # Brackets.
    ("Houses of gods (temples) in cities.", "temple", "Houses of gods in cities."),
    # Items of lists, at each place.
    ("Churches, temples and mosques for all.", "temple", "Churches and mosques for all."),
    ("Churches, mosques, and temples.", "temple", "Churches and mosques."),
    ("Towers, gates, temples, walls and wells.", "temple", "Towers, gates, walls and wells."),
    ("To pray in: temples, mosques and churches.", "temple", "To pray in: mosques and churches."),
    ("Temples and churches in cities.", "temple", "Churches in cities."),
    # Examples.
    ("Sacred architecture, such as temples.", "temple", "Sacred architecture."),
    ("Sacred art, such as temples and mosques.", "temple", "Sacred art, such as mosques."),
    # A neighbour in a clause of its own, and two of them.
    ("Fabric of one thread, unlike weaving.", "knitting|weaving", "Fabric of one thread."),
    ("Joined boards, carving and turning left out.", "carving|turning", "Joined boards."),
    # Semicolons part what is cleaned by itself.
    ("Food of all kinds; bread is baked dough.", "bread", "Food of all kinds; baked dough."),
    ("Sacred buildings; see also temples.", "temple", "Sacred buildings."),
    # An item whose list leads on cannot take the lead-in along; a clause cannot go without.
    ("The make-up of a temple by age, size and use.", "temple", ""),
    ("Baked goods: bread made of wheat, cakes, and pies.", "bread", "Baked goods."),
    # A tail that can be missed.
    ("Objects used by priests in temples.", "temple", "Objects used by priests."),
    # Sentences.
    ("Halls with columns. Temples stood there.", "temple", "Halls with columns."),
    # Nothing that says anything is left.
    ("The study of temples.", "temple", ""),
    ("Temples.", "temple", ""),
    ("All temples, and other temples.", "temple", ""),
    # What would be left could not stand alone.
    ("Temples, which are houses of gods in the cities of Greece.", "temple", ""),
    # Nothing to do.
    ("  Odd , spacing stays .", "temple", "  Odd , spacing stays ."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "labels", "result"), CASES)
def test_the_smallest_part_with_the_label_goes(text: str, labels: str, result: str) -> None:
    assert cleaned(text, *labels.split("|")) == result


WORDS = st.sampled_from(
    ["temple", "temples", "church", "and", "or", ",", ";", ":", ".", "(", ")", "the", "of", "in",
     "which", "are", "such as", "stone", "old", "walls", "–", "Bells", "e.g."]
)  # fmt: skip


def joined(words: list[str]) -> str:
    """The words as a text, without blanks where none are written."""
    text = re.sub(r" ([,;:.)])", r"\1", " ".join(words)).replace("( ", "(")
    return re.sub(r"[,;:.)(]{2,}", ".", text)


HOLE = re.compile(r"  | [,;:.)]|,[,;.]|\(\s*\)")


@given(st.lists(WORDS, max_size=25).map(joined))
def test_no_label_and_no_hole_is_left_whatever_the_text(text: str) -> None:
    places = finder("temple", "church").places
    result = without_labels(text, places)
    assert not places(result)
    assert without_labels(result, places) == result
    if result != text:
        assert result == "" or says_something(result)
        assert HOLE.search(text) or not HOLE.search(result)
        assert not re.match(r"(?:and|or)\b", result, re.IGNORECASE)
    kept = set(re.findall(r"\w+", result.casefold()))
    assert kept <= set(re.findall(r"\w+", text.casefold()))


def test_short_labels_are_left_alone() -> None:
    assert variants("Law") == []
    assert cleaned("The law of the sea.", "Law") == "The law of the sea."


def test_sentences_end_where_they_end() -> None:
    text = "Of St. Paul, cf. Rome. It ends? Yes."
    assert sentences(text) == ["Of St. Paul, cf. Rome.", "It ends?", "Yes."]


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("Here are entered works on the keeping of bees.", "The keeping of bees."),
        ("Here are entered general works on bees. For honey see Foods.", "Bees."),
        ("Works on honey are entered under Foods.", ""),
        ("Use for songs of work. See also Ballads.", "Songs of work."),
        ("Songs of sailors at work.", "Songs of sailors at work."),
    ],
)
def test_a_scope_note_s_directions_are_left_out(note: str, text: str) -> None:
    assert covered(note) == text


def test_siblings_share_what_is_above_and_tops_are_siblings() -> None:
    concepts = [
        Concept("1", "plants", description="Living things that are no animals, with roots."),
        Concept(
            "2", "animals", description="Living things with legs, wings or fins, unlike plants."
        ),
        Concept("3", "ferns", ("1",), "Green plants without seeds."),
        Concept("4", "mosses", ("1",), "Low green cushions, unlike ferns."),
        Concept("5", "birds", ("2",), "Flyers among the mosses."),
    ]
    hierarchy = Hierarchy(concepts)
    describer = Describer(hierarchy)
    texts = {one.id: describer.description(one) for one in concepts}
    assert texts["2"] == "Living things with legs, wings or fins."
    # What lies above, and what lies elsewhere, may be named.
    assert texts["3"] == "Green plants without seeds."
    assert texts["5"] == "Flyers among the mosses."
    assert texts["4"] == "Low green cushions."
    assert Kind.CLEANED in {case.kind for case in describer.cases}


def test_where_nothing_is_left_the_label_stands_and_is_reported() -> None:
    concepts = [Concept("1", "Lace", description="Lace."), Concept("2", "Yarn")]
    describer = Describer(Hierarchy(concepts))
    assert [describer.description(one) for one in concepts] == ["Lace", "Yarn"]
    kept = [case.label for case in describer.cases if case.kind is Kind.LABEL_KEPT]
    assert kept == ["Lace", "Yarn"]


def domain_mates(topic: str) -> list[str]:
    """A topic and those that share a domain with it."""
    domains = load_taxonomy().domains.values()
    return sorted({own for domain in domains if topic in domain for own in domain})


def own_and_siblings() -> list[tuple[str, str, list[str]]]:
    taxonomy = load_taxonomy()
    classes = [row.name for row in taxonomy.classes]
    categories = [row.name for row in taxonomy.categories]
    registers = [row.id.replace("_", " ") for row in taxonomy.registers]
    return [
        *((row.name, row.description, classes) for row in taxonomy.classes),
        *((row.name, row.description, categories) for row in taxonomy.categories),
        *((row.id, row.description, registers) for row in taxonomy.registers),
        *(
            (form, taxonomy.form_glosses[form], list(row.forms))
            for row in taxonomy.categories
            for form in row.forms
            if form in taxonomy.form_glosses
        ),
        *((topic, gloss, domain_mates(topic)) for topic, gloss in taxonomy.topic_glosses.items()),
        *(
            (f"{row.name}, its forms", row.description, list(row.forms))
            for row in taxonomy.categories
        ),
    ]


@pytest.mark.parametrize(
    ("label", "description", "labels"),
    own_and_siblings(),
    ids=[one[0] for one in own_and_siblings()],
)
def test_no_description_of_shelf_s_own_taxonomy_names_a_label(
    label: str, description: str, labels: list[str]
) -> None:
    found = finder(*labels).places(description)
    assert [description[place.start : place.end] for place in found] == []
