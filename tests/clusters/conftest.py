"""Vectors with planted clusters, and a task's data and workspace without a release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from evaluate_shelf.formulations.notes import Notes
from evaluate_shelf.registry.protocols import Protocol, load_protocol
from evaluate_shelf.registry.taxonomy import Taxonomy, load_taxonomy
from evaluate_shelf.release.documents import Documents

Planted = Callable[..., np.ndarray]


@pytest.fixture(scope="session")
def planted() -> Planted:
    """Unit vectors around a centre for each number, near it for a small `spread`."""

    def made(numbers: np.ndarray, spread: float = 0.5, dimension: int = 48) -> np.ndarray:
        random = np.random.default_rng(11)
        centres = random.normal(size=(int(numbers.max()) + 1, dimension))
        vectors = centres[numbers] + spread * random.normal(size=(len(numbers), dimension))
        unit: np.ndarray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit.astype(np.float32)

    return made


@dataclass
class MadeData:
    """What a clustering task reads of a config."""

    test: Documents
    config: str = "made"
    taxonomy: Taxonomy = field(default_factory=load_taxonomy)


@dataclass
class MadeWork:
    """What a clustering task asks of a workspace."""

    vectors: Any
    protocol: Protocol
    notes: Notes = field(default_factory=Notes)

    def document_vectors(self, data: MadeData, fit_on: list[str]) -> dict[str, Any]:
        assert fit_on == ["test"]
        return {"test": self.vectors}

    def once(self, key: tuple[object, ...], make: Callable[[], Any]) -> Any:
        return make()


@pytest.fixture
def quick_protocol() -> Protocol:
    """The default protocol with fewer resamples."""
    protocol = load_protocol()
    bootstrap = protocol.bootstrap.model_copy(update={"replicates": 200})
    return protocol.model_copy(update={"bootstrap": bootstrap})


@pytest.fixture
def made(quick_protocol: Protocol) -> Callable[..., tuple[MadeData, MadeWork]]:
    """Data and workspace of some columns and vectors."""

    def of(vectors: Any, **columns: list[Any]) -> tuple[MadeData, MadeWork]:
        n = vectors.shape[0]
        ids = [f"d{row:05d}" for row in range(n)]
        test = Documents(pa.table({"id": ids, **columns}), None)
        return MadeData(test), MadeWork(vectors, quick_protocol)

    return of
