"""What is asked of an endpoint beside model and messages, and what it refuses of that."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Set
from typing import Any

from builders.orders import Sampling
from evaluate_shelf.registry.roster import Generator

LIMITS = ("max_completion_tokens", "max_tokens")
"""The fields for the allowance, an endpoint's own one first.

Both are sent: some endpoints take no notice of the one that they do not know, and would write
without end; those that refuse one say so.
"""

_REMOVABLE = ("reasoning_effort", "temperature", "top_p", *LIMITS)
_NAMES = {name: re.compile(rf"\b{name}\b") for name in _REMOVABLE} | {
    "reasoning_effort": re.compile(r"\breasoning\b|\breasoning_effort\b", re.IGNORECASE)
}
# Not "is too large": another allowance would do, so the field is one that the endpoint takes.
_NOT_TAKEN = re.compile(
    r"(?i)unsupported|not (?:be )?(?:supported|permitted|allowed|set)|unrecogni[sz]ed|unknown"
    r"|extra_forbidden|unexpected|cannot both|mutually exclusive|use 'max"
)
# All endpoints that take a temperature at all take those up to 1.
_TAKEN_BY_ALL = 1.0


def parameters(
    row: Generator, sampling: Sampling | None, allowance: int, without: Set[str] = frozenset()
) -> dict[str, Any]:
    """What is asked beside model and messages.

    Parameters
    ----------
    row : Generator
        Its effort of reasoning and its own parameters.
    sampling : Sampling or None
    allowance : int
        The most output tokens.
    without : set of str, default=()
        What the endpoint has refused.

    Examples
    --------
    >>> row = Generator(name="m", writer="openai", model="m", base_url="http://localhost/v1")
    >>> parameters(row, Sampling(0.8, 0.95), 500, {"max_tokens"})
    {'max_completion_tokens': 500, 'temperature': 0.8, 'top_p': 0.95}
    """
    asked: dict[str, Any] = dict.fromkeys(LIMITS, allowance)
    if sampling is not None:
        asked |= {"temperature": sampling.temperature, "top_p": sampling.top_p}
    if row.reasoning_effort is not None:
        asked["reasoning_effort"] = row.reasoning_effort
    own = {name: value for name, value in asked.items() if name not in without}
    return own | dict(sorted(row.parameters.items()))


def refused_parameter(status: int, body: bytes, sent: Mapping[str, Any]) -> str | None:
    """Which parameter an endpoint does not take, if that is why it refuses a call.

    Parameters
    ----------
    status : int
        Of HTTP.
    body : bytes
        What it says.
    sent : mapping
        What was asked.

    Returns
    -------
    str or None
        None where it refuses the call for another reason, and where a call without the parameter
        would have no limit.

    Examples
    --------
    >>> said = b'{"error": {"message": "Unsupported value", "param": "temperature"}}'
    >>> refused_parameter(400, said, {"temperature": 0.8})
    'temperature'
    """
    if status not in (400, 422):
        return None
    text = body.decode("utf-8", "replace")
    known = [name for name in _REMOVABLE if name in sent]
    limits = [name for name in LIMITS if name in sent]
    if len(limits) < 2 or not says_not_taken(body):
        known = [name for name in known if name not in LIMITS]
    named = _named(body)
    if named is not None:
        return named if named in known else None
    places = {name: found.start() for name in known if (found := _NAMES[name].search(text))}
    return min(places, key=places.__getitem__) if places else None


def is_refused_for_good(name: str, sent: Mapping[str, Any]) -> bool:
    """Whether an endpoint that refuses a parameter would refuse it with every value.

    A temperature above 1 may be beyond its range.

    Examples
    --------
    >>> is_refused_for_good("temperature", {"temperature": 0.8})
    True
    """
    return name != "temperature" or sent[name] <= _TAKEN_BY_ALL


def says_not_taken(body: bytes) -> bool:
    """Whether an error says that a field is one that the endpoint does not know.

    Examples
    --------
    >>> says_not_taken(b"top_p is not supported"), says_not_taken(b"top_p: nothing is that warm")
    (True, False)
    """
    return _NOT_TAKEN.search(body.decode("utf-8", "replace")) is not None


def _named(body: bytes) -> str | None:
    """The parameter that a structured error names."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    error = value.get("error", value) if isinstance(value, dict) else None
    if not isinstance(error, dict):
        return None
    details = error.get("detail")
    first = details[0] if isinstance(details, list) and details else None
    place = first.get("loc") if isinstance(first, dict) else None
    name = place[-1] if isinstance(place, list) and place else error.get("param")
    return name.replace("reasoning.effort", "reasoning_effort") if isinstance(name, str) else None
