"""What is sent here, read piece by piece and never more of it than is allowed."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import ClientDisconnect, Request

from evaluate_shelf.submissions.contents import ARCHIVE_BYTES, MIB
from evaluate_shelf.submissions.distinct_json import distinct_json
from evaluate_shelf.submissions.rates import network_of

from .answers import NotDoneError

ARCHIVE, JSON = "application/zip", "application/json"
_JSON_BYTES = 16 * 1024
_AT_ONCE, _OF_ONE_ADDRESS = 32, 4
_Asked = TypeVar("_Asked", bound=BaseModel)


class Pace(NamedTuple):
    """How slowly a body may arrive.

    Attributes
    ----------
    idle : float
        Seconds from one piece to the next.
    rate : float
        Bytes a second, on average.
    grace : float
        Seconds at the beginning in which the rate does not count.
    total : float
        Seconds in all.
    """

    idle: float = 15.0
    rate: float = 16_000.0
    grace: float = 10.0
    total: float = 600.0

    def seconds(self, passed: float, size: int) -> float:
        """How long the next piece may take.

        Parameters
        ----------
        passed : float
            Seconds since the first byte was waited for.
        size : int
            Bytes that have come.

        Examples
        --------
        >>> Pace().seconds(0.0, 0), Pace().seconds(9.0, 0), Pace().seconds(20.0, 2_000_000)
        (10.0, 1.0, 15.0)
        """
        return min(self.idle, self.total - passed, self.grace + size / self.rate - passed)


_PACE = Pace()


class Upload(NamedTuple):
    """An archive that was sent: where it lies, and its SHA-256."""

    path: Path
    sha256: str


class Uploads:
    """Archives that are being sent: not too many at once, and none for ever.

    Parameters
    ----------
    folder : pathlib.Path
        Where they lie for as long as they are needed.
    pace : Pace, default=Pace()
        How slowly one may come.
    """

    def __init__(self, folder: Path, pace: Pace = _PACE) -> None:
        self._folder = folder
        self._pace = pace
        self._open: Counter[str] = Counter()

    @asynccontextmanager
    async def received(self, request: Request, address: str) -> AsyncIterator[Upload]:
        """Give what a request's body holds, in a file that goes at the end.

        The body is the archive and nothing else: it has no name, and there is no form to take
        apart. No other site can have a browser send that kind of body without asking first.

        Raises
        ------
        NotDoneError
            If it is of another kind, too large, empty, too slow, or too many are being sent.
        """
        check_kind(request, ARCHIVE)
        _check_length(request, ARCHIVE_BYTES)
        customer = network_of(address)
        with self._counted(customer), NamedTemporaryFile(dir=self._folder, suffix=".zip") as file:
            digest = hashlib.sha256()
            async for part in _bounded(request, ARCHIVE_BYTES, self._pace):
                digest.update(part)
                file.write(part)
            if not file.tell():
                raise NotDoneError(400, "No archive was sent.")
            file.flush()
            yield Upload(Path(file.name), digest.hexdigest())

    @contextmanager
    def _counted(self, customer: str) -> Iterator[None]:
        if self._open.total() >= _AT_ONCE or self._open[customer] >= _OF_ONE_ADDRESS:
            raise busy()
        self._open[customer] += 1
        try:
            yield
        finally:
            self._open[customer] -= 1
            self._open += Counter()


def busy() -> NotDoneError:
    """That there is too much to do."""
    return NotDoneError(
        503,
        "Too many submissions are being looked at; try again in a minute.",
        {"retry-after": "60"},
    )


async def asked(request: Request, form: type[_Asked], pace: Pace = _PACE) -> _Asked:
    """What a request asks for in JSON.

    Raises
    ------
    NotDoneError
        If it is something else, too long or too slow.
    """
    check_kind(request, JSON)
    _check_length(request, _JSON_BYTES)
    content = b"".join([part async for part in _bounded(request, _JSON_BYTES, pace)])
    try:
        return form.model_validate(distinct_json(content))
    except ValidationError as error:
        raise NotDoneError(400, _in_words(error.errors(include_url=False)[0])) from None
    except ValueError as error:
        raise NotDoneError(400, f"what was sent is no JSON: {error}") from None


def _in_words(error: ErrorDetails) -> str:
    """What is wrong with a field."""
    place = ".".join(str(part) for part in error["loc"])[:100] or "what was sent"
    match error["type"]:
        case "missing":
            return f"{place}: it is missing"
        case "extra_forbidden":
            return f"{place}: nobody asks for that here"
        case "string_too_short":
            return f"{place}: it is empty; write something"
        case "string_too_long":
            return f"{place}: at most {error['ctx']['max_length']} characters are taken"
        case "string_type":
            return f"{place}: it has to be a text"
        case "string_pattern_mismatch":
            return f"{place}: it does not have the form that it needs"
    return f"{place}: {error['msg']}"


def check_kind(request: Request, kind: str) -> None:
    """Refuse a body of another kind.

    Raises
    ------
    NotDoneError
        With status 415.
    """
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != kind or "content-encoding" in request.headers:
        raise NotDoneError(415, f"What is sent here has to be {kind}, as it is.")


def _check_length(request: Request, most: int) -> None:
    said = request.headers.get("content-length", "0")
    if not said.isascii() or not said.isdigit() or int(said[:20]) > most:
        raise _too_large(most)


async def _bounded(request: Request, most: int, pace: Pace) -> AsyncIterator[bytes]:
    """The pieces of a body, which is neither too large nor too slow."""
    clock = asyncio.get_running_loop().time
    parts, began, size = request.stream(), clock(), 0
    try:
        while True:
            async with asyncio.timeout(pace.seconds(clock() - began, size)):
                part = await anext(parts, None)
            if part is None:
                return
            size += len(part)
            if size > most:
                raise _too_large(most)
            yield part
    except TimeoutError:
        text = "What was sent took too long to arrive."
        raise NotDoneError(408, text, {"connection": "close"}) from None
    except ClientDisconnect:
        raise NotDoneError(400, "What was sent broke off.") from None


def _too_large(most: int) -> NotDoneError:
    size = f"{most // MIB} MiB" if most >= MIB else f"{most // 1024} KiB"
    return NotDoneError(413, f"At most {size} are taken.", {"connection": "close"})
