"""What SQLite's errors mean to whoever runs the command."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError

_PRIMARY = 0xFF  # of an extended code
_UNWRITABLE = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM})
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class NoRoomError(OSError):
    """The ledger cannot grow: the disk is full, or fails."""

    @property
    def remedy(self) -> str:
        """What helps."""
        if self.errno == errno.ENOSPC:
            return "make room on the disk"
        return "make room on the disk and under its quota, and see that it does not fail"


class LockedError(ShelfError):
    """Another process has kept the ledger locked for long."""

    remedy = "it has to be let go of"


PASSING = (NoRoomError, LockedError)
"""After these, the same may succeed a while later."""


@contextmanager
def ledger_failures(file: Path) -> Iterator[None]:
    """Let the errors of a block name the ledger and say what to do.

    Raises
    ------
    NoRoomError
        If the disk is full or fails: `errno` is that of a full disk only where SQLite says so.
    LockedError
        If another process keeps it locked for long.
    ShelfError
        If the file cannot be opened or written, or is damaged.
    """
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY
        said = one_line(str(error), 200)
        if code == sqlite3.SQLITE_FULL:
            raise _no_room(errno.ENOSPC, said, file) from error
        if code == sqlite3.SQLITE_IOERR:
            raise _no_room(errno.EIO, f"{said}, {error.sqlite_errorname}", file) from error
        if code in _UNWRITABLE:
            raise ShelfError(f"{file}: cannot be opened or written: {said}") from error
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise LockedError(
                f"{file}: another process keeps it locked; wait for it, or end it"
            ) from error
        if code in _DAMAGED:
            raise damaged(file, said) from error
        raise


def damaged(file: Path, problem: str) -> ShelfError:
    """The error for a ledger that is not what SHELF has left."""
    return ShelfError(
        f"{file}: is damaged or was edited: {problem}; nothing is asked and nothing is written. "
        "Restore a copy, with its -wal file if it has one"
    )


def _no_room(number: int, said: str, file: Path) -> NoRoomError:
    return NoRoomError(number, f"{os.strerror(number)} ({said})", str(file))
