from __future__ import annotations

import dataclasses

import pytest

from builders.gates.length import length_delta, length_passes
from builders.gates.parse import is_parsed
from builders.gates.refusal import is_complete
from builders.gates.self_label import self_labels
from builders.gates.verdict import judge
from builders.specifications import Specification
from builders.writers.protocol import Provenance, WrittenDocument

NOUNS = ("document", "article", "report", "essay", "paper", "text", "guide", "work")
VERBS = ("describes", "discusses", "explores", "presents")
DISCIPLINES = ("law", "medicine", "science", "technology", "education", "agriculture")
# Ranges and slacks of the published gate G3.
SLACKS = [
    ("micro", 10, 25, 5),
    ("tiny", 25, 50, 6),
    ("brief", 50, 100, 12),
    ("short", 100, 250, 38),
    ("medium", 250, 500, 62),
    ("long", 500, 1000, 125),
    ("very_long", 1000, 2000, 250),
    ("extended", 2000, 4000, 500),
]
SPEC = Specification(
    lcc_code="M",
    lcc_name="Music",
    lcgft_category="Law materials",
    lcgft_form="Casebooks (Law)",
    topics=("Opera",),
    geographic=(),
    audience=None,
    register="formal",
    target_length="micro",
    prompt_variant=None,
    block_id="block-00-seed42",
)


# G1


@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\u00a0", "\u2003"])
def test_g1_refuses_a_blank_title_or_body(blank):
    assert is_parsed("A title", "A body.")
    assert not is_parsed(blank, "A body.")
    assert not is_parsed("A title", blank)


# G3


@pytest.mark.parametrize(("length", "low", "high", "slack"), SLACKS)
def test_g3_has_the_published_slack(taxonomy, length, low, high, slack):
    row = next(row for row in taxonomy.lengths if row.id == length)
    assert (row.min_words, row.max_words) == (low, high)
    for words, delta in (
        (low, 0),
        (high, 0),
        (low - 1, -1),
        (high + 1, 1),
        (low - slack, -slack),
        (high + slack, slack),
    ):
        assert length_delta(words, low, high) == delta
        assert length_passes(delta, low, high)
    for words in (low - slack - 1, high + slack + 1):
        assert not length_passes(length_delta(words, low, high), low, high)


def test_g3_refuses_a_document_that_is_ten_times_too_long():
    assert length_delta(1000, 50, 100) == 900
    assert not length_passes(900, 50, 100)


# G4


@pytest.mark.parametrize("acronym", ["LCC", "LCSH", "LCGFT", "FAST"])
@pytest.mark.parametrize("frame", ["{}: Bees", "Filed as {} : x", "({}): Bees", "see [{}]: Bees"])
def test_g4_refuses_an_acronym_before_a_colon_anywhere(acronym, frame):
    assert self_labels(frame.format(acronym), [])


@pytest.mark.parametrize(
    "text",
    [
        "The LCC has 21 classes.",
        "Headings (LCSH) help: they gather.",
        "Eat fast: the bread is warm.",
        "BREAKFAST: eggs",
        "The LCCN: a number",
    ],
)
def test_g4_lets_acronyms_in_running_text_pass(text):
    assert self_labels(text, []) == []


@pytest.mark.parametrize("header", ["Document type", "Subject area", "Category", "Genre"])
@pytest.mark.parametrize(
    "frame", ["{}: x", "A title\n\n{}: x", "## {}: x", "- {} : x", "**{}**: x", "**{}:** x"]
)
def test_g4_refuses_a_header_at_the_start_of_a_line(header, frame):
    for written in (header, header.lower(), header.upper()):
        assert self_labels(frame.format(written), [])


@pytest.mark.parametrize(
    "text",
    [
        "Every genre: none is spared.",
        "Genre fiction sells.",
        "Category theory is hard.\nThe document type matters.",
        "Subcategory: small",
    ],
)
def test_g4_lets_header_words_in_running_text_pass(text):
    assert self_labels(text, []) == []


