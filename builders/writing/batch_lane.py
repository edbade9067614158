"""A generator that is asked many orders at once, and gives its answers when they are there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, NamedTuple

from builders.budget.batches import (
    ReservedBatch,
    adopt_batches,
    age_of,
    close_batch,
    is_held,
    note_asked,
    note_submitted,
    rename_batch,
    reserve_batch,
)
from builders.budget.entries import Hindrance, Terms
from builders.budget.ledger import Ledger
from builders.budget.stops import why_stopped
from builders.budget.tariff import Tariff
from builders.orders import Order
from builders.writers.batch import LARGEST_BATCH, BatchWriter
from builders.writers.batch_jobs import BatchJob
from builders.writers.batch_results import BatchRefused, Collected, Prepared, UnknownError
from builders.writers.protocol import Answer, Answered, MaybeCharged, NotCharged
from builders.writing.lane import OVER, Ending, Task, came_of, reason_of, settle
from builders.writing.patience import Patience
from evaluate_shelf.bounded import one_line
from evaluate_shelf.counts import counted
from evaluate_shelf.registry.roster import Generator

_NEVER = float("inf")
_LOOK_AGAIN = 0.5
_MOST_TOLD = 5


_Kind = Literal["find", "upload", "create", "poll", "collect"]


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
        # Whether it may be on the endpoint already: a process has ended, or nobody has said so.
        self._may_be_there = False
        self._uploaded: str | None = None
        self._refusal: NotCharged | None = None
        # Looks in vain, and whether the last of them is the end of it.
        self._looks = 0
        self._gives_up = False
        self._polls_again = False
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
        if self._batches and not is_held(ledger, self._batches[0].number):
            # What reserved it was not kept, as the disk was full.
            self._batches = []
        if not self._batches:
            self._batches = adopt_batches(ledger, self.name)
            self._begin_anew(may_be_there=True)
        stopped = None if self._batches else why_stopped(ledger, self.name)
        if stopped is not None:
            self._stop(stopped)
            return False
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
        self._gives_up = self._is_given_up(ledger, step, result)
        if isinstance(result, BatchJob):
            if batch.endpoint_id != result.id:
                note_submitted(ledger, batch.number, result.id)
        elif isinstance(result, NotCharged):
            self._release(ledger, batch, result)
        elif isinstance(result, BatchRefused):
            note_asked(ledger, batch.number, None)
        elif isinstance(result, Collected):
            if not result.missing or self._gives_up:
                self._record_outcomes(ledger, batch, result)
                close_batch(ledger, batch.number)
        elif self._gives_up:
            if self._refusal is not None:
                self._release(ledger, batch, self._refusal)
            else:
                for own in batch.reservations:
                    ledger.lose(own.attempt, f"the endpoint knows no batch of key {batch.key}")
                close_batch(ledger, batch.number)

    def learn(self, task: Task, result: object, now: float) -> list[Answer]:
        """Decide when to look again, or give the generator up."""
        step: _Step = task.subject
        self._wait = min(self._patience.longest_poll, 2 * self._wait)
        self._next = now + self._wait
        if isinstance(result, BatchJob):
            self._under_way(step.batch, result, now)
        elif isinstance(result, Collected) and (not result.missing or self._gives_up):
            return self._collected(result, now)
        elif isinstance(result, Collected):
            self._looks, self._polls_again = self._looks + 1, True
            lacking = counted(result.missing, "order has", "orders have")
            self._tell(f"{self.name}: the batch is over, and {lacking} no line; looked at again")
        elif isinstance(result, NotCharged):
            self._refused(result, now)
        elif isinstance(result, (BatchRefused, MaybeCharged)):
            self._look_for(result)
        elif step.kind == "upload" and isinstance(result, str):
            self._uploaded, self._next = result, now
        elif result is None or _is_unknown(step, result):
            self._not_there(step, result, now)
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
        if job is not None and job.is_over and not self._polls_again:
            kind, work = "collect", lambda: writer.collect(job, batch.orders)
        elif job is not None or batch.endpoint_id is not None:
            name = job.id if job is not None else str(batch.endpoint_id)
            kind, work = "poll", lambda: writer.poll(name)
        elif self._may_be_there:
            kind, work = "find", lambda: writer.find(batch.key, batch.input_file)
        else:
            prepared, uploaded = self._prepared_again(ledger, batch), self._uploaded
            if uploaded is None:
                kind, work = "upload", lambda: writer.upload(prepared)
            else:
                # From now on it may be there, whatever becomes of this process.
                note_asked(ledger, batch.number, uploaded)
                kind, work = "create", lambda: writer.create(prepared, uploaded)
        return Task(self, work, _Step(kind, batch), now)

    def _prepared_again(self, ledger: Ledger, batch: ReservedBatch) -> Prepared:
        """The batch's file. It is another one where the generator's settings have changed."""
        prepared = self._prepared
        if prepared is None or prepared.key != batch.key:
            prepared = self._writer.prepare(batch.orders, str(batch.number))
            rename_batch(ledger, batch.number, prepared.key)
            self._prepared = prepared
        return prepared

    def _is_given_up(self, ledger: Ledger, step: _Step, result: object) -> bool:
        """Whether this look in vain is the last one."""
        patience = self._patience
        most = patience.looks if self._refusal is None else patience.looks_after_refusal
        is_last = self._looks + 1 >= most
        if isinstance(result, Collected):
            return bool(result.missing) and is_last
        if _is_unknown(step, result):
            is_old = age_of(ledger, step.batch.number) >= self._patience.longest_batch
            return is_old and is_last
        return result is None and step.batch.input_file is not None and is_last

    def _release(self, ledger: Ledger, batch: ReservedBatch, refusal: NotCharged) -> None:
        for own in batch.reservations:
            ledger.release(own.attempt, refusal.reason)
        close_batch(ledger, batch.number)

    def _record_outcomes(self, ledger: Ledger, batch: ReservedBatch, result: Collected) -> None:
        # Where all are refused, it is the settings that are wrong and not the orders.
        some = _has_answer(result)
        for own in batch.reservations:
            outcome = result.outcomes[own.order.id]
            if isinstance(outcome, Answered):
                settle(ledger, own, self._tariff, outcome.answer)
            elif isinstance(outcome, NotCharged):
                failed = some and outcome.final and not outcome.of_all
                ledger.release(own.attempt, outcome.reason, failed=failed)
            else:
                ledger.lose(own.attempt, outcome.reason, came_of(outcome))

    def _under_way(self, batch: ReservedBatch, job: BatchJob, now: float) -> None:
        if self._job is None:
            size = counted(len(batch.reservations), "order")
            self._tell(f"{self.name}: batch {job.id} of {size} is on the endpoint")
            self._wait = self._patience.first_poll
            self._next = now + self._wait
        if self._job is None or not self._polls_again:
            self._looks = 0
        self._job, self._failures, self._polls_again = job, 0, False
        self._refusal = None
        if job.is_over:
            self._next = now

    def _look_for(self, result: BatchRefused | MaybeCharged) -> None:
        """It may be there, whatever the endpoint has said."""
        self._batches[0] = replace(self._batches[0], input_file=self._uploaded)
        self._may_be_there, self._looks = True, 0
        self._refusal = result.refusal if isinstance(result, BatchRefused) else None
        self._wait = self._patience.first_poll

    def _not_there(self, step: _Step, result: object, now: float) -> None:
        """The endpoint does not list a batch, or does not know the one it has named."""
        self._looks += 1
        size = counted(len(step.batch.reservations), "order")
        if self._gives_up and self._refusal is not None:
            self._refused(self._refusal, now)
        elif self._gives_up:
            self._forget()
            self._stop(
                f"the endpoint does not know the batch that it was asked to make (key "
                f"{step.batch.key}); its {size} may have been written, and count as paid"
            )
        elif result is None and step.batch.input_file is None:
            self._may_be_there, self._next = False, now
        elif result is not None and self._looks >= self._patience.looks:
            hours = self._patience.longest_batch / 3600
            self._stop(
                f"{reason_of(result)}; the endpoint does not know the batch any more, or its file: "
                f"its {size} stay reserved, and count as paid {hours:.0f} hours after they were "
                "ordered, or at once with --retry-failed"
            )

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
        self._batches = self._batches[1:]
        self._begin_anew(may_be_there=True)
        self._wait = self._patience.first_poll

    def _begin_anew(self, *, may_be_there: bool) -> None:
        self._job, self._prepared, self._uploaded, self._refusal = None, None, None, None
        self._looks, self._polls_again = 0, False
        self._may_be_there = may_be_there

    def _stop(self, reason: str) -> None:
        self.ending = self.ending or Ending("stopped", one_line(reason, 400))


def _has_answer(result: Collected) -> bool:
    return any(isinstance(own, Answered) for own in result.outcomes.values())


def _is_unknown(step: _Step, result: object) -> bool:
    return isinstance(result, UnknownError) and step.kind in ("poll", "collect")
