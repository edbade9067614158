from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_library import EDITIONS, LEFT_OUT, ONE_WORK, SOUND, THIN, works_of_class
from marc_samples import utf8, xml
from shelf_process import Shelf, shelf_in

from builders.build import BuildReport, build
from builders.corpora.catalogue.recipes import catalogue_recipes
from builders.corpora.catalogue.request import CatalogueRequest, Choice, marc_request
from builders.request import BuildRequest
from evaluate_shelf.registry.generation import load_plan


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two files: binary with damage in the middle, and MARCXML."""
    folder = tmp_path_factory.mktemp("records")
    binary, collection = folder / "one.mrc", folder / "two.xml"
    cut_short = utf8(works_of_class("Q", 1)[0])[:60] + b"\x1d"
    binary.write_bytes(
        b"".join(map(utf8, SOUND[:20])) + cut_short + b"".join(map(utf8, SOUND[20:] + THIN))
    )
    left_out = [record for records in LEFT_OUT.values() for record in records]
    collection.write_bytes(xml([*EDITIONS, *ONE_WORK, *left_out]))
    return [binary, collection]


Import = Callable[..., BuildReport]


def import_request(
    files: list[Path], out: Path, **choice: Any
) -> tuple[BuildRequest, CatalogueRequest]:
    asked = marc_request(files, Choice(**choice))
    configs = tuple(catalogue_recipes(asked))
    return BuildRequest(configs, out, out.name, load_plan("standard")), asked


@pytest.fixture(scope="session")
def import_marc() -> Import:
    """Import MARC files into a folder, as the command does."""

    def run(files: list[Path], out: Path, **choice: Any) -> BuildReport:
        request, asked = import_request(files, out, **choice)
        return build(request, None, catalogue_recipes(asked))

    return run


@pytest.fixture(scope="session")
def release(
    tmp_path_factory: pytest.TempPathFactory, files: list[Path], import_marc: Import
) -> Path:
    """A library's records as a release that no test may change."""
    out = tmp_path_factory.mktemp("imported") / "ours"
    import_marc(files, out, licence="CC0 1.0", source="The library of Arkham")
    return out


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """Run `shelf` with arguments in an empty folder."""
    return shelf_in(tmp_path, timeout=300)
