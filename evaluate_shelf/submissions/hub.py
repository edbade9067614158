"""A results repository of the Hub: what is read of it, and runs that are proposed to it.

A run is proposed as a pull request in the name of whoever sends it, with their own token. The
server that checks it needs no right to write.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import one_line
from evaluate_shelf.runs.folder import RUN
from evaluate_shelf.runs.names import safe_name
from evaluate_shelf.submissions.contents import listed

if TYPE_CHECKING:
    from huggingface_hub import HfApi

    from evaluate_shelf.submissions.checking import Checked

LEADERBOARD = "leaderboard.json.gz"
"""The aggregate of a results repository."""

RUNS = "runs"
"""Where its runs lie: `runs/MODEL/RUN_ID`."""

_NAME = r"[A-Za-z0-9][\w.-]{0,95}"
_REPOSITORY = re.compile(rf"hf://datasets/({_NAME}/{_NAME})(?:@([\w.-]{{1,100}}))?/?")
_DIGITS = 12


class Results(NamedTuple):
    """A results repository of the Hub.

    Attributes
    ----------
    name : str
        `ORG/NAME`.
    revision : str or None
        The branch or commit that is read; None for the main branch.
    """

    name: str
    revision: str | None

    def leaderboard(self, commit: str | None = None) -> str:
        """Address of its aggregate, as `aggregate.file.read_aggregate` takes it.

        Examples
        --------
        >>> Results("shelf/SHELF-results", None).leaderboard()
        'hf://datasets/shelf/SHELF-results/leaderboard.json.gz'
        """
        revision = commit or self.revision
        return f"hf://datasets/{self.name}{f'@{revision}' if revision else ''}/{LEADERBOARD}"


class Proposal(NamedTuple):
    """A pull request.

    Attributes
    ----------
    address : str
        Of its page.
    number : int or None
        In the repository.
    known : bool
        Whether it was open before, for the very same files.
    """

    address: str
    number: int | None
    known: bool


def results_of(address: str) -> Results | None:
    """The results repository that an address names; None where it names something else.

    Examples
    --------
    >>> results_of("hf://datasets/shelf/SHELF-results")
    Results(name='shelf/SHELF-results', revision=None)
    >>> results_of("hf://datasets/shelf/SHELF-results/leaderboard.json.gz") is None
    True
    """
    found = _REPOSITORY.fullmatch(address)
    return None if found is None or ".." in address else Results(found[1], found[2])


def head_of(results: Results, *, endpoint: str | None = None) -> str:
    """The commit that a results repository is at.

    Parameters
    ----------
    results : Results
        The repository.
    endpoint : str, default=None
        The Hub's address; that of `HF_ENDPOINT` without it.

    Raises
    ------
    ShelfError
        If the Hub does not say.
    """
    from huggingface_hub import HfApi

    api = HfApi(endpoint=endpoint)
    info = _asked(
        results, lambda: api.repo_info(results.name, repo_type="dataset", revision=results.revision)
    )
    return str(info.sha)


def proposed(
    run: Path,
    found: Checked,
    results: Results,
    token: str,
    *,
    flags: Sequence[str] = (),
    endpoint: str | None = None,
) -> Proposal:
    """Propose a checked run to a results repository, in a pull request.

    Parameters
    ----------
    run : pathlib.Path
        The run's folder.
    found : Checked
        What the check of it gave.
    results : Results
        The repository.
    token : str
        Of whoever sends it, with the right to open pull requests (`write-discussions`).
    flags : sequence of str, default=()
        What is to be looked at, a sentence each.
    endpoint : str, default=None
        As for `head_of`.

    Returns
    -------
    Proposal
        The one that is open already where there is one of the same files.

    Raises
    ------
    ShelfError
        If the repository has the run, or the Hub does not take it. The token is in no message.
    """
    from huggingface_hub import CommitOperationAdd, HfApi

    api = HfApi(endpoint=endpoint, token=token, library_name="shelf")
    file = found.file
    place = f"{RUNS}/{safe_name(file.model.name)}/{file.run_id}"
    digest = found.content_sha256[:_DIGITS]
    title = f"Add {one_line(file.model.name, 120)}, run {file.run_id}, files {digest}"
    if _asked(results, lambda: _is_there(api, results, f"{place}/{RUN}")):
        raise ShelfError(f"run {file.run_id} of {file.model.name} is in {results.name} already")
    before = _asked(results, lambda: _open_request(api, results, title))
    if before is not None:
        return Proposal(before.url, before.num, True)
    operations = [
        CommitOperationAdd(f"{place}/{name}", (run / name).read_bytes()) for name in listed(run)
    ]
    made = _asked(
        results,
        lambda: api.create_commit(
            results.name,
            operations,
            commit_message=title,
            commit_description=_description(found, flags),
            repo_type="dataset",
            revision=results.revision,
            create_pr=True,
        ),
    )
    return Proposal(str(made.pr_url), made.pr_num, False)


def _is_there(api: HfApi, results: Results, path: str) -> bool:
    return bool(
        api.get_paths_info(results.name, [path], repo_type="dataset", revision=results.revision)
    )


def _open_request(api: HfApi, results: Results, title: str) -> Any:
    """The open pull request of that title; None where there is none."""
    found = api.get_repo_discussions(
        results.name,
        repo_type="dataset",
        discussion_type="pull_request",
        discussion_status="open",
    )
    return next((own for own in found if own.title == title), None)


def _description(found: Checked, flags: Sequence[str]) -> str:
    file = found.file
    lines = [
        f"Model {file.model.name}, as {file.model.spec}, revision {file.model.revision}.",
        f"Config {file.data.config} of release {file.data.release_id}.",
        f"All {len(found.recomputed)} scores follow from the items. Nobody ran the model again.",
        *(f"Look at: {flag}." for flag in flags),
    ]
    # Lines of code in Markdown, so that a name is never more than its letters.
    return "\n".join(f"    {one_line(line)}" for line in lines)


def _asked(results: Results, ask: Callable[[], Any]) -> Any:
    """What the Hub answers; an error of it in a sentence, without the request and its token."""
    from huggingface_hub.errors import (
        HfHubHTTPError,
        HFValidationError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    try:
        from huggingface_hub.utils import httpx  # type: ignore[attr-defined]
    except ImportError:  # versions whose client is still called httpx
        import httpx  # type: ignore[no-redef]

    try:
        return ask()
    except (RepositoryNotFoundError, RevisionNotFoundError):
        where = f"{results.name}@{results.revision}" if results.revision else results.name
        raise ShelfError(f"{where}: the Hub has no such dataset repository") from None
    except HfHubHTTPError as error:
        status = getattr(error.response, "status_code", None)
        if status in (401, 403):
            raise ShelfError(
                f"{results.name}: the Hub does not let you open a pull request there; sign in again"
            ) from None
        raise ShelfError(f"{results.name}: the Hub answers with status {status}") from None
    except HFValidationError:
        raise ShelfError(f"{results.name}: no name of a dataset repository") from None
    # Xet's library, which sends large files, is not written in Python and raises RuntimeError.
    except (httpx.HTTPError, OSError, RuntimeError) as error:
        raise ShelfError(
            f"{results.name}: the Hub cannot be reached ({type(error).__name__})"
        ) from None
