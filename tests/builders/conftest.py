from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builders.build import build
from builders.corpora.pool import build_pool
from builders.corpora.synthetic.slices import build_slice
from builders.request import BuildRequest
from builders.specifications import Specification, draw_block
from builders.staging.config import StagedConfig
from builders.writers.lexicon import Lexicon, load_lexicon
from evaluate_shelf.registry.generation import Plan, load_plan
from evaluate_shelf.registry.taxonomy import Taxonomy, load_taxonomy

SMALL_CONFIGS = ("v0_4_core", "all", "same_lcc_pairs")


@pytest.fixture(scope="session")
def taxonomy() -> Taxonomy:
    return load_taxonomy()


@pytest.fixture(scope="session")
def lexicon() -> Lexicon:
    return load_lexicon()


@pytest.fixture(scope="session")
def drawn(taxonomy: Taxonomy) -> list[Specification]:
    """Five thousand specifications of one block."""
    return list(draw_block(taxonomy, block_id="block-00-seed42", seed=42, size=5000))


@pytest.fixture(scope="session")
def small_plan() -> Plan:
    """The smallest round plan whose test split has two groups of a class, as its pairs need."""
    return load_plan("quickstart").sized(260, ["v0_4_core"])


@pytest.fixture(scope="session")
def request_for(small_plan: Plan) -> Callable[..., BuildRequest]:
    """A request for the small release at a place, with whatever else is to be different."""

    def make(out: Path, **changes: Any) -> BuildRequest:
        return BuildRequest(
            **{"configs": SMALL_CONFIGS, "out": out, "name": "small", "plan": small_plan, **changes}
        )

    return make


@pytest.fixture(scope="session")
def small_release(
    tmp_path_factory: pytest.TempPathFactory, request_for: Callable[..., BuildRequest]
) -> Path:
    """A built release that no test may change."""
    folder = tmp_path_factory.mktemp("built") / "small"
    build(request_for(folder))
    return folder


@pytest.fixture(scope="session")
def staging(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("staging")


@pytest.fixture(scope="session")
def slices(staging: Path) -> dict[str, StagedConfig]:
    """All synthetic slices, small."""
    plan = load_plan("standard").sized(1500, load_plan("standard").slices)
    return {name: build_slice(name, plan, seed=42, staging=staging) for name in plan.slices}


@pytest.fixture(scope="session")
def core(slices: dict[str, StagedConfig]) -> StagedConfig:
    """A synthetic slice by several styles."""
    return slices["v0_4_core"]


@pytest.fixture(scope="session")
def pool(slices: dict[str, StagedConfig], staging: Path) -> StagedConfig:
    return build_pool(list(slices.values()), staging)


@pytest.fixture
def photograph() -> Callable[[Path], dict[str, str]]:
    """Every file of a folder with the hash of its bytes."""

    def take(folder: Path) -> dict[str, str]:
        return {
            path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }

    return take
