"""Vectors from a file: found by id, and refused where they are damaged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.precomputed import Precomputed
from evaluate_shelf.models.protocol import Encoder, Lookup
from evaluate_shelf.models.resolve import facts_of, resolve_model
from evaluate_shelf.registry.protocols import load_protocol

VECTORS = np.random.default_rng(0).normal(size=(5, 3))
IDS = ["a", "b", "c,d", "é", "e f"]


def written(folder: Path, vectors: object = VECTORS, ids: str = "\n".join(IDS) + "\n") -> Path:
    file = folder / "v.npy"
    np.save(file, np.asarray(vectors))
    file.with_suffix(".ids.txt").write_bytes(ids.encode())
    return file


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.uint8])
def test_vectors_are_found_by_id_in_any_order(tmp_path: Path, dtype: type) -> None:
    vectors = (np.abs(VECTORS) * 20 + 1).astype(dtype)
    model = resolve_model(f"npy:{written(tmp_path, vectors)}", load_protocol()).load()
    given = model.vectors_of(["é", "a", "é"])
    assert given.dtype == np.float32
    np.testing.assert_array_equal(given, vectors[[3, 0, 3]].astype(np.float32))
    assert model.vectors_of([]).shape == (0, 3)
    assert facts_of(model).dimension == 3
    assert isinstance(model, Lookup)
    assert not isinstance(model, Encoder)


def test_ids_may_stand_elsewhere_and_end_as_windows_ends_lines(tmp_path: Path) -> None:
    file = written(tmp_path)
    file.with_suffix(".ids.txt").rename(tmp_path / "other.txt")
    (tmp_path / "other.txt").write_bytes("\r\n".join(IDS).encode())
    model = resolve_model(f"npy:{file},ids={tmp_path / 'other.txt'}", load_protocol()).load()
    np.testing.assert_array_equal(model.vectors_of(["c,d"])[0], VECTORS[2].astype(np.float32))


def test_the_first_missing_id_is_named(tmp_path: Path) -> None:
    written(tmp_path)
    model = Precomputed(tmp_path / "v.npy", tmp_path / "v.ids.txt")
    with pytest.raises(ShelfError, match=r"'x' and 1 other"):
        model.vectors_of(["a", "x", "b", "y"])


def test_other_vectors_or_other_ids_are_another_revision(tmp_path: Path) -> None:
    revisions = set()
    for vectors, ids in ((VECTORS, IDS), (VECTORS + 1, IDS), (VECTORS, IDS[::-1])):
        file = written(tmp_path, vectors, "\n".join(ids))
        revisions.add(resolve_model(f"npy:{file}", load_protocol()).identity.revision)
    assert len(revisions) == 3


def with_value(value: float) -> np.ndarray:
    vectors = VECTORS.copy()
    vectors[2, 1] = value
    return vectors


@pytest.mark.parametrize(
    ("vectors", "part"),
    [
        (with_value(np.nan), "c,d"),
        (with_value(np.inf), "c,d"),
        (with_value(1e300), "c,d"),
        (VECTORS * np.array([[1], [0], [1], [1], [1]]), "'b'"),
        (VECTORS[:4], "5 ids for 4"),
        (VECTORS[0], "shape"),
        (VECTORS[:, :0], "shape"),
        (VECTORS[None], "shape"),
        (VECTORS.astype(str), "shape"),
        (VECTORS.astype(complex), "complex"),
        (VECTORS > 0, "bool"),
        (np.array([[object()]], dtype=object), "v.npy"),
    ],
)
def test_damaged_vectors(tmp_path: Path, vectors: np.ndarray, part: str) -> None:
    file = tmp_path / "v.npy"
    np.save(file, vectors, allow_pickle=True)
    (tmp_path / "v.ids.txt").write_text("\n".join(IDS))
    with pytest.raises(ShelfError) as caught:
        Precomputed(file, tmp_path / "v.ids.txt")
    assert part in str(caught.value)


@pytest.mark.parametrize(
    ("ids", "part"),
    [
        (b"a\nb\nc\nd\na\n", "line 5"),
        (b"a\nb\n\nd\ne\n", "line 3"),
        (b"a\nb\nc\nd\n", "4 ids for 5"),
        (b"", "0 ids for 5"),
        (b"a\nb\nc\nd\n\xff\n", "UTF-8"),
        (b"a\nb\nc\nd\n" + b"e" * 1001, "line 5"),
    ],
)
def test_damaged_ids(tmp_path: Path, ids: bytes, part: str) -> None:
    file = written(tmp_path)
    file.with_suffix(".ids.txt").write_bytes(ids)
    with pytest.raises(ShelfError) as caught:
        Precomputed(file, file.with_suffix(".ids.txt"))
    assert part in str(caught.value)


@pytest.mark.parametrize(
    "damage", [lambda b: b"", lambda b: b[:20], lambda b: b[:-8], lambda b: b"PK\x03\x04" + b]
)
def test_a_file_that_is_no_array(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    file = written(tmp_path)
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(ShelfError, match=r"v\.npy"):
        Precomputed(file, file.with_suffix(".ids.txt"))
