"""The design's numbers against counts made another way."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from fractions import Fraction

import pytest

from builders.orders import allowance, orders_of
from builders.plan.costs import costs_of, total_of
from builders.plan.design import design_of
from builders.plan.text import design_text
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.registry.prices import Price
from evaluate_shelf.registry.roster import Generator
from evaluate_shelf.registry.taxonomy import load_taxonomy

TAXONOMY = load_taxonomy()
AWAY = "https://api.example.org/v1"
ROSTER = [
    Generator(name="thinker", writer="openai", model="t-1", base_url=AWAY, reasons=True),
    Generator(name="batched", writer="batch", model="b-1", base_url=AWAY),
    Generator(name="half", writer="openai", model="h-1", base_url=AWAY),
    Generator(name="unknown", writer="openai", model="u-1", base_url=AWAY),
    Generator(
        name="here", writer="openai", model="t-1", base_url="http://localhost:1", price="free"
    ),
]


def price(model: str, **more) -> Price:
    return Price(
        **{
            "model": model,
            "usd_per_million_input_tokens": 1.25,
            "usd_per_million_output_tokens": 10.0,
            "date": dt.date(2026, 3, 1),
            "source": "https://example.org/prices",
            **more,
        }
    )


PRICES = {
    "t-1": price("t-1"),
    "b-1": price("b-1", batch_discount=0.5),
    "h-1": price("h-1", usd_per_million_output_tokens=None),
}


@pytest.fixture(scope="module")
def plan():
    base = load_plan("factorial").filled(ROSTER)
    own = base.slices["v0_4_core"].model_copy(update={"specifications": 100})
    return base.model_copy(update={"slices": {"v0_4_core": own}})


@pytest.fixture(scope="module")
def design(plan):
    return design_of(plan, TAXONOMY, 42)


@pytest.fixture(scope="module")
def orders(plan):
    return list(orders_of(plan, TAXONOMY, 42))


@pytest.fixture(scope="module")
def costs(design):
    return costs_of(design, PRICES)


def test_documents_are_those_of_the_plan(design, plan, orders):
    assert design.documents == plan.documents(plan.slices) == len(orders) == 1500
    assert Counter(order.generator for order in orders) == {
        own.generator.name: own.documents for own in design.generators
    }
    own = design.slices["v0_4_core"]
    assert (own.blocks, own.specifications) == (3, 300)
    assert own.documents == dict.fromkeys((row.name for row in ROSTER), 300)


def test_cells_and_labels_are_counted_once_a_specification(design, orders):
    specs = {order.spec.spec_id: order.spec for order in orders}.values()
    cells = Counter((spec.lcc_code, spec.lcgft_category) for spec in specs)
    every = [cells[c.code, k.name] for c in TAXONOMY.classes for k in TAXONOMY.categories]
    assert design.cells == (21, 14, min(every), max(every), every.count(0))
    assert sum(every) == 300
    for name, field in (
        ("class", "lcc_code"),
        ("category", "lcgft_category"),
        ("length", "target_length"),
        ("prompt", "prompt_variant"),
    ):
        counts = Counter(getattr(spec, field) for spec in specs)
        assert {key: n for key, n in design.specifications[name].items() if n} == counts
    assert design.naming == 0


def test_tokens_follow_the_stated_rules(design, orders):
    lengths = {row.id: row for row in TAXONOMY.lengths}
    for own in design.generators:
        mine = [order for order in orders if order.generator == own.generator.name]
        characters = sum(len(m.content) for order in mine for m in order.prompt.messages)
        middles = [
            Fraction(
                lengths[o.spec.target_length].min_words + lengths[o.spec.target_length].max_words, 2
            )
            for o in mine
        ]
        assert own.expected.input == round(characters / 4)
        assert own.expected.output == pytest.approx(float(sum(middles)) * 1.35, abs=0.51)
        sizes = [len(m.content.encode()) + 16 for order in mine for m in order.prompt.messages]
        assert own.worst.input == sum(sizes)
        assert own.worst.output == sum(
            allowance(lengths[o.spec.target_length], own.generator.reasons) for o in mine
        )
        assert own.worst > own.expected


def usd(tokens, *, share=1):
    return Fraction(125 * tokens.input + 1000 * tokens.output, 100 * 10**6) * share


def test_costs_are_tokens_times_prices(design, costs):
    own = {row.generator.name: row for row in design.generators}
    for name, share in (("thinker", 1), ("batched", Fraction(1, 2))):
        cost = costs[name]
        assert cost.status == "priced"
        assert cost.expected == math.ceil(usd(own[name].expected, share=share) * 10**9)
        worst = usd(own[name].worst, share=share) * 10**9
        # A call each is rounded up, by less than a billionth.
        assert worst <= cost.worst <= math.ceil(worst) + own[name].documents


def test_the_worst_case_is_no_less_than_what_the_calls_can_reserve(design, orders, costs):
    lengths = {row.id: row for row in TAXONOMY.lengths}
    reserved = sum(
        PRICES["t-1"].nanodollars(
            sum(len(m.content.encode()) + 16 for m in order.prompt.messages),
            allowance(lengths[order.spec.target_length], True),
        )
        for order in orders
        if order.generator == "thinker"
    )
    assert reserved <= costs["thinker"].worst <= reserved + len(orders)


def test_what_has_no_price_is_unknown_and_named(costs):
    assert costs["half"][:3] == ("no output price", None, None)
    assert costs["unknown"][:3] == ("no price", None, None)
    assert costs["here"] == ("free", 0, 0, None)
    total = total_of(costs)
    assert total.unknown == ("half", "unknown")
    assert total.expected == costs["thinker"].expected + costs["batched"].expected
    assert total.worst == costs["thinker"].worst + costs["batched"].worst


def test_places_are_not_priced():
    design = design_of(load_plan("factorial"), TAXONOMY, 42)
    assert {cost.status for cost in costs_of(design, PRICES).values()} == {"not filled in"}


def test_rules_cost_nothing_and_take_no_tokens():
    design = design_of(load_plan("quickstart"), TAXONOMY, 42)
    assert all(own.expected is own.worst is None for own in design.generators)
    assert total_of(costs_of(design, {})) == (0, 0, ())


@pytest.mark.parametrize("width", [30, 40, 60, 100, 200])
def test_no_line_is_wider_than_the_terminal_but_for_a_long_word(design, costs, width):
    text = design_text(design, costs, width)
    for line in text.splitlines():
        assert len(line) <= width or len(line.split()) == 1
    figures = [f"{n:,}" for own in design.generators for n in (*own.expected, *own.worst)]
    assert all(figure in text for figure in figures)
    assert "https://example.org/prices" in text
    assert "2026-03-01" in text
    assert text.endswith("\n")
    assert "\n\n\n" not in text
