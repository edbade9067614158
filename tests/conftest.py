"""What all tests share: no network, no cache of the user, the reference data where it is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# Read by libraries when they are imported, so set before any of them is.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["TOKENIZERS_PARALLELISM"] = "false"


# A busy machine is no fault of what is tested.
settings.register_profile("shelf", deadline=None)
settings.load_profile("shelf")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name a parameter of bytes by its length: packed bytes hold the time at which they were made,
    and tests that run on several processes have to have the same names in each."""
    return f"{argname}-{len(val)}-bytes" if isinstance(val, bytes) else None


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SHELF_CACHE", str(tmp_path / "shelf-cache"))
    return None
