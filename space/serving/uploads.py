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
from starlette.requests import ClientDisconnect, Request

from evaluate_shelf.submissions.contents import ARCHIVE_BYTES, MIB

from .answers import NotDoneError

ARCHIVE, JSON = "application/zip", "application/json"
_JSON_BYTES = 16 * 1024
_SECONDS = 600.0
_AT_ONCE, _OF_ONE_ADDRESS = 16, 4
_Asked = TypeVar("_Asked", bound=BaseModel)


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
    seconds : float, default=600
        How long one may take.
    """

    def __init__(self, folder: Path, seconds: float = _SECONDS) -> None:
        self._folder = folder
        self._seconds = seconds
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
        with self._counted(address), NamedTemporaryFile(dir=self._folder, suffix=".zip") as file:
            digest, size = hashlib.sha256(), 0
            try:
                async with asyncio.timeout(self._seconds):
                    async for part in _bounded(request, ARCHIVE_BYTES):
                        size += len(part)
                        digest.update(part)
                        file.write(part)
            except TimeoutError:
                raise NotDoneError(408, "The archive took too long to arrive.") from None
            if not size:
                raise NotDoneError(400, "No archive was sent.")
            file.flush()
            yield Upload(Path(file.name), digest.hexdigest())

    @contextmanager
    def _counted(self, address: str) -> Iterator[None]:
        if self._open.total() >= _AT_ONCE or self._open[address] >= _OF_ONE_ADDRESS:
            raise busy()
        self._open[address] += 1
        try:
            yield
        finally:
            self._open[address] -= 1
            self._open += Counter()


def busy() -> NotDoneError:
    """That there is too much to do."""
    return NotDoneError(
        503,
        "Too many submissions are being looked at; try again in a minute.",
        {"retry-after": "60"},
    )


async def asked(request: Request, form: type[_Asked]) -> _Asked:
    """What a request asks for in JSON.

    Raises
    ------
    NotDoneError
        If it is something else, or too long.
    """
    check_kind(request, JSON)
    _check_length(request, _JSON_BYTES)
    async with asyncio.timeout(_SECONDS):
        content = b"".join([part async for part in _bounded(request, _JSON_BYTES)])
    try:
        return form.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])[:100]
        raise NotDoneError(400, f"{place or 'what was sent'}: {first['msg']}") from None


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


async def _bounded(request: Request, most: int) -> AsyncIterator[bytes]:
    size = 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > most:
                raise _too_large(most)
            yield part
    except ClientDisconnect:
        raise NotDoneError(400, "What was sent broke off.") from None


def _too_large(most: int) -> NotDoneError:
    size = f"{most // MIB} MiB" if most >= MIB else f"{most // 1024} KiB"
    return NotDoneError(413, f"At most {size} are taken.", {"connection": "close"})
