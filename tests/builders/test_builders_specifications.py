from __future__ import annotations

import dataclasses
from collections import Counter

import pytest
from scipy.stats import chi2_contingency, chisquare

from builders.specifications import draw_block
from evaluate_shelf.errors import ShelfError

# A draw that is as it should be fails one such test in a thousand seeds; the seed is fixed.
LEAST_P = 0.001


def table(pairs):
    pairs = list(pairs)
    counts = Counter(pairs)
    rows, columns = (sorted({pair[side] for pair in pairs}, key=str) for side in (0, 1))
    return [[counts[row, column] for column in columns] for row in rows]


def p_of_uniform(counts):
    return chisquare(list(counts)).pvalue


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("lcc_code", "lcgft_category"),
        ("lcc_code", "register"),
        ("lcc_code", "target_length"),
        ("lcgft_category", "register"),
        ("lcgft_category", "target_length"),
        ("register", "target_length"),
    ],
)
def test_two_facets_are_drawn_independently(drawn, first, second):
    counts = table((getattr(spec, first), getattr(spec, second)) for spec in drawn)
    assert chi2_contingency(counts).pvalue > LEAST_P


@pytest.mark.parametrize("facet", ["lcc_code", "lcgft_category", "register", "target_length"])
def test_audience_and_number_of_places_are_drawn_independently_of(drawn, facet):
    for other in (lambda spec: spec.audience is None, lambda spec: len(spec.geographic)):
        counts = table((getattr(spec, facet), other(spec)) for spec in drawn)
        assert chi2_contingency(counts).pvalue > LEAST_P


def test_every_class_is_as_likely(drawn, taxonomy):
    counts = Counter(spec.lcc_code for spec in drawn)
    assert set(counts) == {subject.code for subject in taxonomy.classes}
    assert p_of_uniform(counts.values()) > LEAST_P


def test_every_category_is_as_likely_and_every_form_within_it(drawn, taxonomy):
    counts = Counter(spec.lcgft_category for spec in drawn)
    assert set(counts) == {category.name for category in taxonomy.categories}
    assert p_of_uniform(counts.values()) > LEAST_P
    for category in taxonomy.categories:
        forms = Counter(s.lcgft_form for s in drawn if s.lcgft_category == category.name)
        assert set(forms) == set(category.forms)
        assert p_of_uniform(forms.values()) > LEAST_P


@pytest.mark.parametrize(
    ("facet", "table_of"), [("register", "registers"), ("target_length", "lengths")]
)
def test_weights_are_met(drawn, taxonomy, facet, table_of):
    rows = getattr(taxonomy, table_of)
    counts = Counter(getattr(spec, facet) for spec in drawn)
    assert set(counts) == {row.id for row in rows}
    expected = [len(drawn) * row.weight for row in rows]
    assert chisquare([counts[row.id] for row in rows], expected).pvalue > LEAST_P


def test_names_belong_to_codes(drawn, taxonomy):
    names = {subject.code: subject.name for subject in taxonomy.classes}
    assert all(spec.lcc_name == names[spec.lcc_code] for spec in drawn)


def test_topics_are_distinct_and_of_the_classes_domains(drawn, taxonomy):
    for spec in drawn:
        domains = taxonomy.domains_of_class[spec.lcc_code]
        allowed = {topic for domain in domains for topic in taxonomy.domains[domain]}
        assert set(spec.topics) <= allowed
        assert len(set(spec.topics)) == len(spec.topics)
    numbers = Counter(len(spec.topics) for spec in drawn)
    assert set(numbers) == {1, 2, 3, 4}
    assert p_of_uniform(numbers.values()) > LEAST_P


def test_every_topic_of_a_class_occurs(drawn, taxonomy):
    for subject in taxonomy.classes:
        seen = {topic for s in drawn if s.lcc_code == subject.code for topic in s.topics}
        assert seen == set(taxonomy.topics_of_class(subject.code))


def test_places_are_distinct_and_none_to_two(drawn, taxonomy):
    places = {place.name for place in taxonomy.places}
    for spec in drawn:
        assert len(set(spec.geographic)) == len(spec.geographic)
        assert set(spec.geographic) <= places
    numbers = Counter(len(spec.geographic) for spec in drawn)
    assert set(numbers) == {0, 1, 2}
    assert p_of_uniform(numbers.values()) > LEAST_P


def test_every_place_is_as_likely_alone(drawn, taxonomy):
    alone = Counter(spec.geographic[0] for spec in drawn if len(spec.geographic) == 1)
    assert set(alone) == {place.name for place in taxonomy.places}
    assert p_of_uniform(alone.values()) > LEAST_P


def test_two_places_are_of_one_region_and_each_that_has_neighbours_is_as_likely(drawn, taxonomy):
    regions = {place.name: place.region for place in taxonomy.places}
    neighbours = Counter(regions.values())
    pairs = [spec.geographic for spec in drawn if len(spec.geographic) == 2]
    assert all(regions[first] is not None for first, _ in pairs)
    assert all(regions[first] == regions[second] for first, second in pairs)
    for side in zip(*pairs, strict=True):
        seen = Counter(side)
        assert set(seen) == {name for name, own in regions.items() if own and neighbours[own] > 1}
        assert p_of_uniform(seen.values()) > LEAST_P


