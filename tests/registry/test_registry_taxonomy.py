from __future__ import annotations

import json
import os
import pickle
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry import Taxonomy, load_taxonomy

TAXONOMY = load_taxonomy()
STOP_WORDS = {"and", "the", "of", "except"}
# These two stand in most category names and tell none from another.
COMMON = {"works", "materials"}


def described() -> list[tuple[str, str]]:
    """Every label that has a description of its own, with it."""
    return [
        *((row.name, row.description) for row in TAXONOMY.classes),
        *((row.name, row.description) for row in TAXONOMY.categories),
        *((row.id, row.description) for row in TAXONOMY.registers),
    ]


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.casefold())


def stem(word: str) -> str:
    """A word without the endings that its plural and its derivations change."""
    singular = re.sub(r"(ies|y|es|s)$", "", word) if len(word) > 4 else word.removesuffix("s")
    return singular[: max(3, len(singular) - 1)] if len(singular) > 5 else singular


def named(label: str, description: str) -> set[str]:
    """Words of the description that give away a word of the label."""
    own = {w for w in words(label) if len(w) >= 3} - STOP_WORDS - COMMON
    return {
        word
        for word in words(description)
        for label_word in own
        if word in {label_word, label_word + "s", label_word.removesuffix("s")}
        or (len(label_word) > 3 and word.startswith(stem(label_word)))
    }


def test_counts() -> None:
    assert len(TAXONOMY.classes) == 21
    assert len(TAXONOMY.categories) == 14
    assert len(TAXONOMY.forms) == 133
    assert sum(len(row.forms) for row in TAXONOMY.categories) == 143
    assert len(TAXONOMY.domains) == 10
    assert sum(map(len, TAXONOMY.domains.values())) == 113
    assert len(TAXONOMY.topics) == 112
    assert len(TAXONOMY.places) == 44
    assert len(TAXONOMY.regions) == 8
    assert len(TAXONOMY.audiences) == 24
    assert len(TAXONOMY.registers) == 8
    assert len(TAXONOMY.lengths) == 8
    assert len(TAXONOMY.output_formats) == 9
    assert len(TAXONOMY.output_format_of_form) == 20


def test_nine_forms_stand_in_several_categories() -> None:
    counts = Counter(form for row in TAXONOMY.categories for form in row.forms)
    assert sorted(form for form, n in counts.items() if n > 1) == [
        "Administrative regulations",
        "Biographies",
        "Commentaries",
        "Essays",
        "Infographics",
        "Interviews",
        "Lectures",
        "Maps",
        "Personal narratives",
    ]


def test_only_australia_has_no_region() -> None:
    assert [row.name for row in TAXONOMY.places if row.region is None] == ["Australia"]
    assert {row.region for row in TAXONOMY.places} - {None} == set(TAXONOMY.regions)


def test_uris_follow_the_pattern() -> None:
    for row in TAXONOMY.classes:
        assert row.uri == f"http://id.loc.gov/authorities/classification/{row.code}"


def test_codes_that_yaml_could_read_as_booleans_are_text() -> None:
    codes = [row.code for row in TAXONOMY.classes]
    assert codes == list("ABCDEFGHJKLMNPQRSTUVZ")


def test_finance_is_in_two_domains_and_drawn_once() -> None:
    domains = [name for name, topics in TAXONOMY.domains.items() if "Finance" in topics]
    assert domains == ["social_sciences", "business"]
    topics = TAXONOMY.topics_of_class("H")
    assert topics.count("Finance") == 1
    assert len(topics) == len(set(topics)) == 15 + 12 - 1
    assert topics[:2] == ("Economics", "Sociology")


def test_every_class_has_topics_of_the_taxonomy() -> None:
    for row in TAXONOMY.classes:
        assert set(TAXONOMY.topics_of_class(row.code)) <= set(TAXONOMY.topics)


@pytest.mark.parametrize(("label", "description"), described(), ids=[d[0] for d in described()])
def test_description_is_one_sentence_that_does_not_name_its_label(
    label: str, description: str
) -> None:
    assert 12 <= len(description.split()) <= 30
    assert re.fullmatch(r"[A-Z][^.!?]*\.", description)
    assert label.casefold() not in description.casefold()
    assert named(label, description) == set()


def test_the_check_of_descriptions_finds_labels() -> None:
    assert named("Law", "Texts on laws.") == {"laws"}
    assert named("Music", "A musical piece for musicians.") == {"musical", "musicians"}
    assert named("Fine Arts", "The art of finesse.") == {"art", "finesse"}
    assert named("Social Sciences", "A scientific look.") == {"scientific"}
    assert named("Law materials", "Printed materials.") == set()


