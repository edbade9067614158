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


def test_a_byte_order_mark_is_no_part_of_the_first_id(tmp_path: Path) -> None:
    file = written(tmp_path, ids="\ufeff" + "\n".join(IDS))
    model = Precomputed(file, file.with_suffix(".ids.txt"))
    np.testing.assert_array_equal(model.vectors_of(["a"])[0], VECTORS[0].astype(np.float32))


def test_the_first_missing_id_is_named(tmp_path: Path) -> None:
    written(tmp_path)
    model = Precomputed(tmp_path / "v.npy", tmp_path / "v.ids.txt")
    with pytest.raises(ShelfError, match=r"'x' and 1 other") as caught:
        model.vectors_of(["a", "x", "b", "y"])
    # What the file has instead: often other ids altogether.
    assert "'a', 'b', 'c,d'" in str(caught.value)


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
        (b"a\nb \nc\nd\ne\n", "line 2"),
        (b"a\nb\n\tc\nd\ne\n", "line 3"),
        ("a\nb\nc\n\u00a0d\ne\n".encode(), "line 4"),
        (b"a\nb\nc\nd\n  \n", "line 5"),
        ("a\nb\nc\nd\ne\n".encode("utf-16"), "UTF-8"),
    ],
)
def test_damaged_ids(tmp_path: Path, ids: bytes, part: str) -> None:
    file = written(tmp_path)
    file.with_suffix(".ids.txt").write_bytes(ids)
    with pytest.raises(ShelfError) as caught:
        Precomputed(file, file.with_suffix(".ids.txt"))
    assert part in str(caught.value)


@pytest.mark.parametrize("target", [".", "/", "..", "~nobody-of-this-name/v.npy", "a" * 5000])
@pytest.mark.parametrize("form", ["npy:{}", "npy:v.npy,ids={}"])
def test_a_path_that_is_no_file(
    form: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path)
    with pytest.raises(ShelfError, match="npy:"):
        resolve_model(form.format(target), load_protocol())


def with_header(header: bytes, version: bytes = b"\x01\x00", length: int | None = None) -> bytes:
    size = len(header) if length is None else length
    return b"\x93NUMPY" + version + size.to_bytes(2 if version[0] == 1 else 4, "little") + header


def described(shape: str, descr: str = "'<f4'") -> bytes:
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}\n".encode()


HOSTILE = {
    "no end of a string": with_header(b"{'descr': '<f4"),
    "no end of a bracket": with_header(b"{'descr': ('<f4'"),
    "indented": with_header(b"  {\n 'a': 1,\n  }\n 2"),
    "deep": with_header(b"(" * 9000),
    "deep and closed": with_header(b"(" * 4000 + b")" * 4000),
    "many signs": with_header(b"-" * 9000 + b"1"),
    "long": with_header(b"{" + b" " * 60_000 + b"}"),
    "says that it is long": with_header(b"{}", b"\x02\x00", 2**32 - 1),
    "no mapping": with_header(b"[1, 2]\n"),
    "other keys": with_header(b"{'a': 1}\n"),
    "keys that cannot be sorted": with_header(b"{1: 1, 'a': 2, None: 3}\n"),
    "a list as a key": with_header(b"{[]: 1}\n"),
    "a call": with_header(b"{'descr': __import__('os')}\n"),
    "null bytes": with_header(b"\0" * 100),
    "not Latin-1 or UTF-8": with_header(b"\xff\xfe", b"\x03\x00"),
    "a version of its own": with_header(described("(5, 3)"), b"\x09\x00"),
    "a shape that is huge": with_header(described("(10**9, 3)")),
    "more than memory": with_header(described("(999999999999, 999999999999)")),
    "more than an integer": with_header(described(f"({'9' * 400}, 3)")),
    "more digits than are read": with_header(described(f"({'9' * 5000}, 3)")),
    "a negative shape": with_header(described("(-5, 3)")),
    "a negative product": with_header(described("(-5, -3)")),
    "a shape of words": with_header(described("('5', 3)")),
    "a shape that is a number": with_header(described("5")),
    "no such type": with_header(described("(5, 3)", "'<q9'")),
    "a type of nothing": with_header(described("(5, 3)", "None")),
    "a type that is a number": with_header(described("(5, 3)", "7")),
    "a type of a deep list": with_header(described("(5, 3)", "[" * 60 + "]" * 60)),
    "objects": with_header(described("(5, 3)", "'|O'")),
    "records": with_header(described("(5, 3)", "[('a', '<f4')]")),
    "dates": with_header(described("(5, 3)", "'<M8[s]'")),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_header_is_refused_on_one_line(
    name: str, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    file = written(tmp_path)
    file.write_bytes(HOSTILE[name] + b"\0" * 60)
    with pytest.raises(ShelfError, match=r"v\.npy") as caught:
        Precomputed(file, file.with_suffix(".ids.txt"))
    assert len(str(caught.value).splitlines()) == 1
    assert not recwarn.list


@pytest.mark.parametrize(
    "damage", [lambda b: b"", lambda b: b[:20], lambda b: b[:-8], lambda b: b"PK\x03\x04" + b]
)
def test_a_file_that_is_no_array(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    file = written(tmp_path)
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(ShelfError, match=r"v\.npy"):
        Precomputed(file, file.with_suffix(".ids.txt"))
