"""An OpenAI-compatible endpoint on 127.0.0.1 that misbehaves as it is told, and keeps the books.

    python -m tests.support.misbehaving_endpoint --journal calls.jsonl --share busy=0.1

prints its base URL and serves until it is stopped. Every call is in the journal, a JSON line each,
before a byte of its answer leaves: what was generated and what it costs, whatever the answer says.
"""

from __future__ import annotations

import argparse
import email.parser
import email.policy
import gzip
import hashlib
import json
import os
import re
import select
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

_SOME_WORDS = (
    "river stone winter letter market garden bridge harbour engine school forest window copper "
    "record season valley machine painter library journey weather silver teacher village number "
    "island paper summer question captain museum answer morning history kitchen orchard signal"
)
WORDS = tuple(_SOME_WORDS.split())
_PIECE = re.compile(r"\w+|[^\w\s]")
_ASKED_WORDS = re.compile(r"(\d+) to (\d+) words")
_LIMITS = ("max_tokens", "max_completion_tokens")


def tokens_of(text: str) -> int:
    """Tokens of this endpoint: six letters at most, or one mark."""
    return sum(-(-len(piece) // 6) for piece in _PIECE.findall(text))


def fraction(*keys: object) -> float:
    """A number in [0, 1) that belongs to some keys."""
    digest = hashlib.sha256("\x1f".join(map(str, keys)).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


@dataclass(frozen=True)
class Written:
    """What was really generated, and is charged."""

    text: str
    finish: str
    input_tokens: int
    output_tokens: int
    reasoning_tokens: int


@dataclass(frozen=True)
class Call:
    """One line of the books."""

    number: int
    order: str
    nth: int
    behaviour: str
    charged: bool
    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    nano_usd: int = 0
    batch: str = ""


@dataclass(frozen=True)
class Asked:
    """A call as it comes in: the order, and how often it was asked before."""

    order: str
    nth: int
    body: Mapping[str, Any]


Choose = Callable[[Asked], str]


def always(name: str) -> Choose:
    """The same for every call."""
    return lambda asked: name


def in_turn(*names: str) -> Choose:
    """For the calls of an order one after the other; the last for good."""
    return lambda asked: names[min(asked.nth, len(names) - 1)]


def by_order(names: Mapping[str, str], otherwise: str = "ok") -> Choose:
    """By the order's id."""
    return lambda asked: names.get(asked.order, otherwise)


def by_share(shares: Mapping[str, float], seed: int = 0) -> Choose:
    """Each behaviour as often as its share says, `ok` else; the same for the same call."""

    def choose(asked: Asked) -> str:
        left = fraction(seed, asked.order, asked.nth)
        for name, share in shares.items():
            left -= share
            if left < 0:
                return name
        return "ok"

    return choose


@dataclass
class Endpoint:
    """The endpoint's state and books.

    `input_price`, `output_price` are nanodollars a token; a batch costs `batch_share` of them.
    `creating` says what becomes of the answers to `POST /batches`, one after the other, when the
    batch is made; `made_503` makes it and says that it has not. `fate` is what a batch ends as,
    after so many polls. `hidden` says of a batch whether lists leave it out, `bare` leaves out
    metadata, `late_files` is how many polls a batch that is over names no files, `half_files` how
    many times half of a file is given, and `forgotten` of what nothing is known.
    """

    choose: Choose = field(default_factory=lambda: always("ok"))
    journal: Path | None = None
    key: str = ""
    model: str = ""
    input_price: int = 1_000
    output_price: int = 10_000
    batch_share: float = 0.5
    reasoning: int = 0
    delay: float = 0.0
    polls: int = 1
    fate: str = "completed"
    creating: Sequence[str] = ("ok",)
    hidden: Callable[[Mapping[str, Any]], bool] = lambda batch: False
    bare: bool = False
    late_files: int = 0
    half_files: int = 0
    forgotten: frozenset[str] = frozenset()
    base: str = ""
    calls: list[Call] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    closing: threading.Event = field(default_factory=threading.Event)
    created: int = 0

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._times: dict[str, int] = {}
        self._file = (
            os.open(self.journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND) if self.journal else None
        )

    @property
    def nano_usd(self) -> int:
        """What all calls cost, in nanodollars."""
        return sum(call.nano_usd for call in self.calls)

    def asked(self, order: str, body: Mapping[str, Any]) -> Asked:
        with self._lock:
            nth = self._times.get(order, 0)
            self._times[order] = nth + 1
        return Asked(order, nth, body)

    def book(self, asked: Asked, behaviour: str, written: Written | None, batch: str = "") -> None:
        """Write a call down, before anything is said of it."""
        with self._lock:
            call = Call(len(self.calls) + 1, asked.order, asked.nth, behaviour, False, batch=batch)
            if written is not None:
                full = (
                    written.input_tokens * self.input_price
                    + written.output_tokens * self.output_price
                )
                call = Call(
                    call.number,
                    call.order,
                    call.nth,
                    behaviour,
                    True,
                    written.input_tokens,
                    written.output_tokens,
                    written.reasoning_tokens,
                    round(full * self.batch_share) if batch else full,
                    batch,
                )
            self.calls.append(call)
            if self._file is not None:
                os.write(self._file, json.dumps(asdict(call)).encode() + b"\n")

    def written(self, asked: Asked, behaviour: str) -> Written:
        """Write a document within the call's limit: the lower one where it names two."""
        body = asked.body
        said = " ".join(str(own["content"]) for own in body["messages"])
        prompt = sum(tokens_of(str(own["content"])) + 4 for own in body["messages"])
        limits = [body[name] for name in _LIMITS if name in body]
        most = 10**6 if behaviour.startswith("too_long") or not limits else min(limits)
        reasoning = self.reasoning or (60 if "reasoning_effort" in body else 0)
        if behaviour == "over_input":
            prompt += 50_000
        if behaviour in ("over_dense", "dense_low"):
            text = "ab," * (40_000 if behaviour == "over_dense" else most // 3)
            return Written(text, "stop", prompt, tokens_of(text), 0)
        if behaviour == "empty_reasoning":
            return Written("", "length", prompt, most, most)
        found = _ASKED_WORDS.search(said)
        low, high = (int(found[1]), int(found[2])) if found else (20, 60)
        count = low + int(fraction(asked.order, "words") * (high - low + 1))
        if behaviour.startswith("too_long"):
            count = 10 * min(limits, default=1000)
        reasoning = min(reasoning, most // 2)
        words, left, finish = [], most - reasoning - 2, "stop"
        for number in range(count):
            word = WORDS[int(fraction(asked.order, asked.nth, number) * len(WORDS))]
            left -= tokens_of(word)
            if left < 1:
                finish = "length"
                break
            words.append(word)
        text = f"On {words[0] if words else 'time'}\n\n{' '.join(words[1:])}."
        if behaviour == "refusal":
            text = "I cannot help with that."
        if behaviour == "over_reasoning":
            return Written(text, finish, prompt, tokens_of(text) + 20_000, 20_000)
        return Written(text, finish, prompt, min(tokens_of(text) + reasoning, most), reasoning)


def completion(asked: Asked, behaviour: str, written: Written, model: str) -> dict[str, Any]:
    """The answer's body, with what the behaviour does to it."""
    message: dict[str, Any] = {"role": "assistant", "content": written.text, "refusal": None}
    finish = written.finish
    if behaviour == "refusal":
        message |= {"content": None, "refusal": written.text}
    if behaviour == "content_filter":
        finish = "content_filter"
    if behaviour == "thinking":
        message["content"] = f"<think>\nWhat to say?\n</think>\n\n{written.text}"
    if behaviour == "surrogates":
        message["content"] = f"\ud800{written.text}\x00"
    if behaviour == "unseen":
        message["content"] = f"\x1b[1m\u202e{written.text}\ufeff"
    value = {
        "id": f"chatcmpl-{asked.order}",
        "object": "chat.completion",
        "model": "another-model" if behaviour == "other_model" else model or asked.body["model"],
        "system_fingerprint": "fp_0",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": _usage(behaviour, written),
    }
    if behaviour in ("usage_absent", "too_long_unreported"):
        del value["usage"]
    if behaviour == "routed":
        value["provider"] = "Somebody"
    return value


def _usage(behaviour: str, written: Written) -> dict[str, Any]:
    prompt, output, reasoning = (
        written.input_tokens,
        written.output_tokens,
        written.reasoning_tokens,
    )
    change: dict[str, Callable[[int], Any]] = {
        "usage_zero": lambda n: 0,
        "usage_negative": lambda n: -n,
        "usage_huge": lambda n: n * 1_000_000,
        "usage_half": lambda n: n // 2,
        "usage_text": str,
        "usage_nan": lambda n: float("nan"),
        "usage_float": float,
        "usage_true": lambda n: True,
    }
    wrong = change.get(behaviour, lambda n: n)
    if behaviour == "dense_low":
        output = 2
    beside = behaviour == "reasoning_beside"
    return {
        "prompt_tokens": wrong(prompt),
        "completion_tokens": wrong(output - reasoning if beside else output),
        "total_tokens": wrong(prompt + output),
        "completion_tokens_details": {"reasoning_tokens": wrong(reasoning)},
    }


_REFUSALS: dict[str, tuple[int, dict[str, str], dict[str, Any]]] = {
    "busy": (429, {"Retry-After": "0.2"}, {"message": "slow down", "code": "rate_limit_exceeded"}),
    "busy_unnamed": (429, {}, {"message": "slow down"}),
    "busy_oddly": (429, {"Retry-After": "a while"}, {"message": "slow down"}),
    "busy_long": (429, {"Retry-After": "3600"}, {"message": "slow down"}),
    "no_money": (429, {}, {"message": "no quota", "code": "insufficient_quota"}),
    "error_500": (500, {}, {"message": "something broke"}),
    "error_503": (503, {"Retry-After": "0.1"}, {"message": "overloaded"}),
    "error_504": (504, {}, {"message": "upstream timed out"}),
    "bad_request": (400, {}, {"message": "too long a prompt", "param": "messages"}),
    "no_key": (401, {}, {"message": "Incorrect API key"}),
    "forbidden": (403, {}, {"message": "not in your country"}),
    "unknown_model": (404, {}, {"message": "no such model"}),
}
_REFUSED_PARAMETERS = {
    "no_effort": "reasoning_effort",
    "no_temperature": "temperature",
    "no_top_p": "top_p",
    "no_max_completion_tokens": "max_completion_tokens",
    "no_max_tokens": "max_tokens",
}
_IN_BATCHES = ("missing_line", "expired_line", "duplicate_line", "foreign_line", "damaged_line")
_ALTERED = (
    "ok", "empty_reasoning", "refusal", "content_filter", "thinking", "surrogates", "unseen",
    "other_model", "routed", "too_long", "reasoning_beside", "usage_absent",
    "usage_zero", "usage_negative",
    "usage_huge", "usage_half", "usage_text", "usage_nan", "usage_float", "usage_true",
    "too_long_unreported", "over_input", "over_reasoning", "over_dense", "dense_low",
)  # fmt: skip
_CARRIED = (
    "busy_date", "redirect", "hang", "cut_before", "cut_inside", "not_json", "no_choices",
    "endless", "huge", "chunked", "gzip", "drip",
)  # fmt: skip
# The answer was written and is charged, and somebody between says that there is none.
_CHARGED_ALL_THE_SAME = {
    "lost_408": (408, "Request Timeout"),
    "lost_502": (502, "Bad Gateway"),
    "lost_520": (520, "Unknown"),
}
BEHAVIOURS = (
    *_ALTERED, *_REFUSALS, *_REFUSED_PARAMETERS, *_CARRIED, *_CHARGED_ALL_THE_SAME, *_IN_BATCHES,
)  # fmt: skip


def _refusal(behaviour: str, body: Mapping[str, Any]) -> tuple[int, dict[str, str], Any] | None:
    """Status, headers and error of a call that is refused before anything is generated."""
    if behaviour in _REFUSALS:
        status, headers, error = _REFUSALS[behaviour]
        return status, headers, {"error": error}
    if behaviour == "busy_date":
        then = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
        return 429, {"Retry-After": then}, {"error": {"message": "slow down"}}
    if behaviour == "redirect":
        return 307, {"Location": "http://127.0.0.1:9/v1/chat/completions"}, {}
    # Several may be refused at once: no_effort+no_temperature.
    for name in behaviour.split("+"):
        parameter = _REFUSED_PARAMETERS.get(name)
        if parameter in body:
            other = " Use 'max_completion_tokens' instead." if name == "no_max_tokens" else ""
            said = f"Unsupported parameter: '{parameter}' is not supported with this model.{other}"
            return 400, {}, {"error": {"message": said, "code": "unsupported_parameter"}}
    return None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    endpoint: Endpoint

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = urlsplit(self.path).path.removeprefix("/v1")
        if not self._may():
            return
        if path == "/chat/completions":
            self._chat(json.loads(data))
        elif path == "/files":
            self._upload(data)
        elif path == "/batches":
            self._create(json.loads(data))
        elif path.startswith("/batches/") and path.endswith("/cancel"):
            self._cancel(path.split("/")[2])
        else:
            self._json(404, {"error": {"message": f"no {path}"}})

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        path = parts.path.removeprefix("/v1")
        endpoint = self.endpoint
        if path == "/books":
            self._json(200, {"calls": len(endpoint.calls), "nano_usd": endpoint.nano_usd})
        elif not self._may():
            return
        elif path == "/batches":
            self._list(parse_qs(parts.query))
        elif path.strip("/").split("/")[0] in endpoint.forgotten:
            self._json(404, {"error": {"message": f"no {path}"}})
        elif path.startswith("/batches/") and path.split("/")[2] in endpoint.batches:
            self._json(200, self._shown(self._polled(path.split("/")[2])))
        elif path.startswith("/files/") and path.split("/")[2] in endpoint.files:
            data = endpoint.files[path.split("/")[2]]
            half = endpoint.half_files > 0
            endpoint.half_files -= half
            self._bytes(200, data[: len(data) // 2] if half else data)
        else:
            self._json(404, {"error": {"message": f"no {path}"}})

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    # ----- chat

    def _may(self) -> bool:
        own = self.endpoint.key
        if own and self.headers.get("Authorization") != f"Bearer {own}":
            given = self.headers.get("Authorization")
            self._json(401, {"error": {"message": f"Incorrect API key provided: {given}"}})
            return False
        return True

    def _chat(self, body: dict[str, Any]) -> None:
        endpoint = self.endpoint
        endpoint.requests.append(body)
        endpoint.headers.append(dict(self.headers.items()))
        named = self.headers.get("X-Client-Request-Id")
        asked = endpoint.asked(named or _digest(body["messages"]), body)
        behaviour = endpoint.choose(asked)
        assert set(behaviour.split("+")) <= set(BEHAVIOURS), behaviour
        refused = _refusal(behaviour, body)
        if refused is not None:
            endpoint.book(asked, behaviour, None)
            self._json(refused[0], refused[2], refused[1])
            return
        if endpoint.delay:
            time.sleep(endpoint.delay)
        written = endpoint.written(asked, behaviour)
        endpoint.book(asked, behaviour, written)
        data = json.dumps(completion(asked, behaviour, written, endpoint.model)).encode()
        if behaviour in _CHARGED_ALL_THE_SAME:
            status, said = _CHARGED_ALL_THE_SAME[behaviour]
            self._json(status, {"error": {"message": said}})
            return
        carry = getattr(self, f"_carry_{behaviour}", None) or self._carry_whole
        carry(data)

    def _carry_whole(self, data: bytes) -> None:
        self._bytes(200, data)

    def _carry_hang(self, data: bytes) -> None:
        while not self.endpoint.closing.is_set():
            # Readable means that the client has gone.
            if select.select([self.connection], [], [], 0.05)[0]:
                break
        self.close_connection = True

    def _carry_cut_before(self, data: bytes) -> None:
        self._cut()

    def _carry_cut_inside(self, data: bytes) -> None:
        self._head(200, {"Content-Length": str(len(data))})
        self.wfile.write(data[: len(data) // 2])
        self._cut()

    def _carry_not_json(self, data: bytes) -> None:
        self._bytes(200, b"<html><body>Welcome</body></html>")

    def _carry_no_choices(self, data: bytes) -> None:
        self._json(200, {"error": {"message": "the provider failed", "code": 502}})

    def _carry_endless(self, data: bytes) -> None:
        self._head(200, {"Connection": "close"})
        self._poured(lambda: not self.endpoint.closing.is_set())

    def _carry_huge(self, data: bytes) -> None:
        left = [100 * 2**20 // 2**16]
        self._head(200, {"Content-Length": str(left[0] * 2**16)})

        def more() -> bool:
            left[0] -= 1
            return left[0] >= 0

        self._poured(more)

    def _carry_chunked(self, data: bytes) -> None:
        self._head(200, {"Transfer-Encoding": "chunked"})
        for start in range(0, len(data), 50):
            part = data[start : start + 50]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        self.wfile.write(b"0\r\n\r\n")

    def _carry_gzip(self, data: bytes) -> None:
        self._bytes(200, gzip.compress(data), {"Content-Encoding": "gzip"})

    def _carry_drip(self, data: bytes) -> None:
        self._head(200, {"Content-Length": str(len(data))})
        for byte in data:
            if self.endpoint.closing.wait(0.02):
                break
            self.wfile.write(bytes([byte]))

    def _poured(self, more: Callable[[], bool]) -> None:
        self.close_connection = True
        try:
            while more():
                self.wfile.write(b" " * 2**16)
        except OSError:
            return

    # ----- batches

    def _upload(self, data: bytes) -> None:
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + data)
        parts = {
            part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
            for part in message.iter_parts()  # type: ignore[attr-defined]
        }
        assert parts["purpose"] == b"batch"
        name = f"file-{len(self.endpoint.files):04d}"
        self.endpoint.files[name] = parts["file"]
        self._json(200, {"id": name, "object": "file", "purpose": "batch"})

    def _create(self, body: dict[str, Any]) -> None:
        endpoint = self.endpoint
        way = endpoint.creating[min(endpoint.created, len(endpoint.creating) - 1)]
        endpoint.created += 1
        made, status = way.startswith("made_"), way.removeprefix("made_")
        if way in _REFUSALS:
            status, headers, error = _REFUSALS[way]
            self._json(status, {"error": error}, headers)
            return
        name = f"batch_{len(endpoint.batches):04d}"
        endpoint.batches[name] = {
            "id": name,
            "object": "batch",
            "status": "validating",
            "input_file_id": body["input_file_id"],
            "metadata": body["metadata"],
            "polls": 0,
        }
        if way == "cut_before":
            self._cut()
        elif made:
            self._json(int(status), {"error": {"message": "no batch was made"}})
        else:
            self._json(200, endpoint.batches[name])

    def _list(self, query: dict[str, list[str]]) -> None:
        newest = [
            self._shown(own)
            for own in reversed(self.endpoint.batches.values())
            if not self.endpoint.hidden(own)
        ]
        names = [own["id"] for own in newest]
        start = names.index(query["after"][0]) + 1 if "after" in query else 0
        size = min(int(query.get("limit", ["20"])[0]), 2)  # so that lists have several pages
        page = newest[start : start + size]
        self._json(200, {"object": "list", "data": page, "has_more": start + size < len(newest)})

    def _shown(self, batch: dict[str, Any]) -> dict[str, Any]:
        lacking = {"metadata"} if self.endpoint.bare else set()
        late = self.endpoint.late_files
        if late and batch["polls"] <= self.endpoint.polls + late:
            lacking |= {"output_file_id", "error_file_id"}
        return {key: own for key, own in batch.items() if key not in lacking}

    def _polled(self, name: str) -> dict[str, Any]:
        batch = self.endpoint.batches[name]
        batch["polls"] += 1
        if batch["status"] in ("validating", "in_progress", "cancelling"):
            done = batch["polls"] > self.endpoint.polls
            batch["status"] = "in_progress"
            if done:
                _carried_out(self.endpoint, batch, self.endpoint.fate)
        return batch

    def _cancel(self, name: str) -> None:
        batch = self.endpoint.batches[name]
        if batch["status"] in ("validating", "in_progress"):
            _carried_out(self.endpoint, batch, "cancelled")
        self._json(200, batch)

    # ----- HTTP

    def _json(self, status: int, value: Any, headers: Mapping[str, str] = {}) -> None:
        self._bytes(status, json.dumps(value).encode(), headers)

    def _bytes(self, status: int, data: bytes, headers: Mapping[str, str] = {}) -> None:
        self._head(status, {"Content-Length": str(len(data)), **headers})
        self.wfile.write(data)

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        for name, text in headers.items():
            self.send_header(name, text)
        self.end_headers()

    def _cut(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)


def _carried_out(endpoint: Endpoint, batch: dict[str, Any], fate: str) -> None:
    """End a batch: all of it, half of it where it expires or is cancelled, or nothing."""
    lines = endpoint.files[batch["input_file_id"]].splitlines()
    batch["status"] = fate
    if fate == "failed":
        batch["errors"] = {"data": [{"code": "invalid_json_line", "message": "line 1", "line": 1}]}
        return
    done = len(lines) if fate == "completed" else len(lines) // 2
    output, errors = [], []
    for number, line in enumerate(lines):
        order = json.loads(line)
        asked = endpoint.asked(order["custom_id"], order["body"])
        behaviour = endpoint.choose(asked) if number < done else "expired_line"
        refused = _refusal(behaviour, asked.body)
        free = refused is not None or behaviour in ("missing_line", "expired_line")
        written = None if free else endpoint.written(asked, behaviour)
        endpoint.book(asked, behaviour, written, batch["id"])
        if behaviour == "missing_line":
            continue
        if behaviour == "expired_line":
            code = "batch_cancelled" if fate == "cancelled" else "batch_expired"
            errors.append(_batch_line(asked.order, None, {"code": code, "message": "too late"}))
        elif refused is not None:
            response = {"status_code": refused[0], "body": refused[2]}
            errors.append(_batch_line(asked.order, response, None))
        else:
            assert written is not None
            body = completion(asked, behaviour, written, endpoint.model)
            own = _batch_line(asked.order, {"status_code": 200, "body": body}, None)
            output.append("{" if behaviour == "damaged_line" else own)
            if behaviour == "duplicate_line":
                output.append(own)
            if behaviour == "foreign_line":
                output.append(own.replace(asked.order, "somebody-else"))
    for name, rows in (("output_file_id", output), ("error_file_id", errors)):
        if rows:
            batch[name] = f"file-{len(endpoint.files):04d}"
            endpoint.files[batch[name]] = "".join(f"{row}\n" for row in rows).encode()
    batch["request_counts"] = {
        "total": len(lines),
        "completed": len(output),
        "failed": len(errors),
    }


def _batch_line(order: str, response: Any, error: Any) -> str:
    return json.dumps({"custom_id": order, "response": response, "error": error})


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):  # a client that has gone
            super().handle_error(request, client_address)


@contextmanager
def misbehaving(endpoint: Endpoint, port: int = 0) -> Iterator[Endpoint]:
    """Serve an endpoint until the block ends; its `base` is the base URL."""
    handler = type("Handler", (_Handler,), {"endpoint": endpoint})
    server = _Server(("127.0.0.1", port), handler)
    endpoint.base = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


def calls_in(journal: Path) -> list[Call]:
    """The calls that a journal holds; a last line that was cut by a kill is none."""
    lines = journal.read_bytes().split(b"\n")[:-1]
    return [Call(**json.loads(line)) for line in lines]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--journal", type=Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--share", action="append", default=[], metavar="NAME=RATE")
    parser.add_argument("--turn", help="behaviours of an order's calls, divided by commas")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--input-price", type=int, default=1_000, help="nanodollars a token")
    parser.add_argument("--output-price", type=int, default=10_000, help="nanodollars a token")
    parser.add_argument("--reasoning", type=int, default=0, help="tokens before each text")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--polls", type=int, default=1, help="until a batch is over")
    parser.add_argument("--fate", default="completed", help="of a batch")
    given = parser.parse_args()
    shares = {name: float(rate) for name, _, rate in (one.partition("=") for one in given.share)}
    names = [*shares, *(given.turn.split(",") if given.turn else [])]
    if unknown := sorted(set(names) - set(BEHAVIOURS)):
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(BEHAVIOURS)}")
    endpoint = Endpoint(
        choose=in_turn(*given.turn.split(",")) if given.turn else by_share(shares, given.seed),
        journal=given.journal,
        input_price=given.input_price,
        output_price=given.output_price,
        reasoning=given.reasoning,
        delay=given.delay,
        polls=given.polls,
        fate=given.fate,
    )
    with misbehaving(endpoint, given.port):
        sys.stdout.write(f"{endpoint.base}\n")
        sys.stdout.flush()
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
