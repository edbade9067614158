"""Work that takes seconds, done in a few threads beside the server's own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from .answers import NotDoneError
from .uploads import busy

_Result = TypeVar("_Result")


class Pool:
    """A few threads, and a short queue before them.

    Parameters
    ----------
    threads : int, default=2
        How much is done at once.
    waiting : int, default=8
        How much may wait.
    """

    def __init__(self, threads: int = 2, waiting: int = 8) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="shelf-check")
        self._most = threads + waiting
        self._inside = 0

    async def run(self, work: Callable[[], _Result]) -> _Result:
        """Do something in one of the threads, and wait for it.

        It is done to its end even where whoever asked has gone.

        Raises
        ------
        NotDoneError
            With status 503, where the queue is full.
        """
        if self.is_full:
            raise self.busy()
        self._inside += 1
        future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        future.add_done_callback(self._left)
        return await asyncio.shield(future)

    @property
    def is_full(self) -> bool:
        """Whether nothing more is taken on."""
        return self._inside >= self._most

    @staticmethod
    def busy() -> NotDoneError:
        """That there is too much to do."""
        return busy()

    def close(self) -> None:
        """Begin nothing more."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _left(self, _: object) -> None:
        self._inside -= 1
