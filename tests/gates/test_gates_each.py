"""What each gate refuses and lets pass; the labelled cases have the fine print."""

from __future__ import annotations

import dataclasses
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.corpora.columns import GATES
from builders.gates import language
from builders.gates.labels import OwnLabels, key_of, keys_of
from builders.gates.language import english_probability, language_passes
from builders.gates.length import length_delta, length_passes
from builders.gates.parse import document_of, is_parsed
from builders.gates.readable import readable
from builders.gates.refusal import refusals
from builders.gates.self_label import self_labels
from builders.gates.topic_coverage import topic_coverage
from builders.gates.verdict import Origin, judge, judged, labels_of
from builders.specifications import Specification
from builders.writers.protocol import Provenance, WrittenDocument
from evaluate_shelf.errors import ShelfError

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
WORD = st.text("abcdefgh", min_size=1, max_size=8)
WORDS = st.lists(WORD, min_size=1, max_size=12).map(" ".join)


# G1


@given(title=WORDS, body=st.lists(WORDS, min_size=1, max_size=4).map("\n\n".join))
def test_g1_gives_back_a_title_and_a_body_that_were_put_together(title, body):
    assert document_of(f"{title}\n\n{body}") == (title, body)
    for mark in ("# {}", "## {}", "**{}**", "Title: {}", "**Title:** {}", '"{}"', "# Title: {}"):
        assert document_of(f"{mark.format(title)}\n\n{body}") == (title, body)
    assert document_of(f"```\n{title}\n\n{body}\n```") == (title, body)


@given(st.text(max_size=300))
def test_g1_takes_any_text_apart_and_loses_no_line_of_it(text):
    title, body = document_of(text)
    assert "\n" not in title
    letters = [own for own in text if own.isalnum()]
    kept = [own for own in title + body if own.isalnum()]
    # Marks alone may go: "Title", "Body", and the language of a fence.
    assert len(kept) <= len(letters)
    if not any(word in text.lower() for word in ("title", "body", "```")):
        assert kept == letters


UNSEEN = [
    *map(chr, (0, 1, 7, 8, 14, 27, 28, 31, 127, 128, 155, 159)),
    *"\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2064\u2066\u2069\ufeff",
    *"\ufff9\ufffe\uffff\ufdd0\U000e0001\U000e0061\U0010ffff",
]
VISIBLE = "aé\u0301 \t\u00a0\ufe0f\u05e9👩🏽"


@pytest.mark.parametrize("mark", UNSEEN, ids=lambda mark: f"{ord(mark):04x}")
def test_g1_takes_out_what_nobody_sees(mark):
    text = f"{mark}A t{mark}itle{mark}\n\n{mark}The b{mark}{mark}ody.{mark}"
    assert document_of(text) == ("A title", "The body.")
    assert readable(text) == ("A title\n\nThe body.", 7)
    # What the title's marks are found by is not hidden by them.
    assert document_of(f"Ti{mark}tle: A title\n\nThe body.")[0] == "A title"


@given(st.text(st.sampled_from([*UNSEEN, *VISIBLE, *"\n\r\v\f\x85\u2028\u2029"]) | st.characters()))
def test_g1_leaves_nothing_unseen_in_any_text(text):
    plain, removed = readable(text)
    assert readable(plain) == (plain, 0)
    assert removed >= sum(plain.count(own) < text.count(own) for own in set(UNSEEN))
    # An oracle of its own: Unicode's categories of controls, formats and what is unassigned.
    # The joiners, and the few formats that are seen, of Arabic and other scripts, are others.
    seen = {"\n", "\t", "\u200c", "\u200d"}
    left = {own for own in plain if unicodedata.category(own) == "Cc"} - seen
    assert not left
    assert not {own for own in plain if unicodedata.bidirectional(own) in BIDIRECTIONAL}
    for part in document_of(text):
        assert readable(part) == (part, 0)


