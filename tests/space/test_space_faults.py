from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from stored_runs import TARGET, Clock, store_in

pytest.importorskip("starlette", reason="the extra `space` is not installed")

from served_space import MAINTAINERS, ZIP, service_of
from starlette.testclient import TestClient
from submitted_runs import kept_run

from evaluate_shelf.submissions import archive, database
from evaluate_shelf.submissions import store as store_of_runs
from evaluate_shelf.submissions.pack import pack_run
from evaluate_shelf.submissions.queue import Queue
from evaluate_shelf.submissions.store import Store
from space.serving import uploads
from space.serving.forms import submissions
from space.serving.people import guest_of

AUTHORIZED = {"Authorization": f"Bearer {MAINTAINERS}"}
CODE = "a" * 24


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_in(tmp_path / "store", Clock())


@pytest.fixture
def identity(store: Store) -> str:
    return Queue(store).enqueue("owner/name", TARGET, guest_of(CODE)).id


@pytest.fixture
def client(store: Store, tmp_path: Path) -> Iterator[TestClient]:
    (tmp_path / "incoming").mkdir()
    own = submissions(service_of(store, tmp_path / "incoming"))
    with TestClient(own, client=("192.0.2.1", 1)) as made:
        yield made


def asked_for(client: TestClient, identity: str) -> dict[str, tuple[int, str]]:
    """What each endpoint says that needs the store: status and text."""
    answers = {
        "list": client.get("/list"),
        "one": client.get(f"/model/{identity}"),
        "run": client.post("/runs", content=b"PK", headers=ZIP),
        "model": client.post("/models", json={"model": "a/b"}),
        "withdraw": client.post("/withdraw", json={"id": identity, "code": CODE}),
        "refuse": client.post(f"/{identity}/refuse", json={"reason": "x"}, headers=AUTHORIZED),
    }
    return {name: (own.status_code, own.text) for name, own in answers.items()}


def damaged(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = path.read_bytes()
    path.write_bytes(content[:100] + bytes(len(content) - 100))


def test_a_damaged_store_is_nobodys_fault_who_asks(
    client: TestClient, store: Store, identity: str, caplog: pytest.LogCaptureFixture
) -> None:
    damaged(store.database.path)
    for name, (status, text) in asked_for(client, identity).items():
        assert status == 503, name
        assert str(store.folder) not in text
        assert "sqlite" not in text
    assert str(store.database.path) in caplog.text


@pytest.mark.parametrize("change", ["state = 'x'", "asked = zeroblob(3)", "queued = 'never'"])
def test_a_damaged_row_is_nobodys_fault_who_asks(
    client: TestClient, store: Store, identity: str, change: str
) -> None:
    with closing(sqlite3.connect(store.database.path, isolation_level=None)) as other:
        other.execute("PRAGMA ignore_check_constraints = ON")
        other.execute(f"UPDATE jobs SET {change}")
    for path in ("/list", f"/model/{identity}"):
        said = client.get(path)
        assert (said.status_code, set(said.json())) == (503, {"error"})


def test_a_locked_store_is_nobodys_fault_who_asks(
    client: TestClient, store: Store, identity: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_BUSY_SECONDS", 0.01)
    with closing(sqlite3.connect(store.database.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        answers = {name: status for name, (status, _) in asked_for(client, identity).items()}
        other.execute("ROLLBACK")
    # Whoever only reads does not wait for whoever writes.
    assert {name for name, status in answers.items() if status == 200} == {"list", "one"}
    assert {status for name, status in answers.items() if name not in ("list", "one")} == {503}
    assert client.post("/models", json={"model": "a/b"}).status_code == 201


def test_who_is_told_of_a_fault_is_told_when_to_come_again(
    client: TestClient, store: Store, identity: str
) -> None:
    damaged(store.database.path)
    assert int(client.get("/list").headers["retry-after"]) > 0


def _full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/a/place/of/this/machine")


def _kept(store: Store) -> list[Path]:
    files = (path for path in store.folder.rglob("*") if path.is_file())
    return sorted(path for path in files if "sqlite" not in path.name)


class _FullDisk:
    """Temporary files in which nothing has room, or which cannot even be made."""

    def __init__(self, *, made: bool) -> None:
        self.made = made

    def __call__(self, **settings: Any) -> Any:
        if not self.made:
            _full()
        file = tempfile.NamedTemporaryFile(**settings)  # noqa: SIM115 - whoever asked closes it
        file.write = _full  # type: ignore[assignment]
        return file


@pytest.mark.parametrize(
    ("place", "name", "what"),
    [
        (uploads, "NamedTemporaryFile", _FullDisk(made=False)),
        (uploads, "NamedTemporaryFile", _FullDisk(made=True)),
        (archive, "_written", _full),
        (store_of_runs, "write_through", _full),
        (Store, "put", _full),
    ],
)
def test_on_a_full_disk_nothing_is_taken_and_nothing_stays(
    client: TestClient,
    store: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    place: Any,
    name: str,
    what: Any,
) -> None:
    content = pack_run(kept_run(tasks=("same_lcc_pairs",)), tmp_path / "run.zip").path.read_bytes()
    before = _kept(store)
    with monkeypatch.context() as full:
        full.setattr(place, name, what)
        said = client.post("/runs", content=content, headers=ZIP)
    assert (said.status_code, set(said.json())) == (503, {"error"})
    assert int(said.headers["retry-after"]) > 0
    assert "/a/place" not in said.text
    assert not [own for own in caplog.records if own.exc_info]
    assert list((tmp_path / "incoming").iterdir()) == []
    assert before == _kept(store)
    assert client.get("/list").json()["of"] == 0
    assert client.post("/runs", content=content, headers=ZIP).status_code == 201
