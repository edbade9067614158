"""TF and TF-IDF: reduced by a truncated singular value decomposition, or whole."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.named import NamedModel
from evaluate_shelf.models.ordering import normalised
from evaluate_shelf.models.protocol import ModelIdentity, Role, Vectors
from evaluate_shelf.models.spec import Spec
from evaluate_shelf.registry.protocols import Protocol


def reduced_sparse(spec: Spec, protocol: Protocol) -> NamedModel:
    """`tf` and `tfidf`."""
    settings = {"svd_components": protocol.svd_components}
    return NamedModel(_identity(spec.name, settings), lambda: ReducedSparse(spec.name, protocol))


def full_sparse(spec: Spec, protocol: Protocol) -> NamedModel:
    """`tf-full` and `tfidf-full`."""
    weighting = spec.name.removesuffix("-full")
    return NamedModel(
        _identity(spec.name, {"svd_components": None}), lambda: FullSparse(weighting, protocol)
    )


def _identity(name: str, settings: dict[str, Any]) -> ModelIdentity:
    return ModelIdentity(name, name, "sparse", f"scikit-learn {version('scikit-learn')}", settings)


class ReducedSparse:
    """Term weights reduced to few dimensions and normalised.

    Parameters
    ----------
    weighting : {'tf', 'tfidf'}
        Raw counts, or sublinear counts times inverse document frequency.
    protocol : Protocol
        Gives the vocabulary's limits, the number of dimensions and the seed.
    """

    def __init__(self, weighting: str, protocol: Protocol) -> None:
        self.weighting = weighting
        self.protocol = protocol

    def fit(self, texts: Sequence[str]) -> FittedReduced:
        """Learn the vocabulary and the reduction from `texts`.

        Raises
        ------
        ShelfError
            If no term occurs in enough of them.
        """
        terms, reduction = self._fit(texts)
        return FittedReduced(terms.forget(), reduction)

    def fit_encode(self, texts: Sequence[str]) -> tuple[FittedReduced, Vectors]:
        """Fit, and encode the same texts without counting their words a second time.

        Returns
        -------
        encoder : FittedReduced
            What `fit` gives.
        vectors : ndarray of float32, shape (n_texts, dimension)
            What it gives for `texts`, to the bit.

        Raises
        ------
        ShelfError
            If no term occurs in enough of them.
        """
        terms, reduction = self._fit(texts)
        encoder = FittedReduced(terms, reduction)
        return encoder, encoder.reduced(terms.of_fitted())

    def _fit(self, texts: Sequence[str]) -> tuple[_Terms, Any]:
        from sklearn.decomposition import TruncatedSVD

        terms = _Terms(self.weighting, self.protocol, texts)
        matrix = terms.as_fitted()
        # The decomposition needs fewer components than documents and than terms.
        components = min(self.protocol.svd_components, min(matrix.shape) - 1)
        if components < 1:
            raise ShelfError(
                f"{self.weighting}: {matrix.shape[0]} texts with {matrix.shape[1]} terms "
                "are too few to be reduced"
            )
        reduction = TruncatedSVD(components, random_state=self.protocol.svd_seed)
        reduction.fit(matrix)
        return terms, reduction


class FittedReduced:
    """The encoder that a fit of `ReducedSparse` gives."""

    def __init__(self, terms: _Terms, reduction: Any) -> None:
        self._terms = terms
        self._reduction = reduction

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        """Encode texts; one without a known term gets a zero vector."""
        return self.reduced(self._terms.of(texts))

    def reduced(self, matrix: Any) -> Vectors:
        """Reduce and normalise term weights, a csr_matrix of shape (n_texts, n_terms)."""
        return normalised(np.asarray(self._reduction.transform(matrix), dtype=np.float32))


class FullSparse:
    """Term weights as they are, in a sparse matrix.

    Parameters
    ----------
    weighting : {'tf', 'tfidf'}
        As for `ReducedSparse`, with the same vocabulary.
    protocol : Protocol
        Gives the vocabulary's limits.
    """

    def __init__(self, weighting: str, protocol: Protocol) -> None:
        self.weighting = weighting
        self.protocol = protocol

    def fit(self, texts: Sequence[str]) -> FittedFull:
        """Learn the vocabulary and the weights of its terms from `texts`.

        Raises
        ------
        ShelfError
            If no term occurs in enough of them.
        """
        return FittedFull(_Terms(self.weighting, self.protocol, texts).forget())

    def fit_encode(self, texts: Sequence[str]) -> tuple[FittedFull, Any]:
        """Fit, and encode the same texts without counting their words a second time.

        Returns
        -------
        encoder : FittedFull
            What `fit` gives.
        vectors : scipy.sparse.csr_matrix of float32, shape (n_texts, n_terms)
            What it gives for `texts`.

        Raises
        ------
        ShelfError
            If no term occurs in enough of them.
        """
        terms = _Terms(self.weighting, self.protocol, texts)
        return FittedFull(terms), terms.of_length_one(terms.of_fitted())


class FittedFull:
    """The encoder that a fit of `FullSparse` gives."""

    def __init__(self, terms: _Terms) -> None:
        self._terms = terms

    def encode_sparse(self, texts: Sequence[str]) -> Any:
        """Encode texts.

        Returns
        -------
        scipy.sparse.csr_matrix of float32, shape (n_texts, n_terms)
            Rows of length 1; a text without a known term has an empty one.
        """
        return self._terms.of_length_one(self._terms.of(texts))


class _Terms:
    """Counts of terms and their weights, learned from texts."""

    def __init__(self, weighting: str, protocol: Protocol, texts: Sequence[str]) -> None:
        from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

        settings = (protocol.tf if weighting == "tf" else protocol.tfidf).model_dump()
        # Without it, counts are the weights.
        sublinear = settings.pop("sublinear_tf", None)
        # float32 vectors, as published.
        self._counter = CountVectorizer(**settings, dtype=np.float32)
        try:
            self._counts = self._counter.fit_transform(texts)
        except ValueError as error:
            raise ShelfError(
                f"{weighting}: no vocabulary from {len(texts)} texts: {error}"
            ) from error
        self._weights = None if weighting == "tf" else TfidfTransformer(sublinear_tf=sublinear)
        if self._weights is not None:
            self._weights.fit(self._counts)

    def as_fitted(self) -> Any:
        """Weights of the texts that were learned from, with columns in the order of learning."""
        return self._weighted(self._counts)

    def of_fitted(self) -> Any:
        """The same, to the bit what `of` gives for these texts; can be asked once."""
        counts, self._counts = self._counts, None
        counts.sort_indices()
        return self._weighted(counts)

    def of(self, texts: Sequence[str]) -> Any:
        """Weights of any texts."""
        return self._weighted(self._counter.transform(texts))

    def forget(self) -> _Terms:
        """Let go of the texts that were learned from."""
        self._counts = None
        return self

    def of_length_one(self, matrix: Any) -> Any:
        """Bring rows to length 1, as TF-IDF has them and raw counts have not."""
        from sklearn.preprocessing import normalize

        return matrix if self._weights is not None else normalize(matrix, copy=False)

    def _weighted(self, counts: Any) -> Any:
        return counts if self._weights is None else self._weights.transform(counts)