BIDIRECTIONAL = {"BN", "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


@given(st.text(st.sampled_from(VISIBLE + "\n")))
def test_g1_takes_nothing_out_of_a_text_in_which_all_is_seen(text):
    assert readable(text) == (text, 0)


def test_g1_keeps_signs_that_are_joined_and_runs_in_one_pass():
    for sign in ("👩\u200d💻", "🏳\ufe0f\u200d🌈", "می\u200cخواهم", "क्\u200dष"):
        assert readable(f"A {sign}.") == (f"A {sign}.", 0)
    assert readable("a" + 200_000 * "\u200d" + "b") == ("ab", 200_000)


@pytest.mark.parametrize("end", ["\r\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029"])
def test_g1_knows_lines_by_any_end(end):
    text = f"A title{end}{end}The body.{end}More."
    assert document_of(text) == ("A title", "The body.\nMore.")
    assert readable(text).removed == 0


@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\u00a0", "\u2003", "---", "* * *"])
def test_g1_refuses_a_title_or_a_body_without_a_letter(blank):
    assert is_parsed("A title", "A body.")
    assert not is_parsed("A title", blank)
    assert not is_parsed(blank, "A body.")


# G2

ENGLISH = "The miller counted his sacks each evening and wrote the number on the wall. "
GERMAN = "Der Müller zählte jeden Abend seine Säcke und schrieb die Zahl an die Wand. "


@pytest.mark.parametrize("times", [1, 3, 40, 400])
def test_g2_tells_english_at_any_length(times):
    for text, passes in ((ENGLISH * times, True), (GERMAN * times, False)):
        assert language_passes(text, english_probability(text)) == passes


def test_g2_lets_a_quotation_pass_and_a_text_that_changes_its_language_not():
    quotation = ENGLISH * 20 + GERMAN * 6 + ENGLISH * 20
    assert english_probability(quotation) >= 0.6
    assert english_probability(ENGLISH * 10 + GERMAN * 40) < 0.5


def test_g2_asks_less_of_a_short_text():
    for words, probability, passes in (
        (39, 0.1, True),
        (40, 0.1, False),
        (39, 0.09, False),
        (40, 0.5, True),
        (40, 0.49, False),
        (5, 0.0, False),
        (4, 0.0, True),
    ):
        assert language_passes("word " * words, probability) == passes, (words, probability)
    assert not language_passes("12 34", 0.0)


@pytest.mark.parametrize("text", ["", " ", "12 34", "--- | ---", "🙂"])
def test_g2_finds_no_english_where_there_is_no_letter(text):
    assert english_probability(text) == 0


@given(st.text(max_size=2000))
def test_g2_gives_a_probability_for_any_text(text):
    assert 0 <= english_probability(text) <= 1
    assert english_probability(text) == english_probability(text)


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


# G4


def all_labels(taxonomy):
    kinds = sorted({own.name for own in taxonomy.categories} | set(taxonomy.forms))
    return kinds, [own.name for own in taxonomy.classes]


def found(title, body, kind="Zithers", subject="Yachts"):
    return self_labels(title, body, OwnLabels((kind,), (subject,), "QZ"))


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("{}", "A beginning."),
        ("**{}**", "A beginning."),
        ("The {}", "A beginning."),
        ("{}: a beginning", "And an end."),
        ("{} \u2013 a beginning", "And an end."),
        ("A beginning ({})", "And an end."),
        ("A beginning", "{}\n\nAnd an end."),
        ("A beginning", "# {}\n\nAnd an end."),
        ("A beginning", "One line.\n\nCategory: {}\n\nAnd an end."),
        ("A beginning", "One line.\n\n**Form:** {}\n\nAnd an end."),
        ("A beginning", "One line. [Genre: {}] And an end."),
        ("A beginning", "One line.\n\n[{}]\n\nAnd an end."),
        ("A beginning", "(LCGFT) {}\n\nAnd an end."),
        ("A beginning", "One line.\n\nLCSH: {}"),
        ("A beginning", "One line.\n\nTags: bees, {}, hay"),
    ],
)
def test_g4_refuses_every_label_where_it_is_presented(taxonomy, title, body):
    kinds, subjects = all_labels(taxonomy)
    for label in kinds:
        assert found(title.format(label), body.format(label), kind=label), label
        assert found(title.format(label.upper()), body.format(label.lower()), kind=label), label
    for label in subjects:
        assert found(title.format(label), body.format(label), subject=label), label


