"""JSON that all readers understand alike: no key stands twice, and no number is none."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from evaluate_shelf.submissions.refusals import quoted


class AmbiguousJsonError(ValueError):
    """It can be read, and others would read something else."""


def distinct_json(content: bytes) -> Any:
    """The value that JSON of a stranger has.

    Parameters
    ----------
    content : bytes
        UTF-8.

    Raises
    ------
    AmbiguousJsonError
        If a key stands twice in an object, a number is none (NaN), or it is too deep.
    ValueError
        If it is no JSON.

    Examples
    --------
    >>> distinct_json(b'{"a": 1, "b": {"a": 2}}')
    {'a': 1, 'b': {'a': 2}}
    >>> distinct_json(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
    evaluate_shelf.submissions.distinct_json.AmbiguousJsonError: the key 'a' stands twice
    """
    try:
        return json.loads(
            content.decode("utf-8"), object_pairs_hook=_distinct, parse_constant=_no_number
        )
    except RecursionError:
        raise AmbiguousJsonError("its values lie in each other too deep") from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise AmbiguousJsonError(f"the key {quoted(key)} stands twice")
        found[key] = value
    return found


def _no_number(name: str) -> NoReturn:
    raise AmbiguousJsonError(f"{name} is no number of JSON")
