from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builders.build import BuildRequest, build
from builders.corpora.built import BuiltConfig
from builders.corpora.pool import build_pool
from builders.corpora.synthetic import build_core
from builders.specifications import Specification, draw_block
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
    return draw_block(taxonomy, index=0, seed=42, size=5000)


@pytest.fixture(scope="session")
def small_plan() -> Plan:
    """The smallest round plan whose test split has two groups of a class, as its pairs need."""
    return load_plan("quickstart").model_copy(update={"specifications_per_block": 130})


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
def core(tmp_path_factory: pytest.TempPathFactory) -> BuiltConfig:
    """A synthetic slice by all five styles."""
    plan = load_plan("standard").model_copy(update={"blocks": 2, "specifications_per_block": 60})
    return build_core(plan, seed=42, staging=tmp_path_factory.mktemp("pieces"))


@pytest.fixture(scope="session")
def pool(core: BuiltConfig) -> BuiltConfig:
    return build_pool([core])


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
