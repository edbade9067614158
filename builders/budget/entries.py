"""What is asked of a ledger, and what it answers: terms, reservations, sums."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from builders.orders import Order


class Hindrance(Enum):
    """Why no order is reserved."""

    NONE_LEFT = "no order is waiting"
    AHEAD = "other generators are to catch up first"
    RESERVED = "what is reserved has to be settled first"
    CAP = "the cap of all is reached"
    OWN_CAP = "the generator's cap is reached"


@dataclass(frozen=True)
class Terms:
    """Which orders may be asked.

    Attributes
    ----------
    attempts : int
        An order is asked until it has an answer, or so many calls of unknown fate.
    slices : tuple of str
        Of these alone.
    """

    attempts: int
    slices: tuple[str, ...]


@dataclass(frozen=True)
class Reservation:
    """An order that this process, and no other, may ask once.

    Attributes
    ----------
    attempt : int
        Its number in the ledger.
    order : Order
    bound : int
        Nanodollars that are set aside for it.
    """

    attempt: int
    order: Order
    bound: int


@dataclass(frozen=True)
class Budget:
    """What counts against a cap, in nanodollars.

    Attributes
    ----------
    cap : int or None
        None: there is none.
    reserved, settled, unknown : int
        Of calls in flight, of answers, and of calls whose fate nobody knows.
    """

    cap: int | None
    reserved: int
    settled: int
    unknown: int

    @property
    def charged(self) -> int:
        """What can no longer be got back."""
        return self.settled + self.unknown

    @property
    def left(self) -> int | None:
        """What is not spent; None without a cap."""
        return None if self.cap is None else self.cap - self.charged

    @property
    def room(self) -> int | None:
        """What is neither spent nor reserved; None without a cap."""
        return None if self.left is None else self.left - self.reserved


@dataclass(frozen=True)
class Abandoned:
    """What dead processes left behind.

    Attributes
    ----------
    calls : int
        That were in flight: paid for perhaps, and their answers never arrived.
    nano_usd : int
        At which they stay charged.
    """

    calls: int
    nano_usd: int
