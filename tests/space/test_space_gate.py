from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_site import hostile_aggregate

pytest.importorskip("starlette", reason="the extra `space` is not installed")

from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.websockets import WebSocketDisconnect

from space.serving.gate import LOOPBACK, Gate, Receive, Scope, Send, fault_of
from space.serving.site import HEADERS, Site, site_of
from space.static_site import POLICY

AGGREGATE = hostile_aggregate(6, 3)
AN_ORIGIN = "http://localhost"


async def _behind(scope: Scope, receive: Receive, send: Send) -> None:
    """Says that a request was let in, and with which headers."""
    names = [name.decode() for name, _ in scope["headers"]]
    body = json.dumps({"path": scope["path"], "headers": names}).encode()
    await send({"type": "http.response.start", "status": 299, "headers": []})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture(scope="module")
def site() -> Site:
    return site_of(AGGREGATE)


@pytest.fixture
def client(site: Site) -> TestClient:
    gate = Gate(lambda: site, LOOPBACK)

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        await gate(scope, receive, send, _behind)

    return TestClient(application, base_url=AN_ORIGIN)


def test_each_file_comes_whole_packed_or_plain(client: TestClient, site: Site) -> None:
    assert {"", "index.html", "style.css", "data/catalogue.js"} <= set(site.pages)
    assert not [name for name in site.pages if name.endswith("README.md")]
    for name, page in site.pages.items():
        plain = client.get(f"/{name}", headers={"Accept-Encoding": "identity"})
        packed = client.get(f"/{name}", headers={"Accept-Encoding": "gzip, br"})
        assert (plain.status_code, packed.status_code) == (200, 200)
        assert "content-encoding" not in plain.headers
        assert packed.headers.get("content-encoding") == ("gzip" if page.packed else None)
        assert plain.content == packed.content
        assert plain.headers["content-type"] == packed.headers["content-type"] == page.kind
        assert int(packed.headers["content-length"]) == len(page.content)
        assert page.content == (
            gzip.compress(plain.content, 9, mtime=0) if page.packed else plain.content
        )


def test_what_a_browser_has_is_not_sent_again(client: TestClient) -> None:
    for encoding in ("gzip", "identity"):
        first = client.get("/", headers={"Accept-Encoding": encoding})
        tag = first.headers["etag"]
        for known in (tag, f'"other", W/{tag}'):
            again = client.get("/", headers={"Accept-Encoding": encoding, "If-None-Match": known})
            assert (again.status_code, again.content) == (304, b"")
            assert again.headers["etag"] == tag
    assert client.get("/", headers={"If-None-Match": '"other"'}).status_code == 200
    one, other = (client.get("/", headers={"Accept-Encoding": own}) for own in ("gzip", "identity"))
    assert one.headers["etag"] != other.headers["etag"]


def test_head_is_get_without_its_body(client: TestClient) -> None:
    whole, head = client.get("/about.html"), client.head("/about.html")
    assert head.content == b""
    assert head.headers == whole.headers


def test_pages_cannot_be_changed(client: TestClient) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        said = client.request(method, "/index.html")
        assert (said.status_code, said.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/data/../../space/app.py",
        "/data\\..\\app.py",
        "/app.py",
        "/.git/config",
        "/index.html/",
        "/index.html%00",
        "/data/",
        "/config",
        "/docs",
        "/openapi.json",
        "/gradio_api/upload",
        "/gradio_api/file=/etc/passwd",
        "/gradio_api/proxy=http://127.0.0.1/",
        "/gradio_api/queue/join",
        "/gradio_api/info",
        "/submissions",
        "/monitoring",
    ],
)
def test_nothing_else_is_there(client: TestClient, path: str) -> None:
    for method in ("GET", "POST"):
        said = client.request(method, f"{AN_ORIGIN}{path}")
        assert (said.status_code, said.text) == (404, "There is no such page.\n")


def test_every_answer_has_the_policy_and_only_the_hub_may_frame_it(client: TestClient) -> None:
    for path in ("/", "/style.css", "/none", "/submissions/list"):
        headers = client.get(path).headers
        assert {name.decode() for name, _ in HEADERS} <= set(headers)
        policy = headers["content-security-policy"]
        assert policy.startswith(f"{POLICY}; ")
        assert policy.count("frame-ancestors") == 1
        sources = policy.partition("frame-ancestors ")[2].split()
        assert sources == [
            "'self'",
            "https://huggingface.co",
            "https://*.huggingface.co",
            "https://*.hf.space",
        ]


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": f"{AN_ORIGIN}.evil.example"},
        {"Origin": f"{AN_ORIGIN}:8080"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": AN_ORIGIN, "Sec-Fetch-Site": "cross-site"},
        {"Host": "evil.example", "Origin": "http://evil.example"},
        {"Host": "localhost.evil.example"},
    ],
    ids=str,
)
def test_pages_of_other_sites_reach_no_submission(
    client: TestClient, method: str, headers: dict[str, str]
) -> None:
    assert client.request(method, "/submissions/runs", headers=headers).status_code == 403
    # What everybody may read they may read.
    assert client.get("/", headers=headers).status_code == 200


