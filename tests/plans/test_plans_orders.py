"""Orders: the same specifications for every generator, and everything drawn once and for all."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from scipy.stats import chisquare

import builders
from builders.orders import allowance, design_id, input_bound, order_id, orders_of, orders_of_slice
from builders.prompts.prompt import Message, Prompt
from evaluate_shelf.registry.generation import PromptChoice, load_plan
from evaluate_shelf.registry.roster import Generator
from evaluate_shelf.registry.taxonomy import load_taxonomy

TAXONOMY = load_taxonomy()


def sized(name: str, specifications: int, slices=("v0_4_core",)):
    plan = load_plan(name)
    own = {
        key: plan.slices[key].model_copy(update={"specifications": specifications})
        for key in slices
    }
    return plan.model_copy(update={"slices": own})


@pytest.fixture(scope="module")
def orders():
    return list(orders_of(sized("factorial", 40), TAXONOMY, 42))


def test_every_generator_gets_the_same_specifications_and_prompts(orders):
    by_generator = defaultdict(list)
    for order in orders:
        by_generator[order.generator].append((order.number, order.spec, order.prompt))
    assert list(by_generator) == [own.name for own in load_plan("factorial").generators]
    lists = list(by_generator.values())
    assert all(own == lists[0] for own in lists)
    assert len(lists[0]) == 3 * 40


def test_orders_of_a_specification_stand_together(orders):
    specs = [order.spec.spec_id for order in orders]
    assert all(len(set(specs[at : at + 15])) == 1 for at in range(0, len(specs), 15))


def test_ids_are_distinct_and_say_nothing_of_labels(orders):
    assert len({order.id for order in orders}) == len(orders)
    for order in orders[:50]:
        expected = order_id(42, order.spec.block_id, order.number, order.generator)
        assert order.id == expected
        assert set(order.id) <= set("0123456789abcdef")


def test_sampling_is_uniform_within_its_range_and_of_each_document(orders):
    samplings = [order.sampling for order in orders]
    for low, high, values in (
        (60, 120, [own.temperature for own in samplings]),
        (85, 100, [own.top_p for own in samplings]),
    ):
        assert all(round(value, 2) == value for value in values)
        counts = Counter(round(100 * value) for value in values)
        # Rounded to hundredths, the two ends are half as likely as each step between them.
        steps = range(low, high + 1)
        shares = [0.5 if step in (low, high) else 1.0 for step in steps]
        expected = [len(values) * share / (high - low) for share in shares]
        assert set(counts) <= set(steps)
        assert chisquare([counts[step] for step in steps], expected).pvalue > 0.001


def test_the_variant_is_the_specification_s(orders):
    assert all(order.prompt.variant_id == order.spec.prompt_variant for order in orders)
    assert {order.spec.prompt_variant for order in orders} == set(
        load_plan("factorial").prompts.variants
    )


def test_plans_without_a_model_order_without_prompts():
    for order in orders_of(sized("quickstart", 5), TAXONOMY, 42):
        assert order.prompt is None
        assert order.sampling is None
        assert order.spec.prompt_variant is None
        assert order.generator.startswith("lexical-writer/")


def test_every_slice_has_as_many_orders_as_the_plan_says():
    plan = load_plan("standard").sized(1500, load_plan("standard").slices)
    for name in plan.slices:
        assert sum(1 for _ in orders_of_slice(name, plan, TAXONOMY, 42)) == plan.documents([name])
    assert sum(1 for _ in orders_of(plan, TAXONOMY, 42)) == plan.documents(plan.slices)


def test_one_generator_writes_both_of_a_minimal_pair_under_the_same_sampling():
    paired = load_plan("standard").slices["v0_4_minimal_pairs"]
    base = load_plan("factorial")
    names = tuple(own.name for own in base.generators[:4])
    own = paired.model_copy(update={"generators": names, "specifications": 60})
    plan = base.model_copy(update={"slices": {"v0_4_minimal_pairs": own}})
    both = defaultdict(list)
    for order in orders_of(plan, TAXONOMY, 42):
        both[order.pair_id].append(order)
    assert len(both) == 60
    assert len({orders[0].generator for orders in both.values()}) == 4
    for first, second in both.values():
        assert (first.pair_role, second.pair_role) == ("a", "b")
        assert first.generator == second.generator
        assert first.sampling == second.sampling
        assert first.prompt.variant_id == second.prompt.variant_id
        assert first.prompt != second.prompt


def test_a_larger_plan_goes_on_from_a_smaller_one():
    small, large = (
        {order.id: order for order in orders_of(sized("factorial", size), TAXONOMY, 42)}
        for size in (4, 9)
    )
    assert all(large[name] == order for name, order in small.items())


def test_another_generator_changes_no_other_s_orders():
    plan = load_plan("factorial")
    own = [
        Generator(name=name, writer="openai", model=name, base_url="https://example.org/v1")
        for name in ("a", "b", "c")
    ]
    three, two = (
        {order.id: order for order in orders_of(plan.filled(roster), TAXONOMY, 42)}
        for roster in (own, own[1:])
    )
    assert {name: three[name] for name in two} == two


def test_orders_are_the_same_in_another_process():
    code = (
        "import json; from builders.orders import *; "
        "from evaluate_shelf.registry.generation import load_plan; "
        "from evaluate_shelf.registry.taxonomy import load_taxonomy; "
        "plan, taxonomy = load_plan('sample'), load_taxonomy(); "
        "first = [order for order, _ in zip(orders_of(plan, taxonomy, 42), range(20))]; "
        "print(json.dumps([design_id(plan, taxonomy, 42), "
        "[[o.id, o.prompt.text, o.sampling.temperature] for o in first]]))"
    )
    root = str(Path(builders.__file__).parents[1])
    found = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": root, "PYTHONHASHSEED": seed, "LC_ALL": "C"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    ]
    assert found[0] == found[1]
    name, own = json.loads(found[0])
    assert len(own) == 20
    assert name == design_id(load_plan("sample"), TAXONOMY, 42)


def changed_designs():
    plan = load_plan("sample")
    own = plan.generators[0]
    choice = plan.prompts
    slices = {"sample": plan.slices["sample"].model_copy(update={"specifications": 799})}
    other_model = own.model_copy(update={"model": "m"})
    narrower = dataclasses.replace(TAXONOMY, audiences=TAXONOMY.audiences[:3])
    glosses = choice.model_copy(update={"topic_glosses": True})
    one = PromptChoice(variants=choice.variants[:1])
    return [
        (plan, TAXONOMY, 43),
        (plan, narrower, 42),
        (plan.model_copy(update={"slices": slices}), TAXONOMY, 42),
        (plan.model_copy(update={"lengths": ("micro",)}), TAXONOMY, 42),
        (plan.model_copy(update={"prompts": one}), TAXONOMY, 42),
        (plan.model_copy(update={"prompts": glosses}), TAXONOMY, 42),
        (plan.model_copy(update={"generators": (other_model,)}), TAXONOMY, 42),
    ]


def test_whatever_changes_the_orders_changes_the_design_s_name():
    names = [design_id(*changed) for changed in changed_designs()]
    assert len({*names, design_id(load_plan("sample"), TAXONOMY, 42)}) == len(names) + 1


def test_how_a_generator_is_reached_does_not():
    plan = load_plan("sample")
    moved = plan.generators[0].model_copy(
        update={"base_url": "http://localhost:1", "concurrency": 9, "api_key": "OTHER"}
    )
    other = plan.model_copy(update={"generators": (moved,), "note": "Other."})
    assert design_id(other, TAXONOMY, 42) == design_id(plan, TAXONOMY, 42)


def test_the_allowance_has_room_for_the_longest_text_and_for_thinking():
    for length in TAXONOMY.lengths:
        plain, thinking = allowance(length, False), allowance(length, True)
        assert plain == 2 * length.max_words + 64
        assert thinking - plain == 4096
        assert allowance(length, None) == max(1024, plain)


@pytest.mark.parametrize("text", ["plain", "Café", "図書館の本", "🐚" * 40, ""])
def test_no_tokenizer_counts_more_than_the_bound(text):
    prompt = Prompt("v", (Message("system", text), Message("user", text)))
    assert input_bound(prompt) == 2 * len(text.encode("utf-8")) + 32
