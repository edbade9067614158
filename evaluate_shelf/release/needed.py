"""The part of a release that an evaluation reads."""

from __future__ import annotations

from pathlib import Path

from evaluate_shelf.release.manifest import read_manifest
from evaluate_shelf.release.source import release_folder


def folder_to_evaluate(
    source: str, config: str | None = None, *, with_queries: bool = False
) -> Path:
    """The local folder of a release, with a config of documents and the pairs drawn from it.

    Parameters
    ----------
    source : str
        A folder, or a Hub dataset id, of which only these configs are downloaded.
    config : str, default=None
        The release's default without it.
    with_queries : bool, default=False
        Also the configs that select some of its documents as queries.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    ShelfError
        As `release_folder`, and if there is no manifest that this version reads.
    """
    manifest = read_manifest(release_folder(source))
    name = config or manifest.default_config
    needed = [
        own
        for own, entry in manifest.configs.items()
        if own == name
        or (entry.derived_from == name and entry.kind == "pairs")
        or (entry.derived_from == name and with_queries and own.endswith("-queries"))
    ]
    return release_folder(source, needed)
