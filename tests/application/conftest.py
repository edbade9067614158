"""Runs on the release that ships, and records made from its test documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from finished_runs import finished_runs
from marc_samples import marc, utf8, xml
from shelf_process import Shelf, shelf_in

from evaluate_shelf.application import Request
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.release.documents import Release

TASK = "lcc_classification"


@dataclass(frozen=True)
class Scored:
    """Finished runs of some models on the release that ships."""

    runs: Path
    store: Path
    folders: dict[str, Path]

    def request(self, run: str, records: Path | Sequence[Path], /, **changes: Any) -> Request:
        """Apply a run to records."""
        paths = [records] if isinstance(records, Path) else list(records)
        settings: dict[str, Any] = {"data": str(shipped_release()), "store": self.store, **changes}
        return Request(self.folders[run], paths, **settings)

    def items(self, model: str) -> dict[str, dict[str, Any]]:
        """A run's items by id."""
        rows = pq.read_table(self.folders[model] / f"items/{TASK}.parquet").to_pylist()
        ids = Release.open(shipped_release()).documents("all", "test").ids
        return {ids[row["row"]]: row for row in rows}


@pytest.fixture(scope="session")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    folder = tmp_path_factory.mktemp("scored")
    folders = finished_runs(folder, ["tfidf", "wordllama", "bm25"], TASK)
    return Scored(folder / "runs", folder / "store", folders)


@dataclass(frozen=True)
class TestDocuments:
    """The test split of the release that ships."""

    __test__ = False

    ids: list[str]
    texts: list[str]
    classes: list[str]

    def table(self, path: Path, *, classes: bool = True) -> Path:
        """The documents as a table of text."""
        import pyarrow as pa

        columns = {"id": self.ids, "text": self.texts}
        if classes:
            columns["lcc"] = [f"{code}1" for code in self.classes]
        pq.write_table(pa.table(columns), path)
        return path

    def marc(self, path: Path) -> Path:
        """The documents as MARC records, binary or XML by the name."""
        records = [
            marc(
                identity,
                ("050", "00", [("a", f"{code}1")]),
                *(("520", "  ", [("a", piece)]) for piece in _pieces(text)),
            )
            for identity, text, code in zip(self.ids, self.texts, self.classes, strict=True)
        ]
        path.write_bytes(xml(records) if path.suffix == ".xml" else b"".join(map(utf8, records)))
        return path


def _pieces(text: str) -> list[str]:
    """A text in parts that fit a MARC field, cut between words."""
    parts, size = [[]], 0
    for word in text.split():
        size += len(word.encode()) + 1
        if size > 9000:
            parts.append([])
            size = len(word.encode()) + 1
        parts[-1].append(word)
    return [" ".join(part) for part in parts]


@pytest.fixture(scope="session")
def documents() -> TestDocuments:
    test = Release.open(shipped_release()).documents("all", "test")
    return TestDocuments(test.ids, test.column("text"), test.column("lcc_code"))


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """Run `shelf` with arguments in an empty folder."""
    return shelf_in(tmp_path)
