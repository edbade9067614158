from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builders.taxonomies.importing import ImportRequest, import_taxonomy

CRAFTS = Path(__file__).with_name("crafts.ttl")


@pytest.fixture
def crafts() -> Path:
    """A hand-written thesaurus in Turtle: 41 concepts, of which two are deprecated."""
    return CRAFTS


@pytest.fixture
def imported(tmp_path: Path) -> Callable[..., tuple[Path, dict[str, Any]]]:
    """Import a file, or a text as a file; gives the folder and the record."""

    def run(
        source: Path | str | bytes, form: str, facet: str, name: str = "out", **options: Any
    ) -> tuple[Path, dict[str, Any]]:
        if isinstance(source, Path):
            file = source
        else:
            file = tmp_path / "vocabulary"
            file.write_bytes(source.encode() if isinstance(source, str) else source)
        out = tmp_path / name
        request = ImportRequest(file, form, facet, out, **options)  # type: ignore[arg-type]
        return out, import_taxonomy(request)

    return run
