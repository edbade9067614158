"""What a generator's answers mean for it, for its orders and for the others."""

from __future__ import annotations

import dataclasses
import datetime as dt
import errno
import itertools
import os
import signal
import socket
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import misbehaving_endpoint
import pytest
from misbehaving_endpoint import Endpoint, always, by_order, by_share, misbehaving
from small_ledger import small_orders

from builders.budget import opening
from builders.budget.failures import LockedError, NoRoomError
from builders.budget.folder import ledger_file
from builders.budget.reading import read_answers
from builders.commands.write import write_from_command_line
from builders.writers.batch import BatchWriter
from builders.writing import sitting
from builders.writing.batch_lane import BatchLane
from builders.writing.corpus import Outcome, Request, write_corpus
from builders.writing.patience import Patience
from builders.writing.progress import Progress
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.registry.prices import Price
from evaluate_shelf.registry.roster import Generator
from evaluate_shelf.registry.taxonomy import load_taxonomy

FAST = Patience(first_wait=0.01, longest_wait=0.05, first_poll=0.02, longest_poll=0.05)
PRICE = Price(
    model="m-1",
    usd_per_million_input_tokens=1.0,
    usd_per_million_output_tokens=10.0,
    date=dt.date(2026, 3, 1),
    source="https://example.org/prices",
)
DOLLAR = 10**9
Write = Callable[..., Outcome]


def generator(name: str, base: str, **settings: Any) -> Generator:
    row = {"name": name, "writer": "openai", "model": "m-1", "base_url": base, "concurrency": 3}
    return Generator.model_validate(row | settings)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(
        *rows: Generator,
        documents: int = 18,
        caps: dict[str, int] | None = None,
        patience: Patience = FAST,
        **settings: Any,
    ) -> Outcome:
        plan = load_plan("factorial").filled(rows).sized(documents, ["v0_4_core"])
        request = Request(
            plan,
            load_taxonomy(),
            42,
            {"m-1": PRICE},
            tmp_path / "corpus",
            caps={"": 10 * DOLLAR} if caps is None else caps,
            **settings,
        )
        return write_corpus(request, patience)

    return written


def test_all_is_written_and_every_answer_is_as_it_came(write: Write, tmp_path: Path) -> None:
    with misbehaving(Endpoint()) as endpoint:
        outcome = write(generator("g", endpoint.base))
    assert (outcome.answers, outcome.orders, outcome.capped) == (18, 18, False)
    assert outcome.budget.settled == endpoint.nano_usd
    texts = {order.id: answer.text for order, answer, _ in read_answers(tmp_path / "corpus")}
    assert set(texts) == {call.order for call in endpoint.calls}
    [tally] = outcome.tallies
    assert tally.input_tokens == sum(call.input_tokens for call in endpoint.calls)
    assert tally.output_tokens == sum(call.output_tokens for call in endpoint.calls)
    assert tally.served == ("m-1",)


@pytest.mark.parametrize("behaviour", ["no_key", "no_money", "unknown_model", "forbidden"])
def test_one_refusal_of_all_ends_a_generator_and_no_other(write: Write, behaviour: str) -> None:
    with misbehaving(Endpoint()) as good, misbehaving(Endpoint(choose=always(behaviour))) as bad:
        outcome = write(generator("good", good.base), generator("bad", bad.base), documents=24)
    assert list(outcome.stopped) == ["bad"]
    assert len(bad.calls) <= 3
    answers = {own.name: own.answers for own in outcome.tallies}
    assert answers == {"good": 12, "bad": 0}
    assert [own.failed for own in outcome.tallies] == [0, 0]


def test_settings_that_every_order_is_refused_for_end_it_soon(write: Write) -> None:
    with misbehaving(Endpoint(choose=always("bad_request"))) as endpoint:
        row = generator("g", endpoint.base, concurrency=1)
        outcome = write(row)
        assert "g" in outcome.stopped
        assert len(endpoint.calls) == outcome.tallies[0].failed == FAST.refusals
        # When that is mended, they can be asked again.
        endpoint.choose = always("ok")
        assert write(row).answers == 18 - FAST.refusals
        assert write(row, retry_failed=True).answers == 18


