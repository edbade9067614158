"""The served Space: the static site at "/", and submissions beside it.

`shelf space` serves it, or this file as a script on the Hub. There the environment says what is
shown and taken; see README.md.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from starlette.applications import Starlette

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.release.manifest import read_manifest
from evaluate_shelf.release.needed import folder_to_evaluate
from evaluate_shelf.submissions.evaluating import target_of
from evaluate_shelf.submissions.store import Store

# On the Hub this file is a script in a folder that is no package.
if __package__:
    from space.serving.desk import Desk, PullRequestDesk, StoreDesk
    from space.serving.forms import submissions
    from space.serving.gate import LOOPBACK, SUBMISSIONS, Gate, Receive, Scope, Send
    from space.serving.people import Maintainers
    from space.serving.pool import Pool
    from space.serving.renewal import Shown
    from space.serving.server import Server
    from space.serving.service import Service
    from space.serving.signing import HOSTS, can_sign_in, on_the_hub, signing_in
    from space.serving.sources import OnTheHub, Runs, Source, source_of
    from space.serving.temporary import temporary_folder
    from space.serving.uploads import Uploads
else:
    from serving.desk import Desk, PullRequestDesk, StoreDesk
    from serving.forms import submissions
    from serving.gate import LOOPBACK, SUBMISSIONS, Gate, Receive, Scope, Send
    from serving.people import Maintainers
    from serving.pool import Pool
    from serving.renewal import Shown
    from serving.server import Server
    from serving.service import Service
    from serving.signing import HOSTS, can_sign_in, on_the_hub, signing_in
    from serving.sources import OnTheHub, Runs, Source, source_of
    from serving.temporary import temporary_folder
    from serving.uploads import Uploads

LOG = logging.getLogger("shelf.space")

_PORT = 7860


class Space:
    """What is served: `Gate`, and behind it submissions and signing in.

    Parameters
    ----------
    shown : Shown
        The site.
    service : Service
        Of submissions.
    """

    def __init__(self, shown: Shown, service: Service) -> None:
        self._shown = shown
        self._service = service
        self._gate = Gate(shown.site, None if on_the_hub() else _hosts())
        self._behind = signing_in() if service.sign_in else Starlette()
        self._behind.mount(SUBMISSIONS, submissions(service))
        self._server: Server | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as ASGI has it."""
        await self._gate(scope, receive, send, self._behind)

    def start(self, port: int) -> str:
        """Serve in the background, on this machine alone unless this is the Hub; gives the address.

        Parameters
        ----------
        port : int
            Where to listen.

        Raises
        ------
        ShelfError
            If the port is taken.
        """
        host = "0.0.0.0" if on_the_hub() else "127.0.0.1"  # noqa: S104
        try:
            self._server = Server(self, host, port)
        except OSError as error:
            raise ShelfError(f"port {port} is taken; choose another with --port") from error
        self._server.start()
        self._shown.start()
        return f"http://{host}:{port}/"

    def close(self) -> None:
        """End it; what is being checked is not waited for."""
        self._shown.close()
        self._service.pool.close()
        if self._server is not None:
            self._server.close()


def space_app(
    address: str | None = None, *, store: Path | None = None, data: Sequence[str] = ()
) -> Space:
    """Build the Space; nothing is served yet.

    Parameters
    ----------
    address : str, default=None
        What is shown, as `serving.sources.source_of` takes it.
    store : pathlib.Path, default=None
        The store of submissions; it is made where there is none. Runs that are sent go there.
        Without it they are proposed to the results repository that `address` names on the Hub.
    data : sequence of str, default=()
        Releases, folders or Hub dataset ids, that runs are scored on. The first is what models are
        evaluated on that are asked for.

    Returns
    -------
    Space

    Raises
    ------
    ShelfError
        If something of that is missing or damaged.
    """
    maintainers = Maintainers.of_environment()
    if store is not None and not data:
        raise ShelfError("--store needs --data RELEASE: runs are checked against its labels")
    is_remote = address is not None and address.startswith("hf:")
    # What a pull request is checked against may have to be fetched, which can wait.
    releases = () if is_remote else tuple(folder_to_evaluate(own) for own in data)
    opened = None if store is None else Store.create(store)
    source = source_of(address, releases, opened)
    shown = Shown(source)
    desk, results = _desk(source, opened, releases, data)
    sign_in = can_sign_in(results)
    place = temporary_folder()
    service = Service(
        desk=desk if opened is not None or sign_in else None,
        store=opened,
        target=target_of(releases[0], None, None) if opened is not None else None,
        releases=releases,
        named_releases=tuple(map(_named, releases)) or tuple(map(_public_name, data)),
        results=results,
        rates=(opened or Store.create(place / "rates")).database,
        uploads=Uploads(place),
        pool=Pool(),
        maintainers=maintainers,
        site=shown.site,
        changed=shown.renew,
        behind_proxy=on_the_hub(),
        sign_in=sign_in,
    )
    return Space(shown, service)


def serve(
    address: str | None, port: int, *, store: Path | None = None, data: Sequence[str] = ()
) -> None:
    """Serve the Space until the process is interrupted.

    Parameters
    ----------
    address, store, data
        As for `space_app`.
    port : int
        Where to listen.

    Raises
    ------
    ShelfError
        As `space_app`, and if the port is taken.
    """
    # What ends a service is as good as Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    space = space_app(address, store=store, data=data)
    sys.stderr.write(f"shelf: {space.start(port)} shows the leaderboard; Ctrl-C ends it\n")
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()
    # Closing waits for open connections; a second interruption ends that.
    with contextlib.suppress(KeyboardInterrupt):
        space.close()


def _desk(
    source: Source, store: Store | None, releases: Sequence[Path], data: Sequence[str]
) -> tuple[Desk | None, str | None]:
    """Who takes runs, and the results repository that they are proposed to."""
    if store is not None:
        return StoreDesk(store, releases, source.runs if isinstance(source, Runs) else ()), None
    if not isinstance(source, OnTheHub):
        return None, None
    results = source.results
    if not data:
        return None, results.name

    @functools.cache
    def fetched() -> tuple[Path, ...]:
        return tuple(folder_to_evaluate(own) for own in data)

    return PullRequestDesk(results, fetched), results.name


def _named(release: Path) -> str:
    manifest = read_manifest(release)
    return f"{manifest.name} ({manifest.release_id})"


def _public_name(release: str) -> str:
    """What visitors may see of a release that is not opened yet: no folders of this machine."""
    return Path(release).name if Path(release).exists() else release


def _hosts() -> frozenset[str]:
    more = os.environ.get(HOSTS, "").replace(",", " ").split()
    return LOOPBACK | {name.lower() for name in more}


def main() -> None:
    """Serve what the environment names; status 2 if it is missing or damaged."""
    environment = os.environ
    logging.basicConfig()
    LOG.setLevel(logging.INFO)
    store = environment.get("SHELF_STORE")
    try:
        serve(
            environment.get("SHELF_RESULTS") or None,
            int(environment.get("GRADIO_SERVER_PORT", _PORT)),
            store=Path(store) if store else None,
            data=environment.get("SHELF_DATA", "").split(),
        )
    except ShelfError as error:
        sys.stderr.write(f"shelf: {error}\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
