"""JSON in which no key stands twice: readers disagree on which of two values counts."""

from __future__ import annotations

import json
from typing import Any

from evaluate_shelf.printable import brief


def distinct_json(content: bytes) -> Any:
    """The value that JSON of a stranger has.

    Parameters
    ----------
    content : bytes
        UTF-8.

    Raises
    ------
    ValueError
        If it is no JSON, too deep, or a key stands twice in an object.

    Examples
    --------
    >>> distinct_json(b'{"a": 1, "b": {"a": 2}}')
    {'a': 1, 'b': {'a': 2}}
    >>> distinct_json(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ValueError: the key 'a' stands twice
    """
    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=_distinct)
    except RecursionError:
        raise ValueError("its values lie in each other too deep") from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {brief(key)} stands twice")
        found[key] = value
    return found
