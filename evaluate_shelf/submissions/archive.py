"""Open an archive of a stranger into an empty folder, or leave nothing behind."""

from __future__ import annotations

import os
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.submissions.contents import (
    ARCHIVE_BYTES,
    FILES,
    MIB,
    TOTAL_BYTES,
    check_names,
    most_bytes,
)
from evaluate_shelf.submissions.refusals import Refused

RATIO = 200
"""How many bytes may come of one byte of an archive."""

_BLOCK = 2**16
# Signature, disk, disk of the directory, entries there, entries, size, offset, length of a comment.
_END = struct.Struct("<4s4H2LH")
_LARGE_END = b"PK\x06\x07"
_LARGE_END_BYTES = 20
_DIRECTORY_BYTES = FILES * 1024
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_PATCHED = 0x20
_DOS_FOLDER = 0x10
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_AGAIN = "pack the run again with `shelf pack`"
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)


def opened(archive: Path, into: Path) -> list[str]:
    """Take the files of a run out of an archive.

    No more than the allowed number of bytes is ever written, whatever the archive says of itself:
    bytes are counted while they are read. The files appear in `into` all together.

    Parameters
    ----------
    archive : pathlib.Path
        What a stranger sent.
    into : pathlib.Path
        A folder that is empty, or not there.

    Returns
    -------
    list of str
        Names of the files, in order.

    Raises
    ------
    Refused
        If the archive is no zip file, too large, encrypted, or inflates to more than `RATIO` times
        its size or `TOTAL_BYTES`; if an entry is no file of a run (a path that leads out, a link,
        a folder, another archive, a name that stands twice) or is not what the archive says. `into`
        is then as it was.
    ShelfError
        If `into` is not empty, or there is no archive.
    """
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise ShelfError(f"{into}: not an empty folder")
    if not archive.is_file():
        raise ShelfError(f"{archive}: no such file")
    temporary = into.with_name(f".{into.name}.{os.getpid()}.opened")
    try:
        temporary.mkdir(parents=True, mode=0o700)
        with archive.open("rb") as stream:
            names = _extracted(stream, temporary)
        if into.exists():
            into.rmdir()
        temporary.rename(into)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return names


def _extracted(stream: BinaryIO, folder: Path) -> list[str]:
    size = os.fstat(stream.fileno()).st_size
    if size > ARCHIVE_BYTES:
        raise Refused(
            f"the archive has {size / MIB:,.1f} MiB, more than {ARCHIVE_BYTES // MIB} MiB"
        )
    number = _check_end(stream, size)
    try:
        with zipfile.ZipFile(stream) as opened_archive:
            entries = opened_archive.infolist()
            if len(entries) != number:
                raise Refused(f"its directory does not say how many files there are; {_AGAIN}")
            _check_entries(entries, size)
            left = min(TOTAL_BYTES, RATIO * size)
            for entry in entries:
                left -= _written(opened_archive, entry, folder, left)
    except _DAMAGED as error:
        raise Refused(
            f"the archive is damaged; {_AGAIN}", f"{type(error).__name__}: {error}"
        ) from None
    return sorted(entry.filename for entry in entries)


def _check_end(stream: BinaryIO, size: int) -> int:
    """Refuse all but one plain directory at the very end, before anything reads it.

    Gives how many files it says there are.

    What reads it makes an object of every entry, so their number has to be bounded before.
    """
    if size < _END.size + _LARGE_END_BYTES:
        raise Refused(f"not a zip archive; {_AGAIN}")
    stream.seek(size - _END.size - _LARGE_END_BYTES)
    tail = stream.read(_END.size + _LARGE_END_BYTES)
    signature, *disks, here, entries, directory, offset, comment = _END.unpack(tail[-_END.size :])
    if signature != b"PK\x05\x06" or comment:
        raise Refused(f"not a zip archive, or cut off, or with bytes behind its end; {_AGAIN}")
    if tail.startswith(_LARGE_END) or any(disks) or here != entries:
        raise Refused(f"an archive in parts, or in the form for large files; {_AGAIN}")
    if entries > FILES or directory > _DIRECTORY_BYTES:
        raise Refused(f"it holds {entries:,} files or more; a run has {FILES} at most")
    if offset + directory != size - _END.size:
        raise Refused(f"the archive has bytes that belong to none of its files; {_AGAIN}")
    return int(entries)


def _check_entries(entries: Sequence[zipfile.ZipInfo], size: int) -> None:
    # What stands behind a zero byte is cut off from the other name.
    check_names([entry.orig_filename for entry in entries])
    for entry in entries:
        place = f"file {entry.filename}"
        mode = entry.external_attr >> 16
        if (stat.S_IFMT(mode) and not stat.S_ISREG(mode)) or entry.external_attr & _DOS_FOLDER:
            raise Refused(f"{place}: it is a link or no file at all")
        if entry.flag_bits & _ENCRYPTED:
            raise Refused(f"{place}: it is encrypted")
        if entry.compress_type not in _METHODS or entry.flag_bits & _PATCHED:
            raise Refused(f"{place}: compressed in a way that is not taken; {_AGAIN}")
        if entry.file_size > most_bytes(entry.filename):
            raise Refused(
                f"{place}: {entry.file_size:,} bytes are more than {most_bytes(entry.filename):,}"
            )
        if entry.file_size > RATIO * max(entry.compress_size, 1):
            raise Refused(f"{place}: it inflates to more than {RATIO} times its size")
        if not 0 <= entry.header_offset < size:
            raise Refused(f"the archive is damaged; {_AGAIN}")
    if sum(entry.file_size for entry in entries) > TOTAL_BYTES:
        raise Refused(f"its files have more than {TOTAL_BYTES // MIB} MiB")


def _written(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path, most: int) -> int:
    """Write a file, at most so many bytes of it; gives their number."""
    path = folder / entry.filename
    path.parent.mkdir(exist_ok=True, mode=0o700)
    written = 0
    with archive.open(entry) as source, path.open("xb") as target:
        while block := source.read(_BLOCK):
            written += len(block)
            if written > min(most, entry.file_size):
                raise Refused(f"file {entry.filename}: it has more bytes than the archive says")
            target.write(block)
    if written != entry.file_size:
        raise Refused(f"file {entry.filename}: it has fewer bytes than the archive says")
    return written
