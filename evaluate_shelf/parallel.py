"""Work on both cores whose result does not depend on how many there are."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def workers() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(
    function: Callable[[Item], Result], items: Iterable[Item], threads: int | None = None
) -> Iterator[Result]:
    """Apply a function to items in several threads and give the results in the items' order.

    Parameters
    ----------
    function : callable
        Releases the interpreter's lock for most of its time, as numpy does. Its result may not
        depend on the other items.
    items : iterable
        What to work on.
    threads : int, default=None
        How many at a time; all usable cores without it. The results do not depend on it.

    Yields
    ------
    object
        One result an item. At most twice as many items as threads are in work or wait.

    Examples
    --------
    >>> list(in_order(lambda number: number**2, range(4), threads=2))
    [0, 1, 4, 9]
    """
    count = threads or workers()
    if count == 1:
        yield from map(function, items)
        return
    waiting = iter(items)
    with ThreadPoolExecutor(count) as pool:
        pending: deque[Future[Result]] = deque()
        try:
            pending.extend(pool.submit(function, item) for item in islice(waiting, 2 * count))
            while pending:
                result = pending.popleft().result()
                pending.extend(pool.submit(function, item) for item in islice(waiting, 1))
                yield result
        finally:
            for future in pending:
                future.cancel()
