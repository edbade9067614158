"""What a design costs at most and is expected to cost, by generator and in all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from builders.plan.design import Design, GeneratorDesign
from evaluate_shelf.registry.prices import Price

Status = Literal["free", "priced", "no price", "no output price", "not filled in"]


class Cost(NamedTuple):
    """What one generator costs.

    Attributes
    ----------
    status : str
        `free`: nothing is paid. `priced`: by a row of the table. Else why it is unknown.
    expected, worst : int or None
        In billionths of a US dollar; None where it is unknown.
    price : Price or None
        The row.
    """

    status: Status
    expected: int | None
    worst: int | None
    price: Price | None = None


class Total(NamedTuple):
    """What is known of all generators together.

    Attributes
    ----------
    expected, worst : int
        Sums in billionths of a US dollar over the generators whose cost is known.
    unknown : tuple of str
        Names of the others.
    """

    expected: int
    worst: int
    unknown: tuple[str, ...]


def costs_of(design: Design, prices: Mapping[str, Price]) -> dict[str, Cost]:
    """The cost of each generator.

    Parameters
    ----------
    design : Design
    prices : mapping of str to Price
        By model, as the endpoint names it.

    Returns
    -------
    dict of str to Cost
        By the generator's name, in the plan's order. A batch is priced at its discount, where the
        price has one.

    Examples
    --------
    >>> from builders.plan.design import design_of
    >>> from evaluate_shelf.registry.generation import load_plan
    >>> from evaluate_shelf.registry.taxonomy import load_taxonomy
    >>> design = design_of(load_plan("sample"), load_taxonomy(), 42)
    >>> costs_of(design, {})["smollm2-135m-instruct"]
    Cost(status='free', expected=0, worst=0, price=None)
    """
    return {own.generator.name: _cost(own, prices) for own in design.generators}


def total_of(costs: Mapping[str, Cost]) -> Total:
    """The sum of what is known, and who is not in it."""
    known = [cost for cost in costs.values() if cost.expected is not None]
    return Total(
        sum(cost.expected or 0 for cost in known),
        sum(cost.worst or 0 for cost in known),
        tuple(name for name, cost in costs.items() if cost.expected is None),
    )


def _cost(own: GeneratorDesign, prices: Mapping[str, Price]) -> Cost:
    generator = own.generator
    if not generator.is_paid or own.expected is None or own.worst is None:
        return Cost("free", 0, 0)
    if generator.model is None:
        return Cost("not filled in", None, None)
    price = prices.get(generator.model)
    if price is None:
        return Cost("no price", None, None)
    if price.usd_per_million_output_tokens is None:
        return Cost("no output price", None, None, price)
    is_batch = generator.writer == "batch"
    expected = price.nanodollars(*own.expected, is_batch=is_batch)
    # Each call is rounded up by itself.
    worst = price.nanodollars(*own.worst, is_batch=is_batch) + own.documents
    return Cost("priced", expected, worst, price)