def test_a_second_origin_does_not_hide_the_first(client: TestClient) -> None:
    for pair in (["https://evil.example", AN_ORIGIN], [AN_ORIGIN, "https://evil.example"]):
        headers = [("origin", own) for own in pair]
        assert client.post("/submissions/runs", headers=headers).status_code == 400


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "["},
        {"Host": "[::1"},
        {"Host": "::1]"},
        {"Host": "[fe80::1%25eth0]"},
        {"Host": ""},
        {"Host": "localhost:http"},
        {"Host": "localhost@evil.example"},
        {"Host": "localhost/"},
        {"Origin": "http://["},
        {"Origin": "http://[::1"},
        {"Origin": "http://localhost/"},
        {"Origin": "localhost"},
        {"Origin": "http://localhost:99999999"},
        {"Origin": "//localhost"},
    ],
    ids=str,
)
def test_where_a_request_comes_from_has_to_be_readable(
    client: TestClient, headers: dict[str, str]
) -> None:
    assert client.post("/submissions/runs", headers=headers).status_code == 400
    assert client.get("/login/huggingface", headers=headers).status_code == 400


def _scope(*headers: tuple[bytes, bytes]) -> Scope:
    return {"type": "http", "path": "/submissions/runs", "method": "POST", "headers": headers}


VALUES = (
    st.binary(max_size=40)
    | st.sampled_from(
        [b"localhost", b"[::1]:7860", b"http://localhost", b"http://[::1]", b"null", b"none", b"["]
    )
    | st.text("[]:/@.%#?\\ ,a1", max_size=20).map(str.encode)
)


@given(
    st.lists(
        st.tuples(st.sampled_from([b"host", b"origin", b"sec-fetch-site", b"cookie"]), VALUES),
        max_size=6,
    ),
    st.sampled_from([LOOPBACK, None]),
)
def test_any_headers_are_let_in_or_refused(
    headers: list[tuple[bytes, bytes]], hosts: frozenset[str] | None
) -> None:
    fault = fault_of(_scope(*headers), hosts)
    if fault is not None:
        assert fault.status in (400, 403)
        return
    names = [name.encode() for name in hosts or ()]
    [host] = [value for name, value in headers if name == b"host"]
    origins = [value for name, value in headers if name == b"origin" and value]
    assert len(origins) <= 1
    assert all(own.lower().endswith(b"://" + host.lower()) for own in origins)
    if hosts is not None:
        assert any(host.lower().startswith((name, b"[%s]" % name)) for name in names)


@given(
    host=st.sampled_from(["localhost", "127.0.0.1", "[::1]", "LOCALHOST"]),
    port=st.none() | st.integers(1, 65535),
    scheme=st.sampled_from(["http", "https"]),
)
def test_every_name_of_this_machine_is_let_in(host: str, port: int | None, scheme: str) -> None:
    name = host if port is None else f"{host}:{port}"
    headers = [(b"host", name.encode()), (b"origin", f"{scheme}://{name}".lower().encode())]
    assert fault_of(_scope(*headers), LOOPBACK) is None


@pytest.mark.parametrize(
    "headers",
    [{}, {"Origin": AN_ORIGIN}, {"Origin": AN_ORIGIN, "Sec-Fetch-Site": "same-origin"}],
    ids=str,
)
def test_its_own_pages_and_what_is_no_browser_are_let_in(
    client: TestClient, headers: dict[str, str]
) -> None:
    said = client.post("/submissions/runs", headers=headers)
    assert said.status_code == 299
    # Gradio answers to an origin by letting its pages read the answer.
    assert "origin" not in said.json()["headers"]


def test_signing_in_is_let_in_and_only_read(client: TestClient) -> None:
    assert client.get("/login/huggingface").status_code == 299
    assert client.post("/login/huggingface").status_code == 404


@pytest.mark.parametrize("path", ["/login/huggingface", "/login/callback", "/logout"])
def test_nobody_signs_in_under_a_name_that_is_not_this_machines(
    client: TestClient, path: str
) -> None:
    said = client.get(path, headers={"Host": "shelf.example.org"})
    assert said.status_code == 403


@pytest.mark.parametrize("origin", ["cross-site", "same-site"])
def test_no_other_site_signs_out(client: TestClient, origin: str) -> None:
    headers = {"Sec-Fetch-Site": origin}
    assert client.get("/logout", headers=headers).status_code == 403
    # The Hub's page leads back here.
    assert client.get("/login/callback", headers=headers).status_code == 299
    for own in ("same-origin", "none"):
        assert client.get("/logout", headers={"Sec-Fetch-Site": own}).status_code == 299


def test_there_is_no_websocket(client: TestClient) -> None:
    with (
        pytest.raises((WebSocketDisconnect, WebSocketDenialResponse)),
        client.websocket_connect("/submissions/list"),
    ):
        pass


def test_data_of_another_state_are_not_taken_in(site: Site) -> None:
    other = site_of(hostile_aggregate(7, 3))
    for name in ("data/catalogue.js", "data/board-0.js"):
        texts = [own.pages[name].plain().decode() for own in (site, other)]
        states = [text.split("SHELF_DATA.state ??= ")[1].split(")")[0] for text in texts]
        assert states[0] != states[1]
    catalogue, board = (site.pages[f"data/{name}.js"].plain() for name in ("catalogue", "board-0"))
    assert catalogue.splitlines()[:2] == board.splitlines()[:2]


def test_the_same_results_have_the_same_tags(site: Site) -> None:
    again = site_of(AGGREGATE)
    assert {name: page.tag for name, page in again.pages.items()} == {
        name: page.tag for name, page in site.pages.items()
    }


def test_runs_are_found_on_their_boards(site: Site) -> None:
    [board] = AGGREGATE.boards
    expected = {
        row.run_id: (board.key, AGGREGATE.models[row.model].key)
        for row in board.rows
        if row.run_id is not None
    }
    assert dict(site.places) == expected


def test_a_server_says_that_it_takes_submissions(site: Site) -> None:
    assert "SHELF.served = true" in site.pages["js/served.js"].plain().decode()
