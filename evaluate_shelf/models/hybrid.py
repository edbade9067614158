"""Two rankings made one by reciprocal rank fusion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.named import NamedModel
from evaluate_shelf.models.protocol import Hits, ModelIdentity
from evaluate_shelf.models.spec import Spec
from evaluate_shelf.registry.protocols import Protocol

CONSTANT = 60


@dataclass(frozen=True)
class Hybrid:
    """Two models whose rankings are fused.

    Attributes
    ----------
    first, second : NamedModel
        Not loaded.
    constant : int
        Of the fusion.
    """

    first: NamedModel
    second: NamedModel
    constant: int = CONSTANT


def hybrid(spec: Spec, protocol: Protocol) -> NamedModel:
    """`hybrid:A+B`: A and B are any two models' strings, with options of their own.

    A limit on texts and prompts apply to the parts that have them; a protocol with one that
    neither part has is refused.

    Raises
    ------
    ShelfError
        If there are not two models, or one of them is made of others.
    """
    from evaluate_shelf.models.resolve import resolve_part

    parts = spec.target.split("+")
    if len(parts) != 2 or not all(parts):
        raise ShelfError(
            f"model {spec.text!r}: two models with one + between them are needed, "
            "as in hybrid:bm25+wordllama"
        )
    first, second = (resolve_part(part, protocol) for part in parts)
    for part in (first, second):
        if part.identity.kind in ("hybrid", "reranker"):
            raise ShelfError(f"model {spec.text!r}: {part.identity.name} is no single model")
    constant = spec.number("constant") or CONSTANT
    name = f"{first.identity.name} + {second.identity.name}"
    if constant != CONSTANT:
        name += f", constant {constant}"
    identity = ModelIdentity(
        name,
        spec.text,
        "hybrid",
        f"{first.identity.revision} + {second.identity.revision}",
        {
            "constant": constant,
            "first": part_settings(first),
            "second": part_settings(second),
        },
    )
    takes = {*first.takes, *second.takes}
    return NamedModel(identity, lambda: Hybrid(first, second, constant), takes=takes)


def part_settings(part: NamedModel) -> dict[str, object]:
    """What a model that is made of others keeps of one of them."""
    identity = part.identity
    return {
        "spec": identity.spec,
        "kind": identity.kind,
        "revision": identity.revision,
        **identity.settings,
    }


def reciprocal_rank_fusion(
    first: Hits,
    second: Hits,
    k: int,
    constant: int = CONSTANT,
    tie_rank: NDArray[np.integer] | None = None,
) -> Hits:
    """Fuse two rankings of the same documents for the same queries.

    A document's score is the sum of 1 / (constant + rank) over the rankings that hold it, where
    the first rank is 1.

    Parameters
    ----------
    first, second : Hits
        Of shapes (n_queries, k1) and (n_queries, k2), no document twice in a row.
    k : int
        Depth of the result; at most the larger one of k1 and k2 is given.
    constant : int, default=60
        The larger it is, the less the first ranks count.
    tie_rank : ndarray of int, shape (n_documents,), default=None
        Which document goes first among equal scores: the one with the lower number. None: the
        one with the lower position.

    Returns
    -------
    Hits
        Shape (n_queries, min(k, max(k1, k2))). Scores that are equal as fractions are equal.

    References
    ----------
    Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual
    rank learning methods", SIGIR 2009.

    Examples
    --------
    >>> lexical = Hits(np.array([[0, 1, 2]]), np.array([[9.0, 8.0, 7.0]]))
    >>> dense = Hits(np.array([[2, 3, 0]]), np.array([[0.9, 0.8, 0.7]]))
    >>> reciprocal_rank_fusion(lexical, dense, k=3).position
    array([[0, 2, 1]])
    """
    position = np.concatenate([first.position, second.position], axis=1)
    ranks = [np.arange(1, hits.position.shape[1] + 1) for hits in (first, second)]
    places = np.broadcast_to(np.concatenate(ranks) + constant, position.shape)
    by_document = np.argsort(position, axis=1, kind="stable")
    position = np.take_along_axis(position, by_document, axis=1)
    places = np.take_along_axis(places, by_document, axis=1)
    again = np.zeros(position.shape, dtype=bool)
    again[:, 1:] = position[:, 1:] == position[:, :-1]
    both = np.zeros(position.shape, dtype=bool)
    both[:, :-1] = again[:, 1:]
    other = np.ones_like(places)
    other[:, :-1] = places[:, 1:]
    # One division of whole numbers: fractions that are equal give the same float.
    score = np.where(both, places + other, 1) / np.where(both, places * other, places)
    score[again] = -np.inf
    order = position if tie_rank is None else tie_rank[position]
    best = np.lexsort((order, -score), axis=1)
    best = best[:, : min(k, max(first.position.shape[1], second.position.shape[1]))]
    return Hits(np.take_along_axis(position, best, axis=1), np.take_along_axis(score, best, axis=1))
