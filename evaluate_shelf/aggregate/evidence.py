"""What an aggregate is made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from evaluate_shelf.aggregate.schema import Status
from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer_matrix.matrix import Matrix

UNREADABLE = (ShelfError, OSError, pa.ArrowException)
"""What reading a run's items, or a release, raises where a file is missing or damaged."""


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
    left_out : tuple of str
        What did not come as far as this, and why.
    """

    computed: tuple[Run, ...] = ()
    reported: tuple[Run, ...] = ()
    releases: tuple[Release, ...] = ()
    matrices: tuple[Matrix, ...] = ()
    statuses: Mapping[str, Status] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    def status_of(self, run: Run) -> Status:
        """Who stands for a run."""
        if run.reported:
            return "reported"
        of_id = self.statuses.get(run.file.run_id, "computed")
        return self.statuses.get(str(run.folder), of_id)

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