@pytest.mark.parametrize(
    "body",
    [
        "One line.\n\nShe came upon {} and stayed.",
        "{} kept her busy: she had no rest.",
        "What is left ({}) is little.",
        "Of {}: not a word.",
        "They type {} all day.",
        "One line.\n\nAnd more.\n\n## {} of the sea\n\nAnd an end.",
        "(FASTER) {}",
        "She asked for {}; he had none.",
        "“This is {}, is it not?” she said.",
    ],
)
def test_g4_lets_every_label_pass_as_ordinary_words(taxonomy, body):
    kinds, subjects = all_labels(taxonomy)
    for label in kinds:
        assert found("A beginning", body.format(label), kind=label) == [], label
    for label in subjects:
        assert found("A beginning", body.format(label), subject=label) == [], label


@pytest.mark.parametrize("frame", ["This is a {}.", "What follows is a short {} of the sea."])
def test_g4_refuses_a_document_that_says_what_it_is(frame):
    for label, singular in (("Sermons", "sermon"), ("Short stories", "short story")):
        assert found("The Sea", f"{frame.format(singular)} And so on.", kind=label)
        assert found("The Sea", f"{frame.format(singular)} And so on.") == []


def test_g4_knows_only_the_documents_own_labels():
    assert found("Music", "A beginning.") == []
    assert found("A beginning", "Category: Music") == []
    # Metadata of documents are presented whatever they say.
    assert found("A beginning", "Genre: Music")


def test_g4_does_not_take_a_part_of_a_word_for_a_label():
    for text in ("Musicals: a list", "Category: Musicals", "(LCGFT) Musicals", "[Musicals]"):
        assert found("A beginning", text, kind="Music") == [], text


def test_g4_keeps_no_more_than_60_characters_of_a_place():
    hits = found("A beginning", f"Genre: {'x' * 200}")
    assert hits
    assert all(len(hit) <= 60 for hit in hits)


@given(title=st.text(max_size=80), body=st.text(max_size=300))
def test_g4_reads_any_text(title, body):
    assert isinstance(found(title, body), list)


def test_keys_are_the_same_for_singular_plural_case_and_article():
    assert key_of("The Short  Stories") == key_of("short story")
    assert key_of("Sermon") in keys_of("Sermons")
    assert key_of("opinions") in keys_of("Court decisions and opinions")
    assert key_of("casebook") in keys_of("Casebooks (Law)")


# G5


@given(st.lists(st.sampled_from(["Railroads", "Law", "Carbon emissions", "Opera"]), max_size=4))
def test_g5_is_the_share_of_the_topics_that_are_named(topics):
    text = "The railroad's carbon emissions are no matter for the law."
    named = [own for own in topics if own != "Opera"]
    assert topic_coverage(text, topics) == round(len(named) / len(topics), 4) if topics else 1.0


# G7


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"finish_reason": "length"}, "truncation"),
        ({"finish_reason": "content_filter"}, "refusal"),
        ({"flags": ("refusal",)}, "refusal"),
        ({"flags": ("filtered",)}, "refusal"),
    ],
)
def test_g7_believes_the_endpoint(options, kind):
    assert refusals("The tide", "It turned at noon.", finish_reason="stop") == []
    [said] = refusals("The tide", "It turned at noon.", **options)
    assert said.startswith(f"{kind}: ")


@pytest.mark.parametrize("blank", ["", "  \n"])
def test_g7_refuses_an_empty_text(blank):
    assert refusals("The tide", blank)


@given(title=st.text(max_size=80), body=st.text(max_size=300))
def test_g7_reads_any_text(title, body):
    assert all(own.startswith(("refusal: ", "truncation: ")) for own in refusals(title, body))


# All of them


def judged_as(taxonomy, title, body, origin=None, **changes):
    spec = dataclasses.replace(SPEC, **changes)
    length = next(row for row in taxonomy.lengths if row.id == spec.target_length)
    document = WrittenDocument(title, body, Provenance("m", "m@1", "p", "p"))
    return judge(document, spec, length, origin)


