"""Endpoints, on a server of this process: answers checked, retries bounded, the key kept."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

import numpy as np
import pytest
from loopback_server import serving

from evaluate_shelf.endpoints.repeating import ATTEMPTS
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.endpoint import KEY, Address, Endpoint
from evaluate_shelf.models.post import Poster
from evaluate_shelf.models.protocol import Counting, Encoder
from evaluate_shelf.models.resolve import facts_of, resolve_model
from evaluate_shelf.registry.protocols import load_protocol

pytest.importorskip("httpx")

PROTOCOL = load_protocol()
SECRET = "sk-very-secret-0123456789"
TEXTS = ["ships at sea", "wheat", "é"]


def vector_of(text: str) -> list[float]:
    return [float(len(text)), -0.5, 0.25]


def good(request: dict[str, Any]) -> dict[str, Any]:
    rows = [
        {"object": "embedding", "index": number, "embedding": vector_of(text)}
        for number, text in enumerate(request["input"])
    ]
    return {"object": "list", "data": rows, "usage": {"prompt_tokens": 7, "total_tokens": 7}}


Reply = tuple[int, Any, dict[str, str]]


class Server:
    """Answers one request after the other with what `replies` gives, the last one for good."""

    def __init__(self, *replies: Reply | Callable[[dict[str, Any]], Any]) -> None:
        self.replies = list(replies)
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.lock = threading.Lock()

    def answer(self, request: dict[str, Any], headers: dict[str, str]) -> Reply:
        with self.lock:
            reply = self.replies[min(len(self.requests), len(self.replies) - 1)]
            self.requests.append(request)
            self.headers.append(headers)
        return reply if isinstance(reply, tuple) else (200, reply(request), {})


@contextmanager
def running(server: Server) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            request = {"path": self.path, **json.loads(self.rfile.read(length))}
            status, value, headers = server.answer(request, dict(self.headers.items()))
            body = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            for name, text in headers.items():
                self.send_header(name, text)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with serving(Handler) as address:
        yield f"{address}/v1"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, SECRET)
    # A proxy of the machine is not asked for what is on it.
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")


def made(address: str, waits: list[float] | None = None, **settings: Any) -> Endpoint:
    pause = ([] if waits is None else waits).append
    poster = Poster(f"{address}/embeddings", SECRET, use_proxy=False, pause=pause)
    return Endpoint(Address("m", address), poster=poster, **settings)


def test_vectors_of_an_endpoint() -> None:
    server = Server(good)
    with running(server) as address:
        named = resolve_model(f"openai:org/m@{address}/,dim=2", PROTOCOL)
        model = named.load()
        vectors = model.encode(TEXTS, role="document")
        model.encode(TEXTS[:1], role="query")
    assert vectors.dtype == np.float32
    np.testing.assert_array_equal(vectors, [vector_of(text) for text in TEXTS])
    assert server.requests[0] == {
        "path": "/v1/embeddings",
        "model": "org/m",
        "input": TEXTS,
        "encoding_format": "float",
    }
    assert server.headers[0]["Authorization"] == f"Bearer {SECRET}"
    assert (model.tokens, model.unreported) == (14, 0)
    assert facts_of(model).dimension == 3
    assert isinstance(model, Encoder)
    assert isinstance(model, Counting)
    assert named.identity.name == "org/m, dim 2"
    assert named.identity.revision == f"org/m at {address}"
    assert named.reduce is not None
    assert named.reduce(vectors).shape == (3, 2)


def test_dimensions_are_asked_of_the_endpoint_and_part_of_the_model() -> None:
    server = Server(good)
    with running(server) as address:
        named = resolve_model(f"openai:m@{address},dimensions=3", PROTOCOL)
        named.load().encode(TEXTS, role="document")
    assert server.requests[0]["dimensions"] == 3
    assert named.base_identity.settings == {"dimensions": 3}


def test_an_answer_in_another_order_is_put_in_order() -> None:
    def turned(request: dict[str, Any]) -> dict[str, Any]:
        answer = good(request)
        answer["data"].reverse()
        del answer["usage"]
        return answer

    with running(Server(turned)) as address:
        model = made(address)
        vectors = model.encode(TEXTS, role="document")
    np.testing.assert_array_equal(vectors, [vector_of(text) for text in TEXTS])
    assert (model.tokens, model.unreported) == (0, 1)


def test_a_busy_endpoint_is_asked_again_when_it_says() -> None:
    server = Server((429, {}, {"Retry-After": "7"}), (503, b"<html>", {}), good)
    waits: list[float] = []
    with running(server) as address:
        made(address, waits).encode(TEXTS, role="document")
    assert waits == [7.0, 2.0]
    assert len(server.requests) == 3


def test_an_endpoint_that_stays_broken_is_given_up() -> None:
    server = Server((500, {"error": {"message": "out of memory"}}, {}))
    waits: list[float] = []
    with running(server) as address, pytest.raises(ShelfError, match="out of memory") as caught:
        made(address, waits).encode(TEXTS, role="document")
    assert "500" in str(caught.value)
    assert len(server.requests) == ATTEMPTS
    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0]


def test_no_endpoint_at_all() -> None:
    with running(Server(good)) as address:
        pass
    waits: list[float] = []
    with pytest.raises(ShelfError, match="no answer"):
        made(address, waits).encode(TEXTS, role="document")
    assert len(waits) == ATTEMPTS - 1


@pytest.mark.parametrize("status", [400, 401, 404, 413, 422, 301, 304])
def test_a_refusal_is_final_and_says_why_without_the_key(status: int) -> None:
    said = f"Incorrect key {SECRET}: the maximum context length is 8192 tokens"
    server = Server((status, {"error": {"message": said}} if status != 304 else b"", {}))
    with running(server) as address, pytest.raises(ShelfError) as caught:
        made(address).encode(TEXTS, role="document")
    assert len(server.requests) == 1
    assert str(status) in str(caught.value)
    assert "12 characters" in str(caught.value)
    assert SECRET not in str(caught.value)
    if status != 304:
        assert "8192" in str(caught.value)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_nothing_follows_a_redirect(status: int) -> None:
    elsewhere = Server(good)
    with running(elsewhere) as other:
        server = Server((status, b"", {"Location": f"{other}/embeddings"}))
        with running(server) as address, pytest.raises(ShelfError, match=str(status)):
            made(address).encode(TEXTS, role="document")
    assert len(server.requests) == 1
    assert not elsewhere.requests


def changed(change: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
    def reply(request: dict[str, Any]) -> Any:
        answer = good(request)
        given = change(answer)
        return answer if given is None else given

    return reply


def embedding(value: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda answer: answer["data"][1].update(embedding=value)


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (lambda a: a.update(data=a["data"][:2]), "2 vectors for 3"),
        (lambda a: a["data"].append(a["data"][0]), "4 vectors for 3"),
        (lambda a: a["data"][0].update(index=1), "number"),
        (lambda a: a["data"][0].update(index=3), "number"),
        (lambda a: a["data"][0].update(index=-1), "number"),
        (lambda a: a["data"][0].update(index=True), "number"),
        (lambda a: a["data"][0].update(index="0"), "number"),
        (lambda a: a["data"][0].update(index=None), "number"),
        (lambda a: {"data": ["x", "y", "z"]}, "number"),
        (lambda a: {"data": {}}, "no list"),
        (lambda a: {"error": "no"}, "no list"),
        (lambda a: [], "no list"),
        (lambda a: b"", "no JSON"),
        (lambda a: b"<html>", "no JSON"),
        (lambda a: b"[" * 100_000, "no JSON"),
        (lambda a: b"\xff", "no JSON"),
        (embedding([1.0, float("nan"), 0.0]), "NaN"),
        (embedding([1.0, float("inf"), 0.0]), "NaN"),
        (embedding([1.0, 1e39, 0.0]), "NaN"),
        (embedding([1.0, 10**400, 0.0]), "too large"),
        (embedding([1.0, None, 0.0]), "no number"),
        (embedding([1.0, True, 0.0]), "no number"),
        (embedding([1.0, "2", 0.0]), "no number"),
        (embedding([1.0, [2.0], 0.0]), "no number"),
        (embedding([1.0, 2.0]), "one length"),
        (embedding([]), "one length"),
        (embedding("AAAAAA"), "one length"),
        (embedding(None), "one length"),
    ],
)
def test_answers_that_are_wrong(change: Callable[[dict[str, Any]], Any], part: str) -> None:
    server = Server(changed(change))
    with running(server) as address, pytest.raises(ShelfError) as caught:
        made(address).encode(TEXTS, role="document")
    assert part in str(caught.value)
    assert len(server.requests) == 1


@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": -1}, {"total_tokens": 2**60}, {}])
def test_a_count_that_is_none_is_said_to_be_missing(usage: Any) -> None:
    with running(Server(changed(lambda a: a.update(usage=usage)))) as address:
        model = made(address)
        model.encode(TEXTS, role="document")
    assert (model.tokens, model.unreported) == (0, 1)


def test_an_answer_is_not_read_beyond_its_bound() -> None:
    huge = b" " * 3_000_000
    with running(Server((200, huge, {}))) as address, pytest.raises(ShelfError, match="longer"):
        made(address).encode(["a"], role="document")
    refused = Server((400, b"x" * 3_000_000, {}))
    with running(refused) as address, pytest.raises(ShelfError) as caught:
        made(address).encode(["a"], role="document")
    assert len(str(caught.value)) < 1000


def test_a_packed_answer_that_is_damaged() -> None:
    packed = Server((200, b"\x1f\x8b", {"Content-Encoding": "gzip"}))
    with running(packed) as address, pytest.raises(ShelfError, match="packed"):
        made(address).encode(["a"], role="document")


def test_the_key_is_not_sent_in_the_clear_to_another_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    named = resolve_model("openai:m@http://192.0.2.1/v1", PROTOCOL)
    with pytest.raises(ShelfError, match="https") as caught:
        named.load()
    assert SECRET not in str(caught.value)
    monkeypatch.delenv(KEY)
    named.load()
    resolve_model("openai:m@https://example.org/v1", PROTOCOL).load()


def test_without_a_key_none_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY)
    server = Server(good)
    with running(server) as address:
        resolve_model(f"openai:m@{address}", PROTOCOL).load().encode(["a"], role="document")
    assert "Authorization" not in server.headers[0]


@pytest.mark.parametrize("damaged", ["sk-1\nX-Other: 1", "sk-é", "sk 1"])
def test_a_key_that_no_header_can_hold(monkeypatch: pytest.MonkeyPatch, damaged: str) -> None:
    monkeypatch.setenv(KEY, damaged)
    with pytest.raises(ShelfError, match="key") as caught:
        resolve_model("openai:m@https://example.org/v1", PROTOCOL).load()
    assert damaged not in str(caught.value)


def test_a_limit_is_not_the_endpoint_s() -> None:
    named = resolve_model(
        "openai:m@https://example.org/v1", PROTOCOL.model_copy(update={"max_tokens": 512})
    )
    with pytest.raises(ShelfError, match="max-tokens"):
        named.load()


def test_each_wait_is_told_without_the_key(caplog: pytest.LogCaptureFixture) -> None:
    said = {"error": {"message": f"busy\n{SECRET}"}}
    with running(Server((503, said, {}), (429, said, {"Retry-After": "7"}), good)) as address:
        made(address).encode(TEXTS, role="document")
    told = [record.getMessage() for record in caplog.records if "evaluate_shelf" in record.name]
    assert len(told) == 2
    assert "7 s" in told[1]
    for line in told:
        assert address in line
        assert "busy" in line
        assert SECRET not in line
        assert len(line.splitlines()) == 1
