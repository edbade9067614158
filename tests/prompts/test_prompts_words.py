"""What prompts say: every facet's content, and no label of the class, category or form."""

from __future__ import annotations

import dataclasses
import re
from itertools import cycle, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.gates.parse import document_of
from builders.prompts.labels import labels_of, named, without
from builders.prompts.prompt import Prompter, labels_named
from builders.specifications import Specification, draw_block
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.generation import PromptChoice
from evaluate_shelf.registry.prompts import load_wording
from evaluate_shelf.registry.taxonomy import load_taxonomy

TAXONOMY = load_taxonomy()
WORDING = load_wording()
VARIANTS = tuple(WORDING.variants)
CHOICE = PromptChoice(variants=VARIANTS)


def prompter(taxonomy=TAXONOMY, **changes) -> Prompter:
    return Prompter(taxonomy, CHOICE.model_copy(update=changes), WORDING)


def names(text: str, label: str) -> bool:
    """The issue's own rule: a label of four letters or more, at word boundaries, in any case."""
    return len(label) >= 4 and bool(re.search(rf"(?i)(?<!\w){re.escape(label)}(?!\w)", text))


def every_combination(topics_of):
    """Each class with each category and form, under every variant, all other facets going round."""
    registers, lengths = cycle(row.id for row in TAXONOMY.registers), cycle(TAXONOMY.lengths)
    audiences, places = cycle((*TAXONOMY.audiences, None)), cycle(TAXONOMY.places)
    kinds = [(row.name, form) for row in TAXONOMY.categories for form in row.forms]
    for subject, (category, form), variant in product(TAXONOMY.classes, kinds, VARIANTS):
        yield Specification(
            lcc_code=subject.code,
            lcc_name=subject.name,
            lcgft_category=category,
            lcgft_form=form,
            topics=topics_of(subject.code),
            geographic=(next(places).name,),
            audience=next(audiences),
            register=next(registers),
            target_length=next(lengths).id,
            prompt_variant=variant,
            block_id="b",
        )


@pytest.mark.slow
@pytest.mark.parametrize("glosses", [False, True])
def test_no_prompt_names_class_category_or_form(glosses):
    own = prompter(topic_glosses=glosses, examples=True)
    wrong = set()
    for spec in every_combination(TAXONOMY.topics_of_class):
        text = own.prompt(spec).text
        wrong |= {
            (label, spec.prompt_variant)
            for label in (spec.lcc_name, spec.lcgft_category, spec.lcgft_form)
            if names(text, label)
        }
    assert wrong == set()


def described(text: str, description: str) -> bool:
    """Whether a description stands in a text, but for what names a label."""
    wanted = set(re.findall(r"\w+", description.casefold()))
    return len(wanted - set(re.findall(r"\w+", text.casefold()))) <= len(wanted) // 4


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 10**6), st.booleans())
def test_the_content_of_every_facet_stands_in_its_prompt(seed, glosses):
    [spec] = draw_block(TAXONOMY, block_id="b", seed=seed, size=1, variants=VARIANTS)
    text = prompter(topic_glosses=glosses).prompt(spec).text
    subject = next(row for row in TAXONOMY.classes if row.code == spec.lcc_code)
    category = next(row for row in TAXONOMY.categories if row.name == spec.lcgft_category)
    register = next(row for row in TAXONOMY.registers if row.id == spec.register)
    length = next(row for row in TAXONOMY.lengths if row.id == spec.target_length)
    for description in (
        subject.description,
        category.description,
        register.description,
        TAXONOMY.form_glosses[spec.lcgft_form],
    ):
        assert described(text, description)
    labels = labels_of(spec)
    for topic in spec.topics:
        heading = not named(topic, labels)
        assert (topic in text) or not heading
        assert (TAXONOMY.topic_glosses[topic] in text) or (heading and not glosses)
    assert all(place in text for place in spec.geographic)
    assert spec.audience is None or spec.audience in text
    assert f"{length.min_words} to {length.max_words} words" in text
    layout = TAXONOMY.output_format(spec.lcgft_form, spec.lcgft_category)
    assert WORDING.layouts[layout] in text
    assert sum(own in text for own in WORDING.layouts.values()) == 1
    assert "{" not in text


def spec_of(**changes) -> Specification:
    [spec] = draw_block(TAXONOMY, block_id="b", seed=3, size=1, variants=["s1-plain"])
    return dataclasses.replace(spec, **changes)


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_not_specified_is_not_mentioned(variant):
    with_both = spec_of(audience="Lawyers", geographic=("Peru", "Chile"), prompt_variant=variant)
    without_any = dataclasses.replace(with_both, audience=None, geographic=())
    long, short = (
        prompter().prompt(spec).messages[1].content.split("\n") for spec in (with_both, without_any)
    )
    gone = [line for line in long if line not in short]
    assert len(gone) == len(long) - len(short) == 2
    assert sorted(("Lawyers" in line, "Peru and Chile" in line) for line in gone) == [
        (False, True),
        (True, False),
    ]


