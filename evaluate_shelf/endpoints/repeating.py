"""Requests that may be made more than once: repeated where that helps."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from evaluate_shelf.endpoints.exchange import Exchange, Reply
from evaluate_shelf.errors import ShelfError

ATTEMPTS = 6
LONGEST_WAIT = 60.0

_LOG = logging.getLogger(__name__)


def repeated(
    ask: Callable[[], Reply],
    exchange: Exchange,
    name: str,
    pause: Callable[[float], None] = time.sleep,
) -> Reply:
    """Make a request until it succeeds.

    A failed connection, 429 and 5xx are tried again, at most five times, after the time that the
    answer's Retry-After names or after 1, 2, 4... seconds; never more than a minute. Each wait is
    logged as a warning. Any other answer that is no success is final.

    Parameters
    ----------
    ask : callable
        Makes the request once.
    exchange : Exchange
        What it is made with; makes messages safe.
    name : str
        What is asked, for the log.
    pause : callable, default=time.sleep
        Waits for seconds.

    Returns
    -------
    Reply
        A success.

    Raises
    ------
    ShelfError
        If there is no answer, or it is none of success.
    """
    problem = ""
    for attempt in range(ATTEMPTS):
        named = None
        try:
            reply = ask()
        except ConnectionError as error:
            problem = str(error)
        else:
            if reply.succeeded:
                return reply
            problem, named = exchange.described(reply), reply.retry_after
            if reply.status != 429 and reply.status < 500:
                raise ShelfError(problem)
        if attempt < ATTEMPTS - 1:
            wait = wait_before(named, attempt)
            _LOG.warning(
                "%s: %s; asked again in %.0f s, time %d of %d",
                name,
                problem,
                wait,
                attempt + 2,
                ATTEMPTS,
            )
            pause(wait)
    raise ShelfError(f"{problem}; tried {ATTEMPTS} times")


def wait_before(named: float | None, attempt: int) -> float:
    """Seconds to wait: as an answer named them, else ever longer; never more than a minute.

    Examples
    --------
    >>> wait_before(7.0, 0), wait_before(None, 3), wait_before(3600.0, 0)
    (7.0, 8.0, 60.0)
    """
    return min(2.0**attempt if named is None else named, LONGEST_WAIT)
