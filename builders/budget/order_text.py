"""Orders as canonical JSON, and back."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict

from pydantic import TypeAdapter, ValidationError

from builders.orders import Order
from evaluate_shelf.errors import ShelfError


def text_of(order: Order) -> str:
    """An order as JSON: sorted keys, no spaces, UTF-8.

    Examples
    --------
    >>> from builders.orders import orders_of
    >>> from evaluate_shelf.registry.generation import load_plan
    >>> from evaluate_shelf.registry.taxonomy import load_taxonomy
    >>> order = next(orders_of(load_plan("sample"), load_taxonomy(), 42))
    >>> order_in(text_of(order)) == order
    True
    """
    return json.dumps(asdict(order), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def orders_digest(texts: Iterable[str]) -> str:
    """One digest of the texts of all orders, which come in the order of their ids."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode())
        digest.update(b"\n")
    return digest.hexdigest()


def order_in(text: str) -> Order:
    """The order that a text holds.

    Raises
    ------
    ShelfError
        If it is none.
    """
    try:
        return _adapter().validate_json(text, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ShelfError(f"an order cannot be read, field {place!r}: {first['msg']}") from error


@functools.cache
def _adapter() -> TypeAdapter[Order]:
    return TypeAdapter(Order)
