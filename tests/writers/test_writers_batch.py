"""Batches on an endpoint that misbehaves: found again, collected whole, no line taken twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import misbehaving_endpoint
import pytest
from misbehaving_endpoint import Endpoint, always, by_order, misbehaving

from builders.orders import Order
from builders.writers.batch import LARGEST_BATCH, BatchWriter
from builders.writers.batch_jobs import BatchJob, safe_id
from builders.writers.batch_results import BatchRefused, Collected, Prepared, UnknownError
from builders.writers.protocol import Answered, MaybeCharged, NotCharged
from builders.writers.usage import charged
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.roster import Generator
from evaluate_shelf.registry.taxonomy_rows import Length

Lengths = Mapping[str, Length]
MakeRow = Callable[..., Generator]


@pytest.fixture
def make_writer(make_row: MakeRow, lengths: Lengths) -> Callable[[Endpoint], BatchWriter]:
    def make(endpoint: Endpoint) -> BatchWriter:
        row = make_row(endpoint.base, writer="batch", reasons=True, reasoning_effort="low")
        return BatchWriter(row, lengths, pause=lambda seconds: None)

    return make


def submitted(writer: BatchWriter, prepared: Prepared) -> Any:
    """Make a batch of the file, wherever it is."""
    return writer.create(prepared, writer.upload(prepared))


def carried_out(
    writer: BatchWriter, orders: list[Order], name: str = ""
) -> tuple[BatchJob, Collected]:
    job = submitted(writer, writer.prepare(orders, name))
    assert isinstance(job, BatchJob), job
    while not job.is_over:
        job = writer.poll(job.id)
    return job, writer.collect(job, orders)


def test_a_batch(make_writer: Any, make_orders: Any) -> None:
    orders = make_orders(5)
    with misbehaving(Endpoint()) as endpoint:
        writer = make_writer(endpoint)
        job, collected = carried_out(writer, orders)
    assert (job.status, job.completed, job.total) == ("completed", 5, 5)
    assert not collected.problems
    assert list(collected.outcomes) == [own.id for own in orders]
    for order, call in zip(orders, endpoint.calls, strict=True):
        outcome = collected.outcomes[order.id]
        assert isinstance(outcome, Answered)
        assert outcome.answer.order_id == order.id
        assert outcome.answer.usage is not None
        assert charged(outcome.answer.usage, writer.bound(order)) == (
            call.input_tokens,
            call.output_tokens,
        )
        assert (
            outcome.answer.text
            in json.loads(outcome.answer.raw)["choices"][0]["message"]["content"]
        )
        assert call.nano_usd == (1_000 * call.input_tokens + 10_000 * call.output_tokens) // 2


def test_the_same_orders_make_the_same_file(make_writer: Any, make_orders: Any) -> None:
    with misbehaving(Endpoint()) as endpoint:
        writer = make_writer(endpoint)
        one, two = writer.prepare(make_orders(3)), writer.prepare(make_orders(3))
        assert one == two
        assert one.key != writer.prepare(make_orders(3), "again").key
        assert one.key != writer.prepare(make_orders(2)).key
    lines = [json.loads(line) for line in one.data.splitlines()]
    assert tuple(line["custom_id"] for line in lines) == one.order_ids
    assert {(line["method"], line["url"]) for line in lines} == {("POST", "/v1/chat/completions")}
    assert lines[0]["body"]["model"] == "vendor/m"


def test_what_is_no_batch(make_writer: Any, make_orders: Any) -> None:
    with misbehaving(Endpoint()) as endpoint:
        writer = make_writer(endpoint)
        with pytest.raises(ShelfError, match="1 to 5,000"):
            writer.prepare([])
        with pytest.raises(ShelfError, match="1 to 5,000"):
            writer.prepare(make_orders(LARGEST_BATCH + 1))
        with pytest.raises(ShelfError, match="0000 stands in the batch twice"):
            writer.prepare(make_orders(2) + make_orders(1))


@pytest.mark.parametrize("way", ["cut_before", "made_429", "made_503"])
def test_a_client_that_was_killed_finds_its_batch(
    make_writer: Any, make_orders: Any, way: str
) -> None:
    """Also where the endpoint did not say that the batch was made, and among many others."""
    others, orders = make_orders(3), make_orders(4)
    with misbehaving(Endpoint(creating=("ok", "ok", "ok", way))) as endpoint:
        before = make_writer(endpoint)
        for number in range(3):
            submitted(before, before.prepare(others, f"other {number}"))
        prepared = before.prepare(orders)
        file = before.upload(prepared)
        asked = before.create(prepared, file)
        assert isinstance(asked, MaybeCharged if way == "cut_before" else BatchRefused)
        after = make_writer(endpoint)
        assert after.prepare(orders) == prepared
        for found in (after.find(prepared.key), after.find("", file)):
            assert found is not None
            assert (found.key, found.input_file) == (prepared.key, file)
        assert after.find("", "") is None
        assert after.find("another", "file-9999") is None
    assert len(endpoint.batches) == 4


@pytest.mark.parametrize("status", [404, 410])
def test_an_endpoint_that_lists_no_batches_lists_none_of_a_key(
    make_writer: Any, make_orders: Any, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    def gone(handler: Any, query: Any) -> None:
        handler._json(status, {"error": {"message": "no"}})

    monkeypatch.setattr(misbehaving_endpoint._Handler, "_list", gone)
    with misbehaving(Endpoint()) as endpoint:
        assert make_writer(endpoint).find("key", "file") is None


def test_a_batch_and_a_file_that_are_unknown(make_writer: Any, make_orders: Any) -> None:
    orders = make_orders(2)
    with misbehaving(Endpoint(polls=0)) as endpoint:
        writer = make_writer(endpoint)
        job, _ = carried_out(writer, orders)
        endpoint.files.clear()
        endpoint.batches.clear()
        with pytest.raises(UnknownError):
            writer.poll(job.id)
        with pytest.raises(UnknownError):
            writer.collect(job, orders)


def test_a_batch_that_is_refused(make_writer: Any, make_orders: Any) -> None:
    with misbehaving(Endpoint(creating=("busy", "no_money", "ok"))) as endpoint:
        writer = make_writer(endpoint)
        prepared = writer.prepare(make_orders(2))
        busy, poor, job = (submitted(writer, prepared) for _ in range(3))
    assert isinstance(busy, BatchRefused)
    assert (busy.refusal.final, busy.refusal.retry_after_seconds) == (False, 0.2)
    assert isinstance(poor, NotCharged)
    assert (poor.final, poor.of_all) == (True, True)
    assert isinstance(job, BatchJob)


@pytest.mark.parametrize("fate", ["expired", "cancelled"])
def test_a_batch_of_which_half_was_written(make_writer: Any, make_orders: Any, fate: str) -> None:
    orders = make_orders(6)
    with misbehaving(Endpoint(fate=fate)) as endpoint:
        writer = make_writer(endpoint)
        job, collected = carried_out(writer, orders)
        assert job.status == fate
        kinds = [type(collected.outcomes[own.id]) for own in orders]
        assert kinds == [Answered] * 3 + [NotCharged] * 3
        assert all(
            not own.final for own in collected.outcomes.values() if isinstance(own, NotCharged)
        )
        rest, _ = carried_out(writer, orders[3:])
    assert rest.id != job.id
    assert sum(call.charged for call in endpoint.calls) == 3 + 1


def test_a_batch_is_cancelled(make_writer: Any, make_orders: Any) -> None:
    orders = make_orders(4)
    with misbehaving(Endpoint(polls=100)) as endpoint:
        writer = make_writer(endpoint)
        job = submitted(writer, writer.prepare(orders))
        with pytest.raises(ShelfError, match="is validating"):
            writer.collect(job, orders)
        over = writer.cancel(job.id)
        collected = writer.collect(over, orders)
    assert over.status == "cancelled"
    assert [type(own) for own in collected.outcomes.values()] == [Answered] * 2 + [NotCharged] * 2


def test_a_batch_that_fails_before_it_begins(make_writer: Any, make_orders: Any) -> None:
    orders = make_orders(2)
    with misbehaving(Endpoint(fate="failed")) as endpoint:
        writer = make_writer(endpoint)
        job, collected = carried_out(writer, orders)
        for outcome in collected.outcomes.values():
            assert isinstance(outcome, NotCharged)
            assert "invalid_json_line" in outcome.reason
            assert outcome.final
        # One that never began does not stand in the way of another of the same orders.
        assert writer.find(job.key) == job
        endpoint.fate = "completed"
        again, _ = carried_out(writer, orders)
        found = writer.find(job.key)
        assert found is not None
        assert found.id == again.id != job.id
        assert not again.problems
    assert sum(call.charged for call in endpoint.calls) == len(orders)


def test_lines_that_are_not_what_was_ordered_are_named(make_writer: Any, make_orders: Any) -> None:
    orders = make_orders(8)
    told = {
        orders[1].id: "missing_line",
        orders[2].id: "duplicate_line",
        orders[3].id: "foreign_line",
        orders[4].id: "damaged_line",
        orders[5].id: "bad_request",
        orders[6].id: "usage_absent",
        orders[7].id: "error_500",
    }
    with misbehaving(Endpoint(choose=by_order(told))) as endpoint:
        _, collected = carried_out(make_writer(endpoint), orders)
    assert collected.missing == 2
    outcomes = [collected.outcomes[own.id] for own in orders]
    assert [type(own) for own in outcomes] == [
        Answered,
        MaybeCharged,
        Answered,
        Answered,
        MaybeCharged,
        NotCharged,
        Answered,
        NotCharged,
    ]
    assert isinstance(outcomes[5], NotCharged)
    assert isinstance(outcomes[7], NotCharged)
    assert outcomes[5].final
    assert not outcomes[7].final
    assert isinstance(outcomes[6], Answered)
    assert outcomes[6].answer.flags == ("usage",)
    assert len(collected.problems) == 3
    named = " ".join(collected.problems)
    assert f"order {orders[2].id} has had its line" in named
    assert "'somebody-else' is no order" in named
    assert "no JSON object" in named


def test_a_parameter_that_is_refused_is_left_out_of_the_next_batch(
    make_writer: Any, make_orders: Any
) -> None:
    orders = make_orders(2)
    with misbehaving(Endpoint(choose=always("no_temperature"))) as endpoint:
        writer = make_writer(endpoint)
        _, first = carried_out(writer, orders)
        assert all(isinstance(own, NotCharged) and not own.final for own in first.outcomes.values())
        job, _ = carried_out(writer, orders)
        # Another process reads from the batch itself what was left out.
        second = make_writer(endpoint).collect(job, orders)
    for outcome in second.outcomes.values():
        assert isinstance(outcome, Answered)
        assert "temperature" not in outcome.answer.sent


@pytest.mark.parametrize("name", ["", "..", "../files", "a/b", "a?b", "a b", "é", "x" * 300])
def test_an_id_is_one_part_of_a_path(name: str) -> None:
    with pytest.raises(ShelfError, match="id"):
        safe_id(name)
