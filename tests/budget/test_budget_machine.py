"""Whatever processes do to a ledger, in any order: no answer is lost, and no cap is passed but by
calls that took more than was set aside for them."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)
from small_ledger import TERMS, answer_to, small_commission, small_orders, small_plan

from builders.budget.entries import Hindrance, Reservation
from builders.budget.ledger import Ledger
from builders.budget.opening import open_ledger
from builders.orders import Order
from evaluate_shelf.errors import ShelfError

PLAN = small_plan(48)
ORDERS = small_orders(PLAN)
COMMISSION = small_commission(PLAN)
NAMES = ("a", "b")


def cost_of(order: Order) -> int:
    return int(order.id, 16) % 28 + 3


@dataclass(eq=False)
class Process:
    """A process with what it has reserved, and what it may still settle when it is thought dead."""

    ledger: Ledger
    held: dict[int, Reservation] = field(default_factory=dict)


class Machine(RuleBasedStateMachine):
    processes = Bundle("processes")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.out = Path(self.folder.name) / "corpus"
        # The oracle: every attempt's part of the spending, told by what was done to it.
        self.part: dict[int, int] = {}
        self.above: dict[int, int] = {}
        self.whose: dict[int, str] = {}
        self.answered: set[str] = set()
        self.asked: dict[str, int] = {}
        self.lost: set[int] = set()
        self.caps = {"": 250, "a": 150}
        self.all: list[Process] = []
        # One more process, which reserves nothing.
        self.observer = self.opened()

    def opened(self) -> Ledger:
        ledger = open_ledger(self.out, COMMISSION, lambda: ORDERS, self.caps)
        # No power fails here.
        ledger._connection.execute("PRAGMA synchronous = OFF")
        return ledger

    def teardown(self) -> None:
        self.observer.close()
        self.folder.cleanup()

    @initialize(target=processes)
    def start(self) -> MultipleResults[Process]:
        self.all = [Process(self.opened()) for _ in range(3)]
        return multiple(*self.all)

    @rule(process=processes, name=st.sampled_from(NAMES), times=st.integers(1, 4))
    def reserve(self, process: Process, name: str, times: int) -> None:
        for _ in range(times):
            self.reserve_one(process, name)

    def reserve_one(self, process: Process, name: str) -> None:
        with process.ledger.transaction():
            found = process.ledger.reserve(name, cost_of, TERMS)
        if isinstance(found, Hindrance):
            self.check_hindrance(name, found)
            return
        assert found.order.generator == name
        for own in ("", name):
            assert self.spent(own) + found.bound <= self.caps.get(own, 10**9)
        assert found.order.id not in self.answered
        assert found.order.id not in self.asked
        process.held[found.attempt] = found
        self.asked[found.order.id] = found.attempt
        self.part[found.attempt], self.whose[found.attempt] = found.bound, name

    def check_hindrance(self, name: str, found: Hindrance) -> None:
        if found is Hindrance.CAP:
            assert self.spent("") + 30 > self.caps[""]
        if found is Hindrance.OWN_CAP:
            assert self.spent(name) + 30 > self.caps[name]

    reserve_more = reserve

    def take(self, data: st.DataObject) -> tuple[Ledger, Reservation]:
        held = [(process, own) for process in self.all for own in sorted(process.held)]
        process, attempt = data.draw(st.sampled_from(held))
        reservation = process.held.pop(attempt)
        if self.asked.get(reservation.order.id) == attempt:
            del self.asked[reservation.order.id]
        return process.ledger, reservation

    def something_is_held(self) -> bool:
        return any(process.held for process in self.all)

    @precondition(something_is_held)
    @rule(data=st.data(), share=st.floats(0, 1))
    def settle(self, data: st.DataObject, share: float) -> None:
        ledger, own = self.take(data)
        cost = int(own.bound * share)
        with ledger.transaction():
            ledger.settle(own.attempt, answer_to(own.order, f"{own.attempt}"), cost)
        self.settled(own, cost)

    def settled(self, own: Reservation, cost: int) -> None:
        self.part[own.attempt] = cost
        self.lost.discard(own.attempt)
        self.answered.add(own.order.id)

    settle_more = settle

    @precondition(something_is_held)
    @rule(data=st.data(), more=st.integers(1, 60))
    def settle_above_the_bound(self, data: st.DataObject, more: int) -> None:
        ledger, own = self.take(data)
        with ledger.transaction():
            ledger.settle(own.attempt, answer_to(own.order, f"{own.attempt}"), own.bound + more)
        self.settled(own, own.bound + more)
        self.above[own.attempt] = more

    @precondition(something_is_held)
    @rule(data=st.data(), failed=st.booleans())
    def release(self, data: st.DataObject, failed: bool) -> None:
        ledger, own = self.take(data)
        with ledger.transaction():
            ledger.release(own.attempt, "busy", failed=failed)
        self.part[own.attempt] = 0
        self.lost.discard(own.attempt)

    @precondition(something_is_held)
    @rule(data=st.data())
    def lose(self, data: st.DataObject) -> None:
        ledger, own = self.take(data)
        with ledger.transaction():
            ledger.lose(own.attempt, "cut")
        self.lost.add(own.attempt)

    @rule(process=processes)
    def fail_in_a_transaction(self, process: Process) -> None:
        def reserve_and_fail() -> None:
            with process.ledger.transaction():
                for name in NAMES:
                    process.ledger.reserve(name, cost_of, TERMS)
                raise KeyError

        with pytest.raises(KeyError):
            reserve_and_fail()

    @rule(process=processes, restarts=st.booleans())
    def be_thought_dead(self, process: Process, restarts: bool) -> None:
        """Its process has ended and another begins; or it lives, and settles late."""
        with self.observer.transaction():
            self.observer.change(
                "UPDATE owners SET started = 'another' WHERE token = ?", process.ledger.owner.token
            )
        self.observer.live()
        self.lost.update(process.held)
        for own in process.held.values():
            if self.asked.get(own.order.id) == own.attempt:
                del self.asked[own.order.id]
        if restarts:
            process.ledger._connection.close()
            process.held.clear()
            process.ledger = self.opened()
        else:
            with self.observer.transaction():
                self.observer.change(
                    "UPDATE owners SET started = ? WHERE token = ?",
                    process.ledger.owner.started,
                    process.ledger.owner.token,
                )

    @rule(change=st.integers(-50, 200), name=st.sampled_from(["", "a", "b"]))
    def set_cap(self, change: int, name: str) -> None:
        other, cap = self.observer, max(0, self.spent(name) + change)
        if cap < self.spent(name) and cap != self.caps.get(name):
            with pytest.raises(ShelfError):
                other.set_caps({name: cap})
        else:
            other.set_caps({name: cap})
            self.caps[name] = cap

    def spent(self, name: str) -> int:
        return sum(part for own, part in self.part.items() if name in ("", self.whose[own]))

    def passed(self, name: str) -> int:
        return sum(more for own, more in self.above.items() if name in ("", self.whose[own]))

    @invariant()
    def sums_are_those_of_the_oracle(self) -> None:
        other = self.observer
        for name in ("", *NAMES):
            budget = other.budget(name)
            assert budget.charged + budget.reserved == self.spent(name)
            assert budget.cap == self.caps.get(name)
            assert budget.cap is None or self.spent(name) - self.passed(name) <= budget.cap
        answers = {own for (own,) in other.query("SELECT order_id FROM answers")}
        assert answers == self.answered
        [(lost,)] = other.query("SELECT count(*) FROM attempts WHERE state = 'unknown'")
        assert lost == len(self.lost)


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
