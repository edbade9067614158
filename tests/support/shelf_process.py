"""What a `shelf` fixture is: run the command line, get the finished process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

Shelf = Callable[..., subprocess.CompletedProcess[str]]


def shelf_in(folder: Path, *, env: Mapping[str, str] = os.environ, timeout: float = 600) -> Shelf:
    """`shelf` in a folder, in a process of its own, with a cache in that folder.

    What it gives takes the arguments; `cwd` names another folder for a call, other keywords set or
    unset (None) variables.
    """

    def run(
        *arguments: str | Path, cwd: Path = folder, **variables: str | None
    ) -> subprocess.CompletedProcess[str]:
        # Wide enough for a table: a test runner may have set another width.
        own = {"SHELF_CACHE": str(folder / "cache"), "COLUMNS": "160"}
        settings = {**env, **own, **variables}
        return subprocess.run(
            [sys.executable, "-m", "evaluate_shelf", *map(str, arguments)],
            cwd=cwd,
            capture_output=True,
            text=True,
            env={name: value for name, value in settings.items() if value is not None},
            timeout=timeout,
            check=False,
        )

    return run
