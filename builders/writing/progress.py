"""How far the writing is, on standard error."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from builders.budget.entries import Budget
from builders.budget.money import usd
from evaluate_shelf.cli.messages import say
from evaluate_shelf.printable import printable

_LINES_EVERY = 30.0
_RATE_OVER = 300.0
_MINUTE = 60.0
_COUNTED = 13  # columns of "99,999/99,999", without its commas


@dataclass(frozen=True)
class Standing:
    """How far the writing is.

    Attributes
    ----------
    answers, orders : int
        Documents that are there, and that are wanted.
    written : int
        Documents of this sitting.
    rejected : int
        Those of them that a gate refuses; near duplicates are looked for at the build.
    failed : int
        Orders without a document that are not asked again.
    running : int
        Calls in flight.
    budget : Budget
        Of all.
    """

    answers: int
    orders: int
    written: int
    rejected: int
    failed: int
    running: int
    budget: Budget


class Progress:
    """A live line on a terminal; elsewhere a line now and then.

    Parameters
    ----------
    clock : callable, default=time.monotonic
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._live: Any = None
        self._task: Any = None
        self._last_line = clock()
        self._seen: deque[tuple[float, int]] = deque()

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import MofNCompleteColumn, TextColumn
            from rich.progress import Progress as Live
            from rich.table import Column

            self._live = Live(
                MofNCompleteColumn(table_column=Column(no_wrap=True, min_width=_COUNTED)),
                TextColumn("{task.description}", markup=False),
                console=Console(stderr=True),
                transient=True,
            )
            self._live.start()
            self._task = self._live.add_task("", total=None)
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()

    def tell(self, message: str) -> None:
        """Say something beside the line."""
        if self._live:
            self._live.console.print(printable(message), markup=False, highlight=False)
        else:
            say(message)

    def show(self, standing: Standing) -> None:
        """Show how far it is."""
        now = self._clock()
        self._seen.append((now, standing.written))
        while len(self._seen) > 2 and now - self._seen[1][0] > _RATE_OVER:
            self._seen.popleft()
        if self._live:
            line = standing_text(standing, self._rate())
            self._live.update(
                self._task, completed=standing.answers, total=standing.orders, description=line
            )
        elif now - self._last_line > _LINES_EVERY:
            self._last_line = now
            line = standing_text(standing, self._rate())
            say(f"  {standing.answers:,} of {standing.orders:,}; {line}")

    def _rate(self) -> float:
        """Documents a second."""
        (first, before), (last, after) = self._seen[0], self._seen[-1]
        return (after - before) / (last - first) if last > first else 0.0


def standing_text(standing: Standing, rate: float) -> str:
    """Rate, spending, time left and what went wrong, on one line.

    Parameters
    ----------
    standing : Standing
    rate : float
        Documents a second.

    Examples
    --------
    >>> budget = Budget(20_000_000_000, 0, 5_000_000_000, 0)
    >>> standing_text(Standing(500, 5000, 500, 3, 0, 4, budget), 2.0)
    '120.0 a minute; 5.00 of 20.00 USD; 12 min left; 3 (0.6 %) rejected; 4 calls in flight'
    """
    budget = standing.budget
    cap = "" if budget.cap is None else f" of {usd(budget.cap)}"
    left = seconds_left(standing, rate)
    share = standing.rejected / standing.written if standing.written else 0.0
    parts = [
        f"{rate * _MINUTE:,.1f} a minute",
        f"{usd(budget.charged)}{cap} USD",
        None if left is None else f"{duration(left)} left",
        f"{standing.rejected:,} ({100 * share:.1f} %) rejected" if standing.written else None,
        f"{standing.failed:,} failed" if standing.failed else None,
        f"{standing.running:,} calls in flight",
    ]
    return "; ".join(filter(None, parts))


def seconds_left(standing: Standing, rate: float) -> float | None:
    """Until all is written, or the cap is reached; None where nothing tells."""
    if rate <= 0 or not standing.answers:
        return None
    left = float(standing.orders - standing.answers - standing.failed)
    budget = standing.budget
    if budget.left is not None and budget.charged:
        left = min(left, budget.left * standing.answers / budget.charged)
    return left / rate


def duration(seconds: float) -> str:
    """Seconds, minutes or hours, without a fraction.

    Examples
    --------
    >>> duration(40), duration(770), duration(9000)
    ('40 s', '13 min', '2 h 30 min')
    """
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    minutes = round(seconds / _MINUTE)
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours else f"{minutes} min"
