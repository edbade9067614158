"""Try again what may succeed the next time, a bounded number of times."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.publishing.faults import TransientError
from evaluate_shelf.publishing.reporter import Reporter

ATTEMPTS = 6
LONGEST_WAIT = 300.0
"""Seconds; the Hub counts its rate limits over five minutes."""

Result = TypeVar("Result")


def persistently(
    attempt: Callable[[], Result], *, wait: Callable[[float], None], reporter: Reporter
) -> Result:
    """Call until it does not raise `TransientError`.

    Between two attempts lie 1, 2, 4, 8 and 16 seconds, or what the Hub asks for. Who loses a race
    for the head needs no random wait: one publisher wins every round.

    Parameters
    ----------
    attempt : callable
        May be called several times.
    wait : callable
        Sleeps for so many seconds.
    reporter : Reporter
        Told of each wait.

    Returns
    -------
    object
        What the attempt gives.

    Raises
    ------
    ShelfError
        After six attempts, or if the Hub asks to wait for more than five minutes.
    """
    for number in range(ATTEMPTS):
        try:
            return attempt()
        except TransientError as fault:
            if number + 1 == ATTEMPTS:
                raise ShelfError(
                    f"given up after {ATTEMPTS} attempts: {fault.reason}; "
                    "the same command begins anew and sends what the Hub lacks"
                ) from fault
            seconds = float(2**number) if fault.seconds is None else fault.seconds
            if seconds > LONGEST_WAIT:
                raise ShelfError(
                    f"{fault.reason}, and asks to wait {seconds:.0f} seconds; try again then"
                ) from fault
            reporter.waiting(seconds, fault.reason)
            wait(seconds)
    raise AssertionError("the last attempt returns or raises")
