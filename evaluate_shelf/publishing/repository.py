"""A dataset repository on the Hub, as far as a publication reads and writes it."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import CommitOperationDelete, constants
from huggingface_hub.hf_api import RepoFile

from evaluate_shelf import __version__
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.publishing.additions import Addition, CheckingApi
from evaluate_shelf.publishing.address import Address
from evaluate_shelf.publishing.faults import NoRepositoryError, understood
from evaluate_shelf.publishing.local import LocalFile
from evaluate_shelf.publishing.plan import Plan, RemoteFile

_TYPE = "dataset"


@dataclass(frozen=True)
class Head:
    """A branch's newest commit, and whether the repository is private."""

    oid: str
    private: bool


@dataclass(frozen=True)
class Commit:
    """A commit that was made.

    Attributes
    ----------
    revision : str
        What names it: its id, or the reference of its pull request.
    remarks : tuple of str
        What the Hub said about the dataset card.
    """

    oid: str
    url: str
    revision: str
    pull_request_url: str | None
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class PullRequest:
    """An open pull request; `reference` names its newest commit."""

    reference: str
    url: str


class Repository:
    """The repository of an address. Every method may raise `TransientError` or `ShelfError`."""

    def __init__(self, address: Address) -> None:
        self.address = address
        if address.endpoint != constants.ENDPOINT:
            # For its reports the client would ask the Hub of HF_ENDPOINT, and not this one.
            constants.HF_HUB_DISABLE_TELEMETRY = True
        if not address.has_xet and "HF_HUB_DISABLE_XET" not in os.environ:
            # The client reads it anew for each upload; the variable it reads but once.
            constants.HF_HUB_DISABLE_XET = True
        # False, not None: the client would look for a token elsewhere.
        self._api = CheckingApi(
            endpoint=address.endpoint,
            token=address.token or False,
            library_name="evaluate-shelf",
            library_version=__version__,
        )

    def head(self) -> Head | None:
        """The branch's newest commit; None if there is no repository, or none to be seen."""
        try:
            with understood(self.address):
                info = self._api.dataset_info(self.address.repo_id, revision=self.address.revision)
        except NoRepositoryError:
            return None
        if info.sha is None:
            raise ShelfError(f"{self.address.repo_id}: the Hub named no commit of it")
        return Head(info.sha, bool(info.private))

    def files(self, revision: str) -> dict[str, RemoteFile]:
        """Files of a revision by path."""
        with understood(self.address):
            entries = self._api.list_repo_tree(
                self.address.repo_id, recursive=True, revision=revision, repo_type=_TYPE
            )
            return {
                entry.path: _remote_file(entry) for entry in entries if isinstance(entry, RepoFile)
            }

    def content(self, path: str, revision: str) -> bytes:
        """Read a file of a revision whole."""
        with tempfile.TemporaryDirectory(prefix="shelf-") as folder:
            with understood(self.address):
                place = self._api.hf_hub_download(
                    self.address.repo_id,
                    path,
                    revision=revision,
                    repo_type=_TYPE,
                    local_dir=folder,
                )
            return Path(place).read_bytes()

    def create(self, *, private: bool) -> None:
        """Make the repository, unless somebody else just did."""
        with understood(self.address):
            self._api.create_repo(
                self.address.repo_id, private=private, repo_type=_TYPE, exist_ok=True
            )

    def open_pull_requests(self, title: str) -> list[PullRequest]:
        """Open pull requests with a title."""
        with understood(self.address):
            found = self._api.get_repo_discussions(
                self.address.repo_id,
                repo_type=_TYPE,
                discussion_type="pull_request",
                discussion_status="open",
            )
            return [
                PullRequest(request.git_reference, request.url)
                for request in found
                if request.title == title and request.git_reference
            ]

    def commit(
        self,
        plan: Plan,
        files: Mapping[str, LocalFile],
        parent: str,
        message: str,
        *,
        create_pr: bool,
    ) -> Commit:
        """Carry out a plan in one commit.

        Parameters
        ----------
        plan : Plan
            What to add, replace and delete.
        files : mapping of str to LocalFile
            The release's files by path.
        parent : str
            The commit that the plan was made against. Unless a pull request is opened, the Hub
            refuses the commit when the branch is no longer there.
        message : str
            The commit's summary.
        create_pr : bool
            Open a pull request from `parent`.

        Raises
        ------
        ShelfError
            If a file is no longer what was compared; nothing is committed then.
        HeadMovedError
            If another commit came first.
        """
        with understood(self.address), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            additions = [Addition(path, files[path]) for path in plan.sent]
            deletions = [CommitOperationDelete(path, is_folder=False) for path in plan.deleted]
            made = self._api.create_commit(
                self.address.repo_id,
                [*additions, *deletions],
                commit_message=message,
                repo_type=_TYPE,
                revision=self.address.revision,
                create_pr=create_pr,
                parent_commit=parent,
            )
        return Commit(
            made.oid,
            made.commit_url,
            made.pr_revision or made.oid,
            made.pr_url,
            # So the client passes on what the Hub says of the card; other kinds are its own affair.
            tuple(
                self.address.clean(str(warning.message))
                for warning in caught
                if warning.category is UserWarning
            ),
        )


def _remote_file(entry: RepoFile) -> RemoteFile:
    return RemoteFile(entry.size, entry.blob_id, entry.lfs.sha256 if entry.lfs else None)
