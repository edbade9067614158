"""Answers in JSON: what was asked for, or one sentence that says why not."""

from __future__ import annotations

import errno
import json
import logging
import secrets
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import one_line
from evaluate_shelf.submissions.database import DatabaseError
from evaluate_shelf.submissions.rates import RateError
from evaluate_shelf.submissions.refusals import Refused, presentable

LOG = logging.getLogger("shelf.space")

_NO_STORE = "The store of submissions cannot be read or written now; try again in a while."
_NO_ROOM = "There is no room here for what was sent; try again in a while."
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_MINUTES_LATER = {"retry-after": "120"}


class NotDoneError(ShelfError):
    """What was asked for is not done.

    Parameters
    ----------
    status : int
        Of HTTP.
    reason : str
        A sentence for whoever asked.
    headers : mapping, default={}
        Of the answer.
    by_person : bool, default=False
        Whether a person has written the sentence: it is given as it was written.
    """

    def __init__(
        self,
        status: int,
        reason: str,
        headers: Mapping[str, str] | None = None,
        *,
        by_person: bool = False,
    ) -> None:
        self.status = status
        self.headers = dict(headers or {})
        self.by_person = by_person
        super().__init__(reason)


def answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A value as JSON that nobody keeps."""
    content = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return Response(
        content.encode("utf-8", "replace"),
        status,
        {"cache-control": "no-store", **(headers or {})},
        "application/json",
    )


def failed(_: Request, error: Exception) -> Response:
    """Say in a sentence what is wrong; of what nobody foresaw, under which id it is logged."""
    if isinstance(error, NotDoneError):
        text = one_line(str(error)) if error.by_person else presentable(str(error))
        return answer({"error": text}, error.status, error.headers)
    if isinstance(error, DatabaseError):
        LOG.error("%s", error)
        return answer({"error": _NO_STORE}, 503, _MINUTES_LATER)
    if isinstance(error, OSError) and error.errno in _FULL:
        LOG.error("the disk is full: %s", error)
        return answer({"error": _NO_ROOM}, 503, _MINUTES_LATER)
    if isinstance(error, RateError):
        return _refusal(error, 429, {"retry-after": str(max(1, round(error.seconds)))})
    if isinstance(error, Refused):
        if error.detail:
            LOG.info("refused: %s: %s", error, error.detail)
        return _refusal(error, 422)
    if isinstance(error, ShelfError):
        return _refusal(error, 400)
    identity = secrets.token_hex(6)
    LOG.error("%s: unexpected", identity, exc_info=error)
    text = f"Something went wrong here that is not your fault; it is noted as {identity}."
    return answer({"error": text}, 500)


def _refusal(error: Exception, status: int, headers: Mapping[str, str] | None = None) -> Response:
    return answer({"error": presentable(str(error))}, status, headers)