def test_three_in_ten_specifications_name_no_audience(drawn, taxonomy):
    none = sum(spec.audience is None for spec in drawn)
    assert none / len(drawn) == pytest.approx(0.3, abs=0.02)
    audiences = Counter(spec.audience for spec in drawn if spec.audience is not None)
    assert set(audiences) == set(taxonomy.audiences)
    assert p_of_uniform(audiences.values()) > LEAST_P


def test_specifications_of_a_block_are_different(drawn):
    assert len(drawn) == 5000
    assert len({spec.spec_id for spec in drawn}) == 5000


def test_a_block_is_the_same_on_every_run_and_named_by_number_and_seed(taxonomy):
    block = list(draw_block(taxonomy, block_id="block-01-seed43", seed=43, size=20))
    assert block == list(draw_block(taxonomy, block_id="block-01-seed43", seed=43, size=20))
    assert {spec.block_id for spec in block} == {"block-01-seed43"}


def test_a_smaller_block_is_the_beginning_of_a_larger_one(taxonomy, drawn):
    assert list(draw_block(taxonomy, block_id="block-00-seed42", seed=42, size=50)) == drawn[:50]


def test_another_seed_draws_other_specifications(taxonomy, drawn):
    other = list(draw_block(taxonomy, block_id="block-00-seed43", seed=43, size=100))
    assert not {spec.spec_id for spec in other} & {spec.spec_id for spec in drawn[:100]}


def test_what_one_facet_draws_changes_no_other(taxonomy, drawn):
    narrower = dataclasses.replace(
        taxonomy,
        places=taxonomy.places[:1],
        audiences=taxonomy.audiences[:2],
        categories=taxonomy.categories[:3],
    )
    block = draw_block(narrower, block_id="block-00-seed42", seed=42, size=200)
    for own, other in zip(block, drawn, strict=False):
        assert own.lcgft_category in {row.name for row in narrower.categories}
        assert (own.lcc_code, own.topics, own.register, own.target_length) == (
            other.lcc_code,
            other.topics,
            other.register,
            other.target_length,
        )


def test_lengths_that_a_plan_names_keep_their_weights_among_each_other(taxonomy):
    names = ["micro", "tiny", "brief", "short", "medium"]
    block = draw_block(taxonomy, block_id="b", seed=7, size=3000, lengths=names)
    counts = Counter(spec.target_length for spec in block)
    weights = {row.id: row.weight for row in taxonomy.lengths if row.id in names}
    expected = [3000 * weights[name] / sum(weights.values()) for name in names]
    assert set(counts) == set(names)
    assert chisquare([counts[name] for name in names], expected).pvalue > LEAST_P


def test_prompt_variants_are_as_likely_and_independent_of_the_labels(taxonomy):
    variants = ["v1", "v2", "v3", "v4"]
    block = list(draw_block(taxonomy, block_id="b", seed=7, size=3000, variants=variants))
    counts = Counter(spec.prompt_variant for spec in block)
    assert set(counts) == set(variants)
    assert p_of_uniform(counts.values()) > LEAST_P
    for facet in ("lcc_code", "lcgft_category", "register", "target_length"):
        pairs = table((getattr(spec, facet), spec.prompt_variant) for spec in block)
        assert chi2_contingency(pairs).pvalue > LEAST_P


def test_without_variants_there_is_none(drawn):
    assert {spec.prompt_variant for spec in drawn} == {None}


def test_more_specifications_than_there_are_is_refused(taxonomy):
    tiny = dataclasses.replace(
        taxonomy,
        classes=taxonomy.classes[:1],
        categories=taxonomy.categories[-1:],
        domains={"general": ("Information",)},
        places=(),
        audiences=("Adults",),
        registers=taxonomy.registers[:1],
        lengths=taxonomy.lengths[:1],
    )
    # Six forms, with an audience or without.
    assert len(list(draw_block(tiny, block_id="b", seed=1, size=12))) == 12
    with pytest.raises(ShelfError, match=r"13 different specifications are wanted.*gave 12"):
        list(draw_block(tiny, block_id="b", seed=1, size=13))


def test_an_unknown_length_is_refused(taxonomy):
    with pytest.raises(ShelfError, match="unknown target length 'mikro'; did you mean micro"):
        next(draw_block(taxonomy, block_id="b", seed=1, size=1, lengths=["mikro"]))


def test_a_taxonomy_without_neighbours_gives_at_most_one_place(taxonomy):
    alone = dataclasses.replace(
        taxonomy, places=tuple(p for p in taxonomy.places if p.name in ("Australia", "Africa"))
    )
    block = draw_block(alone, block_id="b", seed=1, size=300)
    assert {len(spec.geographic) for spec in block} == {0, 1}
