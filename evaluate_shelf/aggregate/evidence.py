"""What an aggregate is made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from evaluate_shelf.aggregate.facts import facts_of
from evaluate_shelf.aggregate.schema import Status
from evaluate_shelf.aggregate.schema.facts import Facts
from evaluate_shelf.aggregate.schema.rows import FactsFrom
from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer_matrix.matrix import Matrix

UNREADABLE = (ShelfError, OSError, pa.ArrowException)
"""What reading a run's items, or a release, raises where a file is missing or damaged."""

_FACTS_FROM: dict[Status, FactsFrom] = {
    "computed": "run",
    "unverified": "claim",
    "reported": "report",
}


@dataclass(frozen=True)
class Evidence:
    """Runs and what belongs to them.

    Attributes
    ----------
    computed : tuple of Run
        Runs that have items.
    reported : tuple of Run
        Scores that others reported, of whole texts.
    releases : tuple of Release
        Those that the computed runs were scored on.
    matrices : tuple of Matrix
        Transfer matrices.
    statuses : mapping of str to Status
        Who stands for a computed run, by its run id, or by its folder (as text) where two runs
        have one id; the folder comes first. A run that is not there is `computed`.
    received : mapping of str to float
        When runs that were sent in came, in seconds since 1970, by their folders.
    reruns : mapping of str to Facts
        What was measured when runs that are `verified` were run again, by their folders.
    flags : mapping of str to str
        What was looked at in runs that were sent in, by their folders.
    left_out : tuple of str
        What did not come as far as this, and why.
    """

    computed: tuple[Run, ...] = ()
    reported: tuple[Run, ...] = ()
    releases: tuple[Release, ...] = ()
    matrices: tuple[Matrix, ...] = ()
    statuses: Mapping[str, Status] = field(default_factory=dict)
    received: Mapping[str, float] = field(default_factory=dict)
    reruns: Mapping[str, Facts] = field(default_factory=dict)
    flags: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    def status_of(self, run: Run) -> Status:
        """Who stands for a run."""
        if run.reported:
            return "reported"
        of_id = self.statuses.get(run.file.run_id, "computed")
        return self.statuses.get(str(run.folder), of_id)

    def received_at(self, run: Run) -> float:
        """When a run came; one that nobody sent was there before all."""
        return self.received.get(str(run.folder), float("-inf"))

    def flagged(self, run: Run) -> str | None:
        """What was looked at in a run before it was accepted; None where nothing was."""
        flags = self.flags.get(str(run.folder))
        return one_line(flags) if flags else None

    def facts_from(self, run: Run) -> FactsFrom:
        """Whose word a run's sizes, speed and costs are."""
        status = self.status_of(run)
        if status != "verified":
            return _FACTS_FROM[status]
        return "re-run" if str(run.folder) in self.reruns else "nobody"

    def facts_of(self, run: Run) -> Facts:
        """A run's sizes, speed and costs, as `facts_from` says.

        Raises
        ------
        pydantic.ValidationError
            If the run says what cannot be.
        """
        if self.status_of(run) != "verified":
            return facts_of(run.file)
        return self.reruns.get(str(run.folder)) or Facts(kind=run.file.model.kind)

    def release_of(self, run: Run) -> Release | None:
        """The release that a run was scored on; None where it was not given."""
        wanted = run.file.data.release_id
        return next((own for own in self.releases if own.manifest.release_id == wanted), None)


def told(error: Exception, runs: Iterable[Run], release: Release | None = None) -> str:
    """An error's message, without the places of runs and of a release on this disk.

    Parameters
    ----------
    error : Exception
        Meant for a user.
    runs : iterable of Run
        Named by the last two parts of their folders, the model and the run.
    release : Release or None
        Named by the last part of its folder.
    """
    text = str(error)
    places = {run.folder: "/".join(run.folder.parts[-2:]) for run in runs}
    if release is not None:
        places[Path(release.folder)] = release.folder.name
    for folder in sorted(places, key=lambda own: (-len(str(own)), str(own))):
        text = text.replace(str(folder), places[folder])
    return one_line(text)


def not_given(run: Run) -> str:
    """Why nothing is known of a run's items where `Evidence.release_of` has no release."""
    return f"release {run.file.data.release_id}, which these runs were scored on, was not given"


def by_reason(refused: Mapping[str, Sequence[str]]) -> list[str]:
    """What could not be read, by the reason, in lines.

    Examples
    --------
    >>> by_reason({"no items": ["lcc_clustering", "lcc_retrieval"]})
    ['lcc_clustering, lcc_retrieval: no items']
    """
    return [one_line(f"{', '.join(names)}: {why}") for why, names in refused.items()]