BODY = "The tide turned at noon and the boats came home along the shore in the rain."


def test_a_document_that_passes_every_gate_passes(taxonomy):
    verdict = judged_as(taxonomy, "A title", BODY)._asdict()
    assert set(verdict) == set(GATES.names)
    assert verdict == {
        "qc_parse": True,
        "qc_language": True,
        "qc_english": 1.0,
        "qc_length_delta": 0,
        "qc_selflabel": True,
        "qc_topic_coverage": 0.0,
        "qc_near_dup": None,
        "qc_refusal": True,
        "qc_served": True,
        "qc_passed": True,
    }


@pytest.mark.parametrize(
    ("title", "body", "origin", "column", "value"),
    [
        (" ", BODY, Origin(), "qc_parse", False),
        ("A title", f"{BODY} {BODY}", Origin(), "qc_length_delta", 7),
        ("A title", "The tide turned again.", Origin(), "qc_length_delta", -6),
        ("Genre: a title", BODY, Origin(), "qc_selflabel", False),
        ("Music", BODY, Origin(), "qc_selflabel", False),
        ("A title", f"Casebook: {BODY}", Origin(), "qc_selflabel", False),
        ("A title", f"{BODY} [truncated]", Origin(), "qc_refusal", False),
        ("A title", BODY, Origin("length"), "qc_refusal", False),
        ("A title", BODY, Origin("stop", ("served",)), "qc_served", False),
        ("A title", GERMAN, Origin(), "qc_language", False),
    ],
)
def test_a_document_that_fails_one_gate_fails_and_only_that_column_says_so(
    taxonomy, title, body, origin, column, value
):
    verdict = judged_as(taxonomy, title, body, origin)._asdict()
    passing = judged_as(taxonomy, "A title", BODY)._asdict()
    english = {"qc_english": verdict["qc_english"]}
    assert verdict == {**passing, **english, column: value, "qc_passed": False}


def test_labels_as_words_pass(taxonomy):
    body = "Music and law materials and casebooks (law) filled the house for all those years."
    assert judged_as(taxonomy, "Music for the house", body).qc_passed


def test_without_a_known_length_nothing_is_said_of_it_and_of_the_whole():
    labels = labels_of(SPEC)
    verdict, places = judged("A title", BODY, labels, (), None, Origin())
    assert (verdict.qc_length_delta, verdict.qc_passed, places) == (None, None, ())
    verdict, places = judged("Music", BODY, labels, (), None, Origin())
    assert (verdict.qc_passed, places) == (False, ("label: Music",))


def test_the_labels_are_all_of_the_specifications():
    spec = dataclasses.replace(SPEC, audience="Children")
    own = labels_of(spec)
    assert own.kinds == ("Law materials", "Casebooks (Law)")
    assert own.subjects == ("Music",)
    assert own.code == "M"
    assert own.others == ("Opera", "Children", "formal")


@pytest.mark.parametrize(
    "unit",
    [
        "(", "[", "#", "* ", "\n", "\t", "-", "| ", "a,", "Genre: a, ", "(LCC", "This is a ",
        "in the field of ", '"', "\u201c", "\u2018", "...", "<think>", "As an AI, ", "I cannot ",
        "`", "Title: ", "**", "A:", "type ", "\n\n", "LCSH: ", "FAST ",
    ],
)  # fmt: skip
def test_no_text_takes_the_gates_long(unit):
    """Each of these took hours with an expression that goes back over what it has read."""
    text = unit * (100_000 // len(unit))
    title, body = document_of(text)
    labels = labels_of(SPEC)
    judged(title, body, labels, SPEC.topics, (10, 25), Origin())
    judged(text[:2000], f"{text}\n\nx{text}", labels, SPEC.topics, (10, 25), Origin())


def test_without_the_library_the_command_that_installs_it_is_said(monkeypatch):
    monkeypatch.setattr(language, "find_spec", lambda name: None)
    with pytest.raises(ShelfError, match="pip install"):
        language.require_identifier()
