"""Whether the tokens that an endpoint reports can be right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from builders.writers.protocol import Bound, Usage

MOST_TOKENS = 10_000_000
"""No model takes or writes more in one call; a report of more is no count."""

CHARACTERS_A_TOKEN = 12
"""No tokenizer has more on average: prose has four to seven, and the longest words that are one
token have about twenty. Runs of one character, which can be one token, count as one."""

_RUN = re.compile(r"(.)\1+", re.DOTALL)


def least_tokens(text: str) -> int:
    """Tokens that a text has at least, whoever counts them.

    A word is one at least, and so are `CHARACTERS_A_TOKEN` characters, blanks not counted.

    Examples
    --------
    >>> least_tokens("Rivers and those who live there"), least_tokens("ab," * 500)
    (6, 125)
    >>> least_tokens("-" * 1000)
    1
    """
    words = text.split()
    return max(len(words), len(_RUN.sub(r"\1", "".join(words))) // CHARACTERS_A_TOKEN)


def usage_of(reported: Any, *, least_input: int, least_output: int) -> Usage | None:
    """Tokens that a call is charged for, as an OpenAI-compatible endpoint reports them.

    Most endpoints count reasoning among the completion tokens; some beside them, and then the
    total is larger than prompt and completion together. All that is beyond the prompt is billed as
    output. Cached tokens are part of the prompt's.

    More than a call was allowed is taken too, up to `MOST_TOKENS`: it is what the endpoint will
    charge. Too little that is not less than the text shows cannot be told from the truth, least of
    all where it leaves out reasoning, which nobody sees.

    Parameters
    ----------
    reported : object
        The answer's `usage`.
    least_input, least_output : int
        `least_tokens` of what was asked, and of what can be seen of the answer.

    Returns
    -------
    Usage or None
        None where numbers are missing, are no whole numbers, contradict each other, or cannot be.

    Examples
    --------
    >>> usage_of(
    ...     {"prompt_tokens": 30, "completion_tokens": 2, "total_tokens": 349,
    ...      "completion_tokens_details": {"reasoning_tokens": 317}},
    ...     least_input=20, least_output=2,
    ... )
    Usage(input_tokens=30, output_tokens=319, reasoning_tokens=317)
    >>> usage_of(
    ...     {"prompt_tokens": 30, "completion_tokens": 2}, least_input=20, least_output=9
    ... ) is None
    True
    """
    try:
        usage = _read(reported)
    except ValueError:
        return None
    visible = usage.output_tokens - (usage.reasoning_tokens or 0)
    right = (
        least_input <= usage.input_tokens <= MOST_TOKENS
        and least_output <= visible <= usage.output_tokens <= MOST_TOKENS
    )
    return usage if right else None


def is_over(usage: Usage | None, least_output: int, bound: Bound) -> bool:
    """Whether a call took more than its bound, by its report or by what can be seen.

    Examples
    --------
    >>> is_over(Usage(100, 501), 9, Bound(100, 500)), is_over(None, 501, Bound(100, 500))
    (True, True)
    >>> is_over(Usage(100, 500), 9, Bound(100, 500))
    False
    """
    taken = usage or Usage(0, 0)
    return (
        taken.input_tokens > bound.input_tokens
        or max(taken.output_tokens, least_output) > bound.output_tokens
    )


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
