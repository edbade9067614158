"""The files of a vetted model: from the Hub, without a token, or in a folder of this machine."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.checkpoint import hash_of_folder
from evaluate_shelf.printable import one_line
from evaluate_shelf.submissions.exhaustion import causes
from evaluate_shelf.submissions.hub_answers import plain_answers
from evaluate_shelf.submissions.job_records import HubModel, hub_model
from evaluate_shelf.submissions.model_files import BOUNDS, Bounds, Listing, RefusedModelError
from evaluate_shelf.submissions.vetting import Vetted, check_processors, vetted

_SECONDS_TO_ANSWER = 30.0
_MOST_LISTED = 10_000
# Too slow, too many requests: of the Hub or of this machine, never of a model.
_HUBS_OWN_FAULTS = (408, 425, 429)


class WrongAnswerError(ShelfError):
    """The Hub did not answer as it should; another attempt may go better.

    Attributes
    ----------
    detail : str
        What only whoever runs the worker may see.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        self.detail = detail
        super().__init__(reason)


class UnreachableError(WrongAnswerError):
    """The Hub gave no answer, or one of its own faults: that says nothing of the model."""


def fetched(model: HubModel, bounds: Bounds = BOUNDS) -> Vetted:
    """Vet a model of the Hub and download what is needed of it into the Hub's cache.

    Parameters
    ----------
    model : HubModel
        A name, and a commit or None for the newest.
    bounds : Bounds
        How large it may be.

    Returns
    -------
    Vetted
        The model at one commit.

    Raises
    ------
    RefusedModelError
        If it is none that is evaluated here, not public, or gated.
    UnreachableError
        If the Hub does not answer.
    WrongAnswerError
        If its answers contradict each other.
    """
    listing = hub_listing(model)

    def read(path: str) -> Path:
        return _downloaded(listing, path)

    allowed = vetted(listing, read, bounds)
    for path, size in allowed.sizes.items():
        found = read(path).stat().st_size
        if found != size:
            raise WrongAnswerError(
                f"{listing.model}: {path} came with {found:,} bytes in place of {size:,}"
            )
    return allowed


def hub_listing(model: HubModel) -> Listing:
    """The files of a model of the Hub at one commit, asked for without a token.

    Raises
    ------
    RefusedModelError
        If there is no such model or commit in public, or it is gated.
    UnreachableError
        If the Hub does not answer.
    WrongAnswerError
        If what it says cannot be.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.errors import (
        GatedRepoError,
        HFValidationError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    name = model.name
    try:
        info = HfApi(token=False).model_info(
            name, revision=model.commit, files_metadata=True, timeout=_SECONDS_TO_ANSWER
        )
    except GatedRepoError as error:
        raise _gated(name) from error
    except RevisionNotFoundError as error:
        raise RefusedModelError(f"{name}: no commit {model.commit} on the Hub") from error
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise RefusedModelError(f"{name}: no public model of this name on the Hub") from error
    # The client's HTTP library, and with it what it raises, differs between its versions.
    except Exception as error:
        raise _of_hub(name, "the Hub did not describe it", error) from error
    if info.private:
        raise RefusedModelError(f"{name}: a private model; only public ones are evaluated")
    if info.gated:
        raise _gated(name)
    if getattr(info, "disabled", False):
        raise RefusedModelError(f"{name}: the Hub has disabled it")
    commit = info.sha
    if not commit or not re.fullmatch(r"[0-9a-f]{40}", commit):
        raise WrongAnswerError(f"{name}: the Hub did not name a commit")
    if model.commit not in (None, commit):
        raise WrongAnswerError(f"{name}: the Hub answered for another commit, {commit}")
    try:
        canonical = hub_model(info.id)
    except ShelfError as error:
        raise WrongAnswerError(f"{name}: the Hub answered for {info.id!r:.120}") from error
    siblings = info.siblings or []
    if len(siblings) > _MOST_LISTED:
        raise RefusedModelError(f"{name}: more than {_MOST_LISTED:,} files")
    return Listing(canonical.name, commit, _sizes(siblings))


def local_vetted(folder: Path, bounds: Bounds = BOUNDS) -> Vetted:
    """Vet a model in a folder of this machine.

    Returns
    -------
    Vetted
        Its commit is the hash of the folder's files.

    Raises
    ------
    RefusedModelError
        As `vetted`, and if there is no such folder.
    """
    if not folder.is_dir():
        raise RefusedModelError(f"st:{folder}: no such folder")
    sizes = {
        path.relative_to(folder).as_posix(): path.stat().st_size
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    name = "/".join(folder.resolve().parts[-2:])
    listing = Listing(name, hash_of_folder(folder), sizes)

    def read(path: str) -> Path:
        return folder / path

    try:
        found = vetted(listing, read, bounds)
        check_processors(listing, read, bounds)
    except RefusedModelError as error:
        # Where the folder lies is nobody's business.
        raise RefusedModelError(str(error).replace(name, folder.name)) from error
    return found


def _sizes(siblings: list[Any]) -> Mapping[str, int | None]:
    return {
        one_line(str(own.rfilename), 500): own.size
        if isinstance(own.size, int) and own.size >= 0
        else None
        for own in siblings
    }


def _downloaded(listing: Listing, path: str) -> Path:
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

    try:
        with plain_answers(listing.commit):
            return Path(
                hf_hub_download(
                    listing.model,
                    path,
                    revision=listing.commit,
                    token=False,
                    etag_timeout=_SECONDS_TO_ANSWER,
                )
            )
    except ShelfError as error:
        raise WrongAnswerError(f"{listing.model}: {path}: {error}") from error
    except LocalEntryNotFoundError as error:
        # A subclass of the next one; the Hub was not reached, so that only the cache was looked at.
        raise _of_hub(listing.model, f"{path} was not downloaded", error) from error
    except EntryNotFoundError as error:
        raise RefusedModelError(
            f"{listing.model}: {path} is named by the Hub and not there"
        ) from error
    except Exception as error:
        raise _of_hub(listing.model, f"{path} was not downloaded", error) from error


def _gated(name: str) -> RefusedModelError:
    return RefusedModelError(
        f"{name}: a gated model, which asks for a consent that nobody here can give"
    )


def _of_hub(name: str, what: str, error: Exception) -> WrongAnswerError:
    """What is said of an error of the Hub's client; its own words, with addresses, are for logs."""
    status = _status_of(error)
    if status is None and not _is_of_network(error):
        return WrongAnswerError(f"{name}: {what} ({type(error).__name__})", _words(error))
    if status is None:
        return UnreachableError(f"{name}: {what}: it cannot be reached", _words(error))
    kind = UnreachableError if status in _HUBS_OWN_FAULTS or status >= 500 else WrongAnswerError
    return kind(f"{name}: {what}: it answers with status {status}", _words(error))


def _status_of(error: BaseException) -> int | None:
    """The status of the answer that an error, or what led to it, is of."""
    for own in causes(error):
        status = getattr(getattr(own, "response", None), "status_code", None)
        if isinstance(status, int):
            return status
    return None


def _is_of_network(error: BaseException) -> bool:
    """Whether nothing came back: no name, no connection, no answer in time."""
    import httpx

    kinds = (ConnectionError, TimeoutError, socket.gaierror, ssl.SSLError, httpx.TransportError)
    named = ("LocalEntryNotFoundError", "ConnectError", "TransportError", "ConnectionError")
    return any(
        isinstance(own, kinds) or any(kind.__name__ in named for kind in type(own).__mro__)
        for own in causes(error)
    )


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {one_line(str(error), 300)}"
