"""What a report is made from."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer_matrix.matrix import Matrix


@dataclass(frozen=True)
class Evidence:
    """Runs and what belongs to them.

    Attributes
    ----------
    computed : tuple of Run
        Runs of this installation, or of another that left its runs.
    reported : tuple of Run
        Scores that others reported, of whole texts.
    treated : tuple of Run
        Reported scores of masked texts and of their sham.
    folders : tuple of str
        Where the computed runs lie, as they were named.
    releases : tuple of tuple of str and Release
        Those that the computed runs were scored on, each as it was named.
    matrices : tuple of Matrix
        Transfer matrices.
    """

    computed: tuple[Run, ...] = ()
    reported: tuple[Run, ...] = ()
    treated: tuple[Run, ...] = ()
    folders: tuple[str, ...] = ()
    releases: tuple[tuple[str, Release], ...] = ()
    matrices: tuple[Matrix, ...] = ()

    def release_of(self, run: Run) -> Release | None:
        """The release that a run was scored on; None where it was not given."""
        found = self._named_release_of(run)
        return found[1] if found else None

    def release_name(self, run: Run) -> str | None:
        """What that release was named as."""
        found = self._named_release_of(run)
        return found[0] if found else None

    def _named_release_of(self, run: Run) -> tuple[str, Release] | None:
        wanted = run.file.data.release_id
        return next((own for own in self.releases if own[1].manifest.release_id == wanted), None)

    def command(self, name: str, *options: str) -> str:
        """A command over the computed runs, as a shell takes it.

        Examples
        --------
        >>> Evidence(folders=("my runs",)).command("leaderboard", "--facet", "form")
        "shelf leaderboard 'my runs' --facet form"
        """
        return command_line(name, *self.folders, *options)


def command_line(*words: str) -> str:
    """A command of `shelf`, as a shell takes it.

    Examples
    --------
    >>> command_line("transfer", "--panel", "restricted")
    'shelf transfer --panel restricted'
    """
    return shlex.join(("shelf", *words))


def listed(names: Sequence[str], most: int = 12) -> str:
    """Names in a row, with the number of those that have no room.

    Examples
    --------
    >>> listed(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
