"""Fewer dimensions and less precision, against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.protocol import Vectors
from evaluate_shelf.models.reductions import Reduction, quantised, truncated

FINITE = st.floats(-(2.0**90), 2.0**90, width=32)
VECTORS = hnp.arrays(np.float32, hnp.array_shapes(min_dims=2, max_dims=2), elements=FINITE)


@given(VECTORS)
def test_int8_is_within_half_a_step_of_the_vector(vectors: Vectors) -> None:
    whole = quantised(vectors, "int8")
    assert whole.dtype == np.float32
    assert (whole == np.rint(whole)).all()
    assert np.abs(whole).max() <= 127
    for given_, made in zip(vectors.astype(np.float64), whole, strict=True):
        largest = np.abs(given_).max()
        if largest == 0:
            assert not made.any()
        else:
            assert np.abs(made).max() == 127
            assert np.abs(made - given_ / largest * 127).max() <= 0.5 + 1e-9


@given(VECTORS)
def test_binary_is_the_sign_and_has_no_scale(vectors: Vectors) -> None:
    signs = quantised(vectors, "binary")
    np.testing.assert_array_equal(signs == 1, vectors > 0)
    np.testing.assert_array_equal(np.abs(signs), np.ones_like(vectors))
    np.testing.assert_array_equal(quantised(vectors * np.float32(1024), "binary"), signs)


@pytest.mark.parametrize("precision", ["int8", "binary"])
def test_quantised_vectors_have_length_one(precision: str) -> None:
    vectors = np.random.default_rng(1).normal(size=(20, 48)).astype(np.float32)
    reduced = Reduction(16, precision)(vectors)  # type: ignore[arg-type]
    assert reduced.shape == (20, 16)
    np.testing.assert_allclose(np.linalg.norm(reduced, axis=1), 1, atol=1e-6)
    cosines = (reduced * vectors[:, :16]).sum(1) / np.linalg.norm(vectors[:, :16], axis=1)
    assert cosines.min() > (0.999 if precision == "int8" else 0.6)


def test_cut_vectors_are_the_first_components() -> None:
    vectors = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(Reduction(2)(vectors), vectors[:, :2])
    np.testing.assert_array_equal(Reduction(4)(vectors), vectors)
    assert truncated(vectors, 3).flags.c_contiguous


def test_more_dimensions_than_there_are_is_named() -> None:
    with pytest.raises(ShelfError, match=r"dim=5.*4 dimensions"):
        Reduction(5)(np.ones((2, 4), dtype=np.float32))
