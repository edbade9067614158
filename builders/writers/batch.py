"""A writer that submits many orders at once and collects the answers when they are there."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from builders.orders import Order
from builders.writers.batch_jobs import BatchJob, id_of, job_of, metadata_of, safe_id
from builders.writers.batch_results import BatchRefused, Collected, Prepared, UnknownError
from builders.writers.chat_body import ChatRequest, answer_of, bound_of, chat_request
from builders.writers.connection import exchange_with
from builders.writers.parameters import refused_parameter, says_not_taken
from builders.writers.protocol import Bound, MaybeCharged, NotCharged, Outcome
from builders.writers.refusals import refusal_of
from evaluate_shelf.bounded import one_line
from evaluate_shelf.endpoints.exchange import Exchange, Reply, UnreadableError, UnsentError
from evaluate_shelf.endpoints.repeating import repeated
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.roster import Generator
from evaluate_shelf.registry.taxonomy_rows import Length

LARGEST_BATCH = 5_000
"""Orders of a batch: endpoints take more, but its answers are read into memory."""

_LARGEST_FILE = 190_000_000  # endpoints take 200 MB
_MOST_BYTES = 1_000_000
_BYTES_A_LINE = 100_000
_PAGES = 100
_CHAT = "/v1/chat/completions"
_UNKNOWN = frozenset({404, 410})


class BatchWriter:
    """Makes, finds, polls, collects and cancels batches.

    Parameters
    ----------
    row : Generator
        Which model, where.
    lengths : mapping of str to Length
        Target lengths by id.
    exchange : Exchange, default=None
        The connection; made from the row without it.
    pause : callable, default=time.sleep
        Waits for seconds before what costs nothing is asked again.

    Attributes
    ----------
    generator : str
        The row's name.
    """

    def __init__(
        self,
        row: Generator,
        lengths: Mapping[str, Length],
        exchange: Exchange | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.generator = row.name
        self._row = row
        self._lengths = lengths
        self._exchange = exchange or exchange_with(row)
        self._pause = pause
        self._refused: frozenset[str] = frozenset()

    def bound(self, order: Order) -> Bound:
        """The most tokens that an order can be charged for.

        Raises
        ------
        ShelfError
            If the order has no prompt, or a length that is not known.
        """
        return bound_of(order, self._row, self._lengths)

    def prepare(self, orders: Iterable[Order], name: str = "") -> Prepared:
        """Make the file of a batch; nothing is sent. The same orders and name give the same.

        Parameters
        ----------
        orders : iterable of Order
            At most `LARGEST_BATCH`, each once.
        name : str, default=""
            Tells apart two batches of the same orders, for example when one has expired.

        Raises
        ------
        ShelfError
            If there are none or too many, or one stands twice.
        """
        without = self._refused
        requests = [chat_request(own, self._row, self._lengths, without) for own in orders]
        ids = tuple(request.order_id for request in requests)
        if not 0 < len(ids) <= LARGEST_BATCH:
            raise ShelfError(f"a batch has 1 to {LARGEST_BATCH:,} orders, not {len(ids):,}")
        own, times = Counter(ids).most_common(1)[0]
        if times > 1:
            raise ShelfError(f"order {own} stands in the batch twice")
        data = b"".join(map(_line_of, requests))
        if len(data) > _LARGEST_FILE:
            raise ShelfError(f"the batch has {len(data):,} bytes; take fewer orders at once")
        key = hashlib.sha256(f"{self.generator}\x1f{name}\x1f".encode() + data).hexdigest()[:32]
        return Prepared(key, ids, data, tuple(sorted(without)))

    def upload(self, prepared: Prepared) -> str:
        """Put a batch's file on the endpoint, which costs nothing; its id there.

        Raises
        ------
        ShelfError
            If it cannot be uploaded.
        """
        uploaded = self._repeated(
            "POST",
            "/files",
            data={"purpose": "batch"},
            files={"file": (f"{prepared.key}.jsonl", prepared.data, "application/jsonl")},
        )
        return id_of(uploaded, "the uploaded file")

    def create(
        self, prepared: Prepared, input_file: str
    ) -> BatchJob | NotCharged | BatchRefused | MaybeCharged:
        """Make a batch of an uploaded file: once, as each batch of it is paid for.

        Returns
        -------
        BatchJob, NotCharged, BatchRefused or MaybeCharged
            After the last two it may be there: look for it with `find`.
        """
        asked = {
            "input_file_id": input_file,
            "endpoint": _CHAT,
            "completion_window": "24h",
            "metadata": metadata_of(prepared.key, self.generator, prepared.without),
        }
        try:
            reply = self._exchange.ask("POST", "/batches", json=asked, most_bytes=_MOST_BYTES)
        except UnsentError as error:
            return NotCharged(str(error))
        except (ConnectionError, UnreadableError) as error:
            return MaybeCharged(str(error))
        except ShelfError as error:
            return NotCharged(str(error), final=True, of_all=True)
        if not reply.succeeded:
            reason = self._exchange.described(reply)
            refusal = refusal_of(reply.status, reply.body, reason, reply.retry_after)
            if isinstance(refusal, NotCharged) and not refusal.final:
                return BatchRefused(refusal)
            return refusal
        try:
            return job_of(_read(reply))
        except ShelfError as error:
            return MaybeCharged(str(error))

    def find(self, key: str, input_file: str | None = None) -> BatchJob | None:
        """The batch of a key or of a file, if the endpoint lists it.

        One that failed before it began is given only where there is no other.

        Raises
        ------
        ShelfError
            If the endpoint does not answer.
        """
        failed = None
        try:
            for job in self._jobs():
                if job.key == key or (input_file and job.input_file == input_file):
                    if job.status != "failed":
                        return job
                    failed = failed or job
        except UnknownError:
            # It lists no batches at all.
            return None
        return failed

    def poll(self, batch_id: str) -> BatchJob:
        """How far a batch is.

        Raises
        ------
        UnknownError
            If the endpoint does not know it.
        ShelfError
            If the endpoint does not say.
        """
        return job_of(self._repeated("GET", f"/batches/{safe_id(batch_id)}"))

    def cancel(self, batch_id: str) -> BatchJob:
        """End a batch; what it has written by then is charged, and can be collected.

        Raises
        ------
        ShelfError
            If the endpoint refuses.
        """
        return job_of(self._repeated("POST", f"/batches/{safe_id(batch_id)}/cancel"))

    def collect(self, job: BatchJob, orders: Iterable[Order]) -> Collected:
        """What became of every order of a batch that is over.

        Parameters
        ----------
        job : BatchJob
            As `poll` gave it.
        orders : iterable of Order
            All of the batch.

        Returns
        -------
        Collected
            An order without a line may have been charged, unless the batch failed before it began.

        Raises
        ------
        UnknownError
            If the endpoint has one of its files no longer.
        ShelfError
            If the batch is not over, or its files cannot be fetched.
        """
        if not job.is_over:
            raise ShelfError(f"batch {job.id}: is {job.status}; collect it when it is over")
        without = frozenset(job.without)
        requests = {own.id: chat_request(own, self._row, self._lengths, without) for own in orders}
        outcomes: dict[str, Outcome] = {}
        problems: list[str] = []
        for file in filter(None, (job.output_file, job.error_file)):
            for number, line in self._lines(file, len(requests)):
                place = f"batch {job.id}, file {file}, line {number}"
                order_id, value = _custom_id(line)
                if order_id is None:
                    problems.append(f"{place}: no JSON object with a custom_id")
                elif order_id not in requests:
                    problems.append(f"{place}: {one_line(order_id, 80)!r} is no order of it")
                elif order_id in outcomes:
                    problems.append(f"{place}: order {order_id} has had its line; not taken")
                else:
                    outcomes[order_id] = self._outcome(requests[order_id], value)
        fate = _fate_of_missing(job)
        missing = len(requests) - len(outcomes) if isinstance(fate, MaybeCharged) else 0
        whole = {own: outcomes.get(own, fate) for own in requests}
        return Collected(whole, tuple(problems), missing)

    def close(self) -> None:
        """Give up the connections."""
        self._exchange.close()

    def _outcome(self, request: ChatRequest, line: dict[str, Any]) -> Outcome:
        response, error = line.get("response"), line.get("error")
        if not isinstance(response, dict):
            # It was not carried out: the batch had expired, or was cancelled, before its turn.
            own = error if isinstance(error, dict) else {}
            said = one_line(str(own.get("message") or own.get("code") or error), 300)
            return NotCharged(f"the batch's line says: {said}")
        status, content = response.get("status_code"), response.get("body")
        body = json.dumps(content).encode()
        if type(status) is not int:
            return MaybeCharged("the batch's line has no status")
        if 200 <= status < 300:
            return answer_of(request, self._row, body, {})
        refused = refused_parameter(status, body, request.sent)
        reason = self._exchange.described(Reply(status, {}, body))
        if refused is not None and says_not_taken(body):
            self._refused |= {refused}
            return NotCharged(reason)
        return refusal_of(status, body, reason)

    def _jobs(self) -> Iterator[BatchJob]:
        after: dict[str, str] = {}
        for _ in range(_PAGES):
            page = self._repeated("GET", "/batches", params={"limit": "100", **after})
            rows = page.get("data")
            if not isinstance(rows, list):
                raise ShelfError("the endpoint lists no batches")
            jobs = [job_of(row) for row in rows]
            yield from jobs
            if not jobs or page.get("has_more") is not True:
                return
            after = {"after": jobs[-1].id}

    def _lines(self, file: str, orders: int) -> Iterator[tuple[int, bytes]]:
        """Lines with something in them, and their numbers."""
        most = _MOST_BYTES + _BYTES_A_LINE * orders
        reply = self._sent("GET", f"/files/{safe_id(file)}/content", most)
        lines = enumerate(reply.body.split(b"\n"), start=1)
        return ((number, line) for number, line in lines if line.strip())

    def _repeated(self, method: str, path: str, **content: Any) -> dict[str, Any]:
        return _read(self._sent(method, path, _MOST_BYTES, **content))

    def _sent(self, method: str, path: str, most_bytes: int, **content: Any) -> Reply:
        exchange = self._exchange

        def ask() -> Reply:
            reply = exchange.ask(method, path, most_bytes=most_bytes, **content)
            if reply.status in _UNKNOWN:
                raise UnknownError(exchange.described(reply))
            return reply

        return repeated(ask, exchange, exchange.base + path, self._pause)


def _line_of(request: ChatRequest) -> bytes:
    line = {
        "custom_id": request.order_id,
        "method": "POST",
        "url": _CHAT,
        "body": request.body,
    }
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _fate_of_missing(job: BatchJob) -> NotCharged | MaybeCharged:
    if job.status != "failed":
        return MaybeCharged(f"batch {job.id} is {job.status} and has no line for it")
    reason = f"batch {job.id} failed: {'; '.join(job.problems) or 'no reason is given'}"
    # Too much is waiting: it fits when other batches are through.
    waits = any("token_limit" in problem for problem in job.problems)
    return NotCharged(reason, final=not waits, of_all=not waits)


def _custom_id(line: bytes) -> tuple[str | None, dict[str, Any]]:
    try:
        value = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None, {}
    name = value.get("custom_id") if isinstance(value, dict) else None
    return (name, value) if isinstance(name, str) else (None, {})


def _read(reply: Reply) -> dict[str, Any]:
    try:
        value = json.loads(reply.body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ShelfError(f"the answer is no JSON: {one_line(str(error), 100)}") from error
    if not isinstance(value, dict):
        raise ShelfError("the answer is no JSON object")
    return value
