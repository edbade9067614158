"""A corpus that was begun small goes on larger, and loses nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from small_ledger import TERMS, answer_to, small_commission, small_orders, small_plan

from builders.budget.entries import Reservation
from builders.budget.folder import plan_file
from builders.budget.growth import is_grown
from builders.budget.ledger import Ledger
from builders.budget.opening import open_ledger
from builders.budget.order_text import text_of
from builders.budget.reading import read_answers, read_plan
from builders.orders import orders_of
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.registry.taxonomy import load_taxonomy


def opened(folder: Path, documents: int) -> Ledger:
    plan = small_plan(documents)
    return open_ledger(folder, small_commission(plan), lambda: small_orders(plan), {})


def write(ledger: Ledger, most: int) -> None:
    with ledger.transaction():
        for number in range(most):
            own = ledger.reserve("ab"[number % 2], lambda order: 10, TERMS)
            if isinstance(own, Reservation):
                ledger.settle(own.attempt, answer_to(own.order, f"Title {number}\n\nText."), 7)


def steps(ledger: Ledger) -> dict[str, int]:
    return dict(ledger.query("SELECT id, step FROM orders"))


def test_a_larger_plan_adds_orders_and_keeps_answers_and_money(tmp_path: Path) -> None:
    ledger = opened(tmp_path, 12)
    write(ledger, 8)
    ledger.close()
    before = list(read_answers(tmp_path))
    ledger = opened(tmp_path, 60)
    assert steps(ledger) == {order.id: step for step, order in small_orders(small_plan(60))}
    assert ledger.budget().settled == 8 * 7
    ledger.close()
    assert read_plan(tmp_path).orders == 60
    assert list(read_answers(tmp_path)) == before
    ledger = opened(tmp_path, 60)
    write(ledger, 100)
    ledger.close()
    after = list(read_answers(tmp_path))
    assert len(after) == 60
    assert [own for own in after if own.order.id in {old.order.id for old in before}] == before


def test_it_may_grow_again_but_not_shrink(tmp_path: Path) -> None:
    for documents in (12, 24, 60):
        opened(tmp_path, documents).close()
        assert read_plan(tmp_path).orders == documents
    with pytest.raises(ShelfError, match="specifications: 10, now 4"):
        opened(tmp_path, 24)
    assert read_plan(tmp_path).orders == 60


def test_where_it_ended_between_ledger_and_plan_the_next_one_goes_on(tmp_path: Path) -> None:
    opened(tmp_path, 12).close()
    shutil.copy(plan_file(tmp_path), tmp_path / "kept.json")
    opened(tmp_path, 60).close()
    shutil.copy(tmp_path / "kept.json", plan_file(tmp_path))
    with pytest.raises(ShelfError, match=r"plan\.json"):
        list(read_answers(tmp_path))
    opened(tmp_path, 60).close()
    assert list(read_answers(tmp_path)) == []
    assert read_plan(tmp_path).orders == 60


def test_another_plan_is_no_larger_one() -> None:
    small, large = small_commission(small_plan(12)), small_commission(small_plan(60))
    assert is_grown(small, large)
    assert not is_grown(large, small)
    assert not is_grown(small, small)
    assert not is_grown(small, small_commission(small_plan(60), seed=7))
    reworded = large.model_copy(update={"wording_sha256": "0" * 64})
    assert not is_grown(small, reworded)


@pytest.mark.parametrize("name", ["sample", "standard"])
def test_a_larger_block_begins_with_all_of_a_smaller_one(name: str) -> None:
    plan, labels = load_plan(name), load_taxonomy()
    small, large = (
        {order.id: text_of(order) for order in orders_of(own, labels, 42)}
        for own in (plan.sized(300, plan.slices), plan.sized(900, plan.slices))
    )
    assert len(small) < len(large)
    assert small.items() <= large.items()
