from __future__ import annotations

from pathlib import Path

import pytest
from stored_runs import store_in, written_run

from evaluate_shelf.submissions.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_in(tmp_path / "store")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return written_run(tmp_path / "run")
