"""One process of this machine at a time in a folder."""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from evaluate_shelf.errors import ShelfError


def sole_use(path: Path, advice: str) -> AbstractContextManager[Any]:
    """Keep other processes of this machine out of a folder while the context lasts.

    Parameters
    ----------
    path : pathlib.Path
        The folder; it need not be there.
    advice : str
        What else the user can do than wait.

    Raises
    ------
    ShelfError
        If another process is there already.

    Examples
    --------
    >>> with sole_use(Path("runs/tfidf/0123"), "choose another --runs"):
    ...     pass
    """
    # Not beside the folder: a request that is refused leaves nothing behind.
    name = f"shelf-{os.getuid() if hasattr(os, 'getuid') else 0}-{path.resolve()}"
    digest = hashlib.sha256(name.encode("utf-8")).hexdigest()[:24]
    lock = FileLock(Path(tempfile.gettempdir()) / f"shelf-{digest}.lock", timeout=0)
    try:
        return lock.acquire()
    except Timeout as error:
        raise ShelfError(
            f"{path}: another process works there; wait for it, or {advice}"
        ) from error
