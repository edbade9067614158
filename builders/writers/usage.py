"""Whether the tokens that an endpoint reports can be right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from builders.writers.protocol import Bound, Usage


def usage_of(reported: Any, *, bound: Bound, prompt_words: int, text_words: int) -> Usage | None:
    """Tokens that a call is charged for, as an OpenAI-compatible endpoint reports them.

    Most endpoints count reasoning among the completion tokens; some beside them, and then the
    total is larger than prompt and completion together. All that is beyond the prompt is billed as
    output. Cached tokens are part of the prompt's.

    Parameters
    ----------
    reported : object
        The answer's `usage`.
    bound : Bound
        More than this cannot be right.
    prompt_words, text_words : int
        Of what was asked and of what can be seen of the answer: a word is one token at least.

    Returns
    -------
    Usage or None
        None where numbers are missing, are no whole numbers, contradict each other, or are too low
        or too high. A wrong number within these limits cannot be told from a right one.

    Examples
    --------
    >>> most = Bound(100, 500)
    >>> usage_of(
    ...     {"prompt_tokens": 30, "completion_tokens": 2, "total_tokens": 349,
    ...      "completion_tokens_details": {"reasoning_tokens": 317}},
    ...     bound=most, prompt_words=20, text_words=2,
    ... )
    Usage(input_tokens=30, output_tokens=319, reasoning_tokens=317)
    >>> usage_of(
    ...     {"prompt_tokens": 30, "completion_tokens": 2}, bound=most, prompt_words=20, text_words=9
    ... ) is None
    True
    """
    try:
        usage = _read(reported)
    except ValueError:
        return None
    visible = usage.output_tokens - (usage.reasoning_tokens or 0)
    right = (
        prompt_words <= usage.input_tokens <= bound.input_tokens
        and text_words <= visible <= usage.output_tokens <= bound.output_tokens
    )
    return usage if right else None


def charged(usage: Usage | None, bound: Bound) -> tuple[int, int]:
    """Input and output tokens that an answered call is settled at: the bound if none are known.

    Examples
    --------
    >>> charged(Usage(30, 319, 317), Bound(100, 500)), charged(None, Bound(100, 500))
    ((30, 319), (100, 500))
    """
    known = bound if usage is None else usage
    return known.input_tokens, known.output_tokens


def _read(reported: Any) -> Usage:
    """Raises `ValueError` for what is no report."""
    if not isinstance(reported, Mapping):
        raise ValueError("no usage")
    prompt = _whole(reported.get("prompt_tokens"))
    completion = _whole(reported.get("completion_tokens"))
    total = reported.get("total_tokens")
    beside = 0 if total is None else _whole(total) - prompt - completion
    details = reported.get("completion_tokens_details")
    named = details.get("reasoning_tokens") if isinstance(details, Mapping) else None
    reasoning = None if named is None else _whole(named)
    if beside < 0 or (beside and reasoning not in (None, beside)):
        raise ValueError("the total is not the sum")
    return Usage(prompt, completion + beside, beside or reasoning)


def _whole(value: Any) -> int:
    # `True` is a number to Python, and a float is one that was not counted.
    if type(value) is not int or value < 0:
        raise ValueError("no count")
    return value
