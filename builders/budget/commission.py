"""What a corpus was commissioned as: a ledger serves one commission and no other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from builders.budget.tariff import Tariff
from builders.orders import design_id
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_json
from evaluate_shelf.printable import brief
from evaluate_shelf.registry.generation import Plan
from evaluate_shelf.registry.prices import Price
from evaluate_shelf.registry.prompts import Wording, load_wording
from evaluate_shelf.registry.taxonomy import Taxonomy

# What orders depend on; how a generator is reached may change between two sittings.
_OF_DESIGN = {"slices", "lengths", "prompts", "sampling"}
_OF_GENERATOR = {"name", "writer", "model"}
# What a price says of itself; a correction costs nothing.
_SAID_OF_PRICE = {"date", "source"}
_MOST_NAMED = 5


class Commission(BaseModel):
    """What is written, from what, and at which prices.

    Attributes
    ----------
    plan : Plan
        As it was when the corpus was begun.
    seed : int
        Of the first block of each slice.
    design_id : str
        Name of the orders.
    taxonomy_sha256, wording_sha256 : str
        Of the labels, and of the wordings of prompts.
    prices : dict of str to Price or None
        By generator; None for one that is free.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    plan: Plan
    seed: int
    design_id: str
    taxonomy_sha256: str
    wording_sha256: str
    prices: dict[str, Price | None]

    def values(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return self.model_dump(mode="json")


def commission_of(
    plan: Plan,
    taxonomy: Taxonomy,
    seed: int,
    tariffs: Mapping[str, Tariff],
    wording: Wording | None = None,
) -> Commission:
    """What a plan commissions.

    Parameters
    ----------
    plan : Plan
        With all its generators.
    taxonomy : Taxonomy
    seed : int
    tariffs : mapping of str to Tariff
        Of each generator.
    wording : Wording, default=None
        The prompts; those of the installation without it.
    """
    words = wording or load_wording()
    return Commission(
        plan=plan,
        seed=seed,
        design_id=design_id(plan, taxonomy, seed, words),
        taxonomy_sha256=sha256_of_json(repr(taxonomy)),
        wording_sha256=sha256_of_json(words.model_dump(mode="json")),
        prices={name: own.price for name, own in tariffs.items()},
    )


def commission_in(text: str, place: str) -> Commission:
    """The commission that a JSON text holds.

    Raises
    ------
    ShelfError
        If it is none; the message begins with the place.
    """
    try:
        return Commission.model_validate_json(text, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        raise ShelfError(f"{place}, field {field!r}: {first['msg']}") from error


def differences(before: Commission, now: Commission) -> tuple[str, ...]:
    """What another commission would change in the orders or in what they cost, by name.

    Returns
    -------
    tuple of str
        None where the work can go on.
    """
    found = list(_changes("", _compared(before), _compared(now)))
    if not found and before.design_id != now.design_id:
        found.append(f"design: {before.design_id}, now {now.design_id}")
    more = [f"and {len(found) - _MOST_NAMED} more"] if len(found) > _MOST_NAMED else []
    return (*found[:_MOST_NAMED], *more)


@dataclass(frozen=True)
class _Nothing:
    def __repr__(self) -> str:
        return "none"


def _compared(own: Commission) -> dict[str, Any]:
    plan = own.plan.model_dump(mode="json", include=_OF_DESIGN)
    generators = {
        row.name: row.model_dump(mode="json", include=_OF_GENERATOR) for row in own.plan.generators
    }
    prices = {
        name: price and price.model_dump(mode="json", exclude=_SAID_OF_PRICE)
        for name, price in own.prices.items()
    }
    wording = {"prompts": own.wording_sha256[:16]} if own.plan.prompts else {}
    return {
        "plan": plan | {"generators": generators},
        "seed": own.seed,
        "taxonomy": own.taxonomy_sha256[:16],
        **wording,
        "prices": prices,
    }


def _changes(path: str, before: Any, now: Any) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        nothing = _Nothing()
        for name in dict.fromkeys((*before, *now)):
            own = f"{path}.{name}" if path else str(name)
            yield from _changes(own, before.get(name, nothing), now.get(name, nothing))
    elif before != now:
        yield f"{path}: {_shown(before)}, now {_shown(now)}"


def _shown(value: Any) -> str:
    return brief(value) if isinstance(value, _Nothing) else json.dumps(value)[:80]
