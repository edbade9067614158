"""One request to an endpoint: bounded in time and size, never redirected, never repeated."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluate_shelf.bounded import one_line
from evaluate_shelf.endpoints.key import checked_key, without_key
from evaluate_shelf.endpoints.retry_after import seconds_named
from evaluate_shelf.errors import ShelfError

if TYPE_CHECKING:
    import httpx

_CONNECT_SECONDS = 10.0
_READ_SECONDS = 120.0
_ANSWER_SECONDS = 600.0
_LONGEST_ERROR = 100_000


class UnsentError(ConnectionError):
    """The endpoint was not reached: nothing of the request came to it."""


class LostError(ConnectionError):
    """The request may have come to the endpoint, and no whole answer came back.

    Attributes
    ----------
    came : bytes
        The beginning of the body, as far as it came.
    """

    came = b""


class UnreadableError(ShelfError):
    """An answer of success came, and is too long or damaged.

    Attributes
    ----------
    came : bytes
        The beginning of the body, as far as it could be unpacked.
    """

    came = b""


class Reply(NamedTuple):
    """What an endpoint answered.

    Attributes
    ----------
    status : int
        Of HTTP.
    headers : mapping of str to str
        Names in any case.
    body : bytes
        Unpacked; the beginning of it where the status is none of success.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def succeeded(self) -> bool:
        """Whether the status is one of success."""
        return 200 <= self.status < 300

    @property
    def retry_after(self) -> float | None:
        """Seconds after which the endpoint wants to be asked again, if it names any."""
        return seconds_named(self.headers.get("Retry-After"))

    @property
    def said(self) -> str:
        """The message of an error, or the body where there is none; to be made safe."""
        try:
            value = json.loads(self.body)
        except (ValueError, RecursionError):
            return self.body.decode("utf-8", "replace")
        error = value.get("error", value) if isinstance(value, dict) else value
        return str(error.get("message", error) if isinstance(error, dict) else error)


class Exchange:
    """Sends requests to one endpoint; threads may share it.

    The key is sent to the base URL's host alone, never followed by a redirect and never part of a
    message.

    Parameters
    ----------
    base : str
        The URL that all paths begin with.
    key : str, default=""
        Sent as a bearer token; none for an empty string.
    use_proxy : bool, default=True
        Whether a proxy that the environment names is used.
    silence_seconds : float, default=120
        The longest wait for the next part of an answer, the first one too.
    answer_seconds : float, default=600
        The longest time from the request to the end of its answer, however slowly that drips. The
        system's look-up of the host's name is not in it.

    Raises
    ------
    ShelfError
        If the key cannot be sent.
    """

    def __init__(
        self,
        base: str,
        key: str = "",
        *,
        use_proxy: bool = True,
        silence_seconds: float = _READ_SECONDS,
        answer_seconds: float = _ANSWER_SECONDS,
    ) -> None:
        import httpx

        from evaluate_shelf.endpoints.deadline import Deadline, keep_deadline

        self.base = base
        self._key = checked_key(key)
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        self._client = httpx.Client(
            headers=headers,
            timeout=httpx.Timeout(silence_seconds, connect=_CONNECT_SECONDS),
            limits=httpx.Limits(max_connections=None),
            follow_redirects=False,
            trust_env=use_proxy,
        )
        self._deadline = Deadline(answer_seconds)
        keep_deadline(self._client, self._deadline)

    def ask(
        self,
        method: str,
        path: str,
        *,
        most_bytes: int,
        headers: Mapping[str, str] | None = None,
        **content: Any,
    ) -> Reply:
        """Send one request.

        Parameters
        ----------
        method : str
            Of HTTP.
        path : str
            Behind the base URL, with its slash.
        most_bytes : int
            An answer may not be longer, unpacked.
        headers : mapping of str to str, default=None
            Beside the usual ones.
        **content
            What httpx takes: `json`, `params`, `data` and `files`.

        Returns
        -------
        Reply
            Of whatever status.

        Raises
        ------
        UnsentError, LostError
            If no whole answer came.
        UnreadableError
            If an answer of success is too long, or its packing is damaged.
        ShelfError
            If the request cannot be made.
        """
        body = bytearray()
        try:
            with (
                self._failures(),
                self._deadline.running(),
                self._client.stream(
                    method, self.base + path, headers=headers, **content
                ) as response,
            ):
                reply = Reply(response.status_code, response.headers, b"")
                parts = _unpacked(response)
                if reply.succeeded:
                    _fill(body, parts, most_bytes)
                    return reply._replace(body=bytes(body))
                return reply._replace(body=_beginning(parts))
        except (LostError, UnreadableError) as error:
            error.came = bytes(body[:_LONGEST_ERROR])
            raise

    def described(self, reply: Reply) -> str:
        """What a reply that is no success says, for a message."""
        return f"the endpoint answered {reply.status}: {self.safe(reply.said) or 'nothing'}"

    def safe(self, text: str) -> str:
        """One line of a message, without the key."""
        return one_line(without_key(text, self._key), 300)

    def keyless(self, text: str) -> str:
        """A text of the endpoint's, as it is, without the key."""
        return without_key(text, self._key)

    def close(self) -> None:
        """Give up the connections."""
        self._client.close()

    @contextmanager
    def _failures(self) -> Iterator[None]:
        import httpx

        unsent = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)
        unmade = (httpx.UnsupportedProtocol, httpx.LocalProtocolError)
        try:
            yield
        except unsent as error:
            raise UnsentError(f"no answer: {self._reason(error)}") from error
        except (*unmade, httpx.InvalidURL, UnicodeEncodeError) as error:
            raise ShelfError(f"no request: {self.safe(str(error))}") from error
        except httpx.HTTPError as error:
            raise LostError(f"no answer: {self._reason(error)}") from error

    def _reason(self, error: Exception) -> str:
        return self.safe(f"{type(error).__name__}: {error}")


def _unpacked(response: httpx.Response) -> Iterator[bytes]:
    """The parts of a body. It was asked for as it is, which not every proxy respects."""
    packing = response.headers.get("Content-Encoding", "identity").lower()
    if packing == "identity":
        yield from response.iter_raw()
        return
    if packing not in ("gzip", "deflate"):
        raise UnreadableError(f"the answer is packed as {one_line(packing, 40)!r}")
    inflating = zlib.decompressobj(wbits=47)  # gzip or zlib, as its head says
    try:
        for part in response.iter_raw():
            while part:
                yield inflating.decompress(part, 2**16)
                part = inflating.unconsumed_tail
        yield inflating.flush(2**16)
    except zlib.error as error:
        raise UnreadableError(f"the answer is packed, and damaged: {error}") from error
    if not inflating.eof:
        raise UnreadableError("the answer is packed, and cut short")


def _fill(body: bytearray, parts: Iterator[bytes], most_bytes: int) -> None:
    for part in parts:
        body += part
        if len(body) > most_bytes:
            raise UnreadableError(f"the answer is longer than {most_bytes:,} bytes")


def _beginning(parts: Iterator[bytes]) -> bytes:
    """As much as comes of an error's text: its status is what counts."""
    import httpx

    body = bytearray()
    try:
        for part in parts:
            body += part
            if len(body) > _LONGEST_ERROR:
                break
    except (httpx.HTTPError, UnreadableError):
        pass
    return bytes(body[:_LONGEST_ERROR])
