"""What a report is made from, and the commands that give its numbers again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer_matrix.matrix import Matrix


class DocumentConfig(NamedTuple):
    """A config of documents of a release that was given.

    Attributes
    ----------
    data : str
        What the release was named as.
    release : Release
    name : str
        The config.
    """

    data: str
    release: Release
    name: str

    @property
    def title(self) -> str:
        """Config and release, as a heading."""
        return f"{self.name}, release {self.release.manifest.release_id}"


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
    damaged : tuple of str
        What is wrong with runs of these folders that could not be read.
    releases : tuple of tuple of str and Release
        Those that the computed runs were scored on, each as it was named.
    matrices : tuple of tuple of str and Matrix
        Transfer matrices, each with the file that it was read from.
    """

    computed: tuple[Run, ...] = ()
    reported: tuple[Run, ...] = ()
    treated: tuple[Run, ...] = ()
    folders: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()
    releases: tuple[tuple[str, Release], ...] = ()
    matrices: tuple[tuple[str, Matrix], ...] = ()

    def named_release(self, release_id: str) -> tuple[str, Release] | None:
        """The release of an id with what it was named as; None where it was not given."""
        return next(
            (own for own in self.releases if own[1].manifest.release_id == release_id), None
        )

    def why_no_release(self, release_id: str) -> str:
        """What to say where a release was not given."""
        given = [f"{name} is release {own.manifest.release_id}" for name, own in self.releases]
        return f"release {release_id}, on which they were scored, was not given with `--data`" + (
            f": {listed(given)}" if given else ""
        )

    def document_configs(self) -> list[DocumentConfig]:
        """What the runs were scored on of each release; its default config if nothing was."""
        return [
            DocumentConfig(name, release, config)
            for name, release in self.releases
            for config in self._configs_read(release) or [release.manifest.default_config]
        ]

    def _configs_read(self, release: Release) -> list[str]:
        data = (run.file.data for run in self.computed)
        read = {own.config for own in data if own.release_id == release.manifest.release_id}
        return sorted(read & set(release.manifest.configs))

    def unused_releases(self) -> list[str]:
        """Releases that were given and that no run was scored on, in words."""
        used = {run.file.data.release_id for run in self.computed}
        return [
            f"`--data {name}`: no run was scored on this release, {release.manifest.release_id}"
            for name, release in self.releases
            if used and release.manifest.release_id not in used
        ]

    def command(self, name: str, *options: str) -> str:
        """A command over all computed runs, as a shell takes it.

        Examples
        --------
        >>> Evidence(folders=("my runs",)).command("masking", "--no-reported")
        "shelf masking 'my runs' --no-reported"
        """
        return command_line(name, *self.folders, *options)

    def command_over(self, runs: Sequence[Run], name: str, *options: str) -> str:
        """A command over some of the computed runs and no others."""
        all_of_one_folder = len(self.folders) == 1 and len(runs) == len(self.computed)
        folders = self.folders if all_of_one_folder else [str(run.folder) for run in runs]
        return command_line(name, *folders, *options)

    def leaderboard_command(self, *options: str) -> str:
        """The leaderboard of the computed runs.

        `shelf leaderboard` takes one folder; what several folders give together, the report alone
        says.
        """
        if len(self.folders) > 1:
            return self.report_command()
        return self.command("leaderboard", "--no-reported", *options)

    def report_command(self) -> str:
        """What makes this report again, in a folder `report`.

        Examples
        --------
        >>> Evidence(folders=("runs",)).report_command()
        'shelf report runs --no-reported --out report'
        """
        options = [
            *self.data_options(),
            *(word for file, _ in self.matrices for word in ("--matrix", file)),
            *([] if self.reported else ["--no-reported"]),
        ]
        return self.command("report", *options, "--out", "report")

    def data_options(self) -> list[str]:
        """Every release that was given, as options."""
        return [word for name, _ in self.releases for word in ("--data", name)]


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
