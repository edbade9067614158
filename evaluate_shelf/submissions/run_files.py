"""A run's folder as a store keeps it: its id, what the table keeps of it, and the disk beneath."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file, sha256_of_json
from evaluate_shelf.runs.folder import read_run
from evaluate_shelf.submissions.records import Passed, RunFacts
from evaluate_shelf.submissions.refusals import Refused

_LONGEST_DETAILS = 2**20


def content_id(run: Path) -> str:
    """SHA-256 of all files of a folder and of their names.

    Raises
    ------
    Refused
        If nothing is in it, or something that is neither a file nor a folder.
    """
    files = {}
    for path in sorted(run.rglob("*")):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise Refused(f"{path.relative_to(run)}: neither a file nor a folder")
        if path.is_file():
            files[path.relative_to(run).as_posix()] = sha256_of_file(path)
    if not files:
        raise Refused("nothing was sent: there is no file in it")
    return sha256_of_json(files)


class Details(NamedTuple):
    """What is kept in the tables of a run that passes.

    Attributes
    ----------
    run_id : str
        As it says.
    text : str
        What lists need, as JSON.
    found : str
        What the check found, as JSON.
    board, known : str or None
        What others are compared with, as JSON, and on which board.
    """

    run_id: str
    text: str
    found: str
    board: str | None
    known: str | None


def details_of(run: Path, passed: Passed) -> Details:
    """What is kept in the tables of a run that passes.

    Raises
    ------
    Refused
        If its `run.json` cannot be read, or it is too long.
    """
    try:
        file = read_run(run)
    except ShelfError as error:
        raise Refused(str(error)) from error
    facts = RunFacts(
        model=file.model.name,
        spec=file.model.spec,
        revision=file.model.revision,
        run_id=file.run_id,
        release_id=file.data.release_id,
        config=file.data.config,
        protocol=file.protocol.key,
    )
    values = {"run": facts.model_dump(), "flags": list(passed.flags)}
    text, found = (json.dumps(own, allow_nan=False) for own in (values, passed.found))
    known = None if passed.known is None else passed.known.model_dump_json()
    if len(text) + len(found) + len(known or "") > _LONGEST_DETAILS:
        raise Refused(f"what is known of the run is longer than {_LONGEST_DETAILS:,} characters")
    board = None if passed.known is None else passed.known.board
    return Details(file.run_id, text, found, board, known)


def is_whole(run: Path, identity: str) -> bool:
    """Whether a folder has the very files of a `content_id`."""
    try:
        return content_id(run) == identity
    except (OSError, Refused):
        return False


def write_through(run: Path) -> None:
    """Have the disk hold a folder's files, before a transaction in which others wait."""
    for path in sorted(run.rglob("*"), reverse=True):
        sync(path)
    sync(run)


def sync(path: Path) -> None:
    """Have the disk hold a file, or the names in a folder."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
