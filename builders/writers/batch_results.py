"""What a batch is made of, and what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass

from builders.writers.protocol import NotCharged, Outcome
from evaluate_shelf.errors import ShelfError


@dataclass(frozen=True)
class Prepared:
    """A batch that can be submitted.

    Attributes
    ----------
    key : str
        By which it is found again on the endpoint.
    order_ids : tuple of str
    data : bytes
        JSON lines; each has an order's id as `custom_id`.
    without : tuple of str
        Parameters that were left out, as the endpoint refuses them.
    """

    key: str
    order_ids: tuple[str, ...]
    data: bytes
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class Collected:
    """What became of the orders of a batch.

    Attributes
    ----------
    outcomes : dict of str to Outcome
        One for every order, by its id.
    problems : tuple of str
        Lines of the endpoint's files that belong to no order, or to one that has had its line, or
        cannot be read; each by name.
    missing : int
        Orders without a line, of a batch that has begun.
    """

    outcomes: dict[str, Outcome]
    problems: tuple[str, ...]
    missing: int = 0


@dataclass(frozen=True)
class BatchRefused:
    """The endpoint says that it has made no batch, which is looked for all the same."""

    refusal: NotCharged

    @property
    def reason(self) -> str:
        """One line."""
        return self.refusal.reason


class UnknownError(ShelfError):
    """The endpoint does not know a batch or a file, or any at all."""
