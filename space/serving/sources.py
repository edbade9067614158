"""Where the results come from that are shown, and whether there are newer ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from evaluate_shelf.aggregate.building import aggregate_of
from evaluate_shelf.aggregate.evidence import UNREADABLE, Evidence
from evaluate_shelf.aggregate.file import read_aggregate
from evaluate_shelf.aggregate.results_repository import (
    VERIFIED,
    Standings,
    read_standings,
    repository_of,
    runs_below,
    standings_of,
)
from evaluate_shelf.aggregate.schema import Aggregate, Status
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.release.documents import Release
from evaluate_shelf.reported.runs import reported_runs
from evaluate_shelf.runs.reading import Run, load_run
from evaluate_shelf.submissions.holdings import Holdings
from evaluate_shelf.submissions.hub import LEADERBOARD, RUNS, Results, head_of, results_of
from evaluate_shelf.submissions.refusals import presentable

_HUB_SECONDS, _STORE_SECONDS = 600.0, 5.0


class Source(Protocol):
    """Results that are shown.

    Attributes
    ----------
    seconds : float or None
        After how long it is worth while to ask for newer ones; None for never.
    """

    seconds: float | None

    def state(self) -> object:
        """What differs where there are newer results."""

    def first(self) -> Aggregate:
        """What can be shown at once."""

    def whole(self) -> Aggregate:
        """Everything; it may take a while."""


class Fixed:
    """An aggregate as it is."""

    seconds: float | None = None

    def __init__(self, aggregate: Aggregate) -> None:
        self._aggregate = aggregate

    def state(self) -> object:
        """Always the same."""
        return None

    def first(self) -> Aggregate:
        """The aggregate."""
        return self._aggregate

    whole = first


class OnTheHub:
    """The aggregate of a results repository of the Hub, as its maintainers put it there."""

    seconds: float | None = _HUB_SECONDS

    def __init__(self, results: Results) -> None:
        self.results = results

    def state(self) -> object:
        """The commit."""
        return head_of(self.results)

    def first(self) -> Aggregate:
        """The newest aggregate."""
        return read_aggregate(self.results.leaderboard())

    whole = first


class Runs:
    """Runs of a folder, published scores, and the runs of a store that are in the table.

    Parameters
    ----------
    runs : sequence of Run
        Those of the folder.
    releases : sequence of pathlib.Path
        That they were scored on.
    store : Holdings, default=None
        Of submissions.
    standings : Standings, default=None
        Who stands for the runs; they are their owner's without it.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        releases: Sequence[Path],
        store: Holdings | None = None,
        standings: Standings | None = None,
    ) -> None:
        self.seconds: float | None = None if store is None else _STORE_SECONDS
        self.runs = tuple(runs)
        self._reported = tuple(reported_runs())
        self._releases = tuple(Release.open(release) for release in releases)
        self._store = store
        self._standings = standings or Standings({}, {}, ())
        self._loaded: dict[str, Run] = {}
        self._looked: tuple[int, object] = (-1, None)

    def state(self) -> object:
        """Which submissions are in the table, and as what."""
        if self._store is None:
            return None
        event = last_event(self._store)
        if event != self._looked[0]:
            accepted = self._store.accepted_runs()
            self._looked = event, tuple((own.id, own.status, own.damaged) for own in accepted)
        return self._looked[1]

    def first(self) -> Aggregate:
        """Scores, costs and ranks, without what takes the items of the runs."""
        return self._aggregate(())

    def whole(self) -> Aggregate:
        """All of it: paired differences and confusions are computed."""
        return self._aggregate(self._releases)

    def _aggregate(self, releases: tuple[Release, ...]) -> Aggregate:
        runs: list[Run] = []
        statuses: dict[str, Status] = {**self._standings.statuses}
        reruns = {**self._standings.reruns}
        received: dict[str, float] = {}
        flags: dict[str, str] = {}
        left_out = [*self._standings.unmatched]
        for own in () if self._store is None else self._store.accepted_runs():
            try:
                # The same id has the same files for ever.
                run = self._loaded.get(own.id) or load_run(own.folder)
            except UNREADABLE as error:
                left_out.append(f"submission {own.id[:12]}: {presentable(str(error))}")
                continue
            self._loaded[own.id] = run
            runs.append(run)
            place = str(run.folder)
            statuses[place], received[place] = own.status, own.received
            if own.flags:
                flags[place] = "; ".join(own.flags)
            if own.measured is not None:
                reruns[place] = own.measured
        return aggregate_of(
            Evidence(
                computed=(*self.runs, *runs),
                reported=self._reported,
                releases=releases,
                statuses=statuses,
                received=received,
                reruns=reruns,
                flags=flags,
                left_out=tuple(left_out),
            )
        )


def results_named(source: Source) -> str | None:
    """Name of the results repository of the Hub that results come from; None of others."""
    return source.results.name if isinstance(source, OnTheHub) else None


def last_event(store: Holdings) -> int:
    """Number of the newest event of a store: nothing has changed where it is the same."""
    with store.database.reading() as connection:
        row = connection.execute("SELECT coalesce(max(number), 0) AS newest FROM events").fetchone()
    return int(row["newest"])


def source_of(
    address: str | None, releases: Sequence[Path] = (), store: Holdings | None = None
) -> Source:
    """The results that an address names.

    Parameters
    ----------
    address : str or None
        A folder of runs, a results repository (a folder, or `hf://datasets/ORG/NAME`), an
        aggregate (a file, or `hf://datasets/ORG/NAME/FILE`); None for published scores alone.
    releases : sequence of pathlib.Path, default=()
        That the runs of a folder were scored on; without them there are no paired differences.
    store : Holdings, default=None
        Of submissions, which are shown beside runs.

    Raises
    ------
    ShelfError
        If there is nothing of that kind, or a store is given with something other than runs.
    """
    results = results_of(address or "")
    packed = address is not None and address.endswith((".json", ".json.gz"))
    if (results is not None or packed) and store is not None:
        raise ShelfError(
            f"{address}: an aggregate takes no more runs; with --store give the folder of runs "
            "that it was made from"
        )
    if results is not None:
        return OnTheHub(results)
    if address is not None and (packed or address.startswith("hf:")):
        return Fixed(read_aggregate(address))
    return _of_folder(None if address is None else Path(address), releases, store)


def _of_folder(folder: Path | None, releases: Sequence[Path], store: Holdings | None) -> Source:
    if folder is None:
        return Runs((), releases, store)
    made = folder / LEADERBOARD
    if made.is_file() and store is None and not releases:
        return Fixed(read_aggregate(made))
    from evaluate_shelf.cli.run_folders import runs_in

    repository = repository_of(folder)
    if repository is None:
        return Runs(runs_in([folder / RUNS if made.is_file() else folder]), releases, store)
    runs, damaged = runs_below(folder / RUNS if folder.resolve() == repository else folder)
    if not runs:
        raise ShelfError(f"{folder}: no finished run")
    file = repository / VERIFIED
    standings = standings_of(runs, read_standings(file) if file.is_file() else ())
    unmatched = (*map(presentable, damaged), *standings.unmatched)
    return Runs(runs, releases, store, standings._replace(unmatched=unmatched))
