"""Who asks: somebody whom the Hub has signed in, a guest with a code, or a maintainer."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import os
import re
import secrets
import time
from typing import NamedTuple

from starlette.requests import Request

from evaluate_shelf.errors import ShelfError

MAINTAINER_VARIABLE = "SHELF_MAINTAINER_TOKEN"
"""Names the environment variable that holds the maintainers' token."""

_SHORTEST_TOKEN = 24
# No name on the Hub has a plus sign, so that nobody can sign in as a guest.
_GUEST = "guest+"
_MOCK = "mock-oauth-token-for-local-dev"
_CODE_BYTES = 18
_CODE = re.compile(r"[A-Za-z0-9_-]{24}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


class SignedIn(NamedTuple):
    """Somebody whom the Hub has signed in.

    Attributes
    ----------
    name : str
        On the Hub.
    token : str
        Theirs, for what they do in their own name; it is kept nowhere but in their cookie.
    """

    name: str
    token: str


def signed_in(request: Request) -> SignedIn | None:
    """Who has signed in; None where nobody has, or it was too long ago."""
    info = request.session.get("oauth_info") if "session" in request.scope else None
    if not isinstance(info, dict) or float(info.get("expires_at") or 0) < time.time():
        return None
    name = str((info.get("userinfo") or {}).get("preferred_username") or "")
    token = str(info.get("access_token") or "")
    if token == _MOCK:
        # Outside of the Hub Gradio signs in whom this machine's token is of.
        from huggingface_hub import get_token

        token = get_token() or ""
    return SignedIn(name, token) if _NAME.fullmatch(name) and token else None


def new_code() -> str:
    """A secret for a guest, with which a submission can be withdrawn."""
    return secrets.token_urlsafe(_CODE_BYTES)


def guest_of(code: str) -> str:
    """The name in the store of the guest who holds a code; the code does not follow from it.

    Raises
    ------
    ShelfError
        If it is no code.

    Examples
    --------
    >>> guest_of("a" * 24)
    'guest+f91d0d5776d48c3c456a94e11f5366e8'
    """
    if not _CODE.fullmatch(code):
        raise ShelfError("a code has 24 letters, digits, - and _; it was shown after sending")
    return _GUEST + hashlib.sha256(f"shelf guest {code}".encode()).hexdigest()[:32]


def shown_name(user: str) -> str | None:
    """A user's name where it is one; a guest has none."""
    return None if user.startswith(_GUEST) else user


class Maintainers:
    """Those who hold the token of the environment.

    Parameters
    ----------
    token : str or None
        Without one nobody is a maintainer.

    Raises
    ------
    ShelfError
        If it is so short that it could be guessed.
    """

    def __init__(self, token: str | None) -> None:
        if token is not None and len(token) < _SHORTEST_TOKEN:
            raise ShelfError(
                f"{MAINTAINER_VARIABLE}: at least {_SHORTEST_TOKEN} characters are needed; "
                '`python -c "import secrets; print(secrets.token_urlsafe())"` makes some'
            )
        self._known = None if token is None else _digest(token)

    @classmethod
    def of_environment(cls) -> Maintainers:
        """Those of this process's environment."""
        return cls(os.environ.get(MAINTAINER_VARIABLE) or None)

    @property
    def there(self) -> bool:
        """Whether there can be one."""
        return self._known is not None

    def asks(self, request: Request) -> bool:
        """Whether a maintainer sent a request: compared in a time that says nothing."""
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        known = self._known or _digest(secrets.token_urlsafe())
        equal = hmac.compare_digest(_digest(given), known)
        return equal and kind.lower() == "bearer" and self.there


def address_of(request: Request, *, behind_proxy: bool) -> str:
    """The IP address that a request came from.

    Parameters
    ----------
    request : starlette.requests.Request
        Any.
    behind_proxy : bool
        Whether the Hub's proxies stand before this server. What they add stands last; what a
        stranger makes up stands before it.

    Returns
    -------
    str
        `0.0.0.0` where it is not known, which is then one address for all.
    """
    if behind_proxy:
        forwarded = ",".join(request.headers.getlist("x-forwarded-for")).split(",")
        for part in reversed(forwarded):
            known = _global_address(part.strip())
            if known is not None:
                return known
    return request.client.host if request.client else "0.0.0.0"  # noqa: S104 - not listened on


def _global_address(text: str) -> str | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return str(address) if address.is_global else None


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()
