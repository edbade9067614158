"""Read a written corpus: every answer with its order and its cost; nothing is changed."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from builders.budget.checks import check_kind, check_whole
from builders.budget.commission import Commission
from builders.budget.failures import damaged, ledger_failures
from builders.budget.folder import FORMAT, ledger_file, plan_file
from builders.budget.order_text import order_in, orders_digest
from builders.orders import Order
from builders.writers.protocol import Answer, Usage
from evaluate_shelf.errors import ShelfError

_LARGEST_PLAN = 10_000_000
_LARGEST_RAW = 4_000_000


class Written(NamedTuple):
    """An answer, with the order that it answers.

    Attributes
    ----------
    order : Order
    answer : Answer
    nano_usd : int
        What it cost, in billionths of a US dollar. Lost calls to the same order are not in it.
    """

    order: Order
    answer: Answer
    nano_usd: int


class CorpusPlan(BaseModel):
    """What `plan.json` holds.

    Attributes
    ----------
    format : str
    orders : int
        How many documents were ordered.
    orders_sha256 : str
        Of all orders, in the order of their ids.
    commission : Commission
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: str
    orders: int
    orders_sha256: str
    commission: Commission


def read_plan(corpus: Path) -> CorpusPlan:
    """What a corpus was commissioned as.

    Raises
    ------
    ShelfError
        If the folder holds no written corpus, or `plan.json` is damaged.
    """
    file = plan_file(corpus)
    try:
        with file.open("rb") as stream:
            data = stream.read(_LARGEST_PLAN + 1)
    except OSError as error:
        raise ShelfError(
            f"{file}: cannot be read: {error.strerror or error}; a corpus that `shelf write` has "
            "begun is needed"
        ) from error
    if len(data) > _LARGEST_PLAN:
        raise ShelfError(f"{file}: is longer than {_LARGEST_PLAN:,} bytes")
    try:
        plan = CorpusPlan.model_validate_json(data, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        raise ShelfError(f"{file}, field {field!r}: {first['msg']}") from error
    if plan.format != FORMAT:
        raise ShelfError(f"{file}, field 'format': is {plan.format!r}, not {FORMAT!r}")
    return plan


def read_answers(corpus: Path) -> Iterator[Written]:
    """Every answer of a corpus, in the order of ids; also while it is written.

    What the ledger holds when the first one is asked for is given, whatever is added meanwhile.

    Parameters
    ----------
    corpus : pathlib.Path
        The folder that `shelf write` was given as --out.

    Yields
    ------
    Written
        It can be taken apart: `for order, answer, nano_usd in read_answers(corpus)`.

    Raises
    ------
    ShelfError
        If there is no corpus, its ledger is damaged or of a newer version, or its orders are not
        those of `plan.json`: then one of the two was edited. No answer is given before this is
        known.
    """
    plan = read_plan(corpus)
    file = ledger_file(corpus)
    with ledger_failures(file), reading(file) as connection:
        connection.execute("BEGIN")
        check_kind(connection, file)
        check_whole(connection, file)
        _check_orders(connection, file, plan)
        rows = connection.execute(
            "SELECT content, text, model_resolved, provider, provider_served, finish_reason, "
            "input_tokens, output_tokens, reasoning_tokens, flags, sent, raw, charged "
            "FROM answers JOIN orders ON orders.id = answers.order_id "
            "JOIN attempts ON attempts.number = attempt ORDER BY orders.id"
        )
        for row in rows:
            yield _written(file, row)


@contextmanager
def reading(file: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a ledger that is not written.

    Raises
    ------
    ShelfError
        If there is none.
    """
    if not file.is_file():
        raise ShelfError(f"{file}: is missing; a corpus that `shelf write` has begun is needed")
    connection = _connected(file)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        yield connection
    finally:
        connection.close()


def _connected(file: Path) -> sqlite3.Connection:
    # Opened for writing, and not written: so the files beside it, by which processes share a
    # ledger, are taken away again by whoever is the last.
    place = file.resolve().as_uri()
    connection = sqlite3.connect(f"{place}?mode=rw", uri=True, isolation_level=None)
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT 1 FROM sqlite_master").fetchall()
    except sqlite3.OperationalError:
        connection.close()
        # In a folder that cannot be written, SQLite cannot share the file; without a log of
        # changes beside it, nobody is changing it.
        if file.with_name(f"{file.name}-wal").exists():
            raise
        return sqlite3.connect(f"{place}?mode=ro&immutable=1", uri=True, isolation_level=None)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _check_orders(connection: sqlite3.Connection, file: Path, plan: CorpusPlan) -> None:
    texts = connection.execute("SELECT content FROM orders ORDER BY id")
    if orders_digest(str(text) for (text,) in texts) != plan.orders_sha256:
        raise damaged(file, "its orders are not those of plan.json")


def _written(file: Path, row: tuple[object, ...]) -> Written:
    text, *answer, raw, charged = row
    try:
        order = order_in(str(text))
        return Written(order, _answer(order.id, answer, raw), _whole(charged))
    except (ValueError, TypeError, zlib.error, ShelfError) as error:
        raise damaged(file, f"an answer cannot be read: {error}") from error


def _answer(order_id: str, values: list[object], raw: object) -> Answer:
    text, model, provider, served, finish, given, made, thought, flags, sent = values
    usage = None
    if given is not None:
        usage = Usage(_whole(given), _whole(made), None if thought is None else _whole(thought))
    return Answer(
        order_id=order_id,
        text=_text(text),
        model_resolved=None if model is None else _text(model),
        provider=_text(provider),
        provider_served=None if served is None else _text(served),
        finish_reason=None if finish is None else _text(finish),
        usage=usage,
        flags=tuple(map(_text, _list(json.loads(_text(flags))))),
        raw=_inflated(raw),
        sent=dict(json.loads(_text(sent))),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} is no text")
    return value


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError(f"{type(value).__name__} is no list")
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int) or value < 0:
        raise TypeError(f"{type(value).__name__} is no count")
    return value


def _inflated(raw: object) -> bytes:
    if not isinstance(raw, bytes):
        raise TypeError(f"{type(raw).__name__} is no answer")
    inflating = zlib.decompressobj()
    data = inflating.decompress(raw, _LARGEST_RAW)
    if not inflating.eof:
        raise ValueError("what came back is cut short or too long")
    return data