def test_one_order_that_is_refused_fails_alone(write: Write) -> None:
    with misbehaving(Endpoint()) as endpoint:
        first = write(generator("g", endpoint.base), documents=3, caps={"": 0})
        assert first.answers == 0
        endpoint.choose = by_share({"bad_request": 0.2}, seed=5)
        outcome = write(generator("g", endpoint.base), documents=3)
    refused = sum(call.behaviour == "bad_request" for call in endpoint.calls)
    assert (outcome.tallies[0].failed, outcome.answers) == (refused, 3 - refused)
    assert max(Counter(call.order for call in endpoint.calls).values()) == 1


def test_an_order_that_breaks_the_endpoint_is_not_asked_for_ever(write: Write) -> None:
    with misbehaving(Endpoint()) as endpoint:
        write(generator("g", endpoint.base), caps={"": 0})
        poison = fifth_order()
        endpoint.choose = by_order({poison: "error_500"})
        outcome = write(generator("g", endpoint.base))
    assert outcome.answers == 17
    assert outcome.tallies[0].failed + outcome.tallies[0].waiting == 1
    times = Counter(call.order for call in endpoint.calls)
    assert times[poison] <= FAST.refusals_of_one + FAST.failures_later
    assert all(count == 1 for order, count in times.items() if order != poison)


@pytest.mark.parametrize("behaviour", ["busy_unnamed", "busy_oddly"])
def test_an_order_that_was_often_asked_in_vain_of_a_busy_endpoint_has_not_failed(
    write: Write, behaviour: str
) -> None:
    with misbehaving(Endpoint()) as endpoint:
        row = generator("g", endpoint.base, concurrency=1)
        write(row, caps={"": 0})
        unlucky = fifth_order()
        often = FAST.refusals_of_one + 2
        endpoint.choose = lambda asked: (
            behaviour if asked.order == unlucky and asked.nth < often else "ok"
        )
        outcome = write(row)
    assert (outcome.answers, outcome.tallies[0].failed) == (18, 0)
    assert Counter(call.order for call in endpoint.calls)[unlucky] == often + 1


def fifth_order() -> str:
    plan = load_plan("factorial").filled([generator("g", "http://127.0.0.1:9/v1")])
    return small_orders(plan.sized(18, ["v0_4_core"]))[4][1].id


def test_the_wait_that_an_endpoint_asks_holds_for_the_generator_as_a_whole(write: Write) -> None:
    calls: list[float] = []

    def choose(asked: Any) -> str:
        calls.append(time.monotonic())
        return "busy" if len(calls) == 2 else "ok"

    with misbehaving(Endpoint(choose=choose)) as endpoint:
        outcome = write(generator("g", endpoint.base, concurrency=1))
    assert outcome.answers == 18
    # Retry-After: 0.2
    assert calls[2] - calls[1] >= 0.2
    assert all(after - before < 0.2 for before, after in itertools.pairwise(calls[2:]))


def test_a_wait_that_is_too_long_ends_a_generator_for_now(write: Write) -> None:
    with misbehaving(Endpoint(choose=always("busy_long"))) as endpoint:
        outcome = write(generator("g", endpoint.base), patience=Patience(longest_named_wait=60))
    assert "3,600" in outcome.stopped["g"]
    assert (outcome.budget.charged, outcome.tallies[0].waiting) == (0, 18)
    assert len(endpoint.calls) <= 3


