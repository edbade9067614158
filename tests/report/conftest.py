"""Runs with hostile names, a report on them, and one on the published panel."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_runs import run
from shelf_process import Shelf, shelf_in

from evaluate_shelf.report.evidence import Evidence

HOSTILE = (
    "<img src=x onerror=\"window.ran='name'\">",
    "</svg><script>window.ran='script'</script>",
    "a|b`c` **d** [e](https://example.org/) $f$ \\g ]]> &amp;",
    "=1+1",
    "図書館\ufffe\U0001f4da",
)


@pytest.fixture(scope="session")
def hostile() -> tuple[str, ...]:
    return HOSTILE


@pytest.fixture(scope="session")
def evidence() -> Evidence:
    """Five models on three tasks; nothing of the disk is read."""
    runs = [
        run(
            name,
            {
                "lcc_retrieval": (0.6 - place / 20, 0.55 - place / 20, 0.65 - place / 20),
                "form_retrieval": (0.2 + place / 20, 0.1 + place / 20, 0.3 + place / 20),
                "lcc_classification": (0.5, 0.4, 0.6),
            },
        )
        for place, name in enumerate(HOSTILE)
    ]
    return Evidence(computed=tuple(runs), folders=("my $(runs)",))


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """Run `shelf` with arguments in an empty folder."""
    return shelf_in(tmp_path)
