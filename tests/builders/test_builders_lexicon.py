from __future__ import annotations

import re

from builders.writers.lexicon import SLOTS, slots_of

SLOT = re.compile(r"\{([A-Za-z]+)\}")
ROLES = ("things", "people", "actions")


def terms_of(vocabulary):
    return [term for role in ROLES for term in getattr(vocabulary, role)]


def patterns_of(lexicon):
    """Every text of the lexicon that the writer fills, with where it stands."""
    for name, row in lexicon.patterns.items():
        for part in ("sentences", "place_sentences", "headings", "titles"):
            yield from ((f"patterns {name} {part}", text) for text in getattr(row, part))
    for table in ("categories", "forms", "audiences"):
        for name, row in getattr(lexicon, table).items():
            yield from ((f"{table} {name}", text) for text in row.sentences)
    for name, row in lexicon.registers.items():
        yield from ((f"registers {name}", text) for text in row.sentences)


def plain_texts_of(lexicon):
    """Every text that the writer takes as it is."""
    for row in (*lexicon.classes.values(), *lexicon.topics.values()):
        yield from terms_of(row)
    for row in lexicon.registers.values():
        yield from (*row.openers, *row.closers)
    for row in lexicon.styles.values():
        yield from (*row.connectives, *row.fillers, row.joint)


def test_every_label_has_its_words(lexicon, taxonomy):
    assert set(lexicon.classes) == {subject.code for subject in taxonomy.classes}
    assert set(lexicon.topics) == set(taxonomy.topics)
    assert set(lexicon.categories) == {category.name for category in taxonomy.categories}
    assert set(lexicon.forms) == set(taxonomy.forms)
    assert set(lexicon.registers) == {register.id for register in taxonomy.registers}
    assert set(lexicon.audiences) == set(taxonomy.audiences)
    assert set(lexicon.patterns) == set(taxonomy.output_formats)


def test_a_class_has_at_least_60_terms(lexicon):
    few = {code: len(set(terms_of(row))) for code, row in lexicon.classes.items()}
    assert {code: count for code, count in few.items() if count < 60} == {}


def test_a_topic_has_at_least_15_terms(lexicon):
    few = {topic: len(set(terms_of(row))) for topic, row in lexicon.topics.items()}
    assert {topic: count for topic, count in few.items() if count < 15} == {}


def test_a_format_has_at_least_25_sentence_patterns(lexicon):
    few = {name: len(set(row.sentences)) for name, row in lexicon.patterns.items()}
    assert {name: count for name, count in few.items() if count < 25} == {}


def test_no_term_and_no_pattern_stands_twice_in_its_list(lexicon):
    lists = {
        f"{table} {name} {role}": getattr(row, role)
        for table in ("classes", "topics")
        for name, row in getattr(lexicon, table).items()
        for role in ROLES
    }
    lists |= {
        f"patterns {name} {part}": getattr(row, part)
        for name, row in lexicon.patterns.items()
        for part in ("sentences", "place_sentences", "headings", "titles")
    }
    assert [place for place, texts in lists.items() if len(set(texts)) < len(texts)] == []


def test_every_slot_is_known(lexicon):
    unknown = [
        (place, slot)
        for place, text in patterns_of(lexicon)
        for slot in SLOT.findall(text)
        if slot not in SLOTS and slot not in {name.capitalize() for name in SLOTS}
    ]
    assert unknown == []


def test_no_brace_stands_outside_a_slot(lexicon):
    stray = [text for _, text in patterns_of(lexicon) if re.search(r"[{}]", SLOT.sub("", text))]
    stray += [text for text in plain_texts_of(lexicon) if re.search(r"[{}]", text)]
    assert stray == []


def test_a_place_is_asked_for_only_where_the_writer_has_one(lexicon):
    """A specification may name no place; only place sentences are kept for those that do."""
    wrong = [
        (place, text)
        for place, text in patterns_of(lexicon)
        if not place.endswith("place_sentences") and "place" in map(str.lower, slots_of(text))
    ]
    assert wrong == []


def test_every_place_sentence_has_its_place(lexicon):
    for name, row in lexicon.patterns.items():
        for text in row.place_sentences:
            assert "place" in map(str.lower, slots_of(text)), (name, text)


def test_there_are_five_styles(lexicon):
    assert len(lexicon.styles) == 5
    assert len({row.connectives for row in lexicon.styles.values()}) == 5
