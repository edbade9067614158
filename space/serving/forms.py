"""Endpoints that take something: a run, the name of a model, and what is taken back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.submissions.database import DatabaseError
from evaluate_shelf.submissions.job_records import Job
from evaluate_shelf.submissions.likeness import Digest
from evaluate_shelf.submissions.records import Submission

from .answers import NotDoneError, answer, failed
from .desk import Sender
from .maintaining import Maintaining
from .people import SignedIn, guest_of, new_code, signed_in
from .service import Service
from .status import Status, entry, sent
from .uploads import asked

Endpoint = Callable[[Request], Awaitable[Response]]

NOT_YOURS = "Only who sent it can withdraw it: with the code that was shown, or signed in."


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class WantedModel(_Asked):
    """A model that is to be evaluated: `owner/name`, or `owner/name@commit`."""

    model: Annotated[str, StringConstraints(strip_whitespace=True, max_length=300)]


class Withdrawal(_Asked):
    """What is taken back; the code of a guest."""

    id: Digest
    code: Annotated[str, StringConstraints(strip_whitespace=True, max_length=100)] | None = None


class Forms:
    """Endpoints that take something.

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
            Route("/runs", self.send_run, methods=["POST"]),
            Route("/models", self.ask_for_model, methods=["POST"]),
            Route("/withdraw", self.withdraw, methods=["POST"]),
        ]

    async def send_run(self, request: Request) -> Response:
        """Take a run: the body is the archive that `shelf pack` made."""
        service = self._service
        if service.desk is None:
            raise NotDoneError(404, "No runs are taken here.")
        if service.pool.is_full:
            raise service.pool.busy()
        desk, person = service.desk, signed_in(request)
        code, user = _user(person)
        await run_in_threadpool(service.count, "run", request, person)
        async with service.uploads.received(request, service.address(request)) as upload:
            taken = await service.pool.run(lambda: desk.take(upload, Sender(user, person)))
        service.changed()
        own = taken.submission
        return answer(
            {
                "submission": entry(own, service.site()) if own else None,
                "pull_request": taken.pull_request,
                "known": taken.known,
                "code": code if own is not None and own.user == user else None,
            },
            200 if taken.known else 201,
        )

    async def ask_for_model(self, request: Request) -> Response:
        """Put a model into the queue."""
        service, person = self._service, signed_in(request)
        queue, target = service.queue, service.target
        if queue is None or target is None:
            raise NotDoneError(404, "No models are evaluated here.")
        wanted = await asked(request, WantedModel)
        code, user = _user(person)
        await run_in_threadpool(service.count, "model", request, person)
        job = await run_in_threadpool(queue.enqueue, wanted.model, target, user)
        is_new = job.user == user and job.state == "queued"
        return answer(
            {
                "submission": entry(job, service.site()),
                "pull_request": None,
                "known": not is_new,
                "code": code if is_new else None,
            },
            201 if is_new else 200,
        )

    async def withdraw(self, request: Request) -> Response:
        """Take a run or a model back."""
        service, person = self._service, signed_in(request)
        if service.store is None:
            raise NotDoneError(404, "There is no such submission.")
        wanted = await asked(request, Withdrawal)
        await run_in_threadpool(service.count, "request", request, person)
        if wanted.code:
            user = guest_of(wanted.code)
        elif person:
            user = person.name
        else:
            raise NotDoneError(403, NOT_YOURS)
        found = await run_in_threadpool(self._withdrawn, wanted.id, user)
        service.changed()
        return answer({"submission": entry(found, service.site())})

    def _withdrawn(self, identity: str, user: str) -> Submission | Job:
        store, queue = self._service.store, self._service.queue
        found = None if store is None else sent(store, identity)
        if store is None or queue is None or found is None:
            raise NotDoneError(404, "There is no such submission.")
        if found.user != user:
            raise NotDoneError(403, NOT_YOURS)
        withdraw = store.withdraw if isinstance(found, Submission) else queue.withdraw
        try:
            return withdraw(identity, user)
        except DatabaseError:
            raise
        except ShelfError as error:
            raise NotDoneError(409, str(error)) from error


def _user(person: SignedIn | None) -> tuple[str | None, str]:
    """The code of a guest, and the name in the store."""
    if person is not None:
        return None, person.name
    code = new_code()
    return code, guest_of(code)


def submissions(service: Service) -> Starlette:
    """All endpoints of submissions, as an application.

    Parameters
    ----------
    service : Service
        What there is.
    """
    routes = [
        *Forms(service).routes(),
        *Maintaining(service).routes(),
        *Status(service).routes(),
    ]
    return Starlette(
        routes=[Route(own.path, _safe(own.endpoint), methods=own.methods) for own in routes],
        exception_handlers={HTTPException: _http_error},
    )


def _safe(endpoint: Endpoint) -> Endpoint:
    """An endpoint whose errors are answers."""

    async def answered(request: Request) -> Response:
        try:
            return await endpoint(request)
        except Exception as error:
            return failed(request, error)

    return answered


def _http_error(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    texts = {404: "There is no such page.", 405: "That cannot be done here."}
    return answer({"error": texts.get(status, "That cannot be done.")}, status)
