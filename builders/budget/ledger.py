"""The ledger: an order is reserved at its worst case before it is asked, and settled after."""

from __future__ import annotations

import json
import sqlite3
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from typing import Any

from builders.budget.caps import ALL
from builders.budget.entries import Abandoned, Budget, Hindrance, Reservation, Terms
from builders.budget.failures import ledger_failures
from builders.budget.money import usd
from builders.budget.order_text import order_in
from builders.budget.owners import Owner, is_alive
from builders.orders import Order
from builders.writers.protocol import Answer
from evaluate_shelf.errors import ShelfError

Cost = Callable[[Order], int]
"""Gives the nanodollars that an order is charged at most."""


class Ledger:
    """An open ledger. One thread uses it; other processes may use the same file.

    Made by `builders.budget.opening.open_ledger`.

    Parameters
    ----------
    connection : sqlite3.Connection
        In autocommit mode.
    file : pathlib.Path
        For messages.
    owner : Owner
        In whose name orders are reserved.
    clock : callable, default=time.time
        Seconds since 1970.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        file: Path,
        owner: Owner,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.file = file
        self.owner = owner
        self.now = clock
        self._connection = connection

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """What is done in the block is done as a whole, and on the disk when it ends.

        Raises
        ------
        NoRoomError
            If it cannot be kept; the ledger is as it was before.
        """
        with ledger_failures(self.file):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def query(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Rows of a statement, inside a transaction or not."""
        return list(self.each(sql, *values))

    def each(self, sql: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """Rows of a statement, one at a time."""
        with ledger_failures(self.file):
            yield from self._connection.execute(sql, values)

    def change(self, sql: str, *values: object) -> int:
        """Carry out a statement of a transaction; the last row's number."""
        assert self._connection.in_transaction
        return self._connection.execute(sql, values).lastrowid or 0

    def close(self) -> None:
        """Take leave: what is still reserved, such as a batch, is free to be taken over."""
        try:
            with self.transaction():
                self.change("DELETE FROM owners WHERE token = ?", self.owner.token)
        finally:
            self._connection.close()

    # ----- caps

    def budget(self, generator: str = ALL) -> Budget:
        """What counts against the cap of a generator, or of all."""
        [row] = self.query(
            "SELECT cap, reserved, settled, unknown FROM budgets WHERE generator = ?", generator
        )
        return Budget(*row)

    def set_caps(self, caps: Mapping[str, int]) -> None:
        """Set caps; those that are not named stay.

        Parameters
        ----------
        caps : mapping of str to int
            Nanodollars by generator, and by `ALL`.

        Raises
        ------
        ShelfError
            If one is less than what is spent or reserved, and another than before: the same
            command has to go on where a call took more than its bound.
        """
        with self.transaction():
            for generator, cap in caps.items():
                own = self.budget(generator)
                if cap != own.cap and cap < own.charged + own.reserved:
                    whose = "" if generator == ALL else f" of {generator}"
                    raise ShelfError(
                        f"{self.file}: the cap{whose} cannot be {usd(cap)} USD: "
                        f"{usd(own.settled)} are spent, {usd(own.unknown)} are spent perhaps and "
                        f"{usd(own.reserved)} are reserved for calls in flight"
                    )
                self.change("UPDATE budgets SET cap = ? WHERE generator = ?", cap, generator)

    # ----- orders

    def frontier(self, generator: str, terms: Terms) -> int | None:
        """The step of a generator's first order that is waiting; None if none is."""
        [(step,)] = self.query(
            f"SELECT min(step) FROM orders WHERE {_WAITING}",  # noqa: S608
            *_values(generator, terms, ()),
        )
        return None if step is None else int(step)

    def reserve(
        self,
        generator: str,
        cost: Cost,
        terms: Terms,
        *,
        last_step: int | None = None,
        avoiding: Collection[str] = (),
    ) -> Reservation | Hindrance:
        """Reserve a generator's next order, inside a transaction.

        Parameters
        ----------
        generator : str
        cost : callable
            Gives what an order is charged at most.
        terms : Terms
        last_step : int, default=None
            Later ones have to wait.
        avoiding : collection of str
            Ids of orders that are not taken now.
        """
        rows = self.waiting(generator, terms, 1, avoiding)
        if not rows:
            return Hindrance.NONE_LEFT
        [(step, order)] = rows
        if last_step is not None and step > last_step:
            return Hindrance.AHEAD
        bound = cost(order)
        return self.hindrance(generator, bound) or self.reserved(order, bound)

    def waiting(
        self, generator: str, terms: Terms, most: int, avoiding: Collection[str] = ()
    ) -> list[tuple[int, Order]]:
        """A generator's next orders, each with its step."""
        rows = self.query(
            f"SELECT step, id, slice, generator, content FROM orders WHERE {_WAITING} "  # noqa: S608
            "ORDER BY step, place LIMIT ?",
            *_values(generator, terms, avoiding),
            most,
        )
        return [(step, order_of_row(self.file, *own)) for step, *own in rows]

    def order(self, order_id: str) -> Order:
        """An order of the plan by its id."""
        [row] = self.query(
            "SELECT id, slice, generator, content FROM orders WHERE id = ?", order_id
        )
        return order_of_row(self.file, *row)

    def rest(self, generator: str, terms: Terms) -> Iterator[Order]:
        """All of a generator's orders that may still be asked."""
        sql = f"SELECT id, slice, generator, content FROM orders WHERE {_WAITING}"  # noqa: S608
        for row in self.each(sql, *_values(generator, terms, ())):
            yield order_of_row(self.file, *row)

    def hindrance(self, generator: str, bound: int) -> Hindrance | None:
        """What forbids to reserve so much, if anything does."""
        own, of_all = self.budget(generator), self.budget()
        if not bound:
            return None
        if own.left is not None and own.left < bound:
            return Hindrance.OWN_CAP
        if of_all.left is not None and of_all.left < bound:
            return Hindrance.CAP
        rooms = [budget.room for budget in (own, of_all) if budget.room is not None]
        return Hindrance.RESERVED if any(room < bound for room in rooms) else None

    def reserved(self, order: Order, bound: int, batch: int | None = None) -> Reservation:
        """Set aside what an order costs at most, inside the transaction that chose it."""
        attempt = self.change(
            "INSERT INTO attempts (order_id, generator, state, bound, charged, owner, batch, begun)"
            " VALUES (?, ?, 'reserved', ?, ?, ?, ?, ?)",
            order.id,
            order.generator,
            bound,
            bound,
            self.owner.token,
            batch,
            self.now(),
        )
        self.change("UPDATE orders SET state = 'reserved' WHERE id = ?", order.id)
        return Reservation(attempt, order, bound)

    # ----- outcomes, each inside a transaction

    def settle(self, attempt: int, answer: Answer, nano_usd: int) -> None:
        """Keep an answer, and what it cost, even where that is more than its bound.

        An answer that comes late, when the call counts as lost already, is kept too. Of two answers
        to one order the first is kept, and both are paid for.
        """
        order_id, _ = self._ended(attempt, "settled", nano_usd)
        kept = self.query("SELECT 1 FROM answers WHERE order_id = ?", order_id)
        if kept:
            self.change(
                "UPDATE attempts SET reason = 'another answer was there first' WHERE number = ?",
                attempt,
            )
        else:
            self._keep(attempt, answer)
        self.change("UPDATE orders SET state = 'answered', reason = NULL WHERE id = ?", order_id)

    def release(self, attempt: int, reason: str, *, failed: bool = False) -> None:
        """Nothing is charged; the order may be asked again, unless it has failed."""
        order_id, was = self._ended(attempt, "released", 0, reason)
        self._give_back(order_id, was, "failed" if failed else "waiting", reason)

    def lose(self, attempt: int, reason: str, came: str = "") -> None:
        """The call may have been charged and no answer came: it stays charged at its bound.

        What came in the place of an answer is kept with the attempt, below the reason's line.
        """
        order_id, was = self._ended(attempt, "unknown", None, f"{reason}\n{came}".rstrip("\n"))
        self._give_back(order_id, was, "waiting", reason)

    def retry_failed(self) -> int:
        """Let orders that were refused for good be asked again; how many there are."""
        with self.transaction():
            self.change("UPDATE orders SET state = 'waiting' WHERE state = 'failed'")
            [(count,)] = self.query("SELECT changes()")
        return int(count)

    def _ended(
        self, attempt: int, state: str, charged: int | None, reason: str | None = None
    ) -> tuple[str, str]:
        [(order_id, was)] = self.query(
            "SELECT order_id, state FROM attempts WHERE number = ?", attempt
        )
        if was not in ("reserved", "unknown"):
            raise ValueError(f"attempt {attempt} is {was} already")
        self.change(
            "UPDATE attempts SET state = ?, charged = coalesce(?, bound), ended = ?, reason = ? "
            "WHERE number = ?",
            state,
            charged,
            self.now(),
            reason,
            attempt,
        )
        self.change(
            "UPDATE orders SET lost = (SELECT count(*) FROM attempts "
            "WHERE order_id = orders.id AND state = 'unknown') WHERE id = ?",
            order_id,
        )
        return order_id, was

    def _give_back(self, order_id: str, was: str, state: str, reason: str) -> None:
        if was == "reserved":
            self.change(
                "UPDATE orders SET state = ?, reason = ? WHERE id = ? AND state = 'reserved'",
                state,
                reason,
                order_id,
            )

    def _keep(self, attempt: int, answer: Answer) -> None:
        usage = answer.usage
        self.change(
            "INSERT INTO answers SELECT ?, number, generator, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? "
            "FROM attempts WHERE number = ?",
            answer.order_id,
            answer.text,
            answer.model_resolved,
            answer.provider,
            answer.provider_served,
            answer.finish_reason,
            usage and usage.input_tokens,
            usage and usage.output_tokens,
            usage and usage.reasoning_tokens,
            json.dumps(answer.flags),
            json.dumps(dict(answer.sent), sort_keys=True),
            zlib.compress(answer.raw),
            attempt,
        )

    # ----- owners

    def sign_in(self) -> None:
        """Say that this process works on the ledger, inside a transaction."""
        self.change(
            "INSERT INTO owners (token, pid, host, system, started, heartbeat) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            *astuple(self.owner),
            self.now(),
        )

    def live(self) -> Abandoned:
        """Give a sign of life, and take over from the dead what they have reserved.

        Their single calls become lost. Their batches are left to whoever adopts them.
        """
        with self.transaction():
            self.change(
                "UPDATE owners SET heartbeat = ? WHERE token = ?", self.now(), self.owner.token
            )
            rows = [
                row
                for token in self.dead()
                for row in self.query(
                    "SELECT number, bound FROM attempts "
                    "WHERE owner = ? AND state = 'reserved' AND batch IS NULL",
                    token,
                )
            ]
            for number, _ in rows:
                self.lose(number, "its process ended before an answer came")
        return Abandoned(len(rows), sum(bound for _, bound in rows))

    def dead(self) -> Sequence[str]:
        """Tokens of owners that hold something and no longer live."""
        rows = self.query(
            "SELECT DISTINCT own.owner, pid, host, system, started, heartbeat FROM ("
            "SELECT owner FROM attempts WHERE state = 'reserved' "
            "UNION SELECT owner FROM batches WHERE NOT over) AS own "
            "LEFT JOIN owners ON token = own.owner WHERE own.owner != ? ORDER BY own.owner",
            self.owner.token,
        )
        return [
            token
            for token, *process, heartbeat in rows
            if heartbeat is None or not is_alive(Owner(token, *process), heartbeat, self.now())
        ]


# The lists come as JSON, so that the statement is always the same.
_WAITING = (
    "generator = ? AND state = 'waiting' AND lost < ? "
    "AND slice IN (SELECT value FROM json_each(?)) "
    "AND id NOT IN (SELECT value FROM json_each(?))"
)


def _values(generator: str, terms: Terms, avoiding: Collection[str]) -> tuple[object, ...]:
    return generator, terms.attempts, json.dumps(terms.slices), json.dumps(sorted(avoiding))


def order_of_row(file: Path, order_id: str, slice_name: str, generator: str, text: str) -> Order:
    """The order that a row of the ledger holds.

    Raises
    ------
    ShelfError
        If it is another one than its row says.
    """
    order = order_in(text)
    if (order.id, order.slice, order.generator) != (order_id, slice_name, generator):
        raise ShelfError(f"{file}: order {order_id} is not what it is named; the ledger was edited")
    return order
