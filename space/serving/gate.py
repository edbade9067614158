"""The door of the server: which paths there are, and who may ask for a change."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, NamedTuple

from .site import HEADERS, Page, Site

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

SUBMISSIONS = "/submissions"
"""Where submissions are asked for and sent."""
_SIGNING_OUT = "/logout"
SIGNING_IN = frozenset({"/login/huggingface", "/login/callback", _SIGNING_OUT})
"""Where one signs in and out, where that can be done."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_READING = ("GET", "HEAD")
_LARGEST_HEADER = 8192
_AUTHORITY = r"(?P<name>[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(:[0-9]{1,5})?"
_HOST = re.compile(_AUTHORITY, re.IGNORECASE)
_ORIGIN = re.compile(rf"null|[a-z][a-z0-9+.-]{{0,30}}://(?P<host>{_AUTHORITY})", re.IGNORECASE)


class Fault(NamedTuple):
    """Why a request is not let in: the status of the answer, and a sentence."""

    status: int
    text: str


UNREADABLE = Fault(400, "What says where this request comes from cannot be read.")
"""Of a host or an origin that is none."""
_OTHER_NAME = Fault(403, "This server does not go by that name.")
_OTHER_SITE = Fault(403, "A page of another site has asked for this.")


class Gate:
    """Answer with the site's files, and let in what is meant for the application behind.

    Parameters
    ----------
    site : callable
        Gives the site as it is now.
    hosts : frozenset of str or None
        Names under which this server may be asked for a change, against names of strangers that
        lead here; None where the Hub sees to that.
    """

    def __init__(self, site: Callable[[], Site], hosts: frozenset[str] | None) -> None:
        self._site = site
        self._hosts = hosts

    async def __call__(
        self, scope: Scope, receive: Receive, send: Send, behind: Application
    ) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] == "lifespan":
            return await behind(scope, receive, send)
        if scope["type"] != "http":
            return await send({"type": "websocket.close", "code": 1008})
        path, method = scope["path"], scope["method"]
        page = self._site().pages.get(path.removeprefix("/"))
        if page is not None:
            if method not in _READING:
                return await _say(send, 405, "This can only be read.", [(b"allow", b"GET, HEAD")])
            return await _send_page(scope, send, page)
        if path.startswith(f"{SUBMISSIONS}/"):
            fault = fault_of(scope, self._hosts)
            if fault is not None:
                return await _say(send, *fault)
            return await behind(_same_origin(scope), receive, _with_headers(send))
        if path in SIGNING_IN and method in _READING:
            fault = fault_of(scope, self._hosts)
            # The Hub's own page leads back here; only this one leads to signing out.
            if fault is not None and (fault is not _OTHER_SITE or path == _SIGNING_OUT):
                return await _say(send, *fault)
            return await behind(_same_origin(scope), receive, send)
        return await _say(send, 404, "There is no such page.")


def fault_of(scope: Scope, hosts: frozenset[str] | None) -> Fault | None:
    """Why a page of another site may have sent a request; None where it cannot have.

    A browser says where a request comes from, and no page can have it say something else. What
    says nothing is no browser, and holds nobody's cookies.

    Parameters
    ----------
    scope : mapping
        Of the request.
    hosts : frozenset of str or None
        As for `Gate`.
    """
    host = _HOST.fullmatch(_header(scope, b"host"))
    origin = _header(scope, b"origin")
    known = _ORIGIN.fullmatch(origin)
    if host is None or (origin and known is None):
        return UNREADABLE
    if hosts is not None and host["name"].strip("[]").lower() not in hosts:
        return _OTHER_NAME
    if _header(scope, b"sec-fetch-site") not in ("", "same-origin", "none"):
        return _OTHER_SITE
    if known is not None and (known["host"] or "").lower() != host[0].lower():
        return _OTHER_SITE
    return None


def _header(scope: Scope, name: bytes) -> str:
    values = [value for known, value in scope["headers"] if known == name]
    # Two origins or two hosts are thus none that is known.
    return ", ".join(value.decode("latin-1") for value in values)[:_LARGEST_HEADER]


def _same_origin(scope: Scope) -> Scope:
    """A request as its own site's: nothing behind has to decide which other sites may read it."""
    return {**scope, "headers": [own for own in scope["headers"] if own[0] != b"origin"]}


async def _send_page(scope: Scope, send: Send, page: Page) -> None:
    takes = page.packed and _takes_gzip(_header(scope, b"accept-encoding"))
    tag = f'"{page.tag}{"-gz" if takes else ""}"'
    headers = [
        *HEADERS,
        (b"etag", tag.encode()),
        (b"cache-control", b"no-cache"),
        (b"vary", b"Accept-Encoding"),
    ]
    if tag in _tags(_header(scope, b"if-none-match")):
        return await _answer(send, 304, headers, b"")
    content = page.content if takes else page.plain()
    headers += [
        (b"content-type", page.kind.encode()),
        (b"content-length", str(len(content)).encode()),
    ]
    if takes:
        headers.append((b"content-encoding", b"gzip"))
    return await _answer(send, 200, headers, b"" if scope["method"] == "HEAD" else content)


def _takes_gzip(header: str) -> bool:
    """Whether a browser that sends this takes gzip.

    Examples
    --------
    >>> _takes_gzip("br, gzip"), _takes_gzip("gzip;q=0, br"), _takes_gzip("")
    (True, False, False)
    """
    for part in header.split(","):
        name, _, quality = part.partition(";")
        if name.strip().lower() in ("gzip", "*"):
            return quality.replace(" ", "").lower() not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def _tags(header: str) -> set[str]:
    return {tag.strip().removeprefix("W/") for tag in header.split(",")}


async def _say(
    send: Send, status: int, text: str, more: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    content = f"{text}\n".encode()
    kind = (b"content-type", b"text/plain; charset=utf-8")
    length = (b"content-length", str(len(content)).encode())
    await _answer(send, status, [*HEADERS, kind, length, *more], content)


async def _answer(
    send: Send, status: int, headers: list[tuple[bytes, bytes]], content: bytes
) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


def _with_headers(send: Send) -> Send:
    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *HEADERS]}
        await send(message)

    return sending
