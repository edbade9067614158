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


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SHELF_CACHE", str(tmp_path / "shelf-cache"))
    return None
