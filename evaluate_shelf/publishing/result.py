"""What a publication did."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Published:
    """What was published, or, of a dry run, what would be.

    Attributes
    ----------
    repo_id, revision : str
        The dataset repository and the branch.
    release_id : str
        The release's id.
    dry_run : bool
        Whether nothing was to be sent.
    creates_repository : bool
        Whether the repository was missing.
    compared_with : str or None
        The commit that the folder was compared with; None where there was no repository.
    oid, commit_url : str or None
        The commit that was made. None where nothing changed, in a dry run, and where a pull
        request held the release already.
    pull_request_url : str or None
        The pull request that holds the commit.
    added, replaced, deleted : tuple of str
        Paths in the repository.
    unchanged : int
        Number of files that the repository held already.
    bytes_to_send : int
        Size of the added and the replaced files. What the Hub's storage of large files holds
        already is not sent again.
    """

    repo_id: str
    revision: str
    release_id: str
    dry_run: bool
    creates_repository: bool
    compared_with: str | None
    oid: str | None
    commit_url: str | None
    pull_request_url: str | None
    added: tuple[str, ...]
    replaced: tuple[str, ...]
    deleted: tuple[str, ...]
    unchanged: int
    bytes_to_send: int

    @property
    def changes(self) -> int:
        """Number of files that were added, replaced or deleted."""
        return len(self.added) + len(self.replaced) + len(self.deleted)
