"""Reported tokens: taken where they can be right, else not at all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.writers.protocol import Bound, Usage
from builders.writers.usage import usage_of

BOUND = Bound(400, 1_000)


def read(reported: Any, text_words: int = 50) -> Usage | None:
    return usage_of(reported, bound=BOUND, prompt_words=80, text_words=text_words)


def report(prompt: Any, completion: Any, total: Any = None, reasoning: Any = None) -> Any:
    own = {"prompt_tokens": prompt, "completion_tokens": completion}
    if total is not None:
        own["total_tokens"] = total
    if reasoning is not None:
        own["completion_tokens_details"] = {"reasoning_tokens": reasoning}
    return own


@pytest.mark.parametrize(
    ("reported", "usage"),
    [
        (report(100, 70), Usage(100, 70, None)),
        (report(100, 70, 170), Usage(100, 70, None)),
        (report(100, 70, 170, 0), Usage(100, 70, 0)),
        # Reasoning within the completion is billed once.
        (report(100, 370, 470, 300), Usage(100, 370, 300)),
        # Beside it, it is billed too, whether its number is named or not.
        (report(100, 70, 470, 300), Usage(100, 370, 300)),
        (report(100, 70, 470), Usage(100, 370, 300)),
        ({**report(100, 70, 170), "prompt_tokens_details": {"cached_tokens": 90}}, Usage(100, 70)),
        ({**report(100, 70, 170), "completion_tokens_details": None}, Usage(100, 70)),
    ],
)
def test_reports_that_can_be_right(reported: Any, usage: Usage) -> None:
    assert read(reported) == usage


@pytest.mark.parametrize(
    "reported",
    [
        None,
        [],
        "100",
        {},
        report(0, 0, 0),
        report(100, 0),
        report(0, 70),
        report(-100, -70, -170),
        report(50, 70),
        report(100, 49),
        report(401, 70),
        report(100, 1_001),
        report(10**18, 10**18, 2 * 10**18),
        report("100", "70"),
        report(100.0, 70.0),
        report(float("nan"), float("nan")),
        report(True, True),
        report(100, 70, 169),
        report(100, 70, 2_000),
        report(100, 70, 470, 200),
        report(100, 70, 170, 71),
        report(100, 70, 170, 30),
        report(100, 70, 170, -1),
        report(100, 70, 170, "0"),
    ],
)
def test_reports_that_cannot_be_right(reported: Any) -> None:
    assert read(reported) is None


_NUMBERS = st.integers(-10, 2_000) | st.sampled_from([None, 1.5, "7", True])


@given(_NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, st.integers(0, 100))
def test_whatever_is_reported_what_is_taken_is_within_its_limits(
    prompt: Any, completion: Any, total: Any, reasoning: Any, words: int
) -> None:
    usage = read(report(prompt, completion, total, reasoning), words)
    if usage is not None:
        assert 80 <= usage.input_tokens <= BOUND.input_tokens
        assert words <= usage.output_tokens <= BOUND.output_tokens
        assert 0 <= (usage.reasoning_tokens or 0) <= usage.output_tokens - words
        # Never less than what the report bills.
        assert usage.output_tokens >= completion


@given(st.integers(60, 1_000), st.integers(80, 400), st.integers(0, 900))
def test_a_true_report_is_taken_as_it_is_in_either_form(
    visible: int, prompt: int, reasoning: int
) -> None:
    output = visible + reasoning
    true = Usage(prompt, output, reasoning)
    within = read(report(prompt, output, prompt + output, reasoning))
    beside = read(report(prompt, visible, prompt + output, reasoning))
    assert within == beside == (true if output <= BOUND.output_tokens else None)
