"""Reported tokens: taken where they can be right, else not at all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.writers.protocol import Bound, Usage
from builders.writers.usage import MOST_TOKENS, is_over, least_tokens, usage_of


def read(reported: Any, least_output: int = 50) -> Usage | None:
    return usage_of(reported, least_input=80, least_output=least_output)


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
        # What is above any bound will be charged all the same.
        (report(50_000, 70), Usage(50_000, 70)),
        (report(100, 20_070, 20_170, 20_000), Usage(100, 20_070, 20_000)),
        (report(MOST_TOKENS, MOST_TOKENS), Usage(MOST_TOKENS, MOST_TOKENS)),
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
        report(MOST_TOKENS + 1, 70),
        report(100, MOST_TOKENS + 1),
        report(10**18, 10**18, 2 * 10**18),
        report("100", "70"),
        report(100.0, 70.0),
        report(float("nan"), float("nan")),
        report(True, True),
        report(100, 70, 169),
        report(100, 70, 2 * MOST_TOKENS),
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
        assert 80 <= usage.input_tokens <= MOST_TOKENS
        assert words <= usage.output_tokens <= MOST_TOKENS
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
    assert within == beside == true


@given(st.integers(0, 900), st.integers(0, 2_000), st.integers(0, 2_000))
def test_more_than_the_bound_is_over_by_any_of_the_three(
    prompt: int, output: int, seen: int
) -> None:
    bound = Bound(400, 1_000)
    wanted = prompt > 400 or output > 1_000 or seen > 1_000
    assert is_over(Usage(prompt, output), seen, bound) == wanted
    assert is_over(None, seen, bound) == (seen > 1_000)


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("", 0),
        ("one", 1),
        ("one two  three", 3),
        # Few words, and many tokens.
        ("ab," * 500, 125),
        ("河川与山" * 300, 100),
        ("abcdefghijkl" * 40, 40),
        # What may be one token: long words, rules, indents.
        ("internationalization", 1),
        ("-" * 80, 1),
        ("=" * 80 + "\n" + " " * 500 + "\n" + "*" * 80, 2),
    ],
)
def test_a_text_has_at_least_its_words_and_a_twelfth_of_its_characters(
    text: str, least: int
) -> None:
    assert least_tokens(text) == least


@given(st.text(max_size=200))
def test_no_text_has_less_than_no_tokens_or_more_than_characters(text: str) -> None:
    assert 0 <= least_tokens(text) <= len(text)


def test_prose_is_never_taken_for_more_than_a_tokenizer_gives() -> None:
    """Words of six letters are two tokens to most; the least is one each."""
    assert least_tokens("Telecommunications infrastructure is needed.") == 4


def test_a_report_that_the_characters_show_to_be_too_low() -> None:
    assert read(report(100, 2), least_tokens("ab," * 500)) is None
