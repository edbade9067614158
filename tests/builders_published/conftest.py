"""Published folders, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from published_folder import PublishedFolder, published_folder

from builders.build import build
from builders.published.recipes import imported_recipes
from builders.published.release import open_published
from builders.request import BuildRequest
from builders.staging.config import StagedConfig
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.release.manifest import Manifest

SEED = 42
SOME = ("all", "same_lcc_pairs", "lcc_retrieval", "transfer_gutenberg", "transfer_lcshbench")


class Imported(NamedTuple):
    """A config as it was taken over: what it is, and its rows by id, each with its `_split`."""

    config: StagedConfig
    rows: dict[str, dict[str, Any]]

    @property
    def notes(self) -> str:
        return "\n".join(self.config.info.notes)


@pytest.fixture
def published() -> PublishedFolder:
    """The whole release, which a test may change."""
    return published_folder()


@pytest.fixture
def take(tmp_path: Path) -> Callable[..., Imported]:
    """Take some configs of a folder over; gives the last of them."""

    def run(own: PublishedFolder, *configs: str) -> Imported:
        folder = own.write(tmp_path / "published")
        recipes = imported_recipes(open_published(str(folder)))
        built: dict[str, StagedConfig] = {}
        for name in configs:
            bench = bench_of(tmp_path / "pieces", built)
            built.update({made.name: made for made in recipes[name].make(bench).configs})
        return imported(built[configs[-1]])

    return run


def bench_of(staging: Path, built: dict[str, StagedConfig]) -> Any:
    from builders.request import Bench

    request = BuildRequest((), staging, "test", load_plan("standard"), SEED)
    return Bench(request, built, staging, None)


def imported(config: StagedConfig) -> Imported:
    rows = {
        row["id"]: {**row, "_split": split}
        for split in config.splits
        for table in config.batches(splits=[split])
        for row in table.to_pylist()
    }
    assert len(rows) == config.rows()
    return Imported(config, rows)


@pytest.fixture(scope="session")
def import_folder() -> Callable[..., Manifest]:
    """Import a folder: some configs, or the named ones, or all that follow from it."""

    def run(source: Path, out: Path, configs: tuple[str, ...] | None = SOME) -> Manifest:
        release = open_published(str(source))
        known = imported_recipes(release)
        request = BuildRequest(
            configs or tuple(known), out, "imported", load_plan("standard"), SEED
        )
        return build(request, None, known).manifest

    return run


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory, import_folder: Callable[..., Manifest]) -> Path:
    """All corpora and some of what follows from them, imported; no test may change it."""
    folder = tmp_path_factory.mktemp("imported")
    import_folder(published_folder().write(folder / "published"), folder / "release")
    return folder / "release"
