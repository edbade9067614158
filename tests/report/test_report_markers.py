"""Numbers with markers: where they stand, and when a value is the number that is written."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.report.numbers.markers import marked_numbers


def only(text: str) -> tuple[str, Decimal, int, tuple[str, ...]]:
    [number] = marked_numbers(text)
    return number.written, number.value, number.decimals, number.derivation


@pytest.mark.parametrize(
    ("text", "written", "value", "decimals"),
    [
        ("rho is 0.870<!--= a b -->", "0.870", "0.870", 3),
        ("**0.87**<!--= a b -->", "0.87", "0.87", 2),
        ("`0.87`<!--= a b -->", "0.87", "0.87", 2),
        ("a loss of −0.0396<!--= a b -->", "−0.0396", "-0.0396", 4),
        ("| +3 | -12<!--= a b --> |", "-12", "-12", 0),
        ("62,899<!--= a b --> documents", "62,899", "62899", 0),
        ("86.3 %<!--= a b -->", "86.3 %", "86.3", 1),
        ("0.61 to 0.98<!--=   a\n  b   -->", "0.98", "0.98", 2),
    ],
)
def test_a_number_is_read_as_it_is_written(
    text: str, written: str, value: str, decimals: int
) -> None:
    assert only(text) == (written, Decimal(value), decimals, ("a", "b"))


def test_lines_are_those_of_the_numbers() -> None:
    text = "1<!--= a -->\n\n2<!--= b\n--> and 3<!--= c -->\r\n4<!--= d -->"
    assert [number.line for number in marked_numbers(text)] == [1, 3, 4, 5]


@pytest.mark.parametrize(
    "text",
    [
        "`0.5<!--= a -->`",
        "``0.5<!--= a --> ` ``",
        "```md\n0.5<!--= a -->\n```",
        "~~~\n0.5<!--= a -->\n```\n0.6<!--= b -->\n~~~\n",
        "```\n0.5<!--= a --> in a block without an end",
        "0.5<!-- a comment = -->",
    ],
)
def test_what_is_code_or_a_comment_is_no_marker(text: str) -> None:
    assert marked_numbers(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "a tick ` and 0.5<!--= a -->\n\nand another `",
        "```\ncode\n```\n0.5<!--= a -->",
        "`code` 0.5<!--= a --> `code`",
    ],
)
def test_what_only_looks_like_code_is_not(text: str) -> None:
    assert only(text)[0] == "0.5"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n0.5<!--= a b", "line 2: a marker has no end"),
        ("0.5<!--=  -->", "line 1: a marker names no derivation"),
        ("half<!--= a b -->", "line 1: no number stands right before the marker 'a b'"),
        ("0.5 of it<!--= a b -->", "no number"),
        ("0.5\n<!--= a b -->", "line 2: no number"),
        ("v1.0.5<!--= a b -->", "no number"),
        ("12,34<!--= a b -->", "no number"),
        ("x5<!--= a b -->", "no number"),
    ],
)
def test_a_marker_that_says_nothing_is_refused(text: str, said: str) -> None:
    with pytest.raises(ShelfError, match=said):
        marked_numbers(text)


@given(
    st.floats(min_value=-1e6, max_value=1e6, allow_nan=False),
    st.integers(0, 6),
    st.booleans(),
    st.booleans(),
)
def test_a_value_as_it_is_printed_follows_and_the_next_number_does_not(
    value: float, decimals: int, percent: bool, grouped: bool
) -> None:
    exact = Decimal(repr(value)) * (100 if percent else 1)
    form = f"{',' if grouped else ''}.{decimals}f"
    sign = " %" if percent else ""
    [number] = marked_numbers(f"{exact:{form}}{sign}<!--= a -->")
    assert number.follows_from(value)
    off = Decimal(1).scaleb(-decimals) * Decimal("1.01")
    [other] = marked_numbers(f"{exact + off:{form}}{sign}<!--= a -->")
    assert not other.follows_from(value)


def test_what_follows_is_said_in_the_form_of_what_is_written() -> None:
    [count] = marked_numbers("62,899<!--= a -->")
    [share] = marked_numbers("86.3 %<!--= a -->")
    assert count.as_written(12504.0) == "12,504"
    assert share.as_written(0.5) == "50.0 %"
