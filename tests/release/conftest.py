from __future__ import annotations

import socket
from pathlib import Path

import pytest
from release_forgery import Release

from builders.build import build
from builders.corpora.columns import GUTENBERG
from builders.release.folder import write_release
from builders.request import BuildRequest
from builders.splits import Member, grouped_splits
from builders.staging.config import ConfigInfo, StagedConfig
from builders.staging.writing import stage_rows
from builders.task_configs.pair_tasks import PAIR_TASKS
from builders.task_configs.pairs import build_pairs
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.registry.taxonomy import load_taxonomy

CONFIGS = ("v0_4_core", "all", "same_lcc_pairs")


@pytest.fixture(scope="session")
def small_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built release of written documents that no test may change."""
    folder = tmp_path_factory.mktemp("built") / "small"
    plan = load_plan("quickstart").sized(260, ["v0_4_core"])
    build(BuildRequest(CONFIGS, folder, "small", plan))
    return folder


@pytest.fixture(scope="session")
def natural_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of made-up passages, with a struct, nulls and empty lists in its columns."""
    folder = tmp_path_factory.mktemp("natural") / "books"
    staging = tmp_path_factory.mktemp("staging")
    corpus = _passages(staging)
    pairs = build_pairs(
        "transfer_books_same_lcc_pairs",
        PAIR_TASKS["same_lcc_pairs"],
        corpus,
        load_plan("quickstart"),
        seed=42,
        staging=staging,
    )
    write_release("books", [corpus, pairs], folder)
    return folder


def _passages(staging: Path) -> StagedConfig:
    rows = [
        {
            "id": f"{number:016x}",
            "text": text,
            "body": text,
            "title": "Übungen" if number % 2 else None,
            "word_count": len(text.split()),
            "lcc_code": subject.code,
            "lcc_name": subject.name,
            "lcc_uri": subject.uri,
            "lcgft_category": None if passage else "Literature",
            "topics": [],
            "geographic": ["São Paulo"] if passage else None,
            "language": "en",
            "author": f"Author {author}",
            "provenance": {
                "gutenberg_id": number,
                "lcc_letter": subject.code,
                "lcc_subclasses": [subject.code, f"{subject.code}L"],
                "chunk_index": passage,
                "chunk_count": 2,
                "text_url": None,
            },
            "group_id": f"g{subject.code}{author}",
        }
        for place, subject in enumerate(load_taxonomy().classes[:5])
        for author in range(6)
        for passage in range(2)
        for number in [place * 12 + author * 2 + passage]
        for text in [f"Passage {number} of “{subject.code}”\nby author {author}."]
    ]
    members = [Member(row["group_id"], row["lcc_code"], "") for row in rows]
    info = ConfigInfo(
        name="transfer_books",
        kind="documents",
        schema=GUTENBERG,
        source="made up",
        group_column="group_id",
        seeds={"split": 42},
        counted=("lcc_code", "lcgft_category"),
        notes=("Made up for a test.",),
    )
    return stage_rows(info, rows, grouped_splits(members, seed=42), staging / "configs")


@pytest.fixture
def release(small_release: Path, tmp_path: Path) -> Release:
    """A copy of the small release that a test may damage."""
    return Release.copy_of(small_release, tmp_path / "small")


@pytest.fixture
def natural(natural_release: Path, tmp_path: Path) -> Release:
    """A copy of the natural release that a test may damage."""
    return Release.copy_of(natural_release, tmp_path / "books")


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection but to this machine's own sockets."""

    def refuse(self: socket.socket, address: object) -> None:
        if self.family != getattr(socket, "AF_UNIX", None):
            raise AssertionError(f"a connection to {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
