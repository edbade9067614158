"""The files of a vetted model: from the Hub, without a token, or in a folder of this machine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.checkpoint import hash_of_folder
from evaluate_shelf.printable import one_line
from evaluate_shelf.submissions.job_records import HubModel, hub_model
from evaluate_shelf.submissions.model_files import BOUNDS, Bounds, Listing, RefusedModelError
from evaluate_shelf.submissions.vetting import Vetted, check_processors, vetted

_SECONDS_TO_ANSWER = 30.0
_MOST_LISTED = 10_000


class UnreachableError(ShelfError):
    """The Hub did not answer as it should; another attempt may go better."""


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
    """
    listing = hub_listing(model)

    def read(path: str) -> Path:
        return _downloaded(listing, path)

    allowed = vetted(listing, read, bounds)
    for path, size in allowed.sizes.items():
        found = read(path).stat().st_size
        if found != size:
            raise UnreachableError(
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
        raise UnreachableError(_account(name, "the Hub did not describe it", error)) from error
    if info.private:
        raise RefusedModelError(f"{name}: a private model; only public ones are evaluated")
    if info.gated:
        raise _gated(name)
    if getattr(info, "disabled", False):
        raise RefusedModelError(f"{name}: the Hub has disabled it")
    commit = info.sha
    if not commit or not re.fullmatch(r"[0-9a-f]{40}", commit):
        raise UnreachableError(f"{name}: the Hub did not name a commit")
    if model.commit not in (None, commit):
        raise UnreachableError(f"{name}: the Hub answered for another commit, {commit}")
    try:
        canonical = hub_model(info.id)
    except ShelfError as error:
        raise UnreachableError(f"{name}: the Hub answered for {info.id!r:.120}") from error
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

    found = vetted(listing, read, bounds)
    check_processors(listing, read, bounds)
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
    from huggingface_hub.errors import EntryNotFoundError

    try:
        return Path(
            hf_hub_download(
                listing.model,
                path,
                revision=listing.commit,
                token=False,
                etag_timeout=_SECONDS_TO_ANSWER,
            )
        )
    except EntryNotFoundError as error:
        raise RefusedModelError(
            f"{listing.model}: {path} is named by the Hub and not there"
        ) from error
    except Exception as error:
        raise UnreachableError(
            _account(listing.model, f"{path} was not downloaded", error)
        ) from error


def _gated(name: str) -> RefusedModelError:
    return RefusedModelError(
        f"{name}: a gated model, which asks for a consent that nobody here can give"
    )


def _account(name: str, what: str, error: Exception) -> str:
    return f"{name}: {what}: {one_line(str(error), 200) or type(error).__name__}"
