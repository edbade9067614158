"""One generator in the loop: what it is asked next, and what its answers mean for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from builders.budget.entries import Reservation
from builders.budget.ledger import Ledger
from builders.budget.stops import stop_generator
from builders.budget.tariff import Tariff
from builders.writers.protocol import Answer, MaybeCharged, NotCharged
from builders.writers.usage import least_tokens
from evaluate_shelf.errors import ShelfError

OVER = (
    "it does not keep to the allowance that it is given, so that nobody can say what a call will "
    "cost at most"
)
"""Why a generator is given up that takes more than its bound."""

Kind = Literal["done", "own cap", "stopped"]


@dataclass(frozen=True)
class Ending:
    """Why a generator is asked no more.

    Attributes
    ----------
    kind : str
        `done`: nothing is left to ask. `own cap`: its cap is reached. `stopped`: it is given up.
    reason : str
        Of the last.
    """

    kind: Kind
    reason: str = ""


@dataclass(frozen=True)
class Task:
    """Something that is done beside the loop, in a thread.

    Attributes
    ----------
    lane : Lane
        For whom.
    work : callable
        Does it.
    subject : object
        What the lane knows it by.
    begun : float
        When.
    """

    lane: Lane
    work: Callable[[], Any]
    subject: Any
    begun: float


class Lane(Protocol):
    """What the loop asks of a generator's lane.

    Attributes
    ----------
    name : str
        The generator's.
    ending : Ending or None
        None while it goes on.
    running : int
        Tasks that have been begun and not ended.
    keeps_step : bool
        Whether the others wait for it, and it for them.
    at_once : int
        The most tasks at once.
    waits_for_others : bool
        Whether it can begin nothing before a reservation is settled or others have caught up.
    """

    name: str
    ending: Ending | None
    running: int
    keeps_step: bool
    at_once: int
    waits_for_others: bool

    @property
    def next_time(self) -> float:
        """When it may begin something; infinite if only a task's end can tell."""

    def look_again(self) -> None:
        """Something has changed for which it may have waited."""

    def begin(self, ledger: Ledger, now: float, last_step: int | None) -> Task | bool:
        """Reserve something and give its task, inside a transaction.

        False if there is nothing now; True if the cap of all is reached.
        """

    def record(self, ledger: Ledger, task: Task, result: object) -> None:
        """Write down what a task gave, inside a transaction, which may have to be repeated."""

    def learn(self, task: Task, result: object, now: float) -> list[Answer]:
        """Take in what a task gave, when it is written down; the answers among it."""


def settle(ledger: Ledger, reservation: Reservation, tariff: Tariff, answer: Answer) -> None:
    """Keep an answer at what it cost, inside a transaction.

    A generator that took more than its bound is stopped in the same transaction, so that no process
    asks it after that.
    """
    cost = settled_at(reservation, tariff, answer)
    ledger.settle(reservation.attempt, answer, cost)
    if cost > reservation.bound or "over" in answer.flags:
        stop_generator(ledger, reservation.order.generator)


def settled_at(reservation: Reservation, tariff: Tariff, answer: Answer) -> int:
    """What an answered call is charged: its tokens, even above its bound.

    Where they are not known it is the bound, or what can be seen of the answer where that is more.
    """
    if answer.usage is None:
        return max(reservation.bound, tariff.nanodollars(0, least_tokens(answer.text)))
    return tariff.nanodollars(answer.usage.input_tokens, answer.usage.output_tokens)


def reason_of(result: object) -> str:
    """Why a task gave no answer, whatever it gave or raised."""
    if isinstance(result, (MaybeCharged, NotCharged)):
        return result.reason
    if isinstance(result, ShelfError):
        return str(result)
    return f"{type(result).__name__}: {result}"


def came_of(result: object) -> str:
    """What came in the place of an answer, if anything did."""
    return result.came if isinstance(result, MaybeCharged) else ""
