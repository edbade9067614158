"""`npy:FILE`: vectors that were computed elsewhere, found by the documents' ids."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.models.named import NamedModel, base_spec, reducible
from evaluate_shelf.models.protocol import ModelFacts, ModelIdentity, Vectors
from evaluate_shelf.models.spec import Spec
from evaluate_shelf.registry.protocols import Protocol

_LONGEST_ID = 1000
_SHOWN_IDS = 3
_LONGEST_SHOWN = 60
_ROWS_AT_A_TIME = 65_536


def precomputed(spec: Spec, protocol: Protocol) -> NamedModel:
    """`npy:FILE[,ids=FILE]`: an array of numbers, shape (n, d), and n ids, one a line.

    The ids stand in `FILE` with `.ids.txt` in place of `.npy` where the option does not name
    another file.

    Raises
    ------
    ShelfError
        If a file is missing.
    """
    file = _found(spec, Path(spec.target), "vectors")
    given = spec.options.get("ids")
    ids = _found(spec, Path(given) if given else file.with_suffix(".ids.txt"), "ids")
    revision = f"{sha256_of_file(file)[:40]} {sha256_of_file(ids)[:40]}"
    identity = ModelIdentity(file.stem, base_spec(spec), "precomputed", revision)
    return reducible(identity, spec, lambda: Precomputed(file, ids))


class Precomputed:
    """Vectors in a file, looked up by id.

    Parameters
    ----------
    file : pathlib.Path
        As `numpy.save` writes it; it stays on the disk and is read row by row.
    ids : pathlib.Path
        UTF-8, one id a line, in the order of the rows. A byte order mark is no part of the first.

    Raises
    ------
    ShelfError
        If the file is no such array, a number in it is NaN, infinite or too large, or the ids are
        not as many, or one is empty, has blanks around it or stands twice.
    """

    def __init__(self, file: Path, ids: Path) -> None:
        self.file = file
        self._vectors = _opened(file)
        names = _read_ids(ids)
        if len(names) != len(self._vectors):
            raise ShelfError(
                f"{ids}: {len(names):,} ids for {len(self._vectors):,} vectors in {file}"
            )
        self._row: dict[str, int] = {}
        for number, name in enumerate(names):
            if name in self._row:
                first = self._row[name] + 1
                raise ShelfError(f"{ids}, line {number + 1}: repeats {name!r} of line {first}")
            self._row[name] = number
        self._names = names
        self._refuse_unusable()

    @property
    def facts(self) -> ModelFacts:
        """The dimension of the vectors; nothing else is known of their model."""
        return ModelFacts(dimension=int(self._vectors.shape[1]))

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids that have a vector."""
        return frozenset(self._row)

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """Vectors of documents.

        Parameters
        ----------
        ids : sequence of str
            In any order; one may stand more than once.

        Returns
        -------
        ndarray of float32, shape (n_ids, dimension)

        Raises
        ------
        ShelfError
            If one has no vector; the message names the first that has none, says how many, and
            what the ids of the file look like.
        """
        missing = [name for name in ids if name not in self._row]
        if missing:
            others = f" and {len(missing) - 1:,} others" if len(missing) > 1 else ""
            shown = ", ".join(repr(name[:_LONGEST_SHOWN]) for name in self._names[:_SHOWN_IDS])
            raise ShelfError(
                f"{self.file}: no vector for document {missing[0]!r}{others}; its ids begin with "
                f"{shown}"
            )
        rows = np.array([self._row[name] for name in ids], dtype=np.int64)
        return np.asarray(self._vectors[rows], dtype=np.float32)

    def _refuse_unusable(self) -> None:
        for start in range(0, len(self._vectors), _ROWS_AT_A_TIME):
            with np.errstate(over="ignore"):
                part = np.asarray(self._vectors[start : start + _ROWS_AT_A_TIME], np.float32)
            for fine, what in (
                (np.isfinite(part).all(axis=1), "NaN, infinity or a number above float32"),
                (part.any(axis=1), "nothing but zeros"),
            ):
                if not fine.all():
                    row = start + int(fine.argmin())
                    raise ShelfError(f"{self.file}: the vector of {self._names[row]!r} has {what}")


def _found(spec: Spec, path: Path, what: str) -> Path:
    own = path.expanduser()
    if not own.is_file():
        raise ShelfError(f"model {spec.text!r}: no file {own} with {what}")
    return own


def _opened(file: Path) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # What `numpy.load` calls for such a file; it reads neither archives nor pickles.
            vectors = np.lib.format.open_memmap(file, mode="r")
    # The header is read as Python source: what that can raise has no end.
    except Exception as error:
        reason = one_line(f"{type(error).__name__}: {error}", 200)
        raise ShelfError(f"{file}: no array can be read: {reason}") from error
    if vectors.ndim != 2 or 0 in vectors.shape or vectors.dtype.kind not in "fiu":
        raise ShelfError(
            f"{file}: {vectors.dtype} of shape {vectors.shape}; numbers of shape "
            "(documents, dimensions) are needed"
        )
    return vectors


def _read_ids(file: Path) -> list[str]:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ShelfError(f"{file}: is not UTF-8: {error.reason}") from error
    except OSError as error:
        raise ShelfError(f"{file}: cannot be read: {error.strerror or error}") from error
    names = text.removesuffix("\n").split("\n") if text else []
    names = [name.removesuffix("\r") for name in names]
    for number, name in enumerate(names, start=1):
        if wrong := _fault(name):
            raise ShelfError(f"{file}, line {number}: {wrong}")
    return names


def _fault(name: str) -> str:
    if not name.strip():
        return "is empty"
    if len(name) > _LONGEST_ID:
        return "is longer than an id"
    return "has blanks around the id" if name != name.strip() else ""
