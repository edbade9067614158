"""What maintainers decide, who send the token of the server's environment."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.submissions.archive import opened
from evaluate_shelf.submissions.checking import checked
from evaluate_shelf.submissions.database import DatabaseError
from evaluate_shelf.submissions.job_records import Job
from evaluate_shelf.submissions.queue import Queue
from evaluate_shelf.submissions.records import Submission
from evaluate_shelf.submissions.refusals import Refused
from evaluate_shelf.submissions.store import Store

from .answers import NotDoneError, answer
from .service import Service
from .status import entry, sent
from .uploads import Upload, asked

_WHO = "maintainer"


class Accepted(BaseModel):
    """Nothing more is said."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Reason(BaseModel):
    """Why something is refused, for whoever sent it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]


class Maintaining:
    """Endpoints of maintainers.

    Parameters
    ----------
    service : Service
        What there is.
    """

    def __init__(self, service: Service) -> None:
        self._service = service

    def routes(self) -> list[Route]:
        """Their paths, below that of submissions."""
        return [
            Route("/{identity:str}/accept", self.accept, methods=["POST"]),
            Route("/{identity:str}/refuse", self.refuse, methods=["POST"]),
            Route("/{identity:str}/verify", self.verify, methods=["POST"]),
        ]

    async def accept(self, request: Request) -> Response:
        """Let a run that was held into the table, as unverified."""
        store, found = await self._asked_for(request)
        await asked(request, Accepted)
        if not isinstance(found, Submission):
            raise NotDoneError(409, "Only runs are accepted; a model waits for a worker.")
        return await self._decided(partial(store.accept, found.id, _WHO))

    async def refuse(self, request: Request) -> Response:
        """Take a run out of the table, or a model out of the queue."""
        store, found = await self._asked_for(request)
        reason = (await asked(request, Reason)).reason
        if isinstance(found, Submission):
            return await self._decided(partial(store.refuse, found.id, reason, _WHO))
        return await self._decided(partial(Queue(store).refuse, found.id, reason, _WHO))

    async def verify(self, request: Request) -> Response:
        """Mark a run as verified: the body is the archive of a run that was made anew."""
        store, found = await self._asked_for(request)
        if not isinstance(found, Submission):
            raise NotDoneError(409, "Only runs are verified.")
        service = self._service
        async with service.uploads.received(request, service.address(request)) as upload:
            verified = partial(_verified, store, service.releases, found.id, upload)
            await service.pool.run(partial(_of_state, verified))
        return await self._decided(partial(store.get, found.id))

    async def _asked_for(self, request: Request) -> tuple[Store, Submission | Job]:
        """The store, and what a maintainer decides on."""
        service = self._service
        await run_in_threadpool(service.count, "request", request, None)
        if not service.maintainers.asks(request):
            raise NotDoneError(403, "That takes the token of a maintainer.")
        identity = request.path_params["identity"]
        store = service.store
        found = None if store is None else await run_in_threadpool(sent, store, identity)
        if store is None or found is None:
            raise NotDoneError(404, "There is no such submission.")
        return store, found

    async def _decided(self, decide: Callable[[], Submission | Job]) -> Response:
        found = await run_in_threadpool(_of_state, decide)
        self._service.changed()
        return answer({"submission": entry(found, self._service.site())})


def _of_state(decide: Callable[[], Submission | Job]) -> Submission | Job:
    """Decide; what the state of a submission does not let be is a conflict."""
    try:
        return decide()
    except (Refused, DatabaseError):
        raise
    except ShelfError as error:
        raise NotDoneError(409, str(error)) from error


def _verified(store: Store, releases: Sequence[Path], identity: str, upload: Upload) -> Submission:
    with tempfile.TemporaryDirectory(prefix="verified-", dir=upload.path.parent) as place:
        folder = Path(place) / "run"
        opened(upload.path, folder)
        checked(folder, releases)
        return store.verify(identity, folder, _WHO)