def test_g4_refuses_the_phrase_that_names_a_field():
    assert self_labels("She worked in the field of optics.", [])
    assert self_labels("In the Field of optics, much is new.", [])
    assert self_labels("They stood in the field and sang of home.", []) == []


@pytest.mark.parametrize("noun", NOUNS)
@pytest.mark.parametrize("verb", VERBS)
def test_g4_refuses_a_document_that_describes_itself(noun, verb):
    assert self_labels(f"This {noun} {verb} bees.", [])
    assert self_labels(f"At its heart, this {noun} briefly {verb} bees.", [])


@pytest.mark.parametrize(
    "text",
    [
        "Keep this guide. It describes the bees.",
        "This paper, which was bought in Paris by an old friend, describes bees.",
        "This report\ndescribes bees.",
        "That report describes bees.",
        "This bee describes a circle.",
        "This workshop presents bees.",
        "This report is described below.",
    ],
)
def test_g4_lets_other_sentences_about_documents_pass(text):
    assert self_labels(text, []) == []


@pytest.mark.parametrize("name", DISCIPLINES)
@pytest.mark.parametrize("word", ["In", "Within"])
def test_g4_refuses_a_line_that_opens_with_its_discipline(word, name):
    assert self_labels(f"{word} {name}, much is new.", [])
    assert self_labels(f"A title\n\n  {word} {name}, much is new.", [])
    assert self_labels(f"She began {word.lower()} {name}, and stayed.", []) == []
    assert self_labels(f"{word} {name} much is new.", []) == []


def labels_of(taxonomy):
    return sorted(
        {subject.name for subject in taxonomy.classes}
        | {category.name for category in taxonomy.categories}
        | set(taxonomy.forms)
    )


@pytest.mark.parametrize(
    "frame",
    [
        "{}: a beginning",
        "A title\n\n{} : a beginning",
        "{} \u2013 a beginning",
        "{}\u2014a beginning",
        "# {}: a beginning",
        "**{}**: a beginning",
        "So it goes ({}: a beginning)",
        "So it goes [{}\u2014a beginning]",
        "type: {}",
        "Form = {}, and more",
        "its class: {}.",
        "the subject: {}\n",
        "(LCGFT) {}",
        "[LCC] {} and more",
    ],
)
def test_g4_refuses_every_label_in_label_position(taxonomy, frame):
    for label in labels_of(taxonomy):
        assert self_labels(frame.format(label), [label]), label


@pytest.mark.parametrize(
    "frame",
    [
        "She came upon {} and stayed.",
        "{} kept her busy: she had no rest.",
        "What is left ({}) is little.",
        "Of {}: not a word.",
        "They type {} all day.",
        "(FASTER) {}",
    ],
)
def test_g4_lets_every_label_pass_as_an_ordinary_word(taxonomy, frame):
    for label in labels_of(taxonomy):
        assert self_labels(frame.format(label), [label]) == [], label


def test_g4_does_not_take_a_part_of_a_word_for_a_label():
    for text in ("Musicals: a list", "Lawful: yes", "type: Musicals", "(LCC) Musicals"):
        assert self_labels(text, ["Music", "Law"]) == []


def test_g4_ignores_case_and_knows_only_its_own_labels():
    assert self_labels("MUSIC: a note", ["Music"])
    assert self_labels("Music: a note", ["Law"]) == []


def test_g4_keeps_no_more_than_60_characters_of_a_hit():
    hits = self_labels("This report " + "x" * 37 + " describes bees.", [])
    assert hits
    assert all(len(hit) <= 60 for hit in hits)


# G7


