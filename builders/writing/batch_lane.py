"""A generator that is asked many orders at once, and gives its answers when they are there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from builders.budget.batches import (
    ReservedBatch,
    adopt_batches,
    close_batch,
    note_submitted,
    rename_batch,
    reserve_batch,
)
from builders.budget.ledger import Hindrance, Ledger, Terms
from builders.budget.tariff import Tariff
from builders.orders import Order
from builders.writers.batch import LARGEST_BATCH, BatchWriter, Collected, Prepared
from builders.writers.batch_jobs import BatchJob
from builders.writers.protocol import Answer, Answered, MaybeCharged, NotCharged
from builders.writing.lane import OVER, Ending, Task, reason_of, settled_at
from builders.writing.patience import Patience
from evaluate_shelf.bounded import one_line
from evaluate_shelf.counts import counted
from evaluate_shelf.registry.roster import Generator

_NEVER = float("inf")
_LOOK_AGAIN = 0.5
_MOST_TOLD = 5


_Kind = Literal["find", "submit", "poll", "collect"]


class _Step(NamedTuple):
    """What is done with a batch."""

    kind: _Kind
    batch: ReservedBatch


class BatchLane:
    """The lane of an endpoint that takes batches; one is under way at a time.

    Parameters
    ----------
    row : Generator
    writer : BatchWriter
    tariff : Tariff
    terms : Terms
    patience : Patience
    shares : callable
        Gives how many generators share the room under the cap of all.
    tell : callable
        Tells the user something.
    """

    keeps_step = False
    at_once = 1
    waits_for_others = False

    def __init__(
        self,
        row: Generator,
        writer: BatchWriter,
        tariff: Tariff,
        terms: Terms,
        patience: Patience,
        shares: Callable[[], int],
        tell: Callable[[str], None],
    ) -> None:
        self.name = row.name
        self.ending: Ending | None = None
        self.running = 0
        self._writer, self._tariff, self._terms = writer, tariff, terms
        self._patience, self._shares, self._tell = patience, shares, tell
        self._batches: list[ReservedBatch] = []
        self._prepared: Prepared | None = None
        self._job: BatchJob | None = None
        # Whether it may be on the endpoint already, from a process that has ended.
        self._may_be_there = False
        self._next = float("-inf")
        self._wait = patience.first_poll
        self._empty_rounds = self._failures = 0

    @property
    def is_out(self) -> bool:
        """Whether a batch is on the endpoint, or may be."""
        return bool(self._batches)

    @property
    def next_time(self) -> float:
        """When the batch is looked at next."""
        return _NEVER if self.running else self._next

    def look_again(self) -> None:
        """Look at the ledger at once, if it waits for room under a cap."""
        if self.waits_for_others:
            self._next = float("-inf")

    def begin(self, ledger: Ledger, now: float, last_step: int | None) -> Task | bool:
        """Go on with the batch, or reserve one."""
        self.waits_for_others = False
        if not self._batches:
            self._batches = adopt_batches(ledger, self.name)
            self._may_be_there = True
        if not self._batches:
            found = reserve_batch(
                ledger,
                self.name,
                self._cost,
                self._terms,
                most_orders=LARGEST_BATCH,
                shares=max(1, self._shares()),
                key_of=self._key_of,
            )
            if isinstance(found, Hindrance):
                return self._hindered(found, now)
            self._batches, self._may_be_there = [found], False
        return self._task(ledger, self._batches[0], now)

    def record(self, ledger: Ledger, task: Task, result: object) -> None:
        """Note where the batch is, or what became of its orders."""
        step: _Step = task.subject
        batch = step.batch
        if isinstance(result, BatchJob):
            if batch.endpoint_id != result.id:
                note_submitted(ledger, batch.number, result.id)
        elif isinstance(result, NotCharged):
            for own in batch.reservations:
                ledger.release(own.attempt, result.reason)
            close_batch(ledger, batch.number)
        elif isinstance(result, Collected):
            self._record_outcomes(ledger, batch, result)
            close_batch(ledger, batch.number)

    def learn(self, task: Task, result: object, now: float) -> list[Answer]:
        """Decide when to look again, or give the generator up."""
        step: _Step = task.subject
        self._wait = min(self._patience.longest_poll, 2 * self._wait)
        self._next = now + self._wait
        if isinstance(result, BatchJob):
            self._under_way(step.batch, result, now)
        elif isinstance(result, Collected):
            return self._collected(result, now)
        elif isinstance(result, NotCharged):
            self._refused(result, now)
        elif isinstance(result, MaybeCharged):
            self._may_be_there = True
            self._failures += 1
            if self._failures >= self._patience.failures_at_first:
                self._stop(f"no batch could be submitted: {result.reason}")
        elif result is None:
            self._may_be_there = False
        else:
            self._stop(reason_of(result))
        return []

    def _key_of(self, orders: list[Order], name: str) -> str:
        self._prepared = self._writer.prepare(orders, name)
        return self._prepared.key

    def _cost(self, order: Order) -> int:
        bound = self._writer.bound(order)
        return self._tariff.nanodollars(bound.input_tokens, bound.output_tokens)

    def _hindered(self, found: Hindrance, now: float) -> bool:
        self._next = now + _LOOK_AGAIN
        if found is Hindrance.OWN_CAP:
            self.ending = Ending("own cap")
        elif found is Hindrance.NONE_LEFT:
            self.ending = Ending("done")
        self.waits_for_others = found is Hindrance.RESERVED
        return found is Hindrance.CAP

    def _task(self, ledger: Ledger, batch: ReservedBatch, now: float) -> Task | bool:
        writer, job = self._writer, self._job
        kind: _Kind
        work: Callable[[], object]
        if not batch.reservations:
            close_batch(ledger, batch.number)
            self._forget()
            return False
        if job is not None and job.is_over:
            kind, work = "collect", lambda: writer.collect(job, batch.orders)
        elif job is not None or batch.endpoint_id is not None:
            name = job.id if job is not None else str(batch.endpoint_id)
            kind, work = "poll", lambda: writer.poll(name)
        elif self._may_be_there:
            kind, work = "find", lambda: writer.find(batch.key)
        else:
            prepared = self._prepared_again(ledger, batch)
            kind, work = "submit", lambda: writer.submit(prepared)
        return Task(self, work, _Step(kind, batch), now)

    def _prepared_again(self, ledger: Ledger, batch: ReservedBatch) -> Prepared:
        """The batch's file. It is another one where the generator's settings have changed."""
        prepared = self._prepared
        if prepared is None or prepared.key != batch.key:
            prepared = self._writer.prepare(batch.orders, str(batch.number))
            rename_batch(ledger, batch.number, prepared.key)
            self._prepared = prepared
        return prepared

    def _record_outcomes(self, ledger: Ledger, batch: ReservedBatch, result: Collected) -> None:
        # Where all are refused, it is the settings that are wrong and not the orders.
        some = _has_answer(result)
        for own in batch.reservations:
            outcome = result.outcomes[own.order.id]
            if isinstance(outcome, Answered):
                charge = settled_at(own, self._tariff, outcome.answer)
                ledger.settle(own.attempt, outcome.answer, charge)
            elif isinstance(outcome, NotCharged):
                failed = some and outcome.final and not outcome.of_all
                ledger.release(own.attempt, outcome.reason, failed=failed)
            else:
                ledger.lose(own.attempt, outcome.reason)

    def _under_way(self, batch: ReservedBatch, job: BatchJob, now: float) -> None:
        if self._job is None:
            size = counted(len(batch.reservations), "order")
            self._tell(f"{self.name}: batch {job.id} of {size} is on the endpoint")
            self._wait = self._patience.first_poll
            self._next = now + self._wait
        self._job, self._failures = job, 0
        if job.is_over:
            self._next = now

    def _collected(self, result: Collected, now: float) -> list[Answer]:
        for problem in result.problems[:_MOST_TOLD]:
            self._tell(f"{self.name}: {problem}")
        if len(result.problems) > _MOST_TOLD:
            self._tell(f"{self.name}: and {len(result.problems) - _MOST_TOLD:,} more such lines")
        self._forget()
        outcomes = list(result.outcomes.values())
        if _has_answer(result):
            self._empty_rounds, self._next = 0, now
        else:
            self._empty_rounds += 1
            last = next((own.reason for own in outcomes if not isinstance(own, Answered)), "")
            if self._empty_rounds >= self._patience.refusals or all(
                isinstance(own, NotCharged) and own.final for own in outcomes
            ):
                self._stop(f"a whole batch had no answer: {last}")
        for own in outcomes:
            if isinstance(own, NotCharged) and own.of_all:
                self._stop(own.reason)
            if isinstance(own, Answered) and "over" in own.answer.flags:
                self._stop(OVER)
        return [own.answer for own in outcomes if isinstance(own, Answered)]

    def _refused(self, result: NotCharged, now: float) -> None:
        self._forget()
        self._failures += 1
        if result.final or self._failures >= self._patience.failures_at_first:
            self._stop(result.reason)
        if result.retry_after_seconds is not None:
            self._next = max(self._next, now + result.retry_after_seconds)

    def _forget(self) -> None:
        self._batches, self._job, self._prepared = self._batches[1:], None, None
        self._may_be_there = True
        self._wait = self._patience.first_poll

    def _stop(self, reason: str) -> None:
        self.ending = self.ending or Ending("stopped", one_line(reason, 400))


def _has_answer(result: Collected) -> bool:
    return any(isinstance(own, Answered) for own in result.outcomes.values())
