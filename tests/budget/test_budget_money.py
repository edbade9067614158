"""Amounts, caps and prices as they are given and shown."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.budget.caps import caps_in
from builders.budget.money import nanodollars_in, usd
from builders.budget.tariff import Tariff, tariffs_of
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.prices import Price
from evaluate_shelf.registry.roster import Generator


@pytest.mark.parametrize("text", ["", "ten", "nan", "inf", "-1", "1e10", "0x10", "1,000", "20 USD"])
def test_what_is_no_amount(text: str) -> None:
    with pytest.raises(ShelfError, match="--cap-usd"):
        nanodollars_in(text, "--cap-usd")


@given(st.integers(0, 10**18))
def test_an_amount_that_is_written_out_is_read_exactly(nanodollars: int) -> None:
    text = str(Decimal(nanodollars) / 10**9)
    assert nanodollars_in(text, "cap") == nanodollars


def test_what_is_finer_than_a_nanodollar_does_not_make_a_cap_larger() -> None:
    assert nanodollars_in("0.0000000019", "cap") == 1


@given(st.integers(0, 10**15))
def test_an_amount_is_never_shown_as_too_little(nanodollars: int) -> None:
    shown = Decimal(usd(nanodollars).replace(",", "")) * 10**9
    step = 10**7 if nanodollars >= 10**9 else 10**5
    assert nanodollars <= shown < nanodollars + step or shown == nanodollars


@pytest.mark.parametrize("cap", ["a", "=1", "c=1", "a=", "a=x"])
def test_caps_that_are_wrong(cap: str) -> None:
    with pytest.raises(ShelfError, match="--cap"):
        caps_in("1", [cap], ["a", "b"])


def test_a_cap_that_stands_twice_is_refused() -> None:
    with pytest.raises(ShelfError, match="twice"):
        caps_in(None, ["a=1", "a=2"], ["a"])


def _generator(**settings: object) -> Generator:
    row = {"name": "g", "writer": "openai", "model": "m", "base_url": "http://localhost:1/v1"}
    return Generator.model_validate(row | settings)


def _price(**settings: object) -> Price:
    row = {"model": "m", "usd_per_million_input_tokens": 1.0, "date": dt.date(2026, 3, 1)}
    return Price.model_validate({**row, "source": "https://example.org", **settings})


def test_a_paid_model_needs_a_price_for_output() -> None:
    with pytest.raises(ShelfError, match="m"):
        tariffs_of([_generator()], {})
    with pytest.raises(ShelfError, match="m"):
        tariffs_of([_generator()], {"m": _price()})
    assert tariffs_of([_generator(price="free")], {})["g"] == Tariff(None)


def test_a_batch_has_its_discount_and_no_other_has() -> None:
    price = _price(usd_per_million_output_tokens=10.0, batch_discount=0.5)
    chat = tariffs_of([_generator()], {"m": price})["g"]
    batch = tariffs_of([_generator(writer="batch")], {"m": price})["g"]
    assert (chat.nanodollars(100, 10), batch.nanodollars(100, 10)) == (200_000, 100_000)
