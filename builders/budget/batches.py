"""Batches in the ledger: known there before the endpoint knows them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from builders.budget.entries import Hindrance, Reservation, Terms
from builders.budget.ledger import Cost, Ledger, order_of_row
from builders.orders import Order


@dataclass(frozen=True)
class ReservedBatch:
    """Orders that this process may ask for at once.

    Attributes
    ----------
    number : int
        In the ledger.
    key : str
        By which the endpoint finds it.
    endpoint_id : str or None
        As the endpoint calls it; None while nobody knows whether it has it.
    input_file : str or None
        The uploaded file of which it was perhaps made; None: it was not. "" in ledgers that did not
        note it.
    reservations : tuple of Reservation
    """

    number: int
    key: str
    endpoint_id: str | None
    input_file: str | None
    reservations: tuple[Reservation, ...]

    @property
    def orders(self) -> list[Order]:
        """Its orders."""
        return [own.order for own in self.reservations]


def reserve_batch(
    ledger: Ledger,
    generator: str,
    cost: Cost,
    terms: Terms,
    *,
    most_orders: int,
    shares: int,
    key_of: Callable[[list[Order], str], str],
) -> ReservedBatch | Hindrance:
    """Reserve a generator's next orders as a batch, and note its key; inside a transaction.

    Parameters
    ----------
    ledger : Ledger
    generator : str
    cost : callable
        Gives what an order is charged at most.
    terms : Terms
    most_orders : int
    shares : int
        It may take the room under the cap of all divided by this, as others write too; one order
        is taken in any case where the room is enough.
    key_of : callable
        Gives the key from the orders and a name.
    """
    waiting = ledger.waiting(generator, terms, most_orders)
    if not waiting:
        return Hindrance.NONE_LEFT
    orders, bounds = [order for _, order in waiting], [cost(order) for _, order in waiting]
    hindrance = ledger.hindrance(generator, bounds[0])
    if hindrance is not None:
        return hindrance
    fitting = _fitting(ledger, generator, bounds, shares)
    number = ledger.change(
        "INSERT INTO batches (key, generator, owner) VALUES ('', ?, ?)",
        generator,
        ledger.owner.token,
    )
    key = key_of(orders[:fitting], str(number))
    rename_batch(ledger, number, key)
    reservations = tuple(
        ledger.reserved(order, bound, number)
        for order, bound in zip(orders[:fitting], bounds[:fitting], strict=True)
    )
    return ReservedBatch(number, key, None, None, reservations)


def _fitting(ledger: Ledger, generator: str, bounds: list[int], shares: int) -> int:
    """How many of the first bounds may be reserved together; at least one."""
    own, of_all = ledger.budget(generator).room, ledger.budget().room
    rooms = [own, None if of_all is None else of_all // shares]
    most = min((room for room in rooms if room is not None), default=None)
    if most is None:
        return len(bounds)
    taken = 0
    for count, bound in enumerate(bounds):
        taken += bound
        if taken > most:
            return max(count, 1)
    return len(bounds)


def adopt_batches(ledger: Ledger, generator: str) -> list[ReservedBatch]:
    """Take over the batches of processes that have ended; inside a transaction."""
    adopted = []
    for token in ledger.dead():
        for number, key, endpoint_id, input_file in ledger.query(
            "SELECT number, key, endpoint_id, input_file FROM batches "
            "WHERE generator = ? AND owner = ? AND NOT over ORDER BY number",
            generator,
            token,
        ):
            for table, column in (("batches", "number"), ("attempts", "batch")):
                ledger.change(
                    f"UPDATE {table} SET owner = ? WHERE {column} = ?",  # noqa: S608
                    ledger.owner.token,
                    number,
                )
            reservations = _reservations(ledger, number)
            adopted.append(ReservedBatch(number, key, endpoint_id, input_file, reservations))
    return adopted


def rename_batch(ledger: Ledger, number: int, key: str) -> None:
    """Note the key of a batch, before it is submitted."""
    ledger.change("UPDATE batches SET key = ? WHERE number = ?", key, number)


def note_asked(ledger: Ledger, number: int, input_file: str | None) -> None:
    """Note of which file a batch is made, before it is asked for; None: it was refused."""
    ledger.change("UPDATE batches SET input_file = ? WHERE number = ?", input_file, number)


def is_held(ledger: Ledger, number: int) -> bool:
    """Whether a batch is under way and this process's own.

    It is not where the transaction that reserved or adopted it was not kept.
    """
    return bool(
        ledger.query(
            "SELECT 1 FROM batches WHERE number = ? AND owner = ? AND NOT over",
            number,
            ledger.owner.token,
        )
    )


def age_of(ledger: Ledger, number: int) -> float:
    """Seconds since a batch's orders were reserved."""
    [(begun,)] = ledger.query("SELECT min(begun) FROM attempts WHERE batch = ?", number)
    return 0.0 if begun is None else ledger.now() - float(begun)


def note_submitted(ledger: Ledger, number: int, endpoint_id: str) -> None:
    """Note how the endpoint calls a batch."""
    ledger.change("UPDATE batches SET endpoint_id = ? WHERE number = ?", endpoint_id, number)


def close_batch(ledger: Ledger, number: int) -> None:
    """Note that all of a batch's orders have their outcome."""
    ledger.change("UPDATE batches SET over = 1 WHERE number = ?", number)


def _reservations(ledger: Ledger, number: int) -> tuple[Reservation, ...]:
    rows = ledger.query(
        "SELECT attempts.number, bound, id, slice, orders.generator, content "
        "FROM attempts JOIN orders ON id = order_id "
        "WHERE batch = ? AND attempts.state = 'reserved' ORDER BY attempts.number",
        number,
    )
    return tuple(
        Reservation(attempt, order_of_row(ledger.file, *own), bound)
        for attempt, bound, *own in rows
    )
