"""Minimal pairs agree in all facets but one."""

from __future__ import annotations

import dataclasses
from collections import Counter

import pytest
from scipy.stats import chisquare

from builders.draws import Draws
from builders.specifications import Specification, draw_block
from builders.specifications.blocks import Block, blocks_of, members_of
from builders.specifications.minimal_pairs import counterpart
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.registry.taxonomy import load_taxonomy

TAXONOMY = load_taxonomy()
FACETS = {field.name for field in dataclasses.fields(Specification)}
MOVED = {"form": {"lcgft_form", "lcgft_category"}, "subject": {"lcc_code", "lcc_name"}}


@pytest.fixture(scope="module")
def members():
    block = Block("v0_4_minimal_pairs", 0, 42, 400, None, ("v1", "v2"))
    return list(members_of(block, TAXONOMY))


def test_the_two_of_a_pair_differ_in_its_axis_alone(members):
    for first, second in zip(members[::2], members[1::2], strict=True):
        differing = {
            name for name in FACETS if getattr(first.spec, name) != getattr(second.spec, name)
        }
        moved = MOVED[first.pair_axis]
        assert differing <= moved
        assert differing & {"lcgft_form", "lcc_code"}
        assert first.spec.spec_id != second.spec.spec_id


def test_pairs_are_named_in_order_and_axes_alternate(members):
    assert [member.number for member in members] == list(range(800))
    assert [member.pair_role for member in members] == ["a", "b"] * 400
    names = [member.pair_id for member in members]
    assert names[::2] == names[1::2] == [f"minimal-pairs-00-pair-{n:05d}" for n in range(400)]
    assert [member.pair_axis for member in members[::2]] == ["form", "subject"] * 200


def test_a_form_stands_in_its_category(members):
    forms = {row.name: set(row.forms) for row in TAXONOMY.categories}
    assert all(member.spec.lcgft_form in forms[member.spec.lcgft_category] for member in members)


def test_the_other_class_is_each_other_one_as_often():
    [spec] = draw_block(TAXONOMY, block_id="b", seed=1, size=1)
    others = Counter(
        counterpart(spec, "subject", TAXONOMY, Draws(1, number)).lcc_code for number in range(4000)
    )
    assert set(others) == {row.code for row in TAXONOMY.classes} - {spec.lcc_code}
    assert chisquare(list(others.values())).pvalue > 0.001


@pytest.mark.parametrize("axis", ["form", "subject"])
def test_a_taxonomy_with_one_label_has_no_pair_in_it(axis):
    one = dataclasses.replace(
        TAXONOMY,
        classes=TAXONOMY.classes[:1],
        categories=(TAXONOMY.categories[0].model_copy(update={"forms": ("Maps",)}),),
    )
    [spec] = draw_block(one, block_id="b", seed=1, size=1)
    with pytest.raises(ShelfError, match="a single"):
        counterpart(spec, axis, one, Draws(1))


def test_blocks_have_seeds_of_their_own_and_hold_different_specifications():
    blocks = blocks_of("v0_4_core", load_plan("factorial"), 42)
    assert [(block.id, block.seed) for block in blocks] == [
        ("block-00-seed42", 42),
        ("block-01-seed43", 43),
        ("block-02-seed44", 44),
    ]
    ids = [member.spec.spec_id for block in blocks for member in members_of(block, TAXONOMY)]
    assert len(set(ids)) == len(ids) == 1500


def test_an_unknown_slice_is_refused():
    with pytest.raises(ShelfError, match="unknown slice of the plan 'v0_4_cor'; did you mean"):
        blocks_of("v0_4_cor", load_plan("factorial"), 42)
