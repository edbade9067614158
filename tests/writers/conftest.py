"""Orders, and a row of the roster for an endpoint on this machine."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from builders.orders import Order, Sampling
from builders.prompts.prompt import Message, Prompt
from builders.specifications import Specification
from evaluate_shelf.registry.roster import Generator
from evaluate_shelf.registry.taxonomy import load_taxonomy
from evaluate_shelf.registry.taxonomy_rows import Length

SPEC = Specification(
    lcc_code="G",
    lcc_name="Geography. Anthropology. Recreation",
    lcgft_category="Literature",
    lcgft_form="Poetry",
    topics=("Rivers",),
    geographic=(),
    audience=None,
    register="academic",
    target_length="micro",
    prompt_variant="s1-plain",
    block_id="block-00-seed42",
)
PROMPT = Prompt(
    "s1-plain",
    (
        Message("system", "You write texts to order, in English. Reply with the text alone."),
        Message("user", "Write a text on rivers and those who live beside them. 10 to 25 words."),
    ),
)

MakeOrders = Callable[[int], list[Order]]
MakeRow = Callable[..., Generator]


@pytest.fixture(scope="session")
def lengths() -> dict[str, Length]:
    return {length.id: length for length in load_taxonomy().lengths}


@pytest.fixture
def make_orders() -> MakeOrders:
    def make(count: int) -> list[Order]:
        return [
            Order(f"{number:016x}", "v0_4_core", number, SPEC, "m", PROMPT, Sampling(0.8, 0.95))
            for number in range(count)
        ]

    return make


@pytest.fixture
def order(make_orders: MakeOrders) -> Order:
    return make_orders(1)[0]


@pytest.fixture
def make_row() -> MakeRow:
    def make(base: str, **settings: object) -> Generator:
        given = {"name": "m", "writer": "openai", "model": "vendor/m", "base_url": base}
        return Generator.model_validate(given | settings)

    return make
