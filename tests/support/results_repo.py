"""The check of the template of a results repository, which is no package."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

TEMPLATE = Path(__file__).parents[2] / "space" / "results_repo"


def loaded_check() -> ModuleType:
    """Its `check.py` as a module."""
    spec = importlib.util.spec_from_file_location("results_repo_check", TEMPLATE / "check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
