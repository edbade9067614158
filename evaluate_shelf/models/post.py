"""JSON posted to an endpoint: repeated where that helps, bounded, and never redirected."""

from __future__ import annotations

import contextlib
import json
import logging
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError

ATTEMPTS = 6
LONGEST_WAIT = 60.0
_CONNECT_SECONDS = 10.0
_READ_SECONDS = 120.0
_ANSWER_SECONDS = 600.0
_LONGEST_ERROR = 100_000

_LOG = logging.getLogger(__name__)


class _Reply(NamedTuple):
    status: int
    retry_after: str | None
    body: bytes


class Poster:
    """Posts JSON to one URL.

    Parameters
    ----------
    url : str
        Where to.
    key : str
        Sent as a bearer token; none for an empty string.
    use_proxy : bool, default=True
        Whether a proxy that the environment names is used.
    pause : callable, default=time.sleep
        Waits for seconds.

    Raises
    ------
    ShelfError
        If the key cannot be sent.
    """

    def __init__(
        self,
        url: str,
        key: str = "",
        *,
        use_proxy: bool = True,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        import httpx

        if not re.fullmatch("[!-~]*", key):
            raise ShelfError("the key holds characters that no header can hold")
        self.url = url
        self._key = key
        self._pause = pause
        # An answer that is packed could unpack to any size.
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        self._client = httpx.Client(
            headers=headers,
            timeout=httpx.Timeout(_READ_SECONDS, connect=_CONNECT_SECONDS),
            follow_redirects=False,
            trust_env=use_proxy,
        )

    def post(self, value: Any, *, most_bytes: int) -> Any:
        """Post a value and give the answer's.

        A failed connection, 429 and 5xx are tried again, at most five times, after the time that
        the answer's Retry-After names or after 1, 2, 4... seconds; never more than a minute. Each
        wait is logged as a warning. Any other answer that is no success is final.

        Parameters
        ----------
        value : object
            Becomes JSON.
        most_bytes : int
            An answer may not be longer.

        Raises
        ------
        ShelfError
            If there is no answer, it is none of success, too long, or no JSON.
        """
        problem = ""
        for attempt in range(ATTEMPTS):
            try:
                reply = self._asked(value, most_bytes)
            except ConnectionError as error:
                problem, named = str(error), None
            else:
                if 200 <= reply.status < 300:
                    return _read(reply.body)
                problem, named = self._described(reply), reply.retry_after
                if reply.status != 429 and reply.status < 500:
                    raise ShelfError(problem)
            if attempt < ATTEMPTS - 1:
                wait = _wait(named, attempt)
                _LOG.warning(
                    "%s: %s; asked again in %.0f s, time %d of %d",
                    self.url,
                    problem,
                    wait,
                    attempt + 2,
                    ATTEMPTS,
                )
                self._pause(wait)
        raise ShelfError(f"{problem}; tried {ATTEMPTS} times")

    def _asked(self, value: Any, most_bytes: int) -> _Reply:
        import httpx

        deadline = time.monotonic() + _ANSWER_SECONDS
        try:
            with self._client.stream("POST", self.url, json=value) as response:
                success = 200 <= response.status_code < 300
                most = most_bytes if success else _LONGEST_ERROR
                if response.headers.get("Content-Encoding", "identity") != "identity":
                    raise ShelfError("the answer is packed, which was not asked for")
                body = bytearray()
                for part in response.iter_raw():
                    body += part
                    if len(body) > most and not success:
                        break
                    if len(body) > most:
                        raise ShelfError(f"the answer is longer than {most:,} bytes")
                    if time.monotonic() > deadline:
                        raise ConnectionError(f"no whole answer in {_ANSWER_SECONDS:.0f} seconds")
                return _Reply(
                    response.status_code, response.headers.get("Retry-After"), bytes(body[:most])
                )
        except httpx.TransportError as error:
            reason = self._safe(f"{type(error).__name__}: {error}")
            raise ConnectionError(f"no answer: {reason}") from error
        except (httpx.InvalidURL, httpx.HTTPError, UnicodeEncodeError) as error:
            raise ShelfError(f"no request: {self._safe(str(error))}") from error

    def _described(self, reply: _Reply) -> str:
        try:
            value = json.loads(reply.body)
            error = value.get("error", value) if isinstance(value, dict) else value
            said = error.get("message", error) if isinstance(error, dict) else error
        except (ValueError, RecursionError):
            said = reply.body.decode("utf-8", "replace")
        return f"the endpoint answered {reply.status}: {self._safe(str(said)) or 'nothing'}"

    def _safe(self, text: str) -> str:
        """One line without the key, which some endpoints repeat."""
        return one_line(text.replace(self._key, "***") if self._key else text, 300)


def _read(body: bytes) -> Any:
    try:
        return json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ShelfError(f"the answer is no JSON: {one_line(str(error), 100)}") from error


def _wait(named: str | None, attempt: int) -> float:
    """Seconds to wait: as the answer named them, in seconds or as a date, else ever longer."""
    wait = 2.0**attempt
    if named is not None:
        try:
            wait = float(named)
        except ValueError:
            # The parser raises these for damaged dates and for years that no date has.
            with contextlib.suppress(ValueError, TypeError, OverflowError, IndexError):
                wait = (parsedate_to_datetime(named) - datetime.now(UTC)).total_seconds()
    # Not a number is neither above nor below.
    return min(max(wait, 0.0), LONGEST_WAIT) if wait == wait else LONGEST_WAIT
