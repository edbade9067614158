"""What a task has to say of how it ran, besides its items."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from evaluate_shelf.runs.schema import EncodingRecord, FitRecord


@dataclass
class Notes:
    """Kept while a task runs.

    Attributes
    ----------
    seconds : dict of str to float
        Time of each stage, in the order in which they began.
    fits : list of FitRecord
        The probes that were fitted.
    encodings : list of EncodingRecord
        What was encoded, or found in the store.
    left_out : int
        Test rows that are no part of the task.
    begun : callable or None
        Told of each stage as it begins.
    """

    seconds: dict[str, float] = field(default_factory=dict)
    fits: list[FitRecord] = field(default_factory=list)
    encodings: list[EncodingRecord] = field(default_factory=list)
    left_out: int = 0
    begun: Callable[[str], None] | None = None

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage; one that is entered again adds up."""
        if self.begun:
            self.begun(name)
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began
