"""Visitors without a browser: they read what a page reads, and draw nothing."""

from __future__ import annotations

import http.client
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from benchmarks.space_load.facets import Facet

_SECONDS = 300.0
# As Chromium says it.
_ENCODINGS = {"Accept-Encoding": "gzip, deflate, br, zstd"}
_QUEUE = "/gradio_api/queue"


class Errand(NamedTuple):
    """What a visitor asks a server for.

    Attributes
    ----------
    address : str
        Of the server.
    paths : tuple of str
        For the first view, in order.
    changes : tuple of Facet
        Facets that Gradio's queue is asked for then; empty where the page has all of them already.
    """

    address: str
    paths: tuple[str, ...]
    changes: tuple[Facet, ...]


class Fetched(NamedTuple):
    """What a visitor waited, in milliseconds, and got.

    Attributes
    ----------
    view : float
        From the first request until everything for the first view is there.
    changes : tuple of float
        Each from the request until the table is there.
    size : int
        Bytes of the first view, as they were sent.
    """

    view: float
    changes: tuple[float, ...]
    size: int


def fetched(errand: Errand, visitors: int) -> list[Fetched]:
    """Visitors who come at once, each with one connection.

    Parameters
    ----------
    errand : Errand
        By each of them.
    visitors : int
        How many.

    Raises
    ------
    RuntimeError
        If an answer is not what was asked for.
    """
    start = threading.Barrier(visitors)

    def one(number: int) -> Fetched:
        start.wait()
        return _fetched(errand, number)

    with ThreadPoolExecutor(visitors) as pool:
        return list(pool.map(one, range(visitors)))


def _fetched(errand: Errand, number: int) -> Fetched:
    connection = http.client.HTTPConnection(urlsplit(errand.address).netloc, timeout=_SECONDS)
    try:
        began = time.perf_counter()
        size = sum(len(_read(connection, path)) for path in errand.paths)
        view = time.perf_counter() - began
        changes = []
        for facet in errand.changes:
            began = time.perf_counter()
            _change(connection, facet, f"visitor{number}")
            changes.append(1000 * (time.perf_counter() - began))
        return Fetched(1000 * view, tuple(changes), size)
    finally:
        connection.close()


def _read(connection: http.client.HTTPConnection, path: str) -> bytes:
    connection.request("GET", path, headers=_ENCODINGS)
    answer = connection.getresponse()
    content = answer.read()
    if answer.status != http.HTTPStatus.OK:
        raise RuntimeError(f"{path}: status {answer.status}")
    return content


def _change(connection: http.client.HTTPConnection, facet: Facet, session: str) -> None:
    """Choose a facet as Gradio's own page does: an event in, then the stream of a session."""
    event = {"data": [facet.name], "event_data": None, "fn_index": 0, "session_hash": session}
    kind = {"Content-Type": "application/json"}
    connection.request("POST", f"{_QUEUE}/join?", json.dumps(event), kind)
    answer = connection.getresponse()
    answer.read()
    connection.request("GET", f"{_QUEUE}/data?session_hash={session}")
    stream = connection.getresponse()
    done = [message for message in map(_message, stream) if message.get("output")]
    shown = done[0]["output"]["data"][0]["data"][0][0] if done else None
    if shown != facet.models[0]:
        raise RuntimeError(f"{facet.name}: {shown!r} is first in the table")


def _message(line: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(line[5:]) if line.startswith(b"data:") else {}
    return found
