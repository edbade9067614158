"""The command line as a user runs it: in a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from shelf_process import Shelf, shelf_in


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """Run `shelf` with arguments in an empty folder."""
    return shelf_in(tmp_path)
