"""Signing in with the Hub, as Gradio does it; nothing else of Gradio is used."""

from __future__ import annotations

import logging
import os
import secrets
from typing import Any

from starlette.applications import Starlette
from starlette.responses import PlainTextResponse

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import one_line

from .gate import SIGNING_IN, Application, Receive, Scope, Send

LOG = logging.getLogger("shelf.space")

HOSTS = "SHELF_HOSTS"
"""Names the environment variable with more names of this server."""

# What a Space of the Hub has whose front matter says `hf_oauth: true`.
_SETTINGS = ("OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OAUTH_SCOPES", "OPENID_PROVIDER_URL")
_DENIED = "You are not signed in: that was not allowed on the Hub."
_BROKE_OFF = "You are not signed in: it broke off or took too long. Begin again on the page."
_NOT_NOW = "Nobody can be signed in now; try again in a while."


def on_the_hub() -> bool:
    """Whether this is a Space of the Hub as Gradio sees it, which elsewhere pretends to sign in."""
    return os.environ.get("SYSTEM") == "spaces" and bool(os.environ.get("SPACE_ID"))


def can_sign_in(results: str | None) -> bool:
    """Whether somebody can be signed in.

    On the Hub with the Hub. Elsewhere as whom this machine's token is of, where runs are proposed
    to a results repository: only whoever sits at this machine may do that, so that it cannot be
    done at a server that goes by other names than this machine's own.

    Parameters
    ----------
    results : str or None
        The results repository.
    """
    if on_the_hub():
        return all(map(os.environ.get, _SETTINGS))
    if results is None or os.environ.get(HOSTS, "").strip():
        return False
    from huggingface_hub import get_token

    return get_token() is not None


def signing_in() -> Starlette:
    """An application in which one signs in and out.

    Gradio takes seconds to load.

    Raises
    ------
    ShelfError
        If the Hub does not say whom this machine's token is of.
    """
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    from fastapi import FastAPI
    from gradio import oauth

    # Gradio makes the key of the cookies from it; without it everybody knows the key.
    module: Any = oauth
    module.OAUTH_CLIENT_SECRET = oauth.OAUTH_CLIENT_SECRET or secrets.token_urlsafe(32)
    application = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    application.add_middleware(_InWords)
    try:
        oauth.attach_oauth(application)
    # What the client of the Hub raises differs between its versions.
    except Exception as error:
        reason = one_line(str(error), 200) or type(error).__name__
        raise ShelfError(f"signing in cannot be offered: {reason}") from error
    return application


class _InWords:
    """Says in a sentence why nobody was signed in."""

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] not in SIGNING_IN:
            return await self._app(scope, receive, send)
        try:
            return await self._app(scope, receive, send)
        # The provider, its client and the client's HTTP library raise what they like.
        except Exception as error:
            status, text = _why(error)
            LOG.warning("not signed in: %s: %s", type(error).__name__, one_line(str(error), 200))
            said = PlainTextResponse(f"{text}\n", status, {"cache-control": "no-store"})
            return await said(scope, receive, send)


def _why(error: Exception) -> tuple[int, str]:
    # Of what OAuth knows as an error, and only of that, authlib tells the code.
    code = getattr(error, "error", None)
    if not isinstance(code, str):
        return 503, _NOT_NOW
    return (403, _DENIED) if code == "access_denied" else (400, _BROKE_OFF)
