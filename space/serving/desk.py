"""Where a run goes that was sent: into a store, or to a results repository of the Hub."""

from __future__ import annotations

import logging
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import NamedTuple, Protocol

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.submissions.archive import opened
from evaluate_shelf.submissions.checking import checked
from evaluate_shelf.submissions.database import DatabaseError
from evaluate_shelf.submissions.flags import check_of, flags_of, known_run
from evaluate_shelf.submissions.hub import Results, proposed
from evaluate_shelf.submissions.known import known_in
from evaluate_shelf.submissions.likeness import Known
from evaluate_shelf.submissions.records import Submission
from evaluate_shelf.submissions.refusals import Refused
from evaluate_shelf.submissions.store import Store

from .answers import NotDoneError
from .people import SignedIn
from .uploads import Upload

LOG = logging.getLogger("shelf.space")


class Sender(NamedTuple):
    """Who sends a run.

    Attributes
    ----------
    user : str
        As the store knows them.
    signed_in : SignedIn or None
        Whom the Hub has signed in.
    """

    user: str
    signed_in: SignedIn | None


class Taken(NamedTuple):
    """What became of a run.

    Attributes
    ----------
    submission : Submission or None
        In the store.
    pull_request : str or None
        Address of the pull request.
    known : bool
        Whether it was there before.
    """

    submission: Submission | None
    pull_request: str | None
    known: bool


class Desk(Protocol):
    """Takes runs."""

    def take(self, upload: Upload, sender: Sender) -> Taken:
        """Check a run and put it where it belongs; it takes seconds.

        Raises
        ------
        Refused
            If it is refused: the reason is for whoever sent it.
        """


class StoreDesk:
    """Puts runs into a store.

    Parameters
    ----------
    store : Store
        Where they go.
    releases : sequence of pathlib.Path
        That they may be scored on.
    runs : sequence of Run, default=()
        Runs that are shown besides, with which new ones are compared.
    """

    def __init__(self, store: Store, releases: Sequence[Path], runs: Sequence[Run] = ()) -> None:
        self._store = store
        others = _Others(runs, releases)
        self._check = check_of(releases, lambda board: chain(others(), known_in(store, board)))

    def take(self, upload: Upload, sender: Sender) -> Taken:
        """See `Desk`."""
        with _faults_here():
            found = self._store.receive(
                lambda folder: opened(upload.path, folder),
                digest=upload.sha256,
                user=sender.user,
                check=self._check,
            )
        if found.state == "refused":
            if found.decided_by == "maintainer":
                why = f"a maintainer refused it: {found.reason}"
                raise NotDoneError(422, why, by_person=True)
            raise Refused(str(found.reason))
        return Taken(found, None, found.user != sender.user)


class PullRequestDesk:
    """Proposes runs to a results repository, with the sender's own token.

    Parameters
    ----------
    results : Results
        The repository.
    releases : callable
        Gives the folders of the releases that runs may be scored on.
    """

    def __init__(self, results: Results, releases: Callable[[], Sequence[Path]]) -> None:
        self._results = results
        self._releases = releases

    def take(self, upload: Upload, sender: Sender) -> Taken:
        """See `Desk`."""
        if sender.signed_in is None:
            raise NotDoneError(401, "Sign in with Hugging Face first.")
        with tempfile.TemporaryDirectory(prefix="proposed-", dir=upload.path.parent) as place:
            folder = Path(place) / "run"
            opened(upload.path, folder)
            with _faults_here():
                found = checked(folder, self._releases())
            flags = [flag.text for flag in flags_of(found, ())]
            made = proposed(folder, found, self._results, sender.signed_in.token, flags=flags)
        return Taken(None, made.address, made.known)


class _Others:
    """What is kept of runs of ours to compare others with, read when it is first needed."""

    def __init__(self, runs: Sequence[Run], releases: Sequence[Path]) -> None:
        self._runs = runs
        self._releases = releases
        self._lock = threading.Lock()
        self._known: list[Known] | None = None

    def __call__(self) -> Iterable[Known]:
        with self._lock:
            if self._known is None:
                self._known = [known for run in self._runs if (known := self._read(run))]
            return self._known

    def _read(self, run: Run) -> Known | None:
        try:
            return known_run(run.folder, self._releases)
        except ShelfError as error:
            LOG.info("not compared with: %s: %s", run.folder.name, error)
            return None


@contextmanager
def _faults_here() -> Iterator[None]:
    """A release that cannot be read is no fault of whoever sends a run."""
    try:
        yield
    except (Refused, NotDoneError, DatabaseError):
        raise
    except ShelfError as error:
        LOG.error("the check cannot be made: %s", error)
        raise NotDoneError(503, "The check cannot be made here now.") from error
