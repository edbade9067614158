"""mteb's models as SHELF's formulations take them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.models.protocol import Hits, Role, Vectors


class Texts:
    """Texts in one batch, as mteb's encoders read them: a DataLoader's form, without torch.

    Attributes
    ----------
    dataset : datasets.Dataset
        All of them in the column `text`: encoders ask it for its features.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        import datasets

        self.dataset = datasets.Dataset.from_dict({"text": list(texts)})

    def __iter__(self) -> Iterator[dict[str, list[str]]]:
        yield self.dataset[:]

    def __len__(self) -> int:
        return 1


class MtebEncoder:
    """An encoder of mteb as SHELF's `Encoder`.

    Parameters
    ----------
    model : mteb.EncoderProtocol
        The model.
    context : mapping
        What mteb tells its models of a call: `task_metadata`, `hf_split`, `hf_subset`.
    options : mapping
        mteb's `encode_kwargs`, without its batch size: the batches are SHELF's.
    prompted : bool
        Whether the model is told that a text is a query or a document.
    """

    def __init__(
        self, model: Any, context: Mapping[str, Any], options: Mapping[str, Any], prompted: bool
    ) -> None:
        self._model = model
        self._context = dict(context)
        self._options = {**options}
        self._prompted = prompted

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        """Encode one batch."""
        vectors = self._model.encode(
            Texts(texts),
            **self._context,
            prompt_type=_prompt_type(role) if self._prompted else None,
            **{**self._options, "batch_size": len(texts)},
        )
        # A tensor may be of a precision that numpy has not.
        if hasattr(vectors, "detach"):
            vectors = vectors.detach().float().cpu().numpy()
        return np.asarray(vectors, dtype=np.float32)


class MtebSearcher:
    """A search model of mteb, for example BM25, as SHELF's `Searcher`.

    Parameters
    ----------
    model : mteb.SearchProtocol
        The model.
    context, options : mapping
        As for `MtebEncoder`.
    """

    def __init__(self, model: Any, context: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        self._model = model
        self._context = {**context, "encode_kwargs": dict(options), "num_proc": None}

    def score(self, queries: Sequence[str], documents: Sequence[str], *, k: int) -> Hits:
        """Rank `documents` for each query; ties go to the earlier document."""
        import datasets

        corpus = [
            {"id": str(place), "title": "", "text": text} for place, text in enumerate(documents)
        ]
        asked = [{"id": str(place), "text": text} for place, text in enumerate(queries)]
        depth = min(k, len(documents))
        self._model.index(datasets.Dataset.from_list(corpus), **self._context)
        found = self._model.search(datasets.Dataset.from_list(asked), **self._context, top_k=depth)
        hits = [_best(found.get(row["id"], {}), depth, len(documents)) for row in asked]
        position = np.array([[place for place, _ in own] for own in hits], dtype=np.int64)
        score = np.array([[value for _, value in own] for own in hits], dtype=np.float64)
        shape = (len(queries), depth)
        return Hits(position.reshape(shape), score.reshape(shape))

    def score_pairs(self, first: Sequence[str], second: Sequence[str]) -> NDArray[np.float64]:
        """Raise: mteb's search models score no pair."""
        raise UnsupportedError("a search model of mteb gives no score of a pair")


def _prompt_type(role: Role) -> Any:
    from mteb.types import PromptType

    return PromptType.query if role == "query" else PromptType.document


def _best(found: Mapping[str, float], depth: int, n_documents: int) -> list[tuple[int, float]]:
    """The best documents of a query; a model that found too few gets the others behind them."""
    ranked = sorted(
        ((int(place), float(score)) for place, score in found.items()),
        key=lambda hit: (-hit[1], hit[0]),
    )[:depth]
    lowest = min((score for _, score in ranked), default=0.0)
    have = {place for place, _ in ranked}
    others = (place for place in range(n_documents) if place not in have)
    while len(ranked) < depth:
        ranked.append((next(others), lowest))
    return ranked
