"""Base URLs of endpoints."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError

_LONGEST = 300


def checked_base(text: str) -> str:
    """A base URL without a slash at its end.

    Parameters
    ----------
    text : str
        `http` or `https`, with a host and perhaps a port and a path.

    Returns
    -------
    str

    Raises
    ------
    ShelfError
        If it is none, or has more than that: a name and a password, a query, a fragment.

    Examples
    --------
    >>> checked_base("https://example.org/v1/")
    'https://example.org/v1'
    """
    base = text.rstrip("/")
    try:
        parts = urlsplit(base)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ShelfError(f"{one_line(base, 100)}: {one_line(str(error), 100)}") from error
    if parts.scheme not in ("http", "https") or len(base) > _LONGEST or len(base.split()) != 1:
        raise ShelfError(
            f"{one_line(base, 100)}: an http or https address of at most {_LONGEST} characters "
            "is needed"
        )
    if not host or "@" in parts.netloc or parts.query or parts.fragment:
        # A password would be in it.
        raise ShelfError("the base URL may have a host, a port and a path, and no more")
    return base


def is_loopback(base: str) -> bool:
    """Whether a URL's host is this machine.

    Examples
    --------
    >>> is_loopback("http://127.0.0.1:8080/v1"), is_loopback("https://example.org/v1")
    (True, False)
    """
    host = urlsplit(base).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_private(base: str) -> bool:
    """Whether what is sent there can be read by nobody on the way.

    Examples
    --------
    >>> is_private("http://localhost:8080"), is_private("http://example.org")
    (True, False)
    """
    return urlsplit(base).scheme == "https" or is_loopback(base)
