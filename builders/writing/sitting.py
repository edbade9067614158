"""One sitting of `shelf write`: one thread keeps the ledger, the others make the calls."""

from __future__ import annotations

import errno
import os
import queue
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from builders.budget.entries import Terms
from builders.budget.failures import PASSING, LockedError, NoRoomError
from builders.budget.ledger import Ledger
from builders.writing.batch_lane import BatchLane
from builders.writing.gates import Gates
from builders.writing.lane import Lane, Task
from builders.writing.patience import Patience
from builders.writing.progress import Progress, Standing
from builders.writing.stopping import Stop
from evaluate_shelf.counts import counted
from evaluate_shelf.errors import ShelfError

LEAST_FREE = 50_000_000
"""Bytes that the disk has to have before anything is asked."""

_TICK = 0.25
_SIGN_OF_LIFE = 5.0
_LEAST_LEAD = 8


class _Result(NamedTuple):
    task: Task
    value: object


class Sitting:
    """Asks until all is written, the cap is reached, or an end is wanted.

    Parameters
    ----------
    ledger : Ledger
    lanes : sequence of Lane
        One a generator.
    terms : Terms
    workers : int or None
        The most calls at once of all generators together.
    patience : Patience
    stop : Stop
    progress : Progress
    gates : Gates
    clock : callable, default=time.monotonic

    Attributes
    ----------
    capped : bool
        Whether the cap of all ended it.
    written : int
        Answers that came.
    trouble : BaseException or None
        What else ended it.
    """

    def __init__(
        self,
        ledger: Ledger,
        lanes: Sequence[Lane],
        terms: Terms,
        workers: int | None,
        patience: Patience,
        stop: Stop,
        progress: Progress,
        gates: Gates,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.capped = False
        self.written = 0
        self.trouble: BaseException | None = None
        self._ledger, self._lanes, self._terms = ledger, lanes, terms
        self._workers, self._patience = workers, patience
        self._stop, self._progress, self._clock = stop, progress, clock
        self._gates = gates
        self._results: queue.SimpleQueue[_Result] = queue.SimpleQueue()
        self._rejected = 0
        self._told_of_stop = False
        self._told_of: set[str] = set()
        self._next_sign = self._begin_at = clock()
        self._full_since: float | None = None
        self._is_stuck = False
        self._before, self._orders, self._failed = _counts(ledger, terms)

    def run(self) -> None:
        """Write. What was in flight has its outcome in the ledger when this returns."""
        while True:
            self._keep_house()
            if self._may_begin and self._has_room() and self._clock() >= self._begin_at:
                self._begin()
            self._tell_endings()
            if not self._running and self._is_over():
                return
            results = self._wait()
            if results:
                self._write_down(results)

    @property
    def standing(self) -> Standing:
        """How far it is."""
        return Standing(
            answers=self._before + self.written,
            orders=self._orders,
            written=self.written,
            rejected=self._rejected,
            failed=self._failed,
            running=self._running,
            budget=self._ledger.budget(),
        )

    @property
    def _running(self) -> int:
        return sum(lane.running for lane in self._lanes)

    @property
    def _may_begin(self) -> bool:
        return not (self.capped or self._stop.wanted or self.trouble)

    def _is_over(self) -> bool:
        if not self._may_begin:
            return True
        open_lanes = [lane for lane in self._lanes if lane.ending is None]
        if not open_lanes:
            return True
        is_held_up = all(lane.waits_for_others for lane in open_lanes)
        if not is_held_up or self._clock() < self._begin_at or self._others_settle():
            self._is_stuck = False
            return False
        # What is reserved may belong to a batch that this sitting cannot go on with. But what
        # a lane has seen may be of before: all look once more.
        self.capped, self._is_stuck = self._is_stuck, True
        self._look_again()
        return self.capped

    def _look_again(self) -> None:
        for lane in self._lanes:
            lane.look_again()

    def _others_settle(self) -> bool:
        rows = self._ledger.query(
            "SELECT 1 FROM attempts WHERE state = 'reserved' AND owner != ? LIMIT 1",
            self._ledger.owner.token,
        )
        return bool(rows) or any(
            isinstance(lane, BatchLane) and lane.is_out and lane.ending is None
            for lane in self._lanes
        )

    # ----- beginning

    def _begin(self) -> None:
        now = self._clock()
        eager = [lane for lane in self._lanes if _is_eager(lane, now)]
        if not eager:
            return
        begun: list[Task] = []
        try:
            with self._ledger.transaction():
                while eager and not self.capped:
                    for lane in list(eager):
                        if not self._has_room() or not self._begun(lane, begun, now):
                            eager.remove(lane)
        except (NoRoomError, ShelfError) as error:
            # Nothing was reserved, so nothing is asked.
            for task in begun:
                task.lane.running -= 1
            if isinstance(error, PASSING):
                self._wait_for_ledger(error)
            else:
                self._give_up(error)
            return
        if begun:
            self._full_since = None
        for task in begun:
            threading.Thread(target=self._carry_out, args=(task,), daemon=True).start()

    def _begun(self, lane: Lane, begun: list[Task], now: float) -> bool:
        """Let a lane begin one thing; whether it may be asked for another."""
        if self.capped:
            return False
        last = self._last_step() if lane.keeps_step else None
        task = lane.begin(self._ledger, now, last)
        if isinstance(task, Task):
            lane.running += 1
            begun.append(task)
        elif task:
            self.capped = True
        return isinstance(task, Task) and _is_eager(lane, now)

    def _has_room(self) -> bool:
        return self._workers is None or self._running < self._workers

    def _last_step(self) -> int | None:
        """How far generators may go, so that the slowest is not left behind."""
        together = [lane for lane in self._lanes if lane.keeps_step and lane.ending is None]
        if len(together) < 2:
            return None
        steps = [self._ledger.frontier(lane.name, self._terms) for lane in together]
        first = min((step for step in steps if step is not None), default=None)
        lead = max(_LEAST_LEAD, *(2 * lane.at_once for lane in together))
        return None if first is None else first + lead

    def _carry_out(self, task: Task) -> None:
        try:
            value = task.work()
        except BaseException as error:
            value = error
        self._results.put(_Result(task, value))

    # ----- results

    def _wait(self) -> list[_Result]:
        """What has come in, when something has or it is time to look around."""
        now = self._clock()
        times = [lane.next_time for lane in self._lanes if lane.ending is None]
        next_time = max(self._begin_at, min(times, default=now + _TICK))
        can_begin = self._may_begin and self._has_room()
        seconds = min(_TICK, max(0.005, next_time - now)) if can_begin else _TICK
        found = []
        try:
            found.append(self._results.get(timeout=seconds))
            while True:
                found.append(self._results.get_nowait())
        except queue.Empty:
            return found

    def _write_down(self, results: list[_Result]) -> None:
        self._recorded(results)
        now = self._clock()
        for task, value in results:
            task.lane.running -= 1
            for answer in task.lane.learn(task, value, now):
                self.written += 1
                self._rejected += self._gates.refuse(self._ledger.order(answer.order_id), answer)
            if isinstance(value, Exception) and not isinstance(value, ShelfError):
                self._give_up(value)
        self._is_stuck = False
        self._look_again()
        self._progress.show(self.standing)

    def _recorded(self, results: list[_Result]) -> None:
        """Put results into the ledger; where it is full or locked, wait until it takes them."""
        deadline: float | None = None
        while True:
            try:
                with self._ledger.transaction():
                    for task, value in results:
                        task.lane.record(self._ledger, task, value)
            except PASSING as error:
                now = self._clock()
                if deadline is None:
                    deadline = now + self._patience.full_disk
                    held = counted(len(results), "outcome is", "outcomes are")
                    self._tell_of_waiting(error, f"{held} held in memory")
                if now >= deadline:
                    raise
                time.sleep(min(1.0, max(0.0, deadline - now)))
            else:
                return

    # ----- beside

    def _keep_house(self) -> None:
        now = self._clock()
        if self._stop.wanted and not self._told_of_stop:
            self._told_of_stop = True
            self._progress.tell(
                f"stopping: {counted(self._running, 'call')} in flight, whose answers are waited "
                "for; Ctrl-C again ends at once and leaves them"
            )
        if now < self._next_sign:
            return
        self._next_sign = now + _SIGN_OF_LIFE
        free = shutil.disk_usage(self._ledger.file.parent).free
        try:
            if free < LEAST_FREE:
                said = f"{os.strerror(errno.ENOSPC)} ({free:,} bytes)"
                raise NoRoomError(errno.ENOSPC, said, str(self._ledger.file))
            abandoned = self._ledger.live()
        except PASSING as error:
            self._wait_for_ledger(error)
            return
        if abandoned.calls:
            self._progress.tell(
                f"{counted(abandoned.calls, 'call')} of a process that has ended: paid for "
                "perhaps, and the answers never arrived"
            )
            for lane in self._lanes:
                if lane.ending is not None and lane.ending.kind == "done":
                    lane.ending = None
        _, _, self._failed = _counts(self._ledger, self._terms)
        self._progress.show(self.standing)

    def _wait_for_ledger(self, error: NoRoomError | LockedError) -> None:
        """Begin nothing for a second; give up where nobody lets the ledger be written."""
        now, patience = self._clock(), self._patience.full_disk
        if self._full_since is None:
            self._full_since = now
            self._tell_of_waiting(error, "nothing is asked")
        self._begin_at = now + min(1.0, patience)
        if now - self._full_since >= patience:
            self._give_up(error)

    def _tell_of_waiting(self, error: NoRoomError | LockedError, meanwhile: str) -> None:
        said = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error)
        self._progress.tell(
            f"{said}; {meanwhile}: {error.remedy} within {self._patience.full_disk:.0f} seconds"
        )

    def _give_up(self, error: BaseException) -> None:
        self.trouble = self.trouble or error

    def _tell_endings(self) -> None:
        for lane in self._lanes:
            ending = lane.ending
            if ending is not None and ending.kind == "stopped" and lane.name not in self._told_of:
                self._told_of.add(lane.name)
                self._progress.tell(f"{lane.name}: is not asked any more: {ending.reason}")


def _is_eager(lane: Lane, now: float) -> bool:
    return lane.ending is None and lane.next_time <= now


def _counts(ledger: Ledger, terms: Terms) -> tuple[int, int, int]:
    """Answers, orders, and orders that are not asked again, of the slices that are written."""
    rows = ledger.query(
        "SELECT slice, count(*), total(state = 'answered'), "
        "total(state = 'failed' OR (state = 'waiting' AND lost >= ?)) FROM orders GROUP BY slice",
        terms.attempts,
    )
    own = [row for row in rows if row[0] in terms.slices]
    return (
        int(sum(row[2] for row in own)),
        sum(row[1] for row in own),
        int(sum(row[3] for row in own)),
    )
