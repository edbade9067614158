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
        The configs whose data is needed; of a Hub repository only these are downloaded. None
        stands for the manifest alone.

    Returns
    -------
    pathlib.Path
        The folder itself, or the Hub cache's snapshot.

    Raises
    ------
    ShelfError
        If `source` is neither, or the repository cannot be read.
    """
    try:
        folder = Path(source).expanduser()
    except RuntimeError as error:  # ~ of a user who is not there
        raise ShelfError(f"{source}: no such folder: {error}") from error
    if folder.is_dir():
        return folder
    if not _HUB_ID.fullmatch(source):
        raise ShelfError(f"{source}: no such folder, and not a Hub dataset id (owner/name)")
    return _snapshot(source, configs)


def _snapshot(source: str, configs: list[str] | None) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
    )

    repo_id, _, revision = source.partition("@")
    wanted = [MANIFEST, "README.md", *(f"data/{name}/*" for name in configs or [])]
    try:
        folder = snapshot_download(
            repo_id, repo_type="dataset", revision=revision or None, allow_patterns=wanted
        )
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError) as error:
        reason = str(error).strip().splitlines()[0]
        raise ShelfError(
            f"{source}: not a folder here, and the Hub did not give it: {reason}"
        ) from error
    return Path(folder)
