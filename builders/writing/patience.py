"""How long a generator that does not answer is asked again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Patience:
    """Limits; those of calls count in a row, without an answer of the generator in between.

    Attributes
    ----------
    failures_at_first, failures_later : int
        After so many failures of calls, each after a longer wait, a generator is given up for this
        time: one that has not answered yet, and one that has.
    refusals : int
        After so many orders that it refuses for good, it is given up: its settings are wrong.
    losses : int
        After so many lost calls beyond those that ran at once, it is given up: each may be paid.
    refusals_of_one : int
        An order that is refused so often, while others are answered, has failed.
    first_wait, longest_wait : float
        Seconds after a failure, doubled after each further one.
    longest_named_wait : float
        Seconds that an endpoint may ask to wait; beyond that it is given up.
    full_disk : float
        Seconds for which answers are held that the ledger does not take, as the disk is full or
        another process keeps it locked, for somebody to help.
    first_poll, longest_poll : float
        Seconds between two looks at a batch, doubled each time.
    looks : int
        So often a batch is looked for that was perhaps made, or lacks lines, or is unknown.
    looks_after_refusal : int
        The same where the endpoint says that it was not made.
    longest_batch : float
        Seconds after which a batch that the endpoint does not know is given up; it names a day.
    """

    failures_at_first: int = 8
    failures_later: int = 20
    refusals: int = 5
    losses: int = 5
    refusals_of_one: int = 10
    first_wait: float = 1.0
    longest_wait: float = 60.0
    longest_named_wait: float = 3600.0
    full_disk: float = 600.0
    first_poll: float = 10.0
    longest_poll: float = 300.0
    looks: int = 8
    looks_after_refusal: int = 3
    longest_batch: float = 48 * 3600.0
