from __future__ import annotations

import io
import re
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from stored_runs import TARGET, Clock, store_in, written_run

pytest.importorskip("starlette", reason="the extra `space` is not installed")

from served_space import MAINTAINERS, ZIP, QuickDesk, service_of
from starlette.requests import Request
from starlette.testclient import TestClient

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.submissions.contents import ARCHIVE_BYTES
from evaluate_shelf.submissions.leases import Leases
from evaluate_shelf.submissions.queue import Queue
from evaluate_shelf.submissions.rates import ADDRESS_LIMITS
from evaluate_shelf.submissions.records import Passed
from evaluate_shelf.submissions.refusals import Refused
from evaluate_shelf.submissions.store import Store
from space.serving.desk import StoreDesk
from space.serving.forms import submissions
from space.serving.people import Maintainers, address_of, guest_of, new_code
from space.serving.pool import Pool
from space.serving.service import Service
from space.serving.site import Site

AUTHORIZED = {"Authorization": f"Bearer {MAINTAINERS}"}
HELD = Passed(flags=("it is too good",))
NOBODY = "0" * 64


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Store:
    return store_in(tmp_path / "store", clock)


@pytest.fixture
def service(store: Store, tmp_path: Path) -> Service:
    (tmp_path / "incoming").mkdir()
    return service_of(store, tmp_path / "incoming")


@pytest.fixture
def client(service: Service) -> Iterator[TestClient]:
    yield from _client(service)


def _client(service: Service) -> Iterator[TestClient]:
    with TestClient(
        submissions(service), client=("192.0.2.1", 1), raise_server_exceptions=True
    ) as own:
        yield own


def _archive(folder: Path, name: str = "owner/name", **model: object) -> bytes:
    """A run in an archive; nothing here looks at more than its form."""
    run = written_run(_made(folder / f"run-{len(list(folder.iterdir()))}"), name, **model)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted(run.iterdir()):
            archive.write(path, path.name)
    return packed.getvalue()


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _error(said: Any, status: int) -> str:
    assert said.status_code == status, said.text
    assert set(said.json()) == {"error"}
    text = str(said.json()["error"])
    assert text
    assert "\n" not in text
    assert not re.search(r"(^|\s)/\w+/", text)
    return text


def _left(folder: Path) -> list[Path]:
    return list((folder / "incoming").iterdir())


def test_a_run_is_taken_listed_and_withdrawn_with_its_code(
    client: TestClient, store: Store, tmp_path: Path
) -> None:
    sent = client.post("/runs", content=_archive(tmp_path), headers=ZIP)
    assert sent.status_code == 201
    own, code = sent.json()["submission"], sent.json()["code"]
    assert (own["state"], own["model"], own["by"]) == ("unverified", "owner/name", None)
    assert store.run_folder(own["id"]).is_dir()
    [listed] = client.get("/list").json()["submissions"]
    assert listed == own
    whole = client.get(f"/run/{own['id']}").json()
    assert whole.items() >= own.items()
    assert [event["state"] for event in whole["events"]] == ["unverified"]
    for path in ("/list", f"/run/{own['id']}"):
        assert code not in client.get(path).text

    for wrong in ({"code": new_code()}, {}):
        _error(client.post("/withdraw", json={"id": own["id"], **wrong}), 403)
    _error(client.post("/withdraw", json={"id": own["id"], "code": "x"}), 400)
    _error(client.post("/withdraw", json={"id": NOBODY, "code": code}), 404)
    done = client.post("/withdraw", json={"id": own["id"], "code": code})
    assert done.json()["submission"]["state"] == "withdrawn"
    assert not store.run_folder(own["id"]).exists()
    _error(client.post("/withdraw", json={"id": own["id"], "code": code}), 409)
    assert _left(tmp_path) == []


def test_a_run_that_was_sent_before_is_not_the_seconds(client: TestClient, tmp_path: Path) -> None:
    archive = _archive(tmp_path)
    first = client.post("/runs", content=archive, headers=ZIP).json()
    again = client.post("/runs", content=archive, headers=ZIP)
    assert (again.status_code, again.json()["known"], again.json()["code"]) == (200, True, None)
    assert again.json()["submission"]["id"] == first["submission"]["id"]


def test_a_refused_run_says_why_and_leaves_nothing(
    service: Service, store: Store, tmp_path: Path
) -> None:
    def refuse(run: Path) -> Passed:
        raise Refused(f"{run}/items/x.parquet: a label that is none", "for the log")

    for client in _client(replace(service, desk=QuickDesk(store, refuse))):
        said = _error(client.post("/runs", content=_archive(tmp_path), headers=ZIP), 422)
        assert said == "x.parquet: a label that is none"
        _error(client.post("/runs", content=b"PK no archive", headers=ZIP), 422)
        # A refusal is told by its id, and by no list.
        assert client.get("/list").json() == {"submissions": [], "of": 0}
        refused = [client.get(f"/run/{own.id}").json() for own in store.submissions()]
        assert len(refused) == 2
        assert said in [own["reason"] for own in refused]
    assert list(store.folder.glob("runs/*")) == []
    assert list(store.folder.glob("scratch/*")) == []
    assert _left(tmp_path) == []


