"""The chat writer against an endpoint that misbehaves: one call each, told for what it was."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from misbehaving_endpoint import (
    Choose,
    Endpoint,
    always,
    by_order,
    by_share,
    calls_in,
    in_turn,
    misbehaving,
)

from builders.orders import Order, Sampling
from builders.writers.chat_body import LONGEST_RAW, LONGEST_UNREADABLE
from builders.writers.openai import OpenAIWriter
from builders.writers.protocol import Answer, Answered, MaybeCharged, NotCharged, Outcome
from builders.writers.usage import charged
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.roster import Generator
from evaluate_shelf.registry.taxonomy_rows import Length

SECRET = "sk-very-secret-0123456789"
Lengths = Mapping[str, Length]
MakeRow = Callable[..., Generator]


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    # A proxy of the machine is not asked for what is on it.
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")


@pytest.fixture
def ask(
    order: Order, make_row: MakeRow, lengths: Lengths
) -> Callable[..., tuple[Outcome, Endpoint]]:
    def once(choose: Choose | str, endpoint: Endpoint | None = None, **row: Any) -> Any:
        own = endpoint or Endpoint()
        own.choose = always(choose) if isinstance(choose, str) else choose
        with misbehaving(own):
            writer = OpenAIWriter(make_row(own.base, **row), lengths)
            outcome = writer.ask(order)
            writer.close()
        return outcome, own

    return once


def answer(outcome: Outcome) -> Answer:
    assert isinstance(outcome, Answered), outcome
    return outcome.answer


def test_an_answer(ask: Any, order: Order) -> None:
    outcome, endpoint = ask("ok")
    got = answer(outcome)
    (call,) = endpoint.calls
    assert got.order_id == call.order == order.id
    assert (got.model_resolved, got.provider, got.provider_served) == ("vendor/m", "local", None)
    assert (got.finish_reason, got.flags) == ("stop", ())
    assert got.usage is not None
    assert (got.usage.input_tokens, got.usage.output_tokens) == (
        call.input_tokens,
        call.output_tokens,
    )
    assert json.loads(got.raw)["choices"][0]["message"]["content"] == got.text
    assert json.loads(got.raw)["system_fingerprint"] == "fp_0"
    (body,) = endpoint.requests
    assert body["messages"] == [
        {"role": own.role, "content": own.content}
        for own in (order.prompt.messages if order.prompt else ())
    ]
    assert got.sent == {key: own for key, own in body.items() if key not in ("model", "messages")}
    assert (got.sent["temperature"], got.sent["top_p"]) == (0.8, 0.95)
    assert "Authorization" not in endpoint.headers[0]


def test_what_is_charged_is_within_the_bound(
    order: Order, make_row: MakeRow, lengths: Lengths
) -> None:
    endpoint = Endpoint(choose=always("empty_reasoning"))
    with misbehaving(endpoint):
        writer = OpenAIWriter(make_row(endpoint.base, reasons=True), lengths)
        outcome, bound = writer.ask(order), writer.bound(order)
    got = answer(outcome)
    (call,) = endpoint.calls
    assert call.output_tokens == bound.output_tokens
    assert call.input_tokens <= bound.input_tokens
    assert charged(got.usage, bound) == (call.input_tokens, call.output_tokens)
    assert (got.text, got.finish_reason, got.flags) == ("", "length", ("empty",))
    assert got.usage is not None
    assert got.usage.reasoning_tokens == call.output_tokens


@pytest.mark.parametrize(
    ("behaviour", "flags"),
    [
        ("refusal", ("refusal",)),
        ("content_filter", ("filtered",)),
        ("thinking", ("thinking",)),
        ("other_model", ("served",)),
        ("routed", ()),
        ("chunked", ()),
        ("gzip", ()),
        ("reasoning_beside", ()),
        ("usage_absent", ("usage",)),
        ("usage_zero", ("usage",)),
        ("usage_negative", ("usage",)),
        ("usage_huge", ("usage",)),
        ("usage_half", ("usage",)),
        ("usage_text", ("usage",)),
        ("usage_nan", ("usage",)),
        ("usage_float", ("usage",)),
        ("usage_true", ("usage",)),
        ("surrogates", ("characters",)),
        ("unseen", ("characters",)),
        ("too_long", ("over",)),
        ("too_long_unreported", ("over", "usage")),
        ("over_input", ("over",)),
        ("over_reasoning", ("over",)),
        ("over_dense", ("over",)),
        ("dense_low", ("usage",)),
    ],
)
def test_answers_with_something_to_know(ask: Any, behaviour: str, flags: tuple[str, ...]) -> None:
    outcome, endpoint = ask(behaviour)
    got = answer(outcome)
    assert got.flags == flags
    assert (got.usage is None) == ("usage" in flags)
    assert got.text
    got.text.encode()
    assert "<think>" not in got.text
    assert "\x00" not in got.text
    assert got.provider_served == ("Somebody" if behaviour == "routed" else None)
    assert len(got.raw) <= LONGEST_RAW
    if got.usage is not None:
        assert got.usage.output_tokens == endpoint.calls[0].output_tokens


def test_reasoning_beside_the_completion_is_billed(ask: Any) -> None:
    outcome, endpoint = ask("reasoning_beside", Endpoint(reasoning=300), reasons=True)
    usage = answer(outcome).usage
    assert usage is not None
    assert (usage.output_tokens, usage.reasoning_tokens) == (
        endpoint.calls[0].output_tokens,
        300,
    )


@pytest.mark.parametrize(
    ("behaviour", "expected"),
    [
        ("busy", NotCharged("", 0.2, busy=True)),
        ("busy_long", NotCharged("", 3600.0, busy=True)),
        ("busy_unnamed", NotCharged("", busy=True)),
        ("busy_oddly", NotCharged("", busy=True)),
        ("error_500", NotCharged("")),
        ("error_503", NotCharged("", 0.1)),
        ("bad_request", NotCharged("", final=True)),
        ("no_money", NotCharged("", final=True, of_all=True)),
        ("no_key", NotCharged("", final=True, of_all=True)),
        ("forbidden", NotCharged("", final=True, of_all=True)),
        ("unknown_model", NotCharged("", final=True, of_all=True)),
        ("redirect", NotCharged("", final=True, of_all=True)),
    ],
)
def test_refusals_cost_nothing(ask: Any, behaviour: str, expected: NotCharged) -> None:
    outcome, endpoint = ask(behaviour)
    assert isinstance(outcome, NotCharged)
    assert replace(outcome, reason="") == expected
    assert outcome.reason
    assert len(outcome.reason.splitlines()) == 1
    assert len(endpoint.calls) == 1
    assert endpoint.nano_usd == 0


def test_a_date_to_ask_again(ask: Any) -> None:
    outcome, _ = ask("busy_date")
    assert isinstance(outcome, NotCharged)
    assert outcome.retry_after_seconds is not None
    assert 20 < outcome.retry_after_seconds <= 30


@pytest.mark.parametrize(
    "behaviour",
    ["cut_before", "cut_inside", "not_json", "no_choices", "endless", "huge", "error_504"],
)
def test_what_may_have_been_paid_for(ask: Any, behaviour: str) -> None:
    outcome, endpoint = ask(behaviour)
    assert isinstance(outcome, MaybeCharged)
    assert len(outcome.reason.splitlines()) == 1
    assert len(endpoint.calls) == 1
    # Whatever came with a status of success is paid for perhaps, and kept as far as it is short.
    came = behaviour not in ("cut_before", "error_504")
    assert bool(outcome.came) == came
    assert len(outcome.came) <= LONGEST_UNREADABLE


@pytest.mark.parametrize("status", ["200 OK", "201 Created"])
@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (b'{"choices": [', '{"choices": ['),
        (b"\xff\x00 half a document", "\\xff\\x00 half a document"),
        (b'"a text alone"', '"a text alone"'),
        (b'{"error": "late", "key": "%s"}' % SECRET.encode(), '{"error": "late", "key": "***"}'),
        (b"<html>" + b"x" * 200_000, "<html>" + "x" * 99_994),
        (b"\xff" * 200_000, ("\\xff" * 25_000)),
    ],
)
def test_what_came_in_the_place_of_an_answer_is_kept(
    order: Order,
    make_row: MakeRow,
    lengths: Lengths,
    monkeypatch: pytest.MonkeyPatch,
    status: str,
    body: bytes,
    kept: str,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(int(status[:3]))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        row = make_row(f"http://127.0.0.1:{server.server_port}/v1", api_key="OPENAI_API_KEY")
        outcome = OpenAIWriter(row, lengths).ask(order)
        thread.join()
    assert isinstance(outcome, MaybeCharged)
    assert outcome.came == kept


@pytest.mark.parametrize("behaviour", ["hang", "drip"])
def test_an_endpoint_that_does_not_come_to_an_end(ask: Any, behaviour: str) -> None:
    outcome, endpoint = ask(behaviour, answer_seconds=0.3)
    assert isinstance(outcome, MaybeCharged)
    assert [call.charged for call in endpoint.calls] == [True]


def test_no_endpoint_at_all(order: Order, make_row: MakeRow, lengths: Lengths) -> None:
    with misbehaving(Endpoint()) as endpoint:
        pass
    outcome = OpenAIWriter(make_row(endpoint.base), lengths).ask(order)
    assert isinstance(outcome, NotCharged)
    assert not outcome.final


@pytest.mark.parametrize(
    ("behaviour", "dropped"),
    [
        ("no_effort", {"reasoning_effort"}),
        ("no_temperature", {"temperature"}),
        ("no_top_p", {"top_p"}),
        ("no_max_tokens", {"max_tokens"}),
        ("no_max_completion_tokens", {"max_completion_tokens"}),
        (
            "no_effort+no_temperature+no_top_p+no_max_tokens",
            {"reasoning_effort", "temperature", "top_p", "max_tokens"},
        ),
    ],
)
def test_a_refused_parameter_is_dropped_once_and_for_all(
    make_orders: Any, make_row: MakeRow, lengths: Lengths, behaviour: str, dropped: set[str]
) -> None:
    first, second = make_orders(2)
    with misbehaving(Endpoint(choose=always(behaviour))) as endpoint:
        row = make_row(endpoint.base, reasons=True, reasoning_effort="low")
        writer = OpenAIWriter(row, lengths)
        got = [answer(writer.ask(own)) for own in (first, second)]
    refused, charged_calls = len(dropped), [call for call in endpoint.calls if call.charged]
    assert len(endpoint.calls) == refused + 2
    assert [call.order for call in charged_calls] == [first.id, second.id]
    everything = set(endpoint.requests[0]) - {"model", "messages"}
    for one in got:
        assert set(one.sent) == everything - dropped
        assert one.flags == ()


def test_an_endpoint_that_takes_no_limit_is_not_asked(ask: Any) -> None:
    outcome, endpoint = ask("no_max_tokens+no_max_completion_tokens")
    assert isinstance(outcome, NotCharged)
    assert outcome.final
    assert endpoint.nano_usd == 0
    assert all({"max_tokens", "max_completion_tokens"} & set(own) for own in endpoint.requests)


def test_a_temperature_beyond_the_range_is_dropped_for_its_order_alone(
    make_orders: Any, make_row: MakeRow, lengths: Lengths
) -> None:
    hot, mild = make_orders(2)
    hot = replace(hot, sampling=Sampling(1.2, 0.95))
    choose = by_order({hot.id: "no_temperature"})
    with misbehaving(Endpoint(choose=choose)) as endpoint:
        writer = OpenAIWriter(make_row(endpoint.base), lengths)
        got = [answer(writer.ask(own)) for own in (hot, mild)]
    assert "temperature" not in got[0].sent
    assert got[1].sent["temperature"] == 0.8


def test_a_parameter_is_not_remembered_where_the_call_fails_without_it_too(
    order: Order, make_row: MakeRow, lengths: Lengths
) -> None:
    with misbehaving(Endpoint(choose=in_turn("no_top_p", "bad_request", "ok"))) as endpoint:
        writer = OpenAIWriter(make_row(endpoint.base), lengths)
        assert isinstance(writer.ask(order), NotCharged)
        assert "top_p" in answer(writer.ask(order)).sent


def test_parameters_of_one_s_own_are_sent(ask: Any) -> None:
    _, endpoint = ask("ok", parameters={"repeat_penalty": 1.1})
    assert endpoint.requests[0]["repeat_penalty"] == 1.1


def test_another_name_of_the_model(ask: Any) -> None:
    outcome, _ = ask("other_model", other_names=["another-model"])
    assert answer(outcome).flags == ()


def test_a_path_on_the_endpoint_s_disk_is_not_published(ask: Any) -> None:
    outcome, _ = ask("ok", Endpoint(model="/home/me/models/m.gguf"), model="m.gguf")
    got = answer(outcome)
    assert (got.model_resolved, got.flags) == ("m.gguf", ())


def test_a_key_is_sent_where_the_row_names_it_and_shown_nowhere(
    ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    outcome, endpoint = ask("ok", Endpoint(key=SECRET), api_key="MY_KEY")
    assert answer(outcome).text
    assert endpoint.headers[0]["Authorization"] == f"Bearer {SECRET}"
    refused, _ = ask("ok", Endpoint(key="another"), api_key="MY_KEY")
    assert isinstance(refused, NotCharged)
    assert refused.of_all
    assert "***" in refused.reason
    assert SECRET not in refused.reason


def test_an_endpoint_here_gets_no_key_that_was_not_meant_for_it(
    ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    _, endpoint = ask("ok")
    assert "Authorization" not in endpoint.headers[0]


def test_elsewhere_a_key_is_needed_and_needs_https(
    make_row: MakeRow, lengths: Lengths, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ShelfError, match="OPENAI_API_KEY holds no key"):
        OpenAIWriter(make_row("https://api.example.org/v1"), lengths)
    OpenAIWriter(make_row("http://192.0.2.1/v1"), lengths).close()
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    OpenAIWriter(make_row("https://api.example.org/v1"), lengths).close()
    with pytest.raises(ShelfError, match="unencrypted") as caught:
        OpenAIWriter(make_row("http://192.0.2.1/v1"), lengths)
    assert SECRET not in str(caught.value)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1\nX-Other: 1")
    with pytest.raises(ShelfError, match="key") as caught:
        OpenAIWriter(make_row("https://api.example.org/v1"), lengths)
    assert "X-Other" not in str(caught.value)


def test_a_place_that_is_not_filled(lengths: Lengths) -> None:
    with pytest.raises(ShelfError, match="base_url"):
        OpenAIWriter(Generator(name="m", writer="openai"), lengths)


def test_an_order_without_a_prompt_or_a_known_length(
    order: Order, make_row: MakeRow, lengths: Lengths
) -> None:
    writer = OpenAIWriter(make_row("http://127.0.0.1:9/v1"), lengths)
    with pytest.raises(ShelfError, match="prompt"):
        writer.bound(replace(order, prompt=None))
    with pytest.raises(ShelfError, match="epic"):
        writer.ask(replace(order, spec=replace(order.spec, target_length="epic")))


SHARES = {
    "busy": 0.1,
    "error_500": 0.05,
    "cut_before": 0.05,
    "cut_inside": 0.05,
    "not_json": 0.05,
    "empty_reasoning": 0.05,
    "refusal": 0.05,
    "other_model": 0.05,
    "usage_absent": 0.05,
    "usage_half": 0.05,
    "usage_huge": 0.05,
    "error_504": 0.02,
}


def test_settled_costs_are_never_below_the_endpoint_s_own(
    make_orders: Any, make_row: MakeRow, lengths: Lengths, tmp_path: Path
) -> None:
    orders = make_orders(200)
    journal = tmp_path / "calls.jsonl"
    with misbehaving(Endpoint(choose=by_share(SHARES, seed=3), journal=journal)) as endpoint:
        writer = OpenAIWriter(make_row(endpoint.base, reasons=True), lengths)
        with ThreadPoolExecutor(8) as pool:
            outcomes = dict(
                zip([own.id for own in orders], pool.map(writer.ask, orders), strict=True)
            )
    calls = {call.order: call for call in calls_in(journal)}
    assert len(calls) == len(orders) == len(endpoint.calls)
    for order in orders:
        call, bound = calls[order.id], writer.bound(order)
        outcome = outcomes[order.id]
        if isinstance(outcome, NotCharged):
            assert not call.charged
            continue
        usage = outcome.answer.usage if isinstance(outcome, Answered) else None
        settled = charged(usage, bound)
        assert settled[0] >= call.input_tokens
        assert settled[1] >= call.output_tokens
        if usage is not None:
            assert settled == (call.input_tokens, call.output_tokens)
    assert {type(outcome) for outcome in outcomes.values()} == {Answered, NotCharged, MaybeCharged}


def test_threads_share_a_writer_that_learns(
    make_orders: Any, make_row: MakeRow, lengths: Lengths
) -> None:
    orders = make_orders(40)
    begin = threading.Barrier(4)

    def asked(own: Order) -> Outcome:
        if orders.index(own) < 4:
            begin.wait(10)
        return writer.ask(own)

    with misbehaving(Endpoint(choose=always("no_temperature"))) as endpoint:
        writer = OpenAIWriter(make_row(endpoint.base), lengths)
        with ThreadPoolExecutor(4) as pool:
            got = [answer(one) for one in pool.map(asked, orders)]
    assert all("temperature" not in one.sent for one in got)
    assert sum(call.charged for call in endpoint.calls) == 40
    assert len(endpoint.calls) <= 44


def test_the_endpoint_is_a_process_of_its_own_too(
    order: Order, make_row: MakeRow, lengths: Lengths, tmp_path: Path
) -> None:
    journal = tmp_path / "calls.jsonl"
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "tests.support.misbehaving_endpoint", "--turn", "busy,ok"]
    with subprocess.Popen(
        [*command, "--journal", str(journal)], cwd=root, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        base = process.stdout.readline().strip()
        writer = OpenAIWriter(make_row(base), lengths)
        kinds = [type(writer.ask(order)) for _ in range(2)]
        process.kill()
    assert kinds == [NotCharged, Answered]
    assert [(call.order, call.nth, call.charged) for call in calls_in(journal)] == [
        (order.id, 0, False),
        (order.id, 1, True),
    ]
