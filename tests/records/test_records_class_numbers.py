"""The main class and subclass of a number, and what is no such number."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_shelf.records.class_numbers import class_of, first_class, why_unclassed
from evaluate_shelf.registry.taxonomy import load_taxonomy

SHELF_WORDS = {"BIO", "DDC", "DVD", "FIC", "JUV", "LP", "MAP", "PER", "REF", "VHS"}
CODES = {row.code for row in load_taxonomy().classes}


@pytest.mark.parametrize(
    ("number", "subclass"),
    [
        ("QA76.9 .D3", "QA"),
        ("QA76.9.D3 1984", "QA"),
        ("QB1-991", "QB"),
        ("[PZ7]", "PZ"),
        (" [PZ7.M8273 Li]", "PZ"),
        ("PZ3.G1335 V PS3513.A384", "PZ"),
        ("PS3515O66", "PS"),
        ("KFW2920", "KFW"),
        ("E 178", "E"),
        ("DJK9", "DJK"),
        ("DJK 28.G4", "DJK"),
        ("DAW 1009", "DAW"),
        ("KBM 524", "KBM"),
        ("KFW 2920 .A7", "KFW"),
        ("CD1001", "CD"),
        ("CD 950 .H4", "CD"),
        ("HF5386 .W85", "HF"),
        ("Z1036/B972", "Z"),
        ("M1500.V48", "M"),
    ],
)
def test_a_class_number_has_its_leading_letters(number: str, subclass: str) -> None:
    assert class_of(number) == (subclass[0], subclass)


@pytest.mark.parametrize(
    "number",
    [
        "",
        "LAW",
        "LAW Spain 7",
        "ISSN",
        "ISSN 1234-5678",
        "MICROFILM 1234",
        "Microfilm S-144",
        "Micfilm",
        "FILM 123",
        "MLCS 84/456 (P)",
        "S-144",
        "823.91",
        "027.67",
        ".D3",
        "A",
        "M12345",
        "qa76.9",
        "QA76x",
        "Diss. Educ. 1983",
        "W 100",
        "WG300",
        "QV 4",
        "QS504",
        "I20",
        "O5",
        "X12",
        "Y 3.2",
        "QA٣",
        "DVD 123",
        "DVD123",
        "REF 12",
        "FIC 12",
        "VHS 1",
        "PER 5",
        "JUV 5",
        "DDC 20",
        "CD 12",
        "ROM 12",
        "DIS 4",
        "[REF 12]",
    ],
)
def test_other_strings_have_none(number: str) -> None:
    assert class_of(number) is None


def test_the_first_number_that_is_one_counts() -> None:
    assert first_class(["LAW", "WG 300", "KF505.Z9", "QA76"]) == ("K", "KF")
    assert first_class(["LAW"]) is None
    assert first_class([]) is None


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [
        ([], "no LCC number"),
        (["LAW", ".D3"], "not an LCC number"),
        (["LAW", "WG 300"], "class outside the 21"),
        (["QV 4"], "class outside the 21"),
        (["LAW", "K 1"], None),
    ],
)
def test_the_reason_for_no_class(numbers: list[str], reason: str | None) -> None:
    assert why_unclassed(numbers) == reason


@given(st.text())
def test_any_text_has_one_of_the_classes_or_none(text: str) -> None:
    found = class_of(text)
    assert found is None or (found.code in CODES and found.subclass.startswith(found.code))


@given(
    st.text(string.ascii_uppercase, min_size=1, max_size=3),
    st.integers(1, 9999),
    st.sampled_from(["", ".5", ".A2 1984", " .B3", "-991", "]"]),
)
def test_every_number_of_the_shape_has_its_first_letter(
    letters: str, whole: int, rest: str
) -> None:
    found = class_of(f"{letters}{whole}{rest}")
    is_medicine = len(letters) > 1 and letters[0] == "Q" and letters[1] >= "S"
    if letters[0] in CODES and not is_medicine and letters not in SHELF_WORDS:
        assert found == (letters[0], letters)
    else:
        assert found is None
