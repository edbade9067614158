"""Publish a release folder."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.locks import sole_use
from evaluate_shelf.publishing.address import address_of
from evaluate_shelf.publishing.attempts import Attempts, Order
from evaluate_shelf.publishing.faults import token_missing
from evaluate_shelf.publishing.local import release_files
from evaluate_shelf.publishing.patience import persistently
from evaluate_shelf.publishing.reporter import Reporter
from evaluate_shelf.publishing.repository import Repository
from evaluate_shelf.publishing.result import Published
from evaluate_shelf.release.verification import verify_release

_LONGEST_MESSAGE = 200


def publish(
    folder: Path,
    repo_id: str,
    *,
    revision: str = "main",
    create_pr: bool = False,
    private: bool = False,
    replace: bool = False,
    dry_run: bool = False,
    message: str | None = None,
    token: str | None = None,
    endpoint: str | None = None,
    reporter: Reporter | None = None,
    wait: Callable[[float], None] = time.sleep,
) -> Published:
    """Push a release folder to a dataset repository of the Hub, in one commit.

    Whoever reads a revision of the repository sees one release whole: files that the earlier one's
    manifest lists, and no others, go in the same commit, and the commit is made only if the branch
    is where it was compared. A connection that is lost at any moment publishes nothing or all; the
    same call again sends what the Hub lacks. A file that changes after it was verified is not
    committed.

    To a Hub other than huggingface.co large files are sent without Xet, in this process from then
    on, unless `HF_HUB_DISABLE_XET` is set.

    Parameters
    ----------
    folder : pathlib.Path
        A release folder. Nothing may write to it meanwhile.
    repo_id : str
        `owner/name`. A repository that is missing is made.
    revision : str, default='main'
        The branch, or `refs/pr/N` for a pull request that is open.
    create_pr : bool, default=False
        Open a pull request against `revision`. It is made from the commit that was compared, and
        the Hub does not check whether others came in between. No second one is opened where an
        open one of the same title holds the release.
    private : bool, default=False
        Make a missing repository private. One that is public already is refused.
    replace : bool, default=False
        Where the branch holds files but no release, replace all of them; without it, that is
        refused. Files whose name begins with a dot stay.
    dry_run : bool, default=False
        Say what would change; send nothing.
    message : str, default=None
        The commit's summary, put on one line; None for one that names the release.
    token : str, default=None
        None for that of `HF_TOKEN`, or else of `hf auth login`.
    endpoint : str, default=None
        The Hub's address; None for that of `HF_ENDPOINT`, or else huggingface.co.
    reporter : Reporter, default=None
        Told what happens.
    wait : callable, default=time.sleep
        Sleeps between attempts.

    Returns
    -------
    Published
        The commit, if one was made, and what changed.

    Raises
    ------
    ShelfError
        If the folder does not verify, changes meanwhile, or another process works there; the
        branch holds something else; the address, the token or the Hub's limits forbid it; or the
        Hub did not take it after a bounded number of attempts.
    """
    told = reporter or Reporter()
    address = address_of(repo_id, revision, endpoint, token)
    if create_pr and revision.startswith("refs/"):
        raise ShelfError(f"{revision}: a pull request is opened against a branch")
    if message is not None and not 0 < len(one_line(message, len(message))) <= _LONGEST_MESSAGE:
        raise ShelfError(f"a commit's summary has 1 to {_LONGEST_MESSAGE} characters")
    if address.token is None and not dry_run:
        raise token_missing(address)
    with sole_use(folder, "publish a copy of it"):
        manifest = verify_release(folder)
        files = release_files(folder, manifest)
        told.verified(manifest.release_id, len(files))
        summary = one_line(message or f"SHELF release {manifest.release_id}")
        order = Order(manifest.release_id, files, summary, create_pr, private, replace, dry_run)
        attempts = Attempts(Repository(address), order, told)
        return persistently(attempts.once, wait=wait, reporter=told)
