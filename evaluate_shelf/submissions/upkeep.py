"""What keeps a store whole: sweeping it, seeing what is damaged, and putting files back."""

from __future__ import annotations

import sqlite3
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.submissions.database import Clock, note
from evaluate_shelf.submissions.holdings import Holdings, found_submission
from evaluate_shelf.submissions.records import KEPT, Role, State, Submission
from evaluate_shelf.submissions.run_files import is_whole, sync, write_through
from evaluate_shelf.submissions.scratch import Scratch

SWEEP_SECONDS = 5.0
"""How long a sweep reads files."""


class Swept(NamedTuple):
    """What a sweep found.

    Attributes
    ----------
    removed : int
        Folders that no row names, and unfinished work of processes that are dead.
    missing : tuple of str
        Ids of rows whose run is not on the disk.
    damaged : tuple of str
        Ids of rows whose run is there, with other files than it came with; of those that were
        looked at.
    """

    removed: int
    missing: tuple[str, ...]
    damaged: tuple[str, ...] = ()


class Upkeep(Holdings):
    """A store's folder, for whatever decides nothing about what is in it.

    Parameters
    ----------
    folder, clock
        As for `Holdings`.
    """

    def __init__(self, folder: Path, clock: Clock = time.time) -> None:
        super().__init__(folder, clock)
        self._scratch = Scratch(folder / "scratch", self.database)

    def scratch(self) -> AbstractContextManager[Path]:
        """An empty folder on the store's disk, removed at the end of the context."""
        return self._scratch.empty()

    def sweep(self, seconds: float = SWEEP_SECONDS) -> Swept:
        """Remove what a death left, and see whether what is kept is whole.

        Parameters
        ----------
        seconds : float, default=5
            How long files are read. Runs that were not looked at for longest are first.
        """
        removed, missing = self.remove_unnamed()
        return Swept(removed, missing, self._look_over(seconds))

    def remove_unnamed(self) -> tuple[int, tuple[str, ...]]:
        """Remove folders without a row, and work that nobody does any more.

        Returns
        -------
        tuple
            How many, and the ids of rows without a folder.
        """
        with self.database.writing() as connection:
            rows = connection.execute("SELECT id, state FROM submissions ORDER BY id").fetchall()
            kept = [row["id"] for row in rows if row["state"] in KEPT]
            found = {path.name: path for path in self.runs.glob("*")}
            removed = sorted(set(found) - set(kept))
            for name in removed:
                self._scratch.discard(found[name])
            abandoned = self._scratch.discard_abandoned()
        self._scratch.empty_trash()
        return len(removed) + abandoned, tuple(name for name in kept if name not in found)

    def _look_over(self, seconds: float) -> tuple[str, ...]:
        """Read the files of kept runs for a while; ids of those that are there and damaged."""
        with self.database.reading() as connection:
            rows = connection.execute(
                "SELECT id, state, damaged FROM submissions ORDER BY looked, id"
            ).fetchall()
        ends = time.monotonic() + seconds
        found: dict[str, bool] = {}
        was: dict[str, bool] = {}
        for row in rows:
            if row["state"] in KEPT and time.monotonic() < ends:
                found[row["id"]] = not is_whole(self.run_folder(row["id"]), row["id"])
                was[row["id"]] = bool(row["damaged"])
        if found:
            with self.database.writing() as connection:
                for identity, is_damaged in found.items():
                    if is_damaged != was[identity]:
                        self._mark(connection, identity)
                connection.executemany(
                    "UPDATE submissions SET looked = now() WHERE id = ?", [(own,) for own in found]
                )
        damaged = sorted(own for own, is_damaged in found.items() if is_damaged)
        return tuple(own for own in damaged if self.run_folder(own).is_dir())

    def _mark(self, connection: sqlite3.Connection, identity: str) -> None:
        """Note whether a run is damaged, if it is still kept; within a transaction."""
        before = found_submission(connection, identity)
        damaged = not is_whole(self.run_folder(identity), identity)
        if before is None or before.state not in KEPT or before.damaged == damaged:
            return
        connection.execute("UPDATE submissions SET damaged = ? WHERE id = ?", (damaged, identity))
        why = "its files are lost or damaged; send it again" if damaged else "its files are whole"
        note_change(connection, before, identity, before.state, "check", "check", why)

    def mended(self, submission: Submission, run: Path) -> Submission:
        """A run that is sent once more; its files are put back where they are not whole."""
        identity = submission.id
        if submission.state not in KEPT:
            return submission
        place = self.run_folder(identity)
        if is_whole(place, identity):
            if not submission.damaged:
                return submission
            with self.database.writing() as connection:
                self._mark(connection, identity)
            return self.get(identity)
        write_through(run)
        with self.database.writing() as connection:
            before = found_submission(connection, identity)
            if before is None or before.state not in KEPT:
                raise ShelfError(f"submission {identity[:12]} was taken out meanwhile")
            self.put(run, identity)
            connection.execute("UPDATE submissions SET damaged = 0 WHERE id = ?", (identity,))
            why = "its files were lost or damaged; it was sent again, and they were put back"
            note_change(connection, before, identity, before.state, "check", "check", why)
        self._scratch.empty_trash()
        return self.get(identity)

    def put(self, run: Path, identity: str) -> None:
        """Move a run's folder into its place, on the disk too; within a transaction that writes."""
        place = self.run_folder(identity)
        if place.exists():
            # A death before its row was kept left it there, or it is damaged.
            self._scratch.discard(place)
        self.runs.mkdir(exist_ok=True)
        run.rename(place)
        sync(self.runs)


def note_change(
    connection: sqlite3.Connection,
    before: Submission | None,
    identity: str,
    state: State,
    role: Role,
    who: str,
    why: str,
) -> None:
    """Note a change of a submission's state among the events; `before` is None where it is new."""
    was = before.state if before else None
    note(
        connection,
        {"subject": identity, "was": was, "state": state, "role": role, "who": who, "why": why},
    )
