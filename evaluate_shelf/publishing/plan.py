"""What has to change in a repository for it to hold a release, and nothing of an earlier one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from evaluate_shelf.publishing.local import LocalFile


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
    local: Mapping[str, LocalFile], remote: Mapping[str, RemoteFile], owned: frozenset[str]
) -> Plan:
    """Compare a release with what a repository holds.

    Parameters
    ----------
    local : mapping of str to LocalFile
        The release's files by path.
    remote : mapping of str to RemoteFile
        The repository's files by path.
    owned : frozenset of str
        Paths that may be deleted. A file whose name begins with a dot stays nevertheless.

    Returns
    -------
    Plan
        Without operations where the repository holds the release, whole and alone.

    Examples
    --------
    >>> from pathlib import Path
    >>> old = {path: RemoteFile(9, "1f", None) for path in ("README.md", "OLD.md", "mine.csv")}
    >>> new = {"README.md": LocalFile(Path("README.md"), 10, "aa", "3d")}
    >>> plan = plan_changes(new, old, frozenset({"README.md", "OLD.md"}))
    >>> plan.replaced, plan.deleted
    (('README.md',), ('OLD.md',))
    """
    added = tuple(sorted(path for path in local if path not in remote))
    replaced = tuple(
        sorted(path for path in local if path in remote and not remote[path].holds(local[path]))
    )
    deleted = tuple(
        sorted(path for path in remote.keys() & owned if path not in local and not _hidden(path))
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
    >>> manifest = {"manifest_version": 2, "configs": {}, "other_files": {}}
    >>> manifest["data_files"] = {"data/a.parquet": {}}
    >>> sorted(listed_paths(json.dumps(manifest).encode()))
    ['data/a.parquet']
    """
    try:
        value = json.loads(manifest)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("not an object")
    if not isinstance(value.get("manifest_version"), int) or "configs" not in value:
        raise ValueError("it is of something else")
    parts = [value.get("data_files"), value.get("other_files")]
    if not all(isinstance(part, dict) for part in parts):
        raise ValueError("it lists no files")
    return frozenset(path for part in parts if isinstance(part, dict) for path in part)


def _hidden(path: str) -> bool:
    return PurePosixPath(path).name.startswith(".")
