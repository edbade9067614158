"""Exact top-k with one rule for ties: higher rounded score first, then the lower tie rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.models.protocol import Hits, Vectors
from evaluate_shelf.models.selection import Candidates, near_best, ordered, stacked
from evaluate_shelf.parallel import in_order, workers

COSINE_DIGITS = 6
"""Cosines are rounded to so many decimals before they are ordered."""

_BLOCK = 512
_PAIRS_AT_ONCE = 512
_MEMORY_BYTES = 256 << 20


def top_k(
    scores: NDArray[np.floating],
    k: int,
    *,
    tolerance: float,
    relative: bool,
    tie_rank: NDArray[np.integer] | None = None,
) -> Hits:
    """Order each row's best `k` after rounding the scores.

    Scores that differ by less than their arithmetic carries would otherwise be ordered by noise,
    and differently on another machine.

    Parameters
    ----------
    scores : ndarray of float, shape (n_queries, n_documents)
        Raw scores.
    k : int
        How many to return; all where there are fewer documents.
    tolerance : float
        The step that scores are rounded to.
    relative : bool
        Whether the step is relative to each score's power of ten, or absolute.
    tie_rank : ndarray of int, shape (n_documents,), optional
        Who goes first among equal scores; the earlier document without it.

    Returns
    -------
    Hits
        Positions and rounded scores.

    Examples
    --------
    >>> top_k(np.array([[0.5, 0.9, 0.5000000001]]), 2, tolerance=1e-6, relative=False).position
    array([[1, 0]])
    """
    k = min(k, scores.shape[1])
    # One step below the k-th score catches all that rounding can tie with it.
    slack = {"relative" if relative else "absolute": 2 * tolerance}
    parts = []
    for found in near_best(scores, k, **slack):
        raw = scores[found.row, found.column].astype(np.float64)
        parts.append(ordered(found, _rounded(raw, tolerance, relative), k, tie_rank))
    return stacked(parts, k)


def cosine_top_k(
    queries: Vectors,
    documents: Vectors,
    k: int,
    *,
    tie_rank: NDArray[np.integer] | None = None,
    memory_bytes: int = _MEMORY_BYTES,
    threads: int | None = None,
) -> Hits:
    """Rank documents by cosine, rounded to 1e-6.

    Products in float32 name the candidates: all whose cosine may be among the `k` best, given
    the largest error that such a product can have. Their cosines are computed again in float64,
    each on its own, so no score depends on the order or the number of queries and documents, on
    the blocks, the threads or the library that multiplies.

    Parameters
    ----------
    queries, documents : ndarray of float32, shapes (n_queries, d) and (n_documents, d)
        Finite vectors of any length; they are normalised here.
    k : int
        Depth of the ranking; all documents where there are fewer.
    tie_rank : ndarray of int, shape (n_documents,), optional
        Who goes first among equal rounded cosines; the earlier document without it.
    memory_bytes : int, default=268435456
        What the blocks of scores may take together, unless one query's scores take more.
    threads : int, default=None
        Blocks at a time; all usable cores without it. BLAS should have one thread then.

    Returns
    -------
    Hits
        Positions and rounded cosines.

    Examples
    --------
    >>> documents = np.array([[1, 0], [0, 1], [2, 0]], dtype=np.float32)
    >>> cosine_top_k(documents[:1], documents, 2).position
    array([[0, 2]])
    >>> cosine_top_k(documents[:1], documents, 2, tie_rank=np.array([2, 1, 0])).position
    array([[2, 0]])
    """
    queries, documents = normalised(queries), normalised(documents)
    k = min(k, len(documents))
    # Twice the error of a float32 product, and the steps that rounding can move a cosine.
    slack = 2 * float32_error(queries.shape[1]) + 2 * 10.0**-COSINE_DIGITS

    def ranked(first: int) -> Hits:
        of_block = queries[first : first + block]
        parts = []
        for found in near_best(of_block @ documents.T, k, absolute=slack):
            cosine = np.round(_products(of_block, documents, found), COSINE_DIGITS)
            # -0.0 would be another string than 0.0.
            parts.append(ordered(found, cosine + 0.0, k, tie_rank))
        return stacked(parts, k)

    block, threads = blocks_within(memory_bytes, 4 * len(documents), threads)
    return stacked(list(in_order(ranked, range(0, len(queries), block), threads)), k)


def cosines_of_rows(
    vectors: Any, first: Sequence[int], second: Sequence[int], block: int = 4096
) -> NDArray[np.float64]:
    """Cosines of pairs of rows, in float64 and rounded to 1e-6, so that equal pairs tie.

    Parameters
    ----------
    vectors : ndarray of float32, or scipy.sparse.csr_matrix, shape (n, d)
        Of any length.
    first, second : sequence of int, length n_pairs
        Rows of each pair.
    block : int, default=4096
        Pairs at a time; it changes nothing but the memory.

    Returns
    -------
    ndarray of float64, shape (n_pairs,)

    Examples
    --------
    >>> cosines_of_rows(np.array([[1, 0], [2, 2]], dtype=np.float32), [0, 0], [0, 1])
    array([1.      , 0.707107])
    """
    sparse = not isinstance(vectors, np.ndarray)
    parts = []
    for start in range(0, len(first), block):
        a, b = (vectors[list(rows[start : start + block])] for rows in (first, second))
        if sparse:
            a, b = (rows.astype(np.float64) for rows in (a, b))
            dots, squares = _row_sums(a.multiply(b)), [_row_sums(r.multiply(r)) for r in (a, b)]
        else:
            a, b = (rows.astype(np.float64) for rows in (a, b))
            dots = np.einsum("ij,ij->i", a, b)
            squares = [np.einsum("ij,ij->i", rows, rows) for rows in (a, b)]
        length = np.sqrt(squares[0] * squares[1])
        parts.append(np.divide(dots, length, out=np.zeros_like(dots), where=length > 0))
    # -0.0 would be another value than 0.0.
    return np.round(np.concatenate(parts), COSINE_DIGITS) + 0.0


def _row_sums(matrix: Any) -> NDArray[np.float64]:
    return np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()


def ordered_hits(
    position: NDArray[np.int64],
    score: NDArray[np.float64],
    tie_rank: NDArray[np.integer] | None = None,
) -> Hits:
    """Order documents that were scored otherwise: higher first, then the lower tie rank.

    Parameters
    ----------
    position : ndarray of int64, shape (n_queries, depth)
        Documents of each query.
    score : ndarray of float64, shape (n_queries, depth)
        Their scores, which are taken as they are.
    tie_rank : ndarray of int, shape (n_documents,), optional
        Who goes first among equal scores; the earlier document without it.

    Returns
    -------
    Hits
        The same documents.

    Examples
    --------
    >>> ordered_hits(np.array([[7, 3, 5]]), np.array([[0.1, 0.1, 0.4]])).position
    array([[5, 3, 7]])
    """
    tie = position if tie_rank is None else tie_rank[position]
    order = np.lexsort((tie, -score), axis=1)
    return Hits(
        np.take_along_axis(position, order, axis=1), np.take_along_axis(score, order, axis=1)
    )


def blocks_within(memory_bytes: int, bytes_a_query: int, threads: int | None) -> tuple[int, int]:
    """Queries a block and threads whose blocks stay together within `memory_bytes`.

    Examples
    --------
    >>> blocks_within(1_000_000, 1_000, 2)
    (400, 2)
    >>> blocks_within(100_000, 1_000, 2), blocks_within(1_000, 1_000, 2)
    ((40, 2), (1, 1))
    """
    # A quarter more for the maxima of groups and what is found.
    queries = memory_bytes // max(1, bytes_a_query * 5 // 4)
    threads = max(1, min(threads or workers(), queries))
    return max(1, min(_BLOCK, queries // threads)), threads


def float32_error(n_terms: Any) -> Any:
    """Bound on the error of a sum of float32 products, relative to the sum of their sizes.

    It holds for every order of summation, with or without fused multiplication, and allows for
    factors that were rounded to float32.

    References
    ----------
    Higham, "Accuracy and stability of numerical algorithms", 2nd ed., SIAM 2002, section 3.1.

    Examples
    --------
    >>> round(float32_error(384) * 1e6, 1)
    23.1
    """
    share = (n_terms + 3) * 2.0**-24
    return share / (1 - share)


def normalised(vectors: Vectors) -> Vectors:
    """Vectors of length 1, whatever their scale.

    A zero vector stays zero and so has cosine 0 with everything.

    Examples
    --------
    >>> normalised(np.array([[3.0, 4.0], [0.0, 0.0]], dtype=np.float32))
    array([[0.6, 0.8],
           [0. , 0. ]], dtype=float32)
    """
    # A power of two takes no digit away, and squares of what is left neither overflow nor vanish.
    _, exponent = np.frexp(np.abs(vectors).max(axis=1, keepdims=True, initial=0))
    scaled = np.ldexp(vectors, -exponent)
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    unit: Vectors = np.zeros_like(scaled)
    np.divide(scaled, length, out=unit, where=length > 0)
    return unit


def significant(values: NDArray[np.float64], digits: int) -> NDArray[np.float64]:
    """Round to a number of significant digits.

    Examples
    --------
    >>> significant(np.array([123.456, -0.0123456, 0.0]), 3)
    array([ 1.23e+02, -1.23e-02,  0.00e+00])
    """
    magnitude = np.zeros_like(values)
    np.log10(np.abs(values), out=magnitude, where=values != 0)
    places = digits - 1 - np.floor(magnitude)
    # Powers of ten with a positive exponent are exact: what ties in decimals ties in bits.
    up, down = 10.0 ** np.maximum(places, 0), 10.0 ** np.maximum(-places, 0)
    rounded: NDArray[np.float64] = np.round(values * up / down) / up * down
    return rounded


def _products(first: Vectors, second: Vectors, pairs: Candidates) -> NDArray[np.float64]:
    """Product in float64 of each pair of rows, in one order of summation for all of them."""
    product = np.empty(len(pairs.row), np.float64)
    for start in range(0, len(product), _PAIRS_AT_ONCE):
        part = slice(start, start + _PAIRS_AT_ONCE)
        a = first[pairs.row[part]].astype(np.float64)
        b = second[pairs.column[part]].astype(np.float64)
        np.einsum("ij,ij->i", a, b, out=product[part])
    return product


def _rounded(score: NDArray[np.float64], tolerance: float, relative: bool) -> NDArray[np.float64]:
    if not relative:
        return np.round(score / tolerance) * tolerance
    magnitude = np.zeros_like(score)
    np.log10(np.abs(score), out=magnitude, where=score != 0)
    step = tolerance * 10.0 ** np.floor(magnitude)
    return np.round(score / step) * step