@pytest.mark.parametrize(
    "refusal",
    [
        "As an AI, I have no view.",
        "As a language model, I have no view.",
        "as an artificial intelligence I have no view.",
        "I'm an AI and have no view.",
        "I am a language model.",
        "I'm unable to do that.",
        "I am not able to help with that.",
        "I cannot help with that.",
        "I can't assist with that request.",
        "I won't write this.",
        "I will not generate it.",
        "I'm sorry, but I must stop here.",
        "My training data ends in May.",
        "That is against my guidelines.",
        "My knowledge cutoff is May.",
    ],
)
def test_g7_refuses_refusals_with_either_apostrophe(refusal):
    for text in (refusal, refusal.replace("'", "\u2019"), f"The tide turned. {refusal} So be it."):
        assert not is_complete(text)


@pytest.mark.parametrize(
    "end",
    [
        "[truncated]",
        "[Truncated for length]",
        "[cut off]",
        "[continued on the next page]",
        "<|endoftext|>",
        "<|im_end|>",
        "and then...",
        "and then...\n\n",
        "and then\u2026",
        "and then \u2026\n",
    ],
)
def test_g7_refuses_marks_of_truncation(end):
    assert not is_complete(f"The tide turned at noon {end}")


@pytest.mark.parametrize("blank", ["", "  \n"])
def test_g7_refuses_an_empty_text(blank):
    assert not is_complete(blank)


@pytest.mark.parametrize(
    "text",
    [
        "The tide turned at noon",
        "The tide... turned at noon.",
        "The tide\u2026 turned at noon.",
        "An AI has no view, said the sailor.",
        "The sailor was sorry, but the tide was not.",
        "Her training took years.",
        "a < b | c > d",
        "See [1] and [note].",
    ],
)
def test_g7_lets_ordinary_text_pass_even_without_a_full_stop(text):
    assert is_complete(text)


# All of them


def judged(taxonomy, title, body, **changes):
    spec = dataclasses.replace(SPEC, **changes)
    length = next(row for row in taxonomy.lengths if row.id == spec.target_length)
    document = WrittenDocument(title, body, Provenance("m", "m@1", "p", "p"))
    return judge(document, spec, length)


WORDS = " ".join(["tide"] * 15) + "."


def test_a_document_that_passes_every_gate_passes(taxonomy):
    verdict = judged(taxonomy, "A title", WORDS)
    assert verdict == (True, 0, True, True, True)
    assert set(verdict._fields) == {
        "qc_parse", "qc_length_delta", "qc_selflabel", "qc_refusal", "qc_passed"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("title", "body", "column", "value"),
    [
        (" ", WORDS, "qc_parse", False),
        ("A title", f"{WORDS} {WORDS} tide", "qc_length_delta", 6),
        ("A title", "tide tide tide tide", "qc_length_delta", -6),
        ("Genre: a title", WORDS, "qc_selflabel", False),
        ("Music: a title", WORDS, "qc_selflabel", False),
        ("A title", f"Law materials: {WORDS}", "qc_selflabel", False),
        ("A title", f"Casebooks (Law): {WORDS}", "qc_selflabel", False),
        ("A title", f"{WORDS} [truncated]", "qc_refusal", False),
    ],
)
def test_a_document_that_fails_one_gate_fails_and_only_that_column_says_so(
    taxonomy, title, body, column, value
):
    verdict = judged(taxonomy, title, body)._asdict()
    passing = judged(taxonomy, "A title", WORDS)._asdict()
    assert verdict == {**passing, column: value, "qc_passed": False}


def test_a_document_within_the_slack_passes_and_its_distance_is_recorded(taxonomy):
    verdict = judged(taxonomy, "A title", "tide tide tide tide tide")
    assert verdict.qc_length_delta == -5
    assert verdict.qc_passed


def test_an_empty_body_fails_every_gate_that_reads_it(taxonomy):
    verdict = judged(taxonomy, "A title", "")
    assert (verdict.qc_parse, verdict.qc_refusal, verdict.qc_passed) == (False, False, False)
    assert verdict.qc_length_delta == -10


def test_labels_as_words_pass(taxonomy):
    body = "Music and law materials and casebooks (law) filled the house for all those years."
    assert judged(taxonomy, "Music for the house", body).qc_passed
