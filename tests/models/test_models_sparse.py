"""TF and TF-IDF: fitting and encoding at once, and vectors that are not reduced."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.ordering import normalised
from evaluate_shelf.models.protocol import FitsAndEncodes, SparseEncoder
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.models.sparse import FullSparse, ReducedSparse
from evaluate_shelf.registry.protocols import load_protocol

PROTOCOL = load_protocol().model_copy(update={"svd_components": 8})


def texts(n: int = 120) -> list[str]:
    rng = np.random.default_rng(2)
    words = [f"word{number}" for number in range(60)]
    weights = 1 / np.arange(1, 61)
    return [
        " ".join(rng.choice(words, size=rng.integers(5, 40), p=weights / weights.sum()))
        for _ in range(n)
    ]


def of_scikit_learn(weighting: str, seen: list[str], asked: list[str]) -> tuple[object, object]:
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

    kind = CountVectorizer if weighting == "tf" else TfidfVectorizer
    settings = getattr(PROTOCOL, weighting).model_dump()
    vectoriser = kind(**settings, dtype=np.float32)
    reduction = TruncatedSVD(8, random_state=PROTOCOL.svd_seed)
    reduction.fit(vectoriser.fit_transform(seen))
    matrix = vectoriser.transform(asked)
    return matrix, normalised(np.asarray(reduction.transform(matrix), dtype=np.float32))


@pytest.mark.parametrize("weighting", ["tf", "tfidf"])
def test_fitting_and_encoding_at_once_changes_no_bit(weighting: str) -> None:
    seen, other = texts(), ["word1 word2", "nothing known", ""]
    expected = of_scikit_learn(weighting, seen, seen)[1]
    encoder, vectors = ReducedSparse(weighting, PROTOCOL).fit_encode(seen)
    np.testing.assert_array_equal(vectors, expected)
    np.testing.assert_array_equal(encoder.encode(seen, role="document"), expected)
    fitted = ReducedSparse(weighting, PROTOCOL).fit(seen)
    np.testing.assert_array_equal(fitted.encode(seen, role="document"), expected)
    given = encoder.encode(other, role="query")
    np.testing.assert_array_equal(given, of_scikit_learn(weighting, seen, other)[1])
    assert not given[1:].any()


@pytest.mark.parametrize("weighting", ["tf", "tfidf"])
def test_whole_vectors_are_those_of_the_vectoriser(weighting: str) -> None:
    from sklearn.preprocessing import normalize

    seen = texts()
    model = resolve_model(f"{weighting}-full", PROTOCOL).load()
    encoder, vectors = model.fit_encode(seen)
    assert isinstance(vectors, csr_matrix)
    assert vectors.dtype == np.float32
    expected = normalize(of_scikit_learn(weighting, seen, seen)[0])
    np.testing.assert_allclose(vectors.toarray(), expected.toarray(), atol=1e-7)
    assert (vectors != encoder.encode_sparse(seen)).nnz == 0
    assert (vectors != model.fit(seen).encode_sparse(seen)).nnz == 0
    assert encoder.encode_sparse(["nothing known"]).nnz == 0
    assert isinstance(encoder, SparseEncoder)
    assert isinstance(model, FitsAndEncodes)


@pytest.mark.parametrize("model", [ReducedSparse, FullSparse])
def test_texts_without_a_common_word_have_no_vocabulary(model: type) -> None:
    with pytest.raises(ShelfError, match="no vocabulary"):
        model("tfidf", PROTOCOL).fit_encode(["one", "two"])
