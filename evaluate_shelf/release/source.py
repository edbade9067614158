"""Find a release: a folder, or a dataset repository on the Hugging Face Hub."""

from __future__ import annotations

import re
from pathlib import Path

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.release.manifest import MANIFEST

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}(@[\w./-]{1,100})?")


def release_folder(source: str, configs: list[str] | None = None) -> Path:
    """Give the local folder of a release.

    Parameters
    ----------
    source : str
        A folder, or a Hub dataset id, `owner/name` or `owner/name@revision`. A folder of that
        name comes first.
    configs : list of str, default=None
        The configs whose data is needed; of a Hub repository only these are downloaded, and
        the labels that the release brings along. None stands for the manifest and the labels.

    Returns
    -------
    pathlib.Path
        The folder itself, or the Hub cache's snapshot.

    Raises
    ------
    ShelfError
        If `source` is neither, or the repository cannot be read.
    """
    folder = folder_here(source)
    if folder is not None:
        return folder
    wanted = [MANIFEST, "README.md", "taxonomy/*", *(f"data/{name}/*" for name in configs or [])]
    return snapshot(source, wanted)


def folder_here(source: str) -> Path | None:
    """The folder that a source names, or None where it is a Hub dataset id.

    Raises
    ------
    ShelfError
        If it is neither.
    """
    try:
        folder = Path(source).expanduser()
        is_here = folder.is_dir()
    except (RuntimeError, OSError, ValueError) as error:  # ~ of nobody, too long, a null byte
        raise ShelfError(f"{source!r:.200}: no such folder: {error}") from error
    if is_here:
        return folder
    if not _HUB_ID.fullmatch(source):
        raise ShelfError(f"{source!r:.200}: no such folder, and not a Hub dataset id (owner/name)")
    return None


def snapshot(source: str, wanted: list[str], revision: str | None = None) -> Path:
    """Download some files of a Hub dataset, `owner/name` or `owner/name@revision`.

    Parameters
    ----------
    source : str
        The dataset.
    wanted : list of str
        Paths and patterns of the files.
    revision : str or None, default=None
        In place of the one that `source` names.

    Returns
    -------
    pathlib.Path
        The Hub cache's folder of that revision.

    Raises
    ------
    ShelfError
        If the Hub does not give it.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
    )

    repo_id, _, named = source.partition("@")
    try:
        folder = snapshot_download(
            repo_id, repo_type="dataset", revision=revision or named or None, allow_patterns=wanted
        )
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ShelfError(
            f"{source}: not a folder here, and the Hub did not give it: {reason}"
        ) from error
    return Path(folder)