@pytest.mark.parametrize("category", TAXONOMY.categories, ids=lambda row: row.name)
def test_description_of_a_category_names_none_of_its_forms(category: Any) -> None:
    # A form takes its category's description, so this is its own label too.
    text = category.description.casefold()
    for form in category.forms:
        singular = re.escape(form.casefold().removesuffix("s"))
        assert not re.search(rf"\b{singular}s?\b", text), form


def test_descriptions_differ() -> None:
    texts = [text for _, text in described()]
    assert len(set(texts)) == len(texts) == 21 + 14 + 8


def test_output_format_follows_the_form_then_the_category() -> None:
    assert TAXONOMY.output_format("Lectures", "Sound recordings") == "plain_prose"
    assert TAXONOMY.output_format("Lectures", "Discursive works") == "plain_prose"
    assert TAXONOMY.output_format("Podcasts", "Sound recordings") == "transcript_style"
    assert TAXONOMY.output_format("Opera", "Music") == "verse"


def test_description_of_a_form_is_its_category_s() -> None:
    by_name = {row.name: row.description for row in TAXONOMY.categories}
    for category in ("Informational works", "Creative nonfiction"):
        assert TAXONOMY.description_of_form("Essays", category) == by_name[category]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: t.topics_of_class("I"), "unknown class 'I'"),
        (lambda t: t.output_format("Essay", "Literature"), "did you mean Essays"),
        (lambda t: t.description_of_form("Essays", "Musik"), "did you mean Music"),
    ],
)
def test_unknown_label_is_refused_with_what_was_meant(call: Any, message: str) -> None:
    with pytest.raises(ShelfError, match=re.escape(message)):
        call(TAXONOMY)


def test_a_folder_is_read_once() -> None:
    assert load_taxonomy() is TAXONOMY


def test_a_taxonomy_can_be_sent_to_another_process() -> None:
    copy = pickle.loads(pickle.dumps(TAXONOMY))
    assert isinstance(copy, Taxonomy)
    assert copy == TAXONOMY


@pytest.mark.skipif("SHELF_TEST_DATA" not in os.environ, reason="SHELF_TEST_DATA is not set")
def test_taxonomy_agrees_with_the_reference_facts() -> None:
    file = Path(os.environ["SHELF_TEST_DATA"]) / "reference" / "taxonomy.json"
    facts = json.loads(file.read_text(encoding="utf-8"))
    assert {row.code: row.name for row in TAXONOMY.classes} == facts["lcc"]["classes"]
    pattern = facts["lcc"]["uri_pattern"]
    assert all(row.uri == pattern.format(code=row.code) for row in TAXONOMY.classes)
    assert {r.name: list(r.forms) for r in TAXONOMY.categories} == facts["lcgft"]["categories"]
    assert list(TAXONOMY.forms) == facts["lcgft"]["forms_distinct"]
    formats = facts["output_format"]
    assert list(TAXONOMY.output_formats) == formats["ids"]
    assert {r.name: r.output_format for r in TAXONOMY.categories} == formats["category_default"]
    assert TAXONOMY.output_format_of_form == formats["form_override"]
    topics = facts["topics"]["v0_3_1"]
    assert list(TAXONOMY.topics) == topics["distinct"]
    assert {k: list(v) for k, v in TAXONOMY.domains.items()} == topics["by_domain"]
    assert {k: list(v) for k, v in TAXONOMY.domains_of_class.items()} == topics["lcc_to_domain"]
    places = facts["geographic"]["v0_3_1"]
    kinds = {"countries": "country", "us_states": "us_state", "regions": "region", "cities": "city"}
    assert [(row.name, row.kind) for row in TAXONOMY.places] == [
        (name, kinds[kind]) for kind, names in places["by_type"].items() for name in names
    ]
    assert {row.name: row.region for row in TAXONOMY.places} == places["region_of"]
    assert list(TAXONOMY.regions) == places["regions"]
    assert list(TAXONOMY.audiences) == facts["audience"]["values"]
    assert TAXONOMY.audience_none_probability == facts["audience"]["null_probability"]
    weights = {key: row["weight"] for key, row in facts["register"]["ids"].items()}
    assert {row.id: row.weight for row in TAXONOMY.registers} == weights
    lengths = {row.id: row.model_dump(exclude={"id"}) for row in TAXONOMY.lengths}
    assert lengths == facts["target_length"]["ids"]


@pytest.mark.skipif("SHELF_TEST_DATA" not in os.environ, reason="SHELF_TEST_DATA is not set")
def test_register_descriptions_are_not_the_reference_s_words() -> None:
    file = Path(os.environ["SHELF_TEST_DATA"]) / "reference" / "taxonomy.json"
    facts = json.loads(file.read_text(encoding="utf-8"))["register"]["ids"]
    for row in TAXONOMY.registers:
        assert facts[row.id]["description_reworded"].casefold() not in row.description.casefold()
