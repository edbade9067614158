"""Corpora made up for the tests: each class has words of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from staged_releases import row_of, staged

from builders.corpora.catalogue.columns import CATALOGUE
from builders.release.folder import write_release
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.taxonomy import load_taxonomy
from evaluate_shelf.statistics.streams import stream
from evaluate_shelf.transfer_matrix import Corpus, corpora_named

Rows = Iterable[Mapping[str, Any]]
Release = Callable[..., Path]


def document(number: int, letter: int, words: str, **fields: Any) -> dict[str, Any]:
    """A document of a class, in words of that class and words of none."""
    draws = stream(7, words, number)
    own = [f"{words}{letter}x{draws.integers(12)}" for _ in range(6)]
    common = [f"{words}{draws.integers(40)}" for _ in range(12)]
    text = " ".join([*own, *common])
    subject = load_taxonomy().classes[letter]
    return row_of(
        number,
        **{
            "id": f"{words}{number:06d}",
            "text": text,
            "body": text,
            "lcc_code": subject.code,
            "lcc_name": subject.name,
            "lcc_uri": subject.uri,
            "group_id": f"{words}-{number // 2}",
            **fields,
        },
    )


def documents(count: int, classes: int, words: str) -> list[dict[str, Any]]:
    """Documents of so many classes in turn, two a group."""
    return [document(number, number // 2 % classes, words) for number in range(count)]


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Write rows as a release of one config, `own_catalogue`."""

    def write(name: str, rows: Rows, **info: Any) -> Path:
        folder = tmp_path_factory.mktemp("corpus")
        options = {"group_column": "group_id", **info}
        config = staged(folder / "staged", "own_catalogue", CATALOGUE, [*rows], **options)
        write_release(name, [config], folder / name)
        return folder / name

    return write


@pytest.fixture(scope="session")
def corpora(release: Release) -> tuple[Corpus, ...]:
    """A corpus of three classes, and a smaller one of the same and a fourth, in other words."""
    first = release("first", documents(120, 3, "fish"))
    second = release("second", documents(80, 4, "bird"))
    return corpora_named([f"fish={first}", f"bird={second}"])


@pytest.fixture
def shipped() -> tuple[Corpus, ...]:
    """The release that ships with the package."""
    return corpora_named([f"quick={shipped_release()}:all"])


@pytest.fixture
def made() -> Callable[..., list[dict[str, Any]]]:
    """Documents of so many classes; see `documents`."""
    return documents
