"""When a generator is asked again, and by how many calls at once, after what it has answered."""

from __future__ import annotations

from builders.draws import Draws
from builders.writing.patience import Patience

_JITTER = 0.25


class Pace:
    """The pace of one generator.

    A failure halves the calls that run at once and holds back the generator as a whole: for as
    long as its endpoint asks, else for twice as long as the time before. Each answer lets a little
    more run again.

    Parameters
    ----------
    most : int
        Calls at once.
    patience : Patience
    key : str
        Two processes with different keys do not come back at the same moment.

    Attributes
    ----------
    not_before : float
        When the next call may begin.
    failures : int
        Without an answer in between; those of calls that ran at once count as one.

    Examples
    --------
    >>> pace = Pace(8, Patience(), "process")
    >>> pace.failed(begun=0.0, now=1.0, named_wait=7.0)
    >>> pace.at_once, 8.0 <= pace.not_before < 10.0
    (4, True)
    """

    def __init__(self, most: int, patience: Patience, key: str) -> None:
        self.not_before = float("-inf")
        self.failures = 0
        self._most = most
        self._limit = float(most)
        self._patience = patience
        self._draws = Draws(0, key)
        self._last_failure = float("-inf")

    @property
    def at_once(self) -> int:
        """How many calls may run now."""
        return int(self._limit)

    def answered(self) -> None:
        """An answer came."""
        self.failures = 0
        self._limit = min(self._most, self._limit + 1 / self._limit)

    def failed(self, begun: float, now: float, named_wait: float | None = None) -> None:
        """No answer came.

        Parameters
        ----------
        begun, now : float
            When the call was begun, and the present time.
        named_wait : float, default=None
            Seconds that the endpoint asks to wait.
        """
        if begun >= self._last_failure:
            self.failures += 1
            self._limit = max(1.0, self._limit / 2)
            self._last_failure = now
        wait = self._own_wait() if named_wait is None else named_wait
        self.not_before = max(self.not_before, now + wait * (1 + _JITTER * self._draws.uniform()))

    def _own_wait(self) -> float:
        patience = self._patience
        doublings = min(max(self.failures - 1, 0), 60)
        return min(patience.longest_wait, patience.first_wait * 2.0**doublings)