def test_a_body_may_not_be_too_large(client: TestClient, store: Store, tmp_path: Path) -> None:
    said = client.post(
        "/runs", content=b"", headers={**ZIP, "Content-Length": str(ARCHIVE_BYTES + 1)}
    )
    assert "64 MiB" in _error(said, 413)
    assert "16 KiB" in _error(client.post("/models", json={"model": "a" * 20_000}), 413)
    for nonsense in ("-1", "1e9", "9" * 30, "١"):
        headers = {**ZIP, "Content-Length": nonsense.encode()}
        _error(client.post("/runs", content=b"", headers=headers), 413)
    assert store.submissions() == []
    assert _left(tmp_path) == []


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/runs", "multipart/form-data; boundary=x"),
        ("/runs", "application/x-www-form-urlencoded"),
        ("/runs", "text/plain"),
        ("/runs", "application/json"),
        ("/runs", ""),
        ("/models", "text/plain"),
        ("/models", "application/x-www-form-urlencoded"),
        ("/models", "application/zip"),
        ("/withdraw", "text/plain; charset=application/json"),
    ],
)
def test_kinds_that_a_form_of_another_site_can_send_are_not_taken(
    client: TestClient, path: str, kind: str
) -> None:
    _error(client.post(path, content=b"{}", headers={"Content-Type": kind}), 415)


def test_a_packed_body_is_not_unpacked(client: TestClient) -> None:
    _error(client.post("/runs", content=b"x", headers={**ZIP, "Content-Encoding": "gzip"}), 415)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/models", b"{"),
        ("/models", b'{"model": 1}'),
        ("/models", b"{}"),
        ("/models", b'{"model": "a/b", "user": "root"}'),
        ("/models", b'{"model": "<script>alert(1)</script>"}'),
        ("/models", b'{"model": "../../etc/passwd"}'),
        ("/models", b'{"model": "st:/etc"}'),
        ("/models", b'{"model": "=cmd()/x"}'),
        ("/models", b"[" * 15_000),
        ("/models", b'{"model": "a/b", "model": "a/b"}'),
        ("/models", b'{"model": "a/b", "m\\u006fdel": "c/d"}'),
        ("/withdraw", b'{"id": "../x", "code": "x"}'),
        ("/withdraw", b'{"id": null}'),
        ("/runs", b""),
    ],
)
def test_what_means_nothing_is_said(
    client: TestClient, store: Store, path: str, body: bytes
) -> None:
    kind = ZIP if path == "/runs" else {"Content-Type": "application/json"}
    text = _error(client.post(path, content=body, headers=kind), 400)
    assert "script" not in text or "model '<script>" in text
    assert client.get("/list").json() == {"submissions": [], "of": 0}


def test_a_model_is_asked_for_once(client: TestClient) -> None:
    first = client.post("/models", json={"model": " intfloat/e5-small "})
    assert first.status_code == 201
    own = first.json()["submission"]
    assert (own["kind"], own["state"], own["model"]) == ("model", "queued", "intfloat/e5-small")
    again = client.post("/models", json={"model": "intfloat/e5-small"})
    assert (again.status_code, again.json()["known"], again.json()["code"]) == (200, True, None)
    assert client.get(f"/model/{own['id']}").json()["state"] == "queued"
    _error(client.get(f"/run/{own['id']}"), 404)
    taken_back = {"id": own["id"], "code": first.json()["code"]}
    assert client.post("/withdraw", json=taken_back).json()["submission"]["state"] == "withdrawn"


@pytest.mark.parametrize("identity", [NOBODY, "x", "..%2f..%2fetc", "%00", "a" * 5000, "🙂"])
def test_an_id_that_is_none_is_not_found(client: TestClient, identity: str) -> None:
    for kind in ("run", "model", "other"):
        _error(client.get(f"/{kind}/{identity}"), 404)
    for action in ("accept", "refuse", "verify"):
        said = client.post(f"/{identity}/{action}", json={}, headers=AUTHORIZED)
        _error(said, 404)


