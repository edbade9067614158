"""The folder of what a server keeps for as long as it runs, and of what dead ones have left."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import tempfile
from pathlib import Path

from filelock import FileLock, Timeout

_PREFIX = "shelf-space-"
# A folder has this name until somebody owns it: no other server sees it before.
_UNOWNED = "shelf-unowned-"
_LOCK = "owner.lock"


def temporary_folder() -> Path:
    """An empty folder of this process, the same at each call; it goes when the process ends.

    Folders of servers that were killed go now. The system drops the lock of a process that is dead,
    however it died.
    """
    return _owned()[0]


def sweep() -> list[str]:
    """Remove the folders of dead servers of this user.

    Returns
    -------
    list of str
        Their names.
    """
    removed = []
    for folder in sorted(Path(tempfile.gettempdir()).glob(f"{_PREFIX}*")):
        with contextlib.suppress(OSError, Timeout):
            if _is_ours(folder) and (folder / _LOCK).is_file():
                with FileLock(folder / _LOCK, timeout=0):
                    _remove(folder)
                removed.append(folder.name)
    return removed


@functools.cache
def _owned() -> tuple[Path, FileLock]:
    sweep()
    unowned = Path(tempfile.mkdtemp(prefix=_UNOWNED)).resolve()
    lock = FileLock(unowned / _LOCK, timeout=0)
    lock.acquire()
    folder = unowned.with_name(unowned.name.replace(_UNOWNED, _PREFIX, 1))
    unowned.rename(folder)
    atexit.register(_remove, folder)
    return folder, lock


def _is_ours(folder: Path) -> bool:
    """Whether it is a folder, and this user's: others can make any name there."""
    found = folder.lstat()
    is_folder = folder.is_dir() and not folder.is_symlink()
    return is_folder and (not hasattr(os, "getuid") or found.st_uid == os.getuid())


def _remove(folder: Path) -> None:
    # The lock goes last: a folder of which something is left can be swept.
    for path in folder.glob("*"):
        if path.name == _LOCK:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
