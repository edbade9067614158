from __future__ import annotations

import pytest

from evaluate_shelf.registry.taxonomy import Taxonomy, load_taxonomy


@pytest.fixture(scope="session")
def taxonomy() -> Taxonomy:
    return load_taxonomy()