def test_too_much_from_one_address_is_not_taken_until_there_is_room(
    client: TestClient, service: Service, clock: Clock
) -> None:
    most = ADDRESS_LIMITS["model"]
    for number in range(most.most):
        assert client.post("/models", json={"model": f"owner/m{number}"}).status_code == 201
    said = client.post("/models", json={"model": "owner/more"})
    _error(said, 429)
    assert 0 < int(said.headers["retry-after"]) <= most.seconds
    # What a stranger says of where it comes from counts for nothing here.
    spoofed = {"X-Forwarded-For": "198.51.100.7"}
    _error(client.post("/models", json={"model": "owner/more"}, headers=spoofed), 429)
    with TestClient(submissions(service), client=("192.0.2.2", 1)) as other:
        assert other.post("/models", json={"model": "owner/more"}).status_code == 201
    clock.forward(most.seconds + 1)
    assert client.post("/models", json={"model": "owner/last"}).status_code == 201


def test_only_who_holds_the_token_decides(service: Service, store: Store, tmp_path: Path) -> None:
    for client in _client(replace(service, desk=QuickDesk(store, lambda _: HELD))):
        own = client.post("/runs", content=_archive(tmp_path), headers=ZIP).json()["submission"]
        assert (own["state"], own["flags"]) == ("received", ["it is too good"])
        for value in ("", MAINTAINERS, f"Bearer {MAINTAINERS[:-1]}", f"Basic {MAINTAINERS}"):
            said = client.post(f"/{own['id']}/accept", json={}, headers={"Authorization": value})
            _error(said, 403)
        assert store.get(own["id"]).state == "received"
        done = client.post(f"/{own['id']}/accept", json={}, headers=AUTHORIZED)
        assert done.json()["submission"]["state"] == "unverified"
        _error(client.post(f"/{own['id']}/accept", json={}, headers=AUTHORIZED), 409)
        for empty in ({}, {"reason": ""}, {"reason": " \n"}):
            said = client.post(f"/{own['id']}/refuse", json=empty, headers=AUTHORIZED)
            assert "String" not in _error(said, 400)
        reason = {"reason": "not <b>it</b>: see /tmp/x, 3/4, C:\\y and ~/z"}
        done = client.post(f"/{own['id']}/refuse", json=reason, headers=AUTHORIZED)
        assert done.json()["submission"]["state"] == "refused"
        assert done.json()["submission"]["reason"] == reason["reason"]
        whole = client.get(f"/run/{own['id']}").json()
        assert (whole["reason"], whole["events"][-1]["why"]) == (reason["reason"],) * 2


def test_without_a_token_in_the_environment_nobody_decides(service: Service) -> None:
    for client in _client(replace(service, maintainers=Maintainers(None))):
        for value in ("Bearer ", "Bearer None", "Bearer"):
            said = client.post(f"/{NOBODY}/accept", json={}, headers={"Authorization": value})
            _error(said, 403)
    with pytest.raises(ShelfError, match="24 characters"):
        Maintainers("short")


def test_a_maintainer_takes_a_model_out_of_the_queue(client: TestClient) -> None:
    own = client.post("/models", json={"model": "owner/name"}).json()["submission"]
    _error(client.post(f"/{own['id']}/accept", json={}, headers=AUTHORIZED), 409)
    reason = {"reason": "too large</b> for /srv/x"}
    said = client.post(f"/{own['id']}/refuse", json=reason, headers=AUTHORIZED)
    assert said.json()["submission"]["state"] == "failed"
    assert client.get(f"/model/{own['id']}").json()["reason"] == reason["reason"]
    assert client.get("/list").json()["submissions"][0]["reason"] == reason["reason"]


def test_neither_a_worker_nor_its_machine_is_named(
    client: TestClient, store: Store, clock: Clock
) -> None:
    worker, detail, folder = "node7.internal:4711", "node7 printed: killed", "/home/node7/models"
    queue, leases = Queue(store), Leases(store, most_attempts=2)
    job = queue.enqueue(f"st:{folder}/tiny", TARGET, "ann", allow_local=True)
    claim = leases.claim(TARGET, worker, local=True)
    assert claim is not None
    leases.fail(claim, "the Hub did not answer", again=True, detail=detail)
    clock.forward(3600)
    assert leases.claim(TARGET, worker, local=True) is not None
    clock.forward(3600)
    assert leases.claim(TARGET, worker, local=True) is None

    one = client.get(f"/model/{job.id}").json()
    assert (one["state"], one["model"]) == ("failed", "st:tiny")
    assert "was not heard of" in one["reason"]
    assert {event["by"] for event in one["events"]} == {"submitter", "worker", "clock"}
    for path in ("/list", f"/model/{job.id}"):
        assert "node7" not in client.get(path).text
    # Maintainers see both.
    events = store.events(job.id)
    assert {event.who for event in events} == {"ann", worker}
    assert [event.detail for event in events if event.detail] == [detail]


