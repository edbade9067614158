"""Pack a finished run into one archive that can be sent."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path
from typing import NamedTuple

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replacing, sha256_of_file
from evaluate_shelf.runs.folder import RUN
from evaluate_shelf.runs.reading import load_run
from evaluate_shelf.submissions.contents import ARCHIVE_BYTES, MIB
from evaluate_shelf.submissions.run_json import protocol_of_run, run_file_of

# The first day that a zip file can name; a run's own days are no part of what it says.
_DATE = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_PLAIN_FILE = 0o100644 << 16


class Packed(NamedTuple):
    """An archive of a run.

    Attributes
    ----------
    path : pathlib.Path
        Where it lies.
    sha256 : str
        Of its bytes.
    names : tuple of str
        The files in it, in order.
    left_out : tuple of str
        What lies in the run's folder besides and is no part of the run.
    """

    path: Path
    sha256: str
    names: tuple[str, ...]
    left_out: tuple[str, ...]


def pack_run(folder: Path, out: Path) -> Packed:
    """Pack a run as `run.json`, `scores.parquet` and the item rows of its tasks.

    The same run gives the same bytes on every machine: names in order, one date, and nothing
    compressed, since Parquet is already and compressors differ.

    Parameters
    ----------
    folder : pathlib.Path
        A finished run, `runs/<model>/<run id>`.
    out : pathlib.Path
        The archive. What is there is replaced when the new one is whole.

    Returns
    -------
    Packed
        The archive and what is in it.

    Raises
    ------
    ShelfError
        If the run is unfinished, damaged or a smoke run, holds a text that no submission may hold,
        or is too large. The message says what to do; nothing is written.
    """
    if not folder.is_dir():
        raise ShelfError(f"{folder}: no such run; give the folder runs/<model>/<run id>")
    if (folder / "progress").is_dir():
        raise ShelfError(
            f"{folder}: the run is not finished; give the same `shelf evaluate` again, which goes "
            "on where it stopped"
        )
    run = load_run(folder)
    data = (folder / RUN).read_bytes()
    try:
        protocol_of_run(run_file_of(data))
    except ShelfError as error:
        raise ShelfError(f"{folder}: it cannot be submitted: {error}") from None
    contents = {
        RUN: data,
        **{name: _whole(folder, name, run.file.files[name]) for name in run.file.files},
    }
    with replacing(out) as temporary:
        _write(temporary, contents)
        size = temporary.stat().st_size
        if size > ARCHIVE_BYTES:
            raise ShelfError(
                f"{folder}: packed it has {size / MIB:,.1f} MiB, more than the "
                f"{ARCHIVE_BYTES // MIB} MiB that are taken; evaluate fewer tasks into another "
                "folder of runs"
            )
    return Packed(out, sha256_of_file(out), tuple(sorted(contents)), _others(folder, contents, out))


def _whole(folder: Path, name: str, digest: str) -> bytes:
    """A file's bytes, if they are those that `run.json` names."""
    path = folder / name
    data = path.read_bytes() if path.is_file() else b""
    if hashlib.sha256(data).hexdigest() != digest:
        raise ShelfError(
            f"{path}: not the file that {RUN} names; remove the run's folder and evaluate again"
        )
    return data


def _write(path: Path, contents: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=False) as archive:
        for name in sorted(contents):
            entry = zipfile.ZipInfo(name, _DATE)
            entry.create_system, entry.external_attr = _UNIX, _PLAIN_FILE
            archive.writestr(entry, contents[name])


def _others(folder: Path, contents: dict[str, bytes], out: Path) -> tuple[str, ...]:
    found = (path for path in folder.rglob("*") if not path.is_dir() and path != out)
    names = {path.relative_to(folder).as_posix() for path in found}
    return tuple(sorted(names - contents.keys()))
