"""The bytes of a file, plain or compressed by gzip, in pieces of bounded size."""

from __future__ import annotations

import contextlib
import gzip
import io
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from evaluate_shelf.errors import ShelfError

_GZIP = b"\x1f\x8b"
_BLOCK = 2**18


class BrokenOffError(Exception):
    """A file cannot be read on: the disk, or the compressed data, is damaged from here."""


@contextlib.contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading; what is compressed by gzip, whatever its name, is inflated.

    Parameters
    ----------
    path : pathlib.Path

    Yields
    ------
    file object

    Raises
    ------
    ShelfError
        There is no such file, it may not be read, or it is a pipe, which cannot be read twice.
    """
    try:
        # Before it is opened, as that waits for a pipe's other end.
        mode = path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise ShelfError(
                f"{path}: is a pipe or a device, not a file; write its content to a file and name "
                "that (one compressed by gzip may stay so)"
            )
        raw = path.open("rb")
    except OSError as error:
        raise ShelfError(f"{path}: cannot be read: {error.strerror}") from error
    with raw:
        compressed = raw.read(2) == _GZIP
        raw.seek(0)
        if not compressed:
            yield raw
            return
        with gzip.GzipFile(fileobj=raw) as inflated:
            yield cast("BinaryIO", inflated)


def head(path: Path, size: int) -> bytes:
    """The first bytes of a file, at most `size`.

    Raises
    ------
    ShelfError
        There is no such file, it is empty, or its compressed data are damaged from the start.
    """
    first = b""
    with opened(path) as stream, contextlib.suppress(BrokenOffError):
        while len(first) < size and (block := _read(stream, size - len(first))):
            first += block
    if not first:
        raise ShelfError(f"{path}: is empty, or damaged from the start; leave it out")
    return first


def blocks(path: Path) -> Iterator[bytes]:
    """A file's bytes, in blocks of 256 KiB at most.

    Raises
    ------
    BrokenOffError
        The file cannot be read on.
    """
    with opened(path) as stream:
        while block := _read(stream, _BLOCK):
            yield block


def lines(path: Path, longest: int) -> Iterator[bytes | None]:
    """A file's lines with their ends; None in place of a line of more than `longest` bytes.

    Raises
    ------
    BrokenOffError
        The file cannot be read on.
    """
    with opened(path) as stream:
        while line := _readline(stream, longest):
            if len(line) < longest or line.endswith(b"\n"):
                yield line
                continue
            while (rest := _readline(stream, longest)) and not rest.endswith(b"\n"):
                pass
            yield None


def _read(stream: BinaryIO, size: int) -> bytes:
    try:
        # One piece at a time, so that damage further on does not take what comes before it.
        return cast("io.BufferedReader", stream).read1(size)
    except (OSError, EOFError, zlib.error) as error:
        raise BrokenOffError(str(error)) from error


def _readline(stream: BinaryIO, size: int) -> bytes:
    try:
        return stream.readline(size)
    except (OSError, EOFError, zlib.error) as error:
        raise BrokenOffError(str(error)) from error
