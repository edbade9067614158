"""Numbers with markers: where they stand, and when a value is the number that is written."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_shelf.report.numbers.markers import read_markers


def only(text: str) -> tuple[str, Decimal, int, tuple[str, ...]]:
    [number] = read_markers(text).numbers
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
    assert [number.line for number in read_markers(text).numbers] == [1, 3, 4, 5]


@pytest.mark.parametrize(
    "text",
    [
        "`0.5<!--= a -->`",
        "``0.5<!--= a --> ` ``",
        "```md\n0.5<!--= a -->\n```",
        "~~~\n0.5<!--= a -->\n```\n0.6<!--= b -->\n~~~\n",
        "```\n0.5<!--= a --> in a block without an end",
        "half<!-- a comment = -->",
        "0.5 <!-- a comment -->",
        "0.5 <!-- models -->",
        "prose\n\n    0.5<!--= a -->\n\n    0.6<!-- b -->\n",
        "\t0.5<!--= a -->",
        "- item\n\n      0.5<!--= a -->",
        "> ```\n> 0.5<!--= a -->\n> ```",
        "`a span\nover lines 0.5<!--= a -->`",
        "5 < 6, 5 <= -6, a <- b, 3 <-> 4, <!DOCTYPE html>",
    ],
)
def test_what_is_code_or_a_comment_is_no_marker(text: str) -> None:
    assert read_markers(text) == ([], [])


@pytest.mark.parametrize(
    "text",
    [
        "a tick ` and 0.5<!--= a -->\n\nand another `",
        "```\ncode\n```\n0.5<!--= a -->",
        "`code` 0.5<!--= a --> `code`",
        "- an item\n\n    0.5<!--= a -->",
        "prose\n    0.5<!--= a -->",
        "- a tick `\n- 0.5<!--= a -->\n- another `",
        "# a tick `\n0.5<!--= a -->\n# another `",
        "| a | b | c |\n|--|--|--|\n| ` | 0.5<!--= a --> | ` |",
        "an escaped \\` tick 0.5<!--= a --> and another `",
        "`` two ticks 0.5<!--= a --> and one `",
        "a comment <!-- with a tick ` --> 0.5<!--= a --> `",
        "<p>0.5<!--= a --> ` and `</p>",
    ],
)
def test_what_only_looks_like_code_is_not(text: str) -> None:
    assert only(text)[0] == "0.5"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("\n0.5<!--= a b", 2, "a marker has no end"),
        ("0.5<!--=  -->", 1, "a marker names no derivation"),
        ("half<!--= a b -->", 1, "no number stands right before the marker 'a b'"),
        ("0.5 of it<!--= a b -->", 1, "no number"),
        ("0.5\n<!--= a b -->", 2, "no number"),
        ("0.5 <!--= a b -->", 1, "no number"),
        ("v1.0.5<!--= a b -->", 1, "no number"),
        ("12,34<!--= a b -->", 1, "no number"),
        ("x5<!--= a b -->", 1, "no number"),
        ("| a |\n|--|\n| x |\n| half<!--= a --> |", 4, "no number"),
        ("0.5<!--= a -> and 0.6<!--= b -->", 1, "'->' is no word of a marker"),
        ("0.5<!--= a—> and 0.6<!--= b -->", 1, "'a—>' is no word of a marker"),
        ("0.5<!--= a\x1b[2J -->", 1, "no word of a marker"),
        ("prose\n0.5<!-- a b -->", 2, "right after '0.5'"),
        ("86.3 %<!-- a comment -->", 1, "right after '86.3 %'"),
        ("**28**<!--- a -->", 1, "right after '28'"),
        ("<p>28<!-- a --></p>", 1, "right after '28'"),
        ("28 <!-- known a -->", 1, "names 'known'"),
        ("28 <!-- known: a -->", 1, "names 'known'"),
    ],
)
def test_a_marker_that_says_nothing_is_refused(text: str, line: int, said: str) -> None:
    numbers, [refused] = read_markers(text, {"known"})
    assert numbers == []
    assert refused.line == line
    assert said in refused.problem
    assert refused.problem.isprintable()


@pytest.mark.parametrize("number", ["28", "0.870", "**−0.30**", "62,899", "86.3 %"])
@pytest.mark.parametrize(
    "slip",
    [
        "<!-- = a -->",
        "<!---= a -->",
        "<!-- a -->",
        "<!--\u00a0= a -->",
        "<!--＝ a -->",
        "<!-= a -->",
        "<!= a -->",
        "<!—= a -->",
        "<!–= a –>",
        "<! --= a -->",
        "< !--= a -->",
        "<--= a -->",
        "<-- a -->",
        "<-= a ->",
        "!--= a -->",
        "<!- a -->",
        "&lt;!--= a --&gt;",
        "＜!--= a -->",
        "<!--= a",
        "<!--= a ->",
        "<!--= a --!",
        "<!--=-->",
    ],
)
def test_a_slip_of_the_pen_leaves_no_number_unchecked(number: str, slip: str) -> None:
    numbers, refused = read_markers(f"One line.\n\nThe score is {number}{slip} here.\n")
    assert numbers == []
    assert [one.line for one in refused] == [3]


def test_all_that_is_wrong_is_named_beside_what_is_right() -> None:
    numbers, refused = read_markers("1<!--= a -->\n2<!-- b -->\n\n3<!--= c -->\n\nx<!--= d -->\n")
    assert [number.line for number in numbers] == [1, 4]
    assert [one.line for one in refused] == [2, 6]


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
    [number] = read_markers(f"{exact:{form}}{sign}<!--= a -->").numbers
    assert number.follows_from(value)
    off = Decimal(1).scaleb(-decimals) * Decimal("1.01")
    [other] = read_markers(f"{exact + off:{form}}{sign}<!--= a -->").numbers
    assert not other.follows_from(value)


def test_what_follows_is_said_in_the_form_of_what_is_written() -> None:
    [count] = read_markers("62,899<!--= a -->").numbers
    [share] = read_markers("86.3 %<!--= a -->").numbers
    assert count.as_written(12504.0) == "12,504"
    assert share.as_written(0.5) == "50.0 %"