@pytest.mark.parametrize("variant", VARIANTS)
def test_topic_words_are_forbidden_only_where_that_is_wanted(variant):
    spec = spec_of(topics=("Ethics", "Religion"), prompt_variant=variant)
    plain = prompter().prompt(spec).messages[1].content.split("\n")
    strict = prompter(avoid_topic_words=True).prompt(spec).messages[1].content.split("\n")
    assert strict[:-1] == plain
    assert "Ethics, Religion" in strict[-1]


def test_a_topic_that_is_also_a_label_is_given_by_what_it_means():
    spec = spec_of(
        lcc_code="M", lcc_name="Music", topics=("Music", "Ethics"), lcgft_category="Ephemera",
        lcgft_form="Posters",
    )  # fmt: skip
    text = prompter(avoid_topic_words=True).prompt(spec).text
    assert "music" not in text.casefold()
    assert TAXONOMY.topic_glosses["Music"] in text
    assert "Ethics" in text


def test_a_taxonomy_without_other_words_keeps_the_label_and_says_so():
    bare = dataclasses.replace(
        TAXONOMY,
        form_glosses={},
        topic_glosses={},
        classes=(TAXONOMY.classes[0].model_copy(update={"description": "Kites"}),),
    )
    spec = spec_of(lcc_code="A", lcc_name="Kites", topics=("Kites",), geographic=())
    prompt = prompter(bare).prompt(spec)
    assert labels_named(prompt, spec) == ("Kites",)
    # A form without a gloss is described as its category, once.
    category = next(r for r in bare.categories if r.name == spec.lcgft_category).description
    assert prompt.text.casefold().count(category.rstrip(".").casefold()) == 1


def test_variants_say_the_same_in_other_words():
    texts = [prompter().prompt(spec_of(prompt_variant=name)).text for name in VARIANTS]
    assert len(set(texts)) == len(VARIANTS) == 4
    starts = [row.system[:30] for row in WORDING.variants.values()]
    assert len(set(starts)) == 4
    lines = [line for row in WORDING.variants.values() for line in row.brief]
    assert len(set(lines)) == len(lines)


def test_the_text_of_a_prompt_is_its_messages_apart():
    prompt = prompter().prompt(spec_of())
    assert prompt.text == "\n\n".join(own.content for own in prompt.messages)
    assert [own.role for own in prompt.messages] == ["system", "user"]
    assert prompt.variant_id == "s1-plain"


@pytest.mark.parametrize("variant", VARIANTS)
def test_an_example_stands_between_the_system_and_the_order_where_it_is_wanted(variant):
    spec = spec_of(prompt_variant=variant)
    plain, shown = (prompter(examples=own).prompt(spec).messages for own in (False, True))
    assert [own.role for own in shown] == ["system", "user", "assistant", "user"]
    assert (shown[0], shown[-1]) == plain
    title, body = document_of(shown[2].content)
    assert (title, body) == tuple(shown[2].content.split("\n\n", maxsplit=1))
    low, high = map(int, re.search(r"(\d+) to (\d+) words", shown[1].content).groups())
    assert low <= len(body.split()) <= high


@pytest.mark.parametrize("variant", VARIANTS)
def test_an_example_is_put_in_the_words_of_its_variant(variant):
    own = WORDING.variants[variant]
    starts = [line.partition("{")[0] for line in own.brief]
    assert all(any(line.startswith(start) for start in starts) for line in own.example.brief)


def test_a_variant_without_an_example_is_refused_where_one_is_wanted():
    bare = {
        name: own.model_copy(update={"example": None}) for name, own in WORDING.variants.items()
    }
    wording = WORDING.model_copy(update={"variants": bare})
    assert Prompter(TAXONOMY, CHOICE, wording).prompt(spec_of())
    with pytest.raises(ShelfError, match="row 's1-plain', field 'example'"):
        Prompter(TAXONOMY, CHOICE.model_copy(update={"examples": True}), wording)


def test_a_specification_of_another_plan_s_variant_is_refused():
    with pytest.raises(ShelfError, match="unknown prompt variant 's1-editor'"):
        prompter(variants=("s1-plain",)).prompt(spec_of(prompt_variant="s1-editor"))


def test_an_output_format_without_layout_is_refused():
    odd = dataclasses.replace(TAXONOMY, output_formats=(*TAXONOMY.output_formats, "braille"))
    with pytest.raises(ShelfError, match=r"'layouts'.*'braille'"):
        prompter(odd)


def test_every_form_and_topic_has_a_gloss_that_does_not_name_it():
    assert set(TAXONOMY.form_glosses) == set(TAXONOMY.forms)
    assert set(TAXONOMY.topic_glosses) == set(TAXONOMY.topics)
    for glosses in (TAXONOMY.form_glosses, TAXONOMY.topic_glosses):
        assert len(set(glosses.values())) == len(glosses)
        for label, gloss in glosses.items():
            assert not names(gloss, label)
            assert without(gloss, (label,)) == gloss
            assert gloss[-1] != "."
