"""Whatever stands in `run.json`, it is a run's, or refused with a reason."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from submitted_runs import kept_run

from evaluate_shelf.printable import UNPRINTABLE
from evaluate_shelf.submissions.refusals import Refused
from evaluate_shelf.submissions.run_json import protocol_of_run, run_file_of

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from([10**30, -1, 1e300, "<b>", "=1", "../x", "\x1b[2J", "x" * 400])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3)
    ),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def honest() -> dict[str, Any]:
    value: dict[str, Any] = json.loads((kept_run() / "run.json").read_text())
    return value


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    pairs: Any = ()
    if isinstance(value, dict):
        pairs = value.items()
    elif isinstance(value, list):
        pairs = enumerate(value)
    for key, inner in pairs:
        yield from places(inner, (*path, key))


HARD_TO_SHOW: dict[str, dict[str, Any]] = {
    "hardware.memory_bytes": {"hardware": {"memory_bytes": -1}},
    "hardware": {"hardware": {f"key {number}": number for number in range(2500)}},
    "versions": {"versions": {f"key {number}": "1" for number in range(2500)}},
}


@pytest.mark.parametrize("field", HARD_TO_SHOW)
def test_what_no_machine_has_is_refused_by_the_field_s_name(
    honest: dict[str, Any], field: str
) -> None:
    data = json.dumps({**honest, **HARD_TO_SHOW[field]}).encode()
    with pytest.raises(Refused, match=f"field {re.escape(field)}: "):
        run_file_of(data)


def test_a_name_of_the_sender_s_choosing_is_short_and_in_quotes(honest: dict[str, Any]) -> None:
    advert = "BUY NOW at example.org " * 8
    for value in (
        {**honest, "hardware": {advert: 10**30}},
        {**honest, advert: 1},
        {**honest, "tasks": {**honest["tasks"], advert: {}}},
    ):
        with pytest.raises(Refused) as refused:
            run_file_of(json.dumps(value).encode())
        outside = re.sub(r"'[^']*'", "", str(refused.value))
        assert "BUY" not in outside
        assert str(refused.value).count("BUY NOW") <= 2


def judged(data: bytes) -> bool:
    """Whether it is taken; nothing but a refusal may come of it otherwise."""
    try:
        protocol_of_run(run_file_of(data))
    except Refused as error:
        reason = str(error)
        assert 0 < len(reason) <= 500
        assert not re.search(f"[{UNPRINTABLE}]", reason)
        return False
    return True


def test_an_honest_one_is_taken(honest: dict[str, Any]) -> None:
    assert judged(json.dumps(honest).encode())


@settings(max_examples=200)
@given(VALUES)
def test_any_json_is_refused(value: Any) -> None:
    assert not judged(json.dumps(value).encode())


@settings(max_examples=200)
@given(st.binary(max_size=200))
def test_any_bytes_are_refused(data: bytes) -> None:
    assert not judged(data)


@settings(max_examples=400)
@given(st.data())
def test_a_changed_value_is_refused_or_within_bounds(
    honest: dict[str, Any], data: st.DataObject
) -> None:
    forged = copy.deepcopy(honest)
    path = data.draw(st.sampled_from(list(places(honest))[1:]))
    inner: Any = forged
    for part in path[:-1]:
        inner = inner[part]
    new = data.draw(VALUES)
    inner[path[-1]] = new
    if judged(json.dumps(forged).encode()) and isinstance(new, str):
        assert not set(new) & set('<>"`&\x1b\n\u202e')


@settings(max_examples=100)
@given(st.data())
def test_a_key_too_many_is_refused_or_a_name(honest: dict[str, Any], data: st.DataObject) -> None:
    forged = copy.deepcopy(honest)
    inner = data.draw(
        st.sampled_from([forged, forged["model"], forged["versions"], forged["model"]["settings"]])
    )
    key, new = data.draw(st.text(max_size=20)), data.draw(VALUES)
    if key in inner:
        return
    inner[key] = new
    if judged(json.dumps(forged).encode()):
        assert inner in (forged["versions"], forged["model"]["settings"])
        assert key.isascii()
        assert key.isprintable()


LONG = "https://spam.example/" + "buy" * 60


def with_unknown_task(file: dict[str, Any]) -> None:
    file["tasks"][LONG] = next(iter(file["tasks"].values()))


def with_nested_keys(file: dict[str, Any]) -> None:
    file["model"]["settings"] = {LONG: {f"{LONG}2": {f"{LONG}3": "<"}}}


def with_another_file(file: dict[str, Any]) -> None:
    file["files"]["items/" + "buy" * 30] = "0" * 64


@pytest.mark.parametrize("change", [with_unknown_task, with_nested_keys, with_another_file])
def test_a_refusal_repeats_little_of_what_was_sent(honest: dict[str, Any], change: Any) -> None:
    change(honest)
    with pytest.raises(Refused) as raised:
        run_file_of(json.dumps(honest).encode())
    assert "://" not in str(raised.value)
    assert str(raised.value).count("buy") <= 14
