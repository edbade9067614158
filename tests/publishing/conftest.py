"""Two releases, a Hub that takes them, and ways to publish: in this process or in another."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from huggingface_hub.utils.tqdm import disable_progress_bars, enable_progress_bars
from loopback_hub import hub_environment
from shelf_process import Shelf, shelf_in
from writable_hub import WRITER, WritableHub, writable_hub

from evaluate_shelf.publishing import Published, Reporter, publish
from evaluate_shelf.publishing.plan import Plan
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.release.manifest import Manifest
from evaluate_shelf.release.verification import verify_release


@pytest.fixture(scope="session")
def first_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release that ships with SHELF; no test may change it."""
    folder = tmp_path_factory.mktemp("first") / "release"
    shutil.copytree(shipped_release(), folder)
    return folder


@pytest.fixture(scope="session")
def second_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One config of other documents, so that it lacks files of the first; not to be changed."""
    folder = tmp_path_factory.mktemp("second") / "release"
    arguments = ("build", "v0_4_core", "--documents", "260", "--seed", "7", "--out", str(folder))
    subprocess.run([sys.executable, "-m", "evaluate_shelf", *arguments], check=True, timeout=300)
    return folder


@pytest.fixture(scope="session")
def verified(first_release: Path, second_release: Path) -> Callable[[Path], Manifest]:
    """A verification that looks at the two releases, which nobody changes, only once."""
    known = {folder: verify_release(folder) for folder in (first_release, second_release)}
    return lambda folder: known.get(folder) or verify_release(folder)


@pytest.fixture
def hub() -> Iterator[WritableHub]:
    """An empty Hub."""
    with writable_hub() as server:
        yield server


class Told(Reporter):
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.plans: list[Plan] = []
        self.warnings: list[str] = []
        self.made: list[str] = []
        self.waits: list[tuple[float, str]] = []

    def planned(self, plan: Plan) -> None:
        self.plans.append(plan)

    def warned(self, message: str) -> None:
        self.warnings.append(message)

    def created(self, repo_id: str) -> None:
        self.made.append(repo_id)

    def waiting(self, seconds: float, reason: str) -> None:
        self.waits.append((seconds, reason))


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def waits() -> list[float]:
    """Seconds between attempts, none of which was waited for."""
    return []


@pytest.fixture
def push(
    hub: WritableHub,
    waits: list[float],
    verified: Callable[[Path], Manifest],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[..., Published]]:
    """Publish from this process, to this machine alone, without waiting."""
    monkeypatch.setattr("evaluate_shelf.publishing.push.verify_release", verified)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    # The Hub's client waits, too, between its own attempts.
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda seconds: None)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_TELEMETRY", False)
    asked: set[object] = set()
    look_up = socket.getaddrinfo

    def look_up_here(host: object, port: object, *arguments: object, **options: object) -> object:
        asked.add((host, port))
        assert (host, port) == hub_address
        return look_up(host, port, *arguments, **options)  # type: ignore[call-overload]

    hub_address = ("127.0.0.1", int(hub.url.rsplit(":", 1)[1]))
    monkeypatch.setattr(socket, "getaddrinfo", look_up_here)

    def run(folder: Path, repo: str = "owner/shelf", **options: object) -> Published:
        settings = {"token": WRITER, "endpoint": hub.url, "wait": waits.append, **options}
        return publish(folder, repo, **settings)  # type: ignore[arg-type]

    disable_progress_bars()
    yield run
    enable_progress_bars()
    # Whatever the client may have swallowed.
    assert asked <= {hub_address}


@pytest.fixture
def environment(hub: WritableHub, tmp_path: Path) -> dict[str, str]:
    """The environment of a process whose Hub is the one on this machine."""
    return {**hub_environment(hub.url, tmp_path), "HF_TOKEN": WRITER}


@pytest.fixture
def shelf(environment: dict[str, str], tmp_path: Path) -> Shelf:
    """Run `shelf` with arguments in an empty folder; keywords set or unset (None) variables."""
    return shelf_in(tmp_path, env=environment, timeout=300)
