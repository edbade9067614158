"""The Space on a port of this machine, a service of submissions without one, and what both take."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from stored_runs import TARGET, passes

from evaluate_shelf.submissions.archive import opened
from evaluate_shelf.submissions.records import Check
from evaluate_shelf.submissions.refusals import Refused
from evaluate_shelf.submissions.store import Store
from space.serving.desk import Sender, Taken
from space.serving.people import Maintainers
from space.serving.pool import Pool
from space.serving.service import Service
from space.serving.site import Site
from space.serving.uploads import Upload, Uploads

if TYPE_CHECKING:
    from space.app import Space

MAINTAINERS = "a token that only maintainers of this test hold"
ZIP = {"Content-Type": "application/zip"}


class QuickDesk:
    """Puts runs into a store with a check of a test."""

    def __init__(self, store: Store, check: Check = passes) -> None:
        self.store = store
        self.check = check

    def take(self, upload: Upload, sender: Sender) -> Taken:
        found = self.store.receive(
            lambda folder: opened(upload.path, folder),
            digest=upload.sha256,
            user=sender.user,
            check=self.check,
        )
        if found.state == "refused":
            raise Refused(str(found.reason))
        return Taken(found, None, found.user != sender.user)


def service_of(
    store: Store,
    folder: Path,
    *,
    check: Check = passes,
    pool: Pool | None = None,
    changed: Callable[[], None] = lambda: None,
) -> Service:
    """A service over a store, whose site shows nothing."""
    return Service(
        desk=QuickDesk(store, check),
        store=store,
        target=TARGET,
        releases=(),
        named_releases=("a release",),
        results=None,
        rates=store.database,
        uploads=Uploads(folder),
        pool=pool or Pool(),
        maintainers=Maintainers(MAINTAINERS),
        site=lambda: Site({}, {}),
        changed=changed,
        behind_proxy=False,
        sign_in=False,
    )


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def serving_space(space: Space) -> Iterator[str]:
    """Serve until the block ends; gives the address, without a slash at its end."""
    try:
        yield space.start(free_port()).rstrip("/")
    finally:
        space.close()
