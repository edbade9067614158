from __future__ import annotations

import dataclasses
import re
from collections import defaultdict

import pytest

from builders.gates.self_label import self_labels
from builders.gates.verdict import labels_of
from builders.writers.lexical import lexical_writers

# Slack of the published gate G3: a quarter of the range, at least five words.
SLACKS = {
    "micro": (10, 25, 5),
    "tiny": (25, 50, 6),
    "brief": (50, 100, 12),
    "short": (100, 250, 38),
    "medium": (250, 500, 62),
    "long": (500, 1000, 125),
    "very_long": (1000, 2000, 250),
    "extended": (2000, 4000, 500),
}
HEADER = re.compile(r"(?im)^\W*(?:document type|subject area|category|genre|form|subject)\W*[:=]")


@pytest.fixture(scope="module")
def writers(lexicon, taxonomy):
    return lexical_writers(lexicon, taxonomy)


@pytest.fixture(scope="module")
def one_of_each_format(drawn, taxonomy):
    """Two specifications of each output format that a form has."""
    found = defaultdict(list)
    for spec in drawn:
        found[taxonomy.output_format(spec.lcgft_form, spec.lcgft_category)].append(spec)
    return [spec for specs in found.values() for spec in specs[:2]]


@pytest.fixture(scope="module")
def written(writers, drawn):
    """Documents of many specifications, each with its own."""
    return [(spec, writers[n % 5].write(spec, seed=42)) for n, spec in enumerate(drawn[:1000])]


def named_in_label_position(label, text):
    """Whether a line begins with the label, or a bracket does, and a colon or dash follows."""
    name = re.escape(label)
    place = rf"(?:^[^\w(\[]*|[(\[])\W{{0,3}}{name}\W{{0,3}}?(?::|\s*[\u2013\u2014]|\s-{{1,2}}\s)"
    return re.search(rf"(?im){place}", text) is not None


def test_the_search_for_labels_finds_them():
    for text in ("Music: x", "a\n\n- **Music**: x", "so (Music \u2014 x)", "Music - x", "MUSIC: x"):
        assert named_in_label_position("Music", text)
    for text in ("Music is loud: so", "their music: x", "Musicals: x", "music-making was"):
        assert not named_in_label_position("Music", text)


def test_the_same_specification_and_seed_give_the_same_bytes(
    writers, lexicon, taxonomy, one_of_each_format
):
    again = lexical_writers(lexicon, taxonomy)
    for spec in one_of_each_format:
        for writer, other in zip(writers, again, strict=True):
            assert writer.write(spec, 42) == other.write(spec, 42)


def test_what_was_written_before_changes_nothing(writers, lexicon, taxonomy, one_of_each_format):
    fresh = lexical_writers(lexicon, taxonomy)
    backwards = [fresh[0].write(spec, 42) for spec in reversed(one_of_each_format)]
    assert backwards[::-1] == [writers[0].write(spec, 42) for spec in one_of_each_format]


def test_another_seed_gives_another_text(writers, one_of_each_format):
    for spec in one_of_each_format:
        for writer in writers:
            assert writer.write(spec, 42).body != writer.write(spec, 43).body


def test_every_style_writes_another_text(writers, one_of_each_format):
    assert len({writer.model for writer in writers}) == 5
    for spec in one_of_each_format:
        assert len({writer.write(spec, 42).body for writer in writers}) == 5


def test_the_block_changes_no_text(writers, one_of_each_format):
    for spec in one_of_each_format:
        moved = dataclasses.replace(spec, block_id="block-07-seed49")
        assert writers[0].write(moved, 42) == writers[0].write(spec, 42)


@pytest.mark.parametrize("length", SLACKS)
def test_a_document_is_as_long_as_asked_for(writers, one_of_each_format, length, taxonomy):
    low, high, slack = SLACKS[length]
    row = next(row for row in taxonomy.lengths if row.id == length)
    assert (row.min_words, row.max_words) == (low, high)
    for spec in one_of_each_format:
        asked = dataclasses.replace(spec, target_length=length)
        for writer in writers:
            words = len(writer.write(asked, 42).body.split())
            assert low - slack <= words <= high + slack, (spec.lcgft_form, writer.model)


def test_no_document_names_its_class_category_or_form_in_label_position(written):
    hits = [
        (label, document.title)
        for spec, document in written
        for label in (spec.lcc_name, spec.lcgft_category, spec.lcgft_form)
        if named_in_label_position(label, f"{document.title}\n\n{document.body}")
    ]
    assert hits == []


def test_no_document_has_a_header_or_a_code_of_its_labels(written):
    hits = []
    for spec, document in written:
        hits += self_labels(document.title, document.body, labels_of(spec))
        hits += HEADER.findall(f"{document.title}\n\n{document.body}")
    assert hits == []


def test_no_document_holds_an_unfilled_slot(written):
    assert [d.title for _, d in written if re.search(r"[{}]", d.title + d.body)] == []


def test_every_document_has_a_title_and_a_body(written):
    assert all(document.title.strip() and document.body.strip() for _, document in written)


def test_no_document_is_a_mass_of_white_space(written):
    for _, document in written:
        assert document.body == document.body.strip()
        assert not re.search(r"[ \t]{2,}|\n{3,}| \n", document.body)
        assert "\n" not in document.title


def test_every_sentence_begins_with_a_capital(written):
    """The first letter of a paragraph's sentences, wherever a full stop precedes."""
    for _, document in written:
        assert re.findall(r"[a-z]{3}[.!?] [a-z]\w*", document.body) == []


def test_the_same_specifications_go_to_every_style(core):
    rows = [row for table in core.batches() for row in table.to_pylist()]
    by_model = defaultdict(list)
    for row in rows:
        by_model[row["model"]].append(row["spec_id"])
    assert len(by_model) == 4
    first, *others = (sorted(specs) for specs in by_model.values())
    assert len(first) == len(set(first))
    assert all(other == first for other in others)


def test_all_documents_of_a_specification_lie_in_one_split(core):
    split_of = {}
    for split in core.splits:
        for spec_id in core.table(["spec_id"], [split])["spec_id"].to_pylist():
            assert split_of.setdefault(spec_id, split) == split
