from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from evaluate_shelf.registry import config_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the configuration that a test may damage."""
    return Path(shutil.copytree(config_folder(), tmp_path / "configs"))


@pytest.fixture
def damage(folder: Path) -> Callable[[str, Callable[[Any], None]], Path]:
    """Change one file of the copy by a function of its content; gives the copy's folder."""

    def change(name: str, function: Callable[[Any], None]) -> Path:
        file = folder / name
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        function(content)
        file.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
        return folder

    return change
