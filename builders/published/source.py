"""Where a published release lies: a folder, or a dataset of the Hugging Face Hub."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from builders.published.card import CARD, PublishedConfig, read_card
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.release.manifest import MANIFEST, read_manifest
from evaluate_shelf.release.source import folder_here, snapshot

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
    folder = folder_here(source)
    return _from_hub(source, wanted) if folder is None else Source(folder, _card(folder))


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
    folder = snapshot(source, [CARD, MANIFEST])
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
        folder = snapshot(source, patterns, commit)
    pinned = f"{repo_id}@{commit or 'unknown'}"
    warnings = (
        ()
        if revision
        else (f"{source}: no revision was named; give {pinned} to import the same again",)
    )
    return Source(folder, configs, pinned, warnings)
