"""What a model of one's own may not give."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluate_shelf.embeddings.encoding import encode_all
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.checks import checked_hits, checked_pair_scores, fitted
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.registry.protocols import load_protocol


@pytest.mark.parametrize(
    "given",
    [
        None,
        7,
        ([[0, 1]],),
        ([[0, 1]], [[1.0]]),
        ([[0, 1], [1, 0]], [[1.0, 0.5], [1.0, 0.5]]),
        ([[0, 0]], [[1.0, 0.5]]),
        ([[0, 3]], [[1.0, 0.5]]),
        ([[0, -1]], [[1.0, 0.5]]),
        ([[0, 1.5]], [[1.0, 0.5]]),
        ([[0, 1]], [[1.0, np.nan]]),
        ([[0, 1]], [[np.inf, 0.5]]),
        ([["a", "b"]], [[1.0, 0.5]]),
        ([["0", "1"]], [[1.0, 0.5]]),
        ([[0, 1]], [["1.0", "0.5"]]),
        ([[np.nan, 1]], [[1.0, 0.5]]),
        ([[0, 1]], np.ma.array([[1.0, 0.5]], mask=[[0, 1]])),
        ([[0, 1]], [[1j, 0.5]]),
    ],
)
def test_hits_of_another_form_are_refused(given: Any) -> None:
    with pytest.raises(ShelfError):
        checked_hits(given, n_queries=1, n_documents=3, k=2)


def test_a_pair_of_lists_will_do_for_hits() -> None:
    hits = checked_hits(([[2, 0]], [[1, 0.5]]), n_queries=1, n_documents=3, k=2)
    assert hits.position.tolist() == [[2, 0]]
    assert hits.score.dtype == np.float64


@pytest.mark.parametrize(
    "given",
    [
        None,
        [1.0],
        [[1.0, 2.0]],
        [1.0, np.nan],
        ["a", "b"],
        ["1", "2"],
        [10**400, 1],
        np.ma.array([1.0, 2.0], mask=[False, True]),
        3,
    ],
)
def test_pair_scores_of_another_form_are_refused(given: Any) -> None:
    with pytest.raises(ShelfError):
        checked_pair_scores(given, n_pairs=2)


def test_a_fit_that_gives_no_encoder_is_refused() -> None:
    class Forgets:
        def fit(self, texts: Sequence[str]) -> None:
            return None

    with pytest.raises(ShelfError, match="encode"):
        fitted(Forgets(), ["a"])


class OnAnotherDevice:
    """As a tensor that has to be detached first."""

    def __array__(self, *_: object, **__: object) -> np.ndarray:
        raise RuntimeError("detach it")


NO_VECTORS = {
    "ragged": [[1.0, 2.0], [3.0]],
    "words": [["a", "b"], ["c", "d"]],
    "texts of numbers": [["1", "2"], ["3", "4"]],
    "an array of texts": np.array([["1", "2"], ["3", "4"]]),
    "bytes": np.array([[b"1", b"2"], [b"3", b"4"]]),
    "objects": np.array([[1.0, 2.0], [3.0, 4.0]], dtype=object),
    "whole numbers without end": [[10**400, 1], [1, 1]],
    "complex": np.ones((2, 2), dtype=complex),
    "dates": np.ones((2, 2), dtype="M8[s]"),
    "spans": np.ones((2, 2), dtype="m8[s]"),
    "records": np.ones(2, dtype=[("a", "f4"), ("b", "f4")]),
    "void": np.zeros((2, 2), dtype="V4"),
    "masked": np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[0, 0], [0, 1]]),
    "rows masked": [np.ma.array([1.0, 2.0], mask=[0, 1]), np.ma.array([3.0, 4.0])],
    "not given": OnAnotherDevice(),
    "flat": [1.0, 2.0],
    "deep": np.ones((2, 2, 2)),
    "no dimension": np.ones((2, 0)),
    "empty rows": [[], []],
    "too few": np.ones((1, 2)),
    "too large for float32": np.full((2, 2), 1e300),
    "nothing": None,
}


@pytest.mark.parametrize("allow_zero", [False, True])
@pytest.mark.parametrize("name", NO_VECTORS)
def test_vectors_of_another_form_are_refused(name: str, allow_zero: bool) -> None:
    class Model:
        def encode(self, texts: Sequence[str], *, role: str) -> Any:
            return NO_VECTORS[name]

    with pytest.raises(ShelfError) as caught:
        encode_all(
            Model(), ["a", "b"], ["x", "yy"], role="document", batch_size=2, allow_zero=allow_zero
        )
    assert len(str(caught.value).splitlines()) == 1


def test_a_mask_without_a_masked_value_hides_nothing() -> None:
    class Model:
        def encode(self, texts: Sequence[str], *, role: str) -> Any:
            return np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=False)

    vectors = encode_all(Model(), ["a", "b"], ["x", "yy"], role="document", batch_size=2)
    assert vectors.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_a_dimension_that_changes_between_batches_is_refused() -> None:
    class Model:
        calls = 0

        def encode(self, texts: Sequence[str], *, role: str) -> Any:
            self.calls += 1
            return np.ones((len(texts), self.calls), np.float32)

    with pytest.raises(ShelfError, match="dimensions"):
        encode_all(Model(), ["a", "b"], ["x", "yy"], role="document", batch_size=1)


@pytest.mark.parametrize("given", [[[1, 2], [3, 4]], np.array([[1, 2], [3, 4]], dtype=np.int16)])
def test_numbers_of_any_type_become_float32(given: Any) -> None:
    class Model:
        def encode(self, texts: Sequence[str], *, role: str) -> Any:
            return given

    vectors = encode_all(Model(), ["a", "b"], ["x", "yy"], role="document", batch_size=2)
    assert vectors.dtype == np.float32


SOURCES = {
    "raises": "raise RuntimeError('broken')",
    "syntax": "def broken(:",
    "exits": "import sys; sys.exit(7)",
    "needs": "class Model:\n    def __init__(self, path): pass\n",
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_module_that_cannot_be_used_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / f"my_{name}.py").write_text(SOURCES[name])
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ShelfError):
        resolve_model(f"my_{name}:Model", load_protocol()).load()


def test_a_revision_of_its_own_makes_another_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "class {}:\n    revision = '{}'\n    def encode(self, texts, *, role): ...\n"
    source = text.format("One", "1") + text.format("Two", "2")
    (tmp_path / "my_revisions.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    one, two = (resolve_model(f"my_revisions:{n}", load_protocol()) for n in ("One", "Two"))
    assert one.identity.revision != two.identity.revision
