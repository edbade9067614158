"""Who is signed in, by whom, and what is said to those who are not."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

pytest.importorskip("gradio", reason="the extra `space` is not installed")
pytest.importorskip("itsdangerous", reason="gradio[oauth] is not installed")

import itsdangerous
from gradio import oauth
from loopback_server import serving
from served_space import free_port
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from evaluate_shelf.errors import ShelfError
from space.serving.people import signed_in
from space.serving.signing import can_sign_in, signing_in

MINE = {"access_token": "mock-oauth-token-for-local-dev", "userinfo": {"preferred_username": "me"}}
RESULTS = "org/SHELF-results"


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with a token that is no Space."""
    for name in ("SYSTEM", "SPACE_ID", "SHELF_HOSTS", "OAUTH_CLIENT_SECRET"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_TOKEN", "hf_of_me")
    monkeypatch.setattr(oauth, "OAUTH_CLIENT_SECRET", None)
    monkeypatch.setattr(oauth, "_get_mocked_oauth_info", lambda: dict(MINE))


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], TestClient]:
    """Gives a Space of the Hub with a provider."""

    def client(provider: str) -> TestClient:
        settings = {
            "OAUTH_CLIENT_ID": "client",
            "OAUTH_CLIENT_SECRET": "a secret",
            "OAUTH_SCOPES": "openid profile",
            "OPENID_PROVIDER_URL": provider,
        }
        for name, value in {**settings, "SYSTEM": "spaces", "SPACE_ID": "org/space"}.items():
            monkeypatch.setenv(name, value)
        for name, value in settings.items():
            monkeypatch.setattr(oauth, name, value)
        return TestClient(signing_in(), follow_redirects=False)

    pytest.importorskip("authlib", reason="gradio[oauth] is not installed")
    return client


def nobody() -> str:
    """An address at which nobody answers."""
    return f"http://127.0.0.1:{free_port()}"


class _Confused(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<html>maintenance</html>")

    def log_message(self, *_: Any) -> None:
        pass


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("error=access_denied", 403),
        ("error=access_denied&error_description=%1b[2J%0a", 403),
        ("error=server_error", 400),
        ("error=invalid_scope&state=x", 400),
    ],
)
def test_who_says_no_on_the_hub_reads_a_sentence(
    hub: Callable[[str], TestClient],
    caplog: pytest.LogCaptureFixture,
    query: str,
    status: int,
) -> None:
    said = hub(nobody()).get(f"/login/callback?{query}")
    assert said.status_code == status
    assert said.text.startswith("You are not signed in")
    assert not [own for own in caplog.records if own.exc_info]
    assert "\x1b" not in caplog.text


def test_without_the_provider_that_is_said(
    hub: Callable[[str], TestClient], caplog: pytest.LogCaptureFixture
) -> None:
    said = hub(nobody()).get("/login/huggingface?_target_url=/submit.html")
    assert (said.status_code, said.text.count("\n")) == (503, 1)
    with serving(_Confused) as address:
        assert hub(address).get("/login/huggingface").status_code == 503
    assert not [own for own in caplog.records if own.exc_info]


@pytest.mark.usefixtures("here")
def test_here_the_key_of_the_cookies_is_nobodys() -> None:
    async def who(request: Request) -> PlainTextResponse:
        person = signed_in(request)
        return PlainTextResponse(person.name if person else "nobody")

    cookies = []
    for _ in range(2):
        application = signing_in()
        application.add_route("/who", who)
        client = TestClient(application, base_url="https://localhost", follow_redirects=False)
        assert client.get("/login/callback").status_code == 307
        assert client.get("/who").text == "me"
        cookies.append(client.cookies["session"])
        client.cookies.clear()
        for secret in ("", "None"):
            key = hashlib.sha256(f"{secret}-v4".encode()).hexdigest()
            value = b64encode(json.dumps({"oauth_info": {**MINE, "expires_at": 9e12}}).encode())
            forged = itsdangerous.TimestampSigner(key).sign(value).decode()
            assert client.get("/who", headers={"Cookie": f"session={forged}"}).text == "nobody"
        oauth.OAUTH_CLIENT_SECRET = None
    headers = {"Cookie": f"session={cookies[0]}"}
    # Of another start of the server.
    assert client.get("/who", headers=headers).text == "nobody"


@pytest.mark.usefixtures("here")
def test_nobody_signs_in_as_this_machine_where_it_goes_by_other_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert can_sign_in(RESULTS)
    assert not can_sign_in(None)
    monkeypatch.setenv("SHELF_HOSTS", "shelf.example.org")
    assert not can_sign_in(RESULTS)


@pytest.mark.parametrize(
    "lacking", ["OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OAUTH_SCOPES", "OPENID_PROVIDER_URL"]
)
def test_a_space_without_settings_signs_nobody_in(
    hub: Callable[[str], TestClient], monkeypatch: pytest.MonkeyPatch, lacking: str
) -> None:
    hub(nobody())
    assert can_sign_in(RESULTS)
    monkeypatch.setenv(lacking, "")
    assert not can_sign_in(RESULTS)


@pytest.mark.usefixtures("here")
def test_a_token_of_nobody_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> dict[str, Any]:
        raise OSError("no answer")

    monkeypatch.setattr(oauth, "_get_mocked_oauth_info", refused)
    with pytest.raises(ShelfError, match="no answer"):
        signing_in()
