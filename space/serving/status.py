"""What became of submissions, as JSON: a list of all, and one with all that is known of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evaluate_shelf.aggregate.registry_entries import metric_entries
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.submissions.contents import ARCHIVE_BYTES
from evaluate_shelf.submissions.database import DatabaseError
from evaluate_shelf.submissions.holdings import Holdings
from evaluate_shelf.submissions.job_records import Job
from evaluate_shelf.submissions.queue import Queue
from evaluate_shelf.submissions.records import LISTED, Submission
from evaluate_shelf.submissions.refusals import presentable

from .answers import NotDoneError, answer
from .people import shown_name, signed_in
from .service import Service
from .site import Site
from .sources import last_event

MOST_LISTED = 500


class Status:
    """Endpoints that tell.

    Parameters
    ----------
    service : Service
        What there is.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._list = None if service.store is None else Listing(service.store, service.site)

    def routes(self) -> list[Route]:
        """Their paths, below that of submissions."""
        return [
            Route("/service", self.service, methods=["GET"]),
            Route("/list", self.all, methods=["GET"]),
            Route("/{kind:str}/{identity:str}", self.one, methods=["GET"]),
        ]

    async def service(self, request: Request) -> Response:
        """What can be sent here, and by whom."""
        service = self._service
        person = signed_in(request)
        return answer(
            {
                "runs": service.desk is not None,
                "models": service.target is not None,
                "store": service.store is not None,
                "results": service.results,
                "releases": list(service.named_releases),
                "sign_in": service.sign_in,
                "user": person.name if person else None,
                "maintainers": service.maintainers.there,
                "archive_bytes": ARCHIVE_BYTES,
            }
        )

    async def all(self, request: Request) -> Response:
        """The newest submissions."""
        if self._list is None:
            return answer({"submissions": [], "of": 0})
        return answer(await run_in_threadpool(self._list.entries))

    async def one(self, request: Request) -> Response:
        """One submission."""
        store = self._service.store
        identity = request.path_params["identity"]
        found = None if store is None else await run_in_threadpool(sent, store, identity)
        if store is None or found is None or kind_of(found) != request.path_params["kind"]:
            raise NotDoneError(404, "There is no such submission.")
        return answer(await run_in_threadpool(whole_entry, store, found, self._service.site()))


class Listing:
    """The newest submissions of a store, put together again only where something happened.

    Runs that were refused are not among them; they are told by their ids.

    Parameters
    ----------
    store : Holdings
        Of submissions.
    site : callable
        Gives the site as it is now.
    """

    def __init__(self, store: Holdings, site: Callable[[], Site]) -> None:
        self._store = store
        self._site = site
        self._lock = threading.Lock()
        self._known: tuple[int, Site | None] = (-1, None)
        self._entries: dict[str, Any] = {}

    def entries(self) -> dict[str, Any]:
        """The submissions, and how many there are."""
        with self._lock:
            now = (last_event(self._store), self._site())
            if now != self._known:
                self._entries = self._made(now[1])
                self._known = now
            return self._entries

    def _made(self, site: Site) -> dict[str, Any]:
        runs = self._store.newest(LISTED, most=MOST_LISTED)
        jobs = [job for job in Queue(self._store).jobs() if job.state != "done"]
        entries = [*(run_entry(own, site) for own in runs), *map(job_entry, jobs)]
        entries.sort(key=lambda own: (-own["received"], own["id"]))
        of = self._store.count(LISTED) + len(jobs)
        return {"submissions": entries[:MOST_LISTED], "of": of}


def sent(store: Holdings, identity: str) -> Submission | Job | None:
    """The run or the model of an id; None where there is none."""
    for get in (store.get, Queue(store).get):
        try:
            return get(identity)
        except DatabaseError:
            raise
        except ShelfError:
            continue
    return None


def kind_of(found: Submission | Job) -> str:
    """Whether it is a `run` or a `model`."""
    return "run" if isinstance(found, Submission) else "model"


def entry(found: Submission | Job, site: Site) -> dict[str, Any]:
    """What the list says of it."""
    return run_entry(found, site) if isinstance(found, Submission) else job_entry(found)


def run_entry(own: Submission, site: Site) -> dict[str, Any]:
    """What the list says of a run.

    Parameters
    ----------
    own : Submission
        The run.
    site : Site
        As it is now; `board` and `key` are where it shows the run.
    """
    facts = own.run
    is_shown = own.state in ("unverified", "verified") and facts is not None
    board, key = site.places.get(facts.run_id, (None, None)) if facts and is_shown else (None, None)
    return {
        "kind": "run",
        "id": own.id,
        "state": _state(own),
        "model": facts.model if facts else None,
        "config": facts.config if facts else None,
        "release": facts.release_id if facts else None,
        "received": own.received,
        "by": shown_name(own.user),
        "reason": own.reason,
        "decided_by": own.decided_by,
        "flags": list(own.flags),
        "board": board,
        "key": key,
    }


def _state(own: Submission) -> str:
    """What is said of where a run stands."""
    if own.damaged:
        return "damaged"
    return "computed" if own.computed and own.state == "verified" else own.state


def job_entry(own: Job) -> dict[str, Any]:
    """What the list says of a model."""
    return {
        "kind": "model",
        "id": own.id,
        "state": own.state,
        # A folder of this machine is nobody's business.
        "model": presentable(own.asked),
        "config": own.config,
        "release": own.release_id,
        "received": own.queued,
        "by": shown_name(own.user),
        "reason": own.reason,
        "decided_by": None,
        "flags": [],
        "board": None,
        "key": None,
    }


def whole_entry(store: Holdings, found: Submission | Job, site: Site) -> dict[str, Any]:
    """All that is shown of a run or a model: also what happened, and claimed scores beside ours."""
    more: dict[str, Any] = {
        "events": [
            {"at": own.at, "state": own.state, "by": own.role, "why": own.why}
            for own in store.events(found.id)
        ]
    }
    if isinstance(found, Submission):
        facts = found.run
        more["run_id"] = facts.run_id if facts else None
        more["spec"] = presentable(facts.spec) if facts else None
        more["revision"] = facts.revision if facts else None
        more["scores"] = _scores(found.found)
    else:
        more["run"] = found.submission
    return {**entry(found, site), **more}


def _scores(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Primary scores: as they were claimed, and as they follow from the items."""
    metrics = {metric.id: metric for metric in metric_entries()}
    claimed = {row["task"]: row["value"] for row in found.get("claimed", ()) if row["primary"]}
    return [
        {
            "task": row["task"],
            "metric": row["metric"],
            "label": metrics[row["metric"]].label if row["metric"] in metrics else row["metric"],
            "help": metrics[row["metric"]].help if row["metric"] in metrics else None,
            "claimed": claimed.get(row["task"]),
            "recomputed": row["value"],
            "low": row["low"],
            "high": row["high"],
        }
        for row in found.get("recomputed", ())
        if row["primary"]
    ]
