"""Folders of unfinished work, which a dead process cannot leave behind for good."""

from __future__ import annotations

import contextlib
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from evaluate_shelf.submissions.database import Database

_TRASH = "trash-"


class Scratch:
    """Folders that are each somebody's while a lock is held; the system drops a dead one's lock.

    Parameters
    ----------
    folder : pathlib.Path
        Where they lie, on one disk with what they become.
    database : Database
        Its transactions keep making a folder and sweeping apart.
    """

    def __init__(self, folder: Path, database: Database) -> None:
        self.folder = folder
        self._database = database

    @contextlib.contextmanager
    def empty(self) -> Iterator[Path]:
        """Give an empty folder; at the end it is removed with what is left in it."""
        name = secrets.token_hex(8)
        lock = FileLock(self._lock_of(name))
        folder = self.folder / name
        with self._database.writing():
            self.folder.mkdir(parents=True, exist_ok=True)
            lock.acquire()
            folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            self._lock_of(name).unlink(missing_ok=True)
            lock.release()

    def discard(self, folder: Path) -> None:
        """Take a folder away at once, to be deleted by `empty_trash`; within a transaction."""
        self.folder.mkdir(parents=True, exist_ok=True)
        folder.rename(self.folder / f"{_TRASH}{secrets.token_hex(8)}")

    def discard_abandoned(self) -> int:
        """Take away the folders whose owner is dead; within a transaction.

        Returns
        -------
        int
            How many there were.
        """
        locks = {path.stem: path for path in self.folder.glob("*.lock")}
        names = {path.name for path in self.folder.glob("*") if path.is_dir()} | set(locks)
        abandoned = 0
        for name in sorted(name for name in names if not name.startswith(_TRASH)):
            lock = FileLock(self._lock_of(name), timeout=0)
            try:
                lock.acquire()
            except Timeout:
                continue
            if (self.folder / name).is_dir():
                self.discard(self.folder / name)
                abandoned += 1
            self._lock_of(name).unlink(missing_ok=True)
            lock.release()
        return abandoned

    def empty_trash(self) -> None:
        """Delete what was taken away."""
        for path in self.folder.glob(f"{_TRASH}*"):
            shutil.rmtree(path, ignore_errors=True)

    def _lock_of(self, name: str) -> Path:
        return self.folder / f"{name}.lock"
