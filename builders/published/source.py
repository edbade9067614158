"""Where a published release lies: a folder, or a dataset of the Hugging Face Hub."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from builders.published.card import CARD, PublishedConfig, read_card
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.release.manifest import MANIFEST, read_manifest

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}(@[\w./-]{1,100})?")
_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class Source:
    """A published release that lies here.

    Attributes
    ----------
    folder : pathlib.Path
        Its card and its files.
    configs : dict of str to PublishedConfig
        What the card says.
    revision : str or None
        Id and commit, `owner/name@commit`; None for a folder.
    warnings : tuple of str
        What the user should be told.
    """

    folder: Path
    configs: dict[str, PublishedConfig]
    revision: str | None = None
    warnings: tuple[str, ...] = ()


def open_source(source: str, wanted: Sequence[str]) -> Source:
    """Find a published release.

    Parameters
    ----------
    source : str
        A folder, or a Hub dataset id, `owner/name` or `owner/name@revision`. A folder of that
        name comes first.
    wanted : sequence of str
        The configs whose files are needed; of a Hub repository only these are downloaded.

    Returns
    -------
    Source
        Where it lies now.

    Raises
    ------
    ShelfError
        If `source` is neither, the repository cannot be read, the card is not usable, or it is a
        release of this project already.
    """
    try:
        folder = Path(source).expanduser()
        is_here = folder.is_dir()
    except (RuntimeError, OSError, ValueError) as error:  # ~ of nobody, too long, a null byte
        raise ShelfError(f"{source!r:.200}: no such folder: {error}") from error
    if is_here:
        return Source(folder, _card(folder))
    if not _HUB_ID.fullmatch(source):
        raise ShelfError(f"{source!r:.200}: no such folder, and not a Hub dataset id (owner/name)")
    return _from_hub(source, wanted)


def _card(folder: Path) -> dict[str, PublishedConfig]:
    if (folder / MANIFEST).is_file() and _is_release(folder):
        raise ShelfError(
            f"{folder}: a release of this project already; `shelf evaluate` takes it as it is"
        )
    return read_card(folder)


def _is_release(folder: Path) -> bool:
    try:
        read_manifest(folder)
    except ShelfError:
        return False
    return True


def _from_hub(source: str, wanted: Sequence[str]) -> Source:
    repo_id, _, revision = source.partition("@")
    folder = _snapshot(source, repo_id, revision or None, [CARD, MANIFEST])
    # A name such as `main` may point elsewhere by now: the files are those of the card's commit.
    commit = folder.name if _COMMIT.fullmatch(folder.name) else revision or None
    configs = _card(folder)
    patterns = [
        pattern
        for name in wanted
        if name in configs
        for own in configs[name].patterns.values()
        for pattern in own
    ]
    if patterns:
        folder = _snapshot(source, repo_id, commit, patterns)
    pinned = f"{repo_id}@{commit or 'unknown'}"
    warnings = (
        ()
        if revision
        else (f"{source}: no revision was named; give {pinned} to import the same again",)
    )
    return Source(folder, configs, pinned, warnings)


def _snapshot(source: str, repo_id: str, revision: str | None, patterns: list[str]) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
    )

    try:
        folder = snapshot_download(
            repo_id, repo_type="dataset", revision=revision, allow_patterns=patterns
        )
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ShelfError(
            f"{source}: not a folder here, and the Hub did not give it: {reason}"
        ) from error
    return Path(folder)