def test_calls_that_are_all_lost_do_not_eat_the_whole_cap(write: Write, tmp_path: Path) -> None:
    with misbehaving(Endpoint(choose=always("not_json"))) as endpoint:
        outcome = write(generator("g", endpoint.base), documents=60)
    assert "g" in outcome.stopped
    assert len(outcome.stopped["g"].splitlines()) == 1
    with sqlite3.connect(ledger_file(tmp_path / "corpus")) as ledger:
        reasons = {own for (own,) in ledger.execute("SELECT reason FROM attempts")}
    # What came is kept with each, below why it cannot be read.
    assert reasons
    assert all(len(own.splitlines()) > 1 for own in reasons)
    assert outcome.tallies[0].lost == len(endpoint.calls) <= FAST.losses + 2 * 3
    assert outcome.budget.unknown >= endpoint.nano_usd


@pytest.mark.parametrize("behaviour", ["lost_408", "lost_502", "lost_520", "error_504"])
def test_what_a_gateway_loses_counts_as_paid(write: Write, behaviour: str) -> None:
    choose = by_share({behaviour: 0.5}, seed=1)
    with misbehaving(Endpoint(choose=choose)) as endpoint:
        outcome = write(generator("g", endpoint.base), documents=60, caps={"": DOLLAR // 5})
    lost = sum(call.behaviour == behaviour for call in endpoint.calls)
    assert outcome.tallies[0].lost == lost > 0
    assert endpoint.nano_usd <= outcome.budget.charged <= DOLLAR // 5


def test_an_order_is_lost_so_often_and_no_more(write: Write) -> None:
    choose = by_share({"cut_before": 0.3}, seed=1)
    with misbehaving(Endpoint(choose=choose)) as endpoint:
        outcome = write(generator("g", endpoint.base), documents=60, attempts=2)
        times = Counter(call.order for call in endpoint.calls)
        assert max(times.values()) == 2
        [tally] = outcome.tallies
        assert tally.given_up > 0
        assert tally.answers + tally.given_up == 60
        more = write(generator("g", endpoint.base), documents=60, attempts=9)
    assert more.answers == 60


def test_an_endpoint_that_ignores_the_allowance_is_not_trusted_again(write: Write) -> None:
    with misbehaving(Endpoint(choose=always("too_long"))) as endpoint:
        outcome = write(generator("g", endpoint.base, concurrency=1))
        assert "allowance" in outcome.stopped["g"]
        assert (len(endpoint.calls), outcome.answers) == (1, 1)
        # It is well again, and is asked when the user says so.
        endpoint.choose = always("ok")
        for _ in range(2):
            later = write(generator("g", endpoint.base, concurrency=1))
            assert "--retry-failed" in later.stopped["g"]
        assert len(endpoint.calls) == 1
        again = write(generator("g", endpoint.base), retry_failed=True)
    assert (again.answers, again.stopped) == (18, {})


OVER = ("too_long", "too_long_unreported", "over_input", "over_reasoning", "over_dense")


@pytest.mark.parametrize("behaviour", OVER)
@pytest.mark.parametrize("writer", ["openai", "batch"])
def test_what_is_taken_above_the_bound_and_the_cap_is_booked_and_ends_the_generator(
    write: Write, behaviour: str, writer: str
) -> None:
    """The first calls of it pass every bound, and no other call is made, nor in later sittings."""
    with misbehaving(Endpoint(choose=always(behaviour), delay=0.05)) as endpoint:
        row, cap = generator("g", endpoint.base, writer=writer), {"": DOLLAR // 7}
        first = write(row, documents=60, caps=cap)
        calls = len(endpoint.calls)
        assert calls <= 3 or writer == "batch"
        if behaviour == "too_long_unreported":
            # Nobody says how much it was: it is what can be seen at least.
            assert first.budget.charged > 0
        else:
            assert first.budget.charged == endpoint.nano_usd * (1 if writer == "openai" else 2)
            assert first.budget.charged > DOLLAR // 7
        assert first.answers == calls
        assert first.budget.reserved == 0
        for _ in range(2):
            later = write(row, documents=60, caps=cap)
            assert "g" in later.stopped
            assert later.budget == first.budget
        assert len(endpoint.calls) == calls


def test_a_generator_that_is_stopped_stops_no_other(write: Write) -> None:
    with (
        misbehaving(Endpoint(choose=always("over_reasoning"))) as bad,
        misbehaving(Endpoint(delay=0.01)) as good,
    ):
        rows = [generator("good", good.base), generator("bad", bad.base)]
        for _ in range(2):
            outcome = write(*rows, documents=24)
            assert list(outcome.stopped) == ["bad"]
    assert outcome.tallies[0].answers == 12
    assert outcome.budget.charged == good.nano_usd + bad.nano_usd


def test_a_process_beside_sees_that_a_generator_was_stopped(write: Write, tmp_path: Path) -> None:
    with misbehaving(Endpoint()) as endpoint:
        row = generator("g", endpoint.base, concurrency=1)

        def choose(asked: Any) -> str:
            if len(endpoint.calls) == 4:
                with sqlite3.connect(ledger_file(tmp_path / "corpus")) as beside:
                    beside.execute("INSERT INTO stops VALUES ('g')")
            return "ok"

        endpoint.choose = choose
        outcome = write(row)
    assert (len(endpoint.calls), list(outcome.stopped)) == (5, ["g"])


def test_the_command_says_how_much_was_taken(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(
        "- {model: m-1, usd_per_million_input_tokens: 1, usd_per_million_output_tokens: 10,"
        " date: 2026-03-01, source: 'https://example.org'}"
    )
    with misbehaving(Endpoint(choose=always("over_reasoning"))) as endpoint:
        for _ in range(2):
            with pytest.raises(ShelfError, match=r"took \d+\.\d+ USD") as caught:
                command(
                    tmp_path, writer=[f"m-1@{endpoint.base},concurrency=1"], prices=prices,
                    cap_usd="0.1",
                )  # fmt: skip
            assert f"{endpoint.nano_usd / DOLLAR:.3f}"[:4] in str(caught.value)
            assert "is passed" in capfd.readouterr().err
    assert len(endpoint.calls) == 1


def test_the_cap_stops_all_generators_at_the_same_specifications(write: Write) -> None:
    with misbehaving(Endpoint()) as fast, misbehaving(Endpoint(delay=0.02)) as slow:
        rows = [generator("fast", fast.base), generator("slow", slow.base, concurrency=1)]
        outcome = write(*rows, documents=120, caps={"": DOLLAR // 2})
        assert outcome.capped
        assert outcome.budget.charged == fast.nano_usd + slow.nano_usd <= DOLLAR // 2
        answers = [own.answers for own in outcome.tallies]
        # Eight steps ahead of the first that the slow one has not begun.
        assert abs(answers[0] - answers[1]) <= 9
        # A call more would pass it.
        assert DOLLAR // 2 - outcome.budget.charged < 100_000_000
        assert outcome.rest_at_most > 0
        # A higher cap goes on.
        whole = write(*rows, documents=120, caps={"": 5 * DOLLAR})
    assert whole.answers == 120
    assert len(fast.calls) + len(slow.calls) == 120


def test_the_cap_of_one_generator_stops_it_alone(write: Write) -> None:
    with misbehaving(Endpoint()) as endpoint:
        rows = [generator("a", endpoint.base), generator("b", endpoint.base)]
        outcome = write(*rows, documents=60, caps={"": 5 * DOLLAR, "a": 100_000_000})
    answers = {own.name: own.answers for own in outcome.tallies}
    assert outcome.at_own_cap == ("a",)
    assert answers["b"] == 30
    assert 0 < answers["a"] < 30
    assert outcome.tallies[0].budget.charged <= 100_000_000


def test_a_ledger_without_a_cap_asks_nothing_of_a_paid_generator(
    write: Write, tmp_path: Path
) -> None:
    with misbehaving(Endpoint()) as endpoint:
        write(generator("g", endpoint.base), caps={"": 0})
        with sqlite3.connect(ledger_file(tmp_path / "corpus")) as ledger:
            ledger.execute("UPDATE budgets SET cap = NULL")
        with pytest.raises(ShelfError, match="--cap-usd"):
            write(generator("g", endpoint.base), caps={})
        assert not endpoint.calls


def test_no_more_calls_at_once_than_workers(write: Write) -> None:
    running, most = [0], [0]

    class Counting(Endpoint):
        def asked(self, order: str, body: Any) -> Any:
            with self._lock:
                running[0] += 1
                most[0] = max(most[0], running[0])
            return super().asked(order, body)

        def book(self, *given: Any) -> None:
            with self._lock:
                running[0] -= 1
            super().book(*given)

    with misbehaving(Counting(delay=0.01)) as endpoint:
        rows = [generator(name, endpoint.base, concurrency=8) for name in ("a", "b")]
        assert write(*rows, documents=36, workers=3).answers == 36
    assert most[0] <= 3


def test_slices_are_written_alone_and_the_others_later(tmp_path: Path) -> None:
    with misbehaving(Endpoint()) as endpoint:
        rows = [
            generator(f"lexical-writer/{name}", endpoint.base, price="free")
            for name in ("birch", "cedar", "hazel", "maple", "rowan")
        ]
        factorial = load_plan("factorial")
        plan = load_plan("standard").model_copy(
            update={
                "generators": tuple(rows),
                "prompts": factorial.prompts,
                "sampling": factorial.sampling,
            }
        )
        plan = plan.sized(200, plan.slices)
        request = Request(plan, load_taxonomy(), 42, {}, tmp_path / "corpus", {}, ("v0_4_holdout",))
        holdout = write_corpus(request, FAST)
        assert 0 < holdout.answers < holdout.orders
        slices = {order.slice for order, _, _ in read_answers(tmp_path / "corpus")}
        assert slices == {"v0_4_holdout"}
        whole = write_corpus(Request(plan, load_taxonomy(), 42, {}, tmp_path / "corpus", {}), FAST)
    assert whole.answers == whole.orders == len(endpoint.calls)
    assert whole.budget.charged == 0


def test_a_batch_and_a_chat_endpoint_share_a_cap(write: Write) -> None:
    with misbehaving(Endpoint(polls=2)) as batches, misbehaving(Endpoint()) as chats:
        rows = [generator("b", batches.base, writer="batch"), generator("c", chats.base)]
        outcome = write(*rows, documents=60, caps={"": DOLLAR // 3})
    assert outcome.budget.charged <= DOLLAR // 3
    assert outcome.budget.reserved == 0
    assert all(own.answers > 0 for own in outcome.tallies)
    assert outcome.budget.charged >= chats.nano_usd + batches.nano_usd


@pytest.mark.parametrize("creating", ["no_money", "bad_request"])
def test_a_batch_that_is_refused_charges_nothing(write: Write, creating: str) -> None:
    with misbehaving(Endpoint(creating=(creating,))) as endpoint:
        outcome = write(generator("b", endpoint.base, writer="batch"))
    assert "b" in outcome.stopped
    assert (outcome.budget.charged, outcome.budget.reserved) == (0, 0)
    assert outcome.tallies[0].waiting == 18


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize("way", ["cut_before", "made_429", "made_500", "made_502", "made_503"])
def test_a_batch_whose_making_was_cut_off_is_not_made_twice(
    write: Write, way: str, bare: bool
) -> None:
    """Whatever the endpoint said of it, and also where its lists show no metadata."""
    with misbehaving(Endpoint(creating=(way, "ok"), bare=bare)) as endpoint:
        outcome = write(generator("b", endpoint.base, writer="batch"))
    assert (outcome.answers, len(endpoint.batches)) == (18, 1)
    assert outcome.budget.charged == 2 * endpoint.nano_usd  # no discount here


@pytest.mark.parametrize("way", ["cut_before", "made_502"])
def test_a_batch_that_is_made_and_never_listed_counts_as_paid(write: Write, way: str) -> None:
    with misbehaving(Endpoint(creating=(way,), hidden=lambda batch: True)) as endpoint:
        row, cap = generator("b", endpoint.base, writer="batch"), {"": DOLLAR // 2}
        for number in range(1, 4):
            outcome = write(row, caps=cap, attempts=9)
            assert len(endpoint.batches) <= number
            assert outcome.budget.reserved == 0
            for batch in endpoint.batches.values():
                if batch["status"] == "validating":
                    misbehaving_endpoint._carried_out(endpoint, batch, "completed")
            assert 0 < endpoint.nano_usd <= outcome.budget.charged <= DOLLAR // 2
        assert outcome.tallies[0].lost == sum(
            len(endpoint.files[own["input_file_id"]].splitlines())
            for own in endpoint.batches.values()
        )
    assert outcome.capped


def test_a_batch_that_the_endpoint_refuses_for_now_is_made_later(write: Write) -> None:
    with misbehaving(Endpoint(creating=("busy", "error_503", "ok"))) as endpoint:
        outcome = write(generator("b", endpoint.base, writer="batch"))
    assert (outcome.answers, len(endpoint.batches)) == (18, 1)
    assert (outcome.tallies[0].lost, outcome.budget.unknown) == (0, 0)


def test_an_end_before_a_batch_is_made_loses_nothing(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = BatchWriter.upload

    def uploaded(self: BatchWriter, prepared: Any) -> str:
        file = upload(self, prepared)
        os.kill(os.getpid(), signal.SIGINT)
        return file

    with misbehaving(Endpoint()) as endpoint:
        row = generator("b", endpoint.base, writer="batch")
        with monkeypatch.context() as patched:
            patched.setattr(BatchWriter, "upload", uploaded)
            assert write(row).interrupted
        assert not endpoint.batches
        outcome = write(row)
    assert (outcome.answers, len(endpoint.batches)) == (18, 1)
    assert outcome.budget.charged == 2 * endpoint.nano_usd


@pytest.mark.parametrize("late", [{"late_files": 1}, {"late_files": 2}, {"half_files": 2}])
def test_a_batch_that_is_over_before_its_files_are_there_is_paid_once(
    write: Write, late: dict[str, int]
) -> None:
    with misbehaving(Endpoint(polls=1, **late)) as endpoint:
        outcome = write(generator("b", endpoint.base, writer="batch"))
    assert (outcome.answers, len(endpoint.batches)) == (18, 1)
    assert (outcome.tallies[0].lost, outcome.budget.charged) == (0, 2 * endpoint.nano_usd)


def test_lines_that_never_come_count_as_paid_and_are_asked_again(write: Write) -> None:
    lost = by_share({"missing_line": 0.4}, seed=1)

    class Losing(Endpoint):
        """Charges for the lines that it loses."""

        def book(self, asked: Any, behaviour: str, written: Any, batch: str = "") -> None:
            if behaviour == "missing_line":
                written = self.written(asked, "ok")
            super().book(asked, behaviour, written, batch)

    with misbehaving(Losing(choose=lost)) as endpoint:
        outcome = write(generator("b", endpoint.base, writer="batch"), attempts=9)
    missing = sum(call.behaviour == "missing_line" for call in endpoint.calls)
    assert outcome.answers == 18
    assert outcome.tallies[0].lost == missing > 0
    assert outcome.budget.charged >= endpoint.nano_usd


@pytest.mark.parametrize("what", ["batches", "files"])
def test_a_batch_that_is_not_known_any_more_does_not_stay_reserved_for_ever(
    write: Write, what: str
) -> None:
    with misbehaving(Endpoint(forgotten=frozenset({what}), polls=0)) as endpoint:
        row = generator("b", endpoint.base, writer="batch")
        for _ in range(2):
            outcome = write(row)
            assert "48 hours" in outcome.stopped["b"]
            assert (outcome.tallies[0].in_flight, outcome.budget.unknown) == (18, 0)
        reserved = outcome.budget.reserved
        # After two days, and at once where the user says so.
        old = dataclasses.replace(FAST, longest_batch=0.001)
        outcome = write(row, patience=old) if what == "files" else write(row, retry_failed=True)
        assert outcome.budget.unknown == reserved
        assert outcome.budget.reserved == 0
        assert outcome.tallies[0].lost == 18
        endpoint.forgotten = frozenset()
        outcome = write(row)
        assert outcome.answers == 18
        assert len(endpoint.batches) == 2
        assert outcome.budget.charged >= endpoint.nano_usd


def test_a_batch_that_was_refused_and_found_is_paid_when_it_is_forgotten(write: Write) -> None:
    given_up = dataclasses.replace(FAST, longest_batch=0.0)
    with misbehaving(
        Endpoint(creating=("made_503",), forgotten=frozenset({"batches"}))
    ) as endpoint:
        outcome = write(generator("b", endpoint.base, writer="batch"), patience=given_up)
    assert (outcome.tallies[0].lost, outcome.budget.reserved) == (18, 0)
    assert outcome.budget.unknown > 0


def test_a_reservation_that_the_disk_did_not_take_makes_no_batch(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The batch would be in no book."""
    begin = BatchLane.begin
    failed = []

    def begun(self: BatchLane, ledger: Any, now: float, last_step: int | None) -> Any:
        task = begin(self, ledger, now, last_step)
        if not failed:
            failed.append(task)
            raise NoRoomError(errno.ENOSPC, "no room", str(ledger.file))
        return task

    monkeypatch.setattr(BatchLane, "begin", begun)
    with misbehaving(Endpoint()) as endpoint:
        outcome = write(generator("b", endpoint.base, writer="batch"))
    assert failed
    assert (outcome.answers, len(endpoint.batches)) == (18, 1)
    assert outcome.budget.charged == 2 * endpoint.nano_usd


def test_a_batch_that_cannot_be_looked_at_holds_nobody_up(write: Write) -> None:
    class Locking(Endpoint):
        """Takes a batch, and then knows the key no more."""

        def lock(self) -> str:
            self.key = "another"
            return "ok"

    class Creating(tuple[str, ...]):
        def __getitem__(self, number: Any) -> Any:
            return batches.lock()

    with misbehaving(Locking()) as batches, misbehaving(Endpoint()) as chats:
        batches.creating = Creating(("ok",))
        rows = [generator("b", batches.base, writer="batch"), generator("c", chats.base)]
        # The batch takes half of the room, at its worst case.
        first = write(*rows, documents=60, caps={"": DOLLAR // 3})
        assert "b" in first.stopped
        assert first.capped
        assert first.budget.reserved > 0
        batches.key, batches.creating = "", ("ok",)
        second = write(*rows, documents=60, caps={"": 5 * DOLLAR})
    assert second.answers == 60
    assert second.budget.reserved == 0
    assert second.budget.charged == chats.nano_usd + 2 * batches.nano_usd  # no discount here


@pytest.mark.parametrize("sign_of_life", [0.0, 1000.0])
def test_a_ledger_that_another_process_keeps_locked_loses_no_answer(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sign_of_life: float
) -> None:
    monkeypatch.setattr(opening, "_LONGEST_WAIT", 0.02)
    monkeypatch.setattr(sitting, "_SIGN_OF_LIFE", sign_of_life)
    other: list[sqlite3.Connection] = []
    numbers = itertools.count()

    def choose(asked: Any) -> str:
        if next(numbers) == 4:
            other.append(connected(tmp_path))
            other[0].execute("BEGIN IMMEDIATE")
        return "ok"

    told = Progress.tell

    def tell(progress: Progress, text: str) -> None:
        if "locked" in text and "held in memory" in text and other[0].in_transaction:
            other[0].execute("ROLLBACK")
        told(progress, text)

    monkeypatch.setattr(Progress, "tell", tell)
    with misbehaving(Endpoint(choose=choose)) as endpoint:
        outcome = write(generator("g", endpoint.base))
    other[0].close()
    assert outcome.answers == len(endpoint.calls) == 18
    assert outcome.trouble is None
    assert outcome.budget.charged == outcome.budget.settled == endpoint.nano_usd


def test_a_ledger_that_stays_locked_is_given_up(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "_LONGEST_WAIT", 0.02)
    patience = Patience(first_wait=0.01, longest_wait=0.05, full_disk=0.2)
    with misbehaving(Endpoint()) as endpoint:
        write(generator("g", endpoint.base), caps={"": 0})
        other = connected(tmp_path)

        def choose(asked: Any) -> str:
            if not other.in_transaction:
                other.execute("BEGIN IMMEDIATE")
            return "ok"

        endpoint.choose = choose
        with pytest.raises(LockedError, match="locked"):
            write(generator("g", endpoint.base, concurrency=1), patience=patience)
        other.close()
    assert len(endpoint.calls) == 1


def connected(tmp_path: Path) -> sqlite3.Connection:
    file = ledger_file(tmp_path / "corpus")
    return sqlite3.connect(file, isolation_level=None, check_same_thread=False)


# ----- before anything is asked


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **more: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def command(tmp_path: Path, plan: str = "factorial", **settings: Any) -> None:
    given: dict[str, Any] = {
        "out": tmp_path / "corpus", "taxonomy": None, "writer": [], "writers": None, "prices": None,
        "cap_usd": "1", "cap": [], "seed": 42, "slices": [], "documents": 18, "workers": None,
        "attempts": 3, "retry_failed": False, "json": False, "patience": FAST,
    }  # fmt: skip
    write_from_command_line(plan, **{**given, **settings})


MINE = "m-1@http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "nobody is named"),
        ({"plan": "quickstart"}, "lexical"),
        ({"plan": "none-such"}, "none-such"),
        ({"writer": [MINE]}, "no price"),
        ({"writer": ["m-1"]}, "MODEL@URL"),
        ({"writer": [MINE + ",price=free"], "cap": ["other=1"]}, "--cap"),
        ({"writer": [MINE + ",price=free"], "cap_usd": "-1"}, "--cap-usd"),
        ({"writer": [MINE + ",price=free"], "slices": ["default"]}, "--slice default"),
        ({"writer": ["m-1@https://example.org/v1"]}, "no price"),
    ],
)
@pytest.mark.usefixtures("offline")
def test_wrong_input_is_refused_and_leaves_nothing_behind(
    tmp_path: Path, settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(ShelfError, match=said):
        command(tmp_path, **settings)
    assert not (tmp_path / "corpus").exists()


@pytest.mark.usefixtures("offline")
def test_a_paid_generator_needs_a_cap_and_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    prices = tmp_path / "prices.yaml"
    prices.write_text(
        "- {model: m-1, usd_per_million_input_tokens: 1, usd_per_million_output_tokens: 2,"
        " date: 2026-03-01, source: 'https://example.org'}"
    )
    with pytest.raises(ShelfError, match="--cap-usd"):
        command(tmp_path, writer=[MINE], prices=prices, cap_usd=None)
    with pytest.raises(ShelfError, match="OPENAI_API_KEY"):
        command(tmp_path, writer=["m-1@https://example.org/v1"], prices=prices)
    assert not (tmp_path / "corpus").exists()


def test_no_key_is_kept_or_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    key = "sk-" + "s" * 40
    monkeypatch.setenv("SHELF_TEST_KEY", key)
    with misbehaving(Endpoint(key=key, choose=by_share({"error_500": 0.1}))) as endpoint:
        base = f"m-1@{endpoint.base},price=free,api_key=SHELF_TEST_KEY"
        command(tmp_path, writer=[base])
        endpoint.key = "another"
        with pytest.raises(ShelfError) as caught:
            command(tmp_path, writer=[base], out=tmp_path / "second")
    said = capfd.readouterr()
    assert key not in said.out + said.err + str(caught.value)
    for corpus in ("corpus", "second"):
        files = [own for own in (tmp_path / corpus).rglob("*") if own.is_file()]
        assert ledger_file(tmp_path / corpus) in files
        assert all(key.encode() not in own.read_bytes() for own in files)
    assert os.environ["SHELF_TEST_KEY"] == key
