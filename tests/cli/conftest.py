"""The command line as a user runs it: in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from shelf_process import Shelf


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """Run `shelf` with arguments in an empty folder."""

    def run(*arguments: str | Path, cwd: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "evaluate_shelf", *map(str, arguments)],
            cwd=cwd,
            capture_output=True,
            text=True,
            # Wide enough for a table: a test runner may have set another width.
            env={**os.environ, "SHELF_CACHE": str(tmp_path / "cache"), "COLUMNS": "160"},
            timeout=600,
            check=False,
        )

    return run
