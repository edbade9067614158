"""A small commission of two generators, its orders, and answers to them."""

from __future__ import annotations

from builders.budget.commission import Commission, commission_of
from builders.budget.entries import Terms
from builders.budget.tariff import tariffs_of
from builders.orders import Order, orders_of
from builders.specifications.blocks import blocks_of
from builders.writers.protocol import Answer, Usage
from builders.writing.sequence import Steps
from evaluate_shelf.registry.generation import Plan, load_plan
from evaluate_shelf.registry.roster import Generator
from evaluate_shelf.registry.taxonomy import load_taxonomy

SEED = 42
TERMS = Terms(attempts=3, slices=("v0_4_core",))


def small_plan(documents: int = 12) -> Plan:
    base = "http://127.0.0.1:9/v1"
    rows = [
        Generator(name=name, writer="openai", model=f"m-{name}", base_url=base, price="free")
        for name in ("a", "b")
    ]
    return load_plan("factorial").filled(rows).sized(documents, ["v0_4_core"])


def small_orders(plan: Plan) -> list[tuple[int, Order]]:
    steps = Steps(blocks_of("v0_4_core", plan, SEED))
    return list(steps.numbered(orders_of(plan, load_taxonomy(), SEED)))


def small_commission(plan: Plan, seed: int = SEED) -> Commission:
    return commission_of(plan, load_taxonomy(), seed, tariffs_of(plan.generators, {}))


def answer_to(order: Order, text: str = "On rivers\n\nThey flow.") -> Answer:
    return Answer(
        order_id=order.id,
        text=text,
        model_resolved=f"m-{order.generator}",
        provider="local",
        provider_served=None,
        finish_reason="stop",
        usage=Usage(100, 30, None),
        flags=(),
        raw=b'{"id": "1"}',
        sent={"temperature": 0.8},
    )
