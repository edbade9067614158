"""A generator that is asked one order a call."""

from __future__ import annotations

from collections.abc import Callable

from builders.budget.entries import Hindrance, Reservation, Terms
from builders.budget.ledger import Ledger
from builders.budget.stops import why_stopped
from builders.budget.tariff import Tariff
from builders.orders import Order
from builders.writers.protocol import Answer, Answered, ChatWriter, MaybeCharged, NotCharged
from builders.writing.lane import OVER, Ending, Task, came_of, reason_of, settle
from builders.writing.pace import Pace
from builders.writing.patience import Patience
from evaluate_shelf.registry.roster import Generator

_NEVER = float("inf")
_LOOK_AGAIN = 0.5  # seconds, as another process may have changed the ledger
_MOST_REASONS = 5


class ChatLane:
    """The lane of a chat endpoint.

    Parameters
    ----------
    row : Generator
    writer : ChatWriter
    tariff : Tariff
    terms : Terms
    patience : Patience
    key : str
        Of the process; see `Pace`.
    tell : callable
        Says something to the user.
    """

    keeps_step = True
    waits_for_others = False

    def __init__(
        self,
        row: Generator,
        writer: ChatWriter,
        tariff: Tariff,
        terms: Terms,
        patience: Patience,
        key: str,
        tell: Callable[[str], None],
    ) -> None:
        self.name = row.name
        self.at_once = row.concurrency
        self.ending: Ending | None = None
        self.running = 0
        self._writer, self._tariff, self._terms = writer, tariff, terms
        self._patience, self._tell = patience, tell
        self._told_of: set[str] = set()
        self._pace = Pace(row.concurrency, patience, f"{key} {row.name}")
        self._look_at = float("-inf")
        self._answers = 0
        self._refused_in_a_row = self._lost_in_a_row = 0
        # Orders that were refused or lost: others come first until an answer tells that the
        # endpoint is well.
        self._put_off: set[str] = set()
        # Times that an order was refused, each with an answer to another one since.
        self._refusals: dict[str, tuple[int, int]] = {}

    @property
    def next_time(self) -> float:
        """When the next call may begin."""
        if self.running >= self._pace.at_once:
            return _NEVER
        return max(self._pace.not_before, self._look_at)

    def look_again(self) -> None:
        """Look at the ledger at once."""
        self._look_at = float("-inf")

    def begin(self, ledger: Ledger, now: float, last_step: int | None) -> Task | bool:
        """Reserve the next order."""
        self.waits_for_others = False
        stopped = why_stopped(ledger, self.name)
        if stopped is not None:
            self._stop(stopped)
            return False
        found = self._reserve(ledger, last_step, self._put_off)
        if isinstance(found, Hindrance) and self._put_off:
            self._put_off.clear()
            found = self._reserve(ledger, last_step, self._put_off)
        if isinstance(found, Reservation):
            order = found.order
            return Task(self, lambda: self._writer.ask(order), found, now)
        if found is Hindrance.CAP:
            return True
        if found is Hindrance.OWN_CAP:
            self.ending = Ending("own cap")
        elif found is Hindrance.NONE_LEFT and not self.running:
            self.ending = Ending("done")
        self.waits_for_others = found in (Hindrance.RESERVED, Hindrance.AHEAD)
        self._look_at = now + _LOOK_AGAIN
        return False

    def record(self, ledger: Ledger, task: Task, result: object) -> None:
        """Settle, release or lose the call."""
        reservation: Reservation = task.subject
        if isinstance(result, Answered):
            settle(ledger, reservation, self._tariff, result.answer)
        elif isinstance(result, NotCharged):
            failed = (result.final and not result.of_all) or self._is_refused_for_good(
                reservation, result
            )
            ledger.release(reservation.attempt, result.reason, failed=failed)
        else:
            ledger.lose(reservation.attempt, reason_of(result), came_of(result))

    def learn(self, task: Task, result: object, now: float) -> list[Answer]:
        """Go slower or faster, or give the generator up."""
        self.waits_for_others = False
        if isinstance(result, Answered):
            return [self._answered(result.answer)]
        order_id = task.subject.order.id
        self._tell_first(reason_of(result))
        if isinstance(result, NotCharged):
            self._refused(task, order_id, result, now)
        else:
            self._lost_in_a_row += 1
            self._pace.failed(task.begun, now)
            if self._lost_in_a_row >= self._patience.losses + self.at_once:
                self._stop(f"{self._lost_in_a_row} calls in a row were lost: {reason_of(result)}")
        self._put_off.add(order_id)
        if not isinstance(result, (NotCharged, MaybeCharged)):
            self._stop(reason_of(result))
        return []

    def _reserve(
        self, ledger: Ledger, last_step: int | None, avoiding: set[str]
    ) -> Reservation | Hindrance:
        return ledger.reserve(
            self.name, self._cost, self._terms, last_step=last_step, avoiding=avoiding
        )

    def _cost(self, order: Order) -> int:
        bound = self._writer.bound(order)
        return self._tariff.nanodollars(bound.input_tokens, bound.output_tokens)

    def _answered(self, answer: Answer) -> Answer:
        self._answers += 1
        self._refused_in_a_row = self._lost_in_a_row = 0
        self._put_off.clear()
        self._pace.answered()
        if "over" in answer.flags:
            self._stop(OVER)
        return answer

    def _refused(self, task: Task, order_id: str, result: NotCharged, now: float) -> None:
        if result.of_all:
            self._stop(result.reason)
            return
        if result.final:
            self._refused_in_a_row += 1
            if self._refused_in_a_row >= self._patience.refusals:
                self._stop(
                    f"{self._refused_in_a_row} orders in a row were refused: {result.reason}"
                )
            return
        self._refusals[order_id] = (self._times_refused(order_id, result), self._answers)
        self._pace.failed(task.begun, now, result.retry_after_seconds)
        named, longest = result.retry_after_seconds, self._patience.longest_named_wait
        if named is not None and named > longest:
            self._stop(f"it asks to wait {named:,.0f} seconds: {result.reason}")
        most = self._patience.failures_later if self._answers else self._patience.failures_at_first
        if self._pace.failures >= most:
            self._stop(f"{self._pace.failures} times in a row: {result.reason}")

    def _is_refused_for_good(self, reservation: Reservation, result: NotCharged) -> bool:
        times = self._times_refused(reservation.order.id, result)
        return times >= self._patience.refusals_of_one

    def _times_refused(self, order_id: str, result: NotCharged) -> int:
        """With this refusal; one that says or means a time to wait is none of the order's own."""
        times, answers = self._refusals.get(order_id, (0, -1))
        own = not result.busy and result.retry_after_seconds is None
        counts = own and answers < self._answers
        return times + counts

    def _tell_first(self, reason: str) -> None:
        """Say why a call gave nothing, each reason once and no more than a few."""
        if reason not in self._told_of and len(self._told_of) < _MOST_REASONS:
            self._told_of.add(reason)
            self._tell(f"{self.name}: {reason}")

    def _stop(self, reason: str) -> None:
        self.ending = self.ending or Ending("stopped", reason)
