"""A corpus that was begun small goes on larger: the same blocks, with more specifications."""

from __future__ import annotations

import json
from collections.abc import Iterable

from builders.budget.commission import Commission, differences
from builders.budget.ledger import Ledger
from builders.budget.order_text import orders_digest, text_of
from builders.orders import Order
from evaluate_shelf.errors import ShelfError


def is_grown(before: Commission, now: Commission) -> bool:
    """Whether a commission is another one with more specifications in some blocks, and no less.

    A block's specifications are drawn one after the other, so that a larger block begins with all
    of a smaller one.

    Parameters
    ----------
    before, now : Commission
    """
    own, other = before.plan.slices, now.plan.slices
    if own.keys() != other.keys():
        return False
    sizes = [(own[name].specifications, other[name].specifications) for name in own]
    if any(new < old for old, new in sizes) or all(new == old for old, new in sizes):
        return False
    return not differences(_sized_as(before, now), now)


def grow(ledger: Ledger, now: Commission, orders: Iterable[tuple[int, Order]]) -> int:
    """Add the orders that a larger commission has besides, inside a transaction.

    Parameters
    ----------
    ledger : Ledger
    now : Commission
        For which `is_grown` holds.
    orders : iterable of tuple of int and Order
        All of them, each with its step.

    Returns
    -------
    int
        How many were added.

    Raises
    ------
    ShelfError
        If an order of the ledger is not among them as it stands there.
    """
    before = {str(name): str(text) for name, text in ledger.query("SELECT id, content FROM orders")}
    added = kept = 0
    for step, order in orders:
        text = text_of(order)
        if order.id not in before:
            ledger.change(
                "INSERT INTO orders (id, step, slice, generator, content) VALUES (?, ?, ?, ?, ?)",
                order.id,
                step,
                order.slice,
                order.generator,
                text,
            )
            added += 1
        elif before[order.id] == text:
            # All blocks go on at the same pace, which their sizes decide.
            ledger.change("UPDATE orders SET step = ? WHERE id = ?", step, order.id)
            kept += 1
    if kept < len(before):
        raise ShelfError(
            f"{ledger.file}: {len(before) - kept:,} of its orders are none of the larger plan; "
            "give what it was begun with, or another --out"
        )
    former = [*former_digests(ledger), digest_of(ledger)]
    texts = (str(text) for (text,) in ledger.query("SELECT content FROM orders ORDER BY id"))
    _note(ledger, "orders_sha256", orders_digest(texts))
    _note(ledger, "former_orders_sha256", json.dumps(former))
    _note(ledger, "commission", now.model_dump_json())
    return added


def digest_of(ledger: Ledger) -> str:
    """The digest of all orders that the ledger has noted."""
    [(digest,)] = ledger.query("SELECT value FROM meta WHERE name = 'orders_sha256'")
    return str(digest)


def former_digests(ledger: Ledger) -> list[str]:
    """Digests of the orders as they were before the corpus grew, the oldest first."""
    rows = ledger.query("SELECT value FROM meta WHERE name = 'former_orders_sha256'")
    return [str(own) for own in json.loads(rows[0][0])] if rows else []


def _sized_as(own: Commission, other: Commission) -> Commission:
    """A commission with the sizes of another one, and so with its name."""
    slices = {
        name: row.model_copy(update={"specifications": other.plan.slices[name].specifications})
        for name, row in own.plan.slices.items()
    }
    plan = own.plan.model_copy(update={"slices": slices})
    return own.model_copy(update={"plan": plan, "design_id": other.design_id})


def _note(ledger: Ledger, name: str, value: str) -> None:
    ledger.change(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        name,
        value,
    )
