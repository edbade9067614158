"""Where a model's files are: a folder, or the Hub at one commit."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file

HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}(@[\w./-]{1,100})?")

Files = Callable[[str], Path | None]
"""A model's file by its path in the model; None where there is none."""


class Checkpoint(NamedTuple):
    """A model's files.

    Attributes
    ----------
    place : str
        A folder or a Hub id, as sentence-transformers takes it.
    commit : str or None
        Of the Hub; None for a folder.
    files : callable
        Reads one of them.
    """

    place: str
    commit: str | None
    files: Files


class Identified(NamedTuple):
    """A checkpoint's name and what fixes its weights."""

    name: str
    revision: str


def opened(folder: Path | None, target: str, revision: str) -> Checkpoint:
    """The files of a model that is identified.

    Parameters
    ----------
    folder : pathlib.Path or None
        Where a folder of that name would lie.
    target : str
        A folder or a Hub id.
    revision : str
        The commit, if it is a Hub id.
    """
    if folder is not None and folder.is_dir():
        return Checkpoint(str(folder), None, _local_files(folder))
    place = target.partition("@")[0]
    return Checkpoint(place, revision, _hub_files(place, revision))


def identified(spec: str, folder: Path | None, target: str) -> Identified:
    """Name a checkpoint and fix its weights, without loading them.

    Parameters
    ----------
    spec : str
        The model's string, for messages.
    folder : pathlib.Path or None
        Where a folder of that name would lie.
    target : str
        A folder or a Hub id, optionally `@revision`.

    Returns
    -------
    Identified
        The revision is the Hub commit, or the hash of the folder's files.

    Raises
    ------
    ShelfError
        If there is no such model.
    """
    if folder is not None and folder.is_dir():
        if not (folder / "modules.json").is_file() and not (folder / "config.json").is_file():
            raise ShelfError(f"{spec}: {folder} holds no modules.json and no config.json")
        return Identified("/".join(folder.resolve().parts[-2:]), hash_of_folder(folder))
    if not HUB_ID.fullmatch(target):
        raise ShelfError(f"{spec}: no such folder, and not a Hub id (owner/name)")
    repo_id, _, revision = target.partition("@")
    if Path(repo_id).exists():
        kind = spec.partition(":")[0]
        # sentence-transformers would load it in place of the Hub's model.
        raise ShelfError(
            f"{spec}: {repo_id} lies here as well; name it {kind}:{repo_id}, or move it"
        )
    return Identified(repo_id, _hub_commit(spec, repo_id, revision))


def hash_of_folder(folder: Path) -> str:
    """Forty hexadecimal digits of the hash of all files in a folder and of their names."""
    digest = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        digest.update(f"{path.relative_to(folder)}\0{sha256_of_file(path)}\n".encode())
    return digest.hexdigest()[:40]


def _hub_commit(spec: str, repo_id: str, revision: str) -> str:
    if re.fullmatch(r"[0-9a-f]{40}", revision):
        return revision
    from huggingface_hub import HfApi

    where = f"{spec.partition(':')[0]}:{repo_id}"
    try:
        commit = HfApi().model_info(repo_id, revision=revision or None).sha
    # The client's HTTP library, and with it what it raises, differs between its versions.
    except Exception as error:
        reason = one_line(str(error), 200) or type(error).__name__
        raise ShelfError(f"{where}: the Hub did not name a commit: {reason}") from error
    if commit is None:
        raise ShelfError(f"{where}: the Hub did not name a commit")
    return commit


def _local_files(folder: Path) -> Files:
    def file(name: str) -> Path | None:
        path = folder / name
        return path if path.is_file() else None

    return file


def _hub_files(repo_id: str, revision: str) -> Files:
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

    def file(name: str) -> Path | None:
        try:
            # The cache that sentence-transformers reads.
            cache = os.environ.get("SENTENCE_TRANSFORMERS_HOME")
            return Path(hf_hub_download(repo_id, name, revision=revision, cache_dir=cache))
        except (EntryNotFoundError, LocalEntryNotFoundError):
            return None
        # As for the commit: what the client raises differs between its versions.
        except Exception as error:
            reason = one_line(str(error), 200) or type(error).__name__
            raise ShelfError(f"{repo_id}: {name} was not downloaded: {reason}") from error

    return file