def test_what_nobody_foresaw_is_an_id_in_the_log(
    service: Service, store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: Path) -> Passed:
        raise ZeroDivisionError("/srv/secret/place")

    for client in _client(replace(service, desk=QuickDesk(store, fail))):
        text = _error(client.post("/runs", content=_archive(tmp_path), headers=ZIP), 500)
    assert "secret" not in text
    identity = re.findall(r"[0-9a-f]{12}", text)
    assert len(identity) == 1
    assert identity[0] in caplog.text
    assert "ZeroDivisionError" in caplog.text
    assert store.submissions() == []
    assert _left(tmp_path) == []


def test_no_more_is_taken_on_than_can_be_looked_at(
    service: Service, store: Store, tmp_path: Path
) -> None:
    began, go_on = threading.Event(), threading.Event()

    def check(_: Path) -> Passed:
        began.set()
        assert go_on.wait(60)
        return Passed()

    busy = replace(service, desk=QuickDesk(store, check), pool=Pool(threads=1, waiting=0))
    archive = _archive(tmp_path)
    answers: list[int] = []
    with TestClient(submissions(busy), client=("192.0.2.1", 1)) as client:
        sending = threading.Thread(
            target=lambda: answers.append(
                client.post("/runs", content=archive, headers=ZIP).status_code
            )
        )
        sending.start()
        assert began.wait(60)
        said = client.post("/runs", content=archive, headers=ZIP)
        _error(said, 503)
        assert said.headers["retry-after"]
        # Others are answered all the while.
        assert client.get("/list").status_code == 200
        go_on.set()
        sending.join()
        assert client.post("/runs", content=archive, headers=ZIP).status_code == 200
    assert answers == [201]


def test_a_fault_of_the_release_is_not_the_senders(
    service: Service, store: Store, tmp_path: Path
) -> None:
    desk = StoreDesk(store, [tmp_path / "no release"])
    for client in _client(replace(service, desk=desk)):
        text = _error(client.post("/runs", content=_archive(tmp_path), headers=ZIP), 503)
        assert "no release" not in text
    assert store.submissions() == []


def test_where_nothing_is_taken_nothing_is_there(service: Service) -> None:
    nothing = replace(service, desk=None, store=None, target=None)
    for client in _client(nothing):
        found = client.get("/service").json()
        assert [found[name] for name in ("runs", "models", "store")] == [False] * 3
        assert client.get("/list").json() == {"submissions": [], "of": 0}
        _error(client.post("/runs", content=b"x", headers=ZIP), 404)
        _error(client.post("/models", json={"model": "a/b"}), 404)
        _error(client.post("/withdraw", json={"id": NOBODY, "code": new_code()}), 404)
        _error(client.get("/none"), 404)
        _error(client.put("/runs"), 405)


def test_the_list_follows_what_happens_and_where_a_run_is_shown(
    service: Service, tmp_path: Path
) -> None:
    shown = [Site({}, {})]
    for client in _client(replace(service, site=lambda: shown[0])):
        own = client.post("/runs", content=_archive(tmp_path), headers=ZIP).json()["submission"]
        assert client.get("/list").json()["submissions"][0]["board"] is None
        run_id = client.get(f"/run/{own['id']}").json()["run_id"]
        shown[0] = Site({}, {run_id: ("a-board", "a-model")})
        [listed] = client.get("/list").json()["submissions"]
        assert (listed["board"], listed["key"]) == ("a-board", "a-model")
        client.post(f"/{own['id']}/refuse", json={"reason": "no"}, headers=AUTHORIZED)
        assert client.get("/list").json() == {"submissions": [], "of": 0}
        refused = client.get(f"/run/{own['id']}").json()
        assert (refused["state"], refused["board"], refused["model"]) == ("refused", None, None)


def test_a_guest_is_nobody_whom_the_hub_knows() -> None:
    codes = [new_code() for _ in range(50)]
    users = {guest_of(code) for code in codes}
    assert len(users) == 50
    assert all("+" in user for user in users)
    assert not [code for code in codes if any(code in user for user in users)]


@pytest.mark.parametrize(
    ("forwarded", "expected"),
    [
        ("203.0.114.9", "203.0.114.9"),
        ("1.1.1.1, 203.0.114.9", "203.0.114.9"),
        ("1.1.1.1, 203.0.114.9, 10.0.0.3", "203.0.114.9"),
        ("1.1.1.1, nonsense", "1.1.1.1"),
        ("10.0.0.3", "127.0.0.1"),
        ("", "127.0.0.1"),
    ],
)
def test_behind_the_hubs_proxies_what_they_add_counts(forwarded: str, expected: str) -> None:
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    request = Request({"type": "http", "headers": headers, "client": ("127.0.0.1", 1)})
    assert address_of(request, behind_proxy=True) == expected
    assert address_of(request, behind_proxy=False) == "127.0.0.1"
