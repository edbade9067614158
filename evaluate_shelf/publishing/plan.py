"""What has to change in a repository for it to hold a release, and nothing of an earlier one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from evaluate_shelf.publishing.local import LocalFile

OWN_FOLDERS = ("data/", "checks/", "reports/", "figures/")
"""Folders of a repository that belong to the release: what it does not have there goes."""


@dataclass(frozen=True)
class RemoteFile:
    """A file of the repository: `sha256` is that of a large file, None for a regular one."""

    size: int
    git_blob_id: str
    sha256: str | None

    def holds(self, file: LocalFile) -> bool:
        """Whether the repository's file has the local one's bytes."""
        # The git id of a large file is that of the few lines that point to it.
        if self.sha256 is not None:
            return self.sha256 == file.sha256
        return self.git_blob_id == file.git_blob_id


@dataclass(frozen=True)
class Plan:
    """Paths to add, to replace and to delete, each in order.

    Attributes
    ----------
    unchanged : int
        Number of files that the repository holds already.
    bytes_to_send : int
        Size of the added and the replaced files.
    """

    added: tuple[str, ...]
    replaced: tuple[str, ...]
    deleted: tuple[str, ...]
    unchanged: int
    bytes_to_send: int

    @property
    def sent(self) -> tuple[str, ...]:
        """Paths whose files are sent."""
        return (*self.added, *self.replaced)

    @property
    def operations(self) -> int:
        """Number of files that the commit touches."""
        return len(self.added) + len(self.replaced) + len(self.deleted)


def plan_changes(
    local: Mapping[str, LocalFile], remote: Mapping[str, RemoteFile], listed: frozenset[str]
) -> Plan:
    """Compare a release with what a repository holds.

    Parameters
    ----------
    local : mapping of str to LocalFile
        The release's files by path.
    remote : mapping of str to RemoteFile
        The repository's files by path.
    listed : frozenset of str
        Paths that the repository's own manifest lists.

    Returns
    -------
    Plan
        Without operations where the repository holds the release, whole and alone.

    Examples
    --------
    >>> from pathlib import Path
    >>> old = {path: RemoteFile(9, "1f", None) for path in ("README.md", "data/a/test.parquet")}
    >>> new = {"README.md": LocalFile(Path("README.md"), 10, "aa", "3d")}
    >>> plan = plan_changes(new, old, frozenset())
    >>> plan.replaced, plan.deleted
    (('README.md',), ('data/a/test.parquet',))
    """
    added = tuple(sorted(path for path in local if path not in remote))
    replaced = tuple(
        sorted(path for path in local if path in remote and not remote[path].holds(local[path]))
    )
    deleted = tuple(
        sorted(path for path in remote if path not in local and _is_of_a_release(path, listed))
    )
    return Plan(
        added,
        replaced,
        deleted,
        unchanged=len(local) - len(added) - len(replaced),
        bytes_to_send=sum(local[path].size for path in (*added, *replaced)),
    )


def listed_paths(manifest: bytes) -> frozenset[str]:
    """Paths that a manifest of any version lists.

    Raises
    ------
    ValueError
        If it is no manifest of a release.

    Examples
    --------
    >>> sorted(listed_paths(b'{"data_files": {"data/a.parquet": {}}, "other_files": {}}'))
    ['data/a.parquet']
    """
    try:
        value = json.loads(manifest)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("not an object")
    parts = [value.get("data_files"), value.get("other_files")]
    if not all(isinstance(part, dict) for part in parts):
        raise ValueError("it lists no files")
    return frozenset(path for part in parts if isinstance(part, dict) for path in part)


def _is_of_a_release(path: str, listed: frozenset[str]) -> bool:
    hidden = PurePosixPath(path).name.startswith(".")
    return not hidden and (path in listed or path.startswith(OWN_FOLDERS))
