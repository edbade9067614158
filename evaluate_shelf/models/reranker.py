"""A cross-encoder over the best documents of another model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.checkpoint import Checkpoint, identified, opened
from evaluate_shelf.models.hybrid import part_settings
from evaluate_shelf.models.limits import capped, own_limit
from evaluate_shelf.models.named import NamedModel
from evaluate_shelf.models.protocol import ModelFacts, ModelIdentity
from evaluate_shelf.models.sentence_encoder import load_checked, require_sentence_transformers
from evaluate_shelf.models.spec import Spec
from evaluate_shelf.registry.protocols import Protocol

OPTIONS = ("first", "queries", "depth")
DEPTH = 100


def reranker(spec: Spec, protocol: Protocol) -> NamedModel:
    """`rerank:<path or Hub id>[,first=MODEL][,queries=N][,depth=N]`.

    Parameters
    ----------
    spec : Spec
        `first` is the model that finds the documents, `bm25` without it; `queries` is how many
        queries are asked at most, all without it; `depth` is how many documents are scored for
        each, 100 without it.
    protocol : Protocol
        Gives the limit on a pair of texts, the batch size and the threads. Its prompts are those
        of the first model, if that has any.

    Raises
    ------
    ShelfError
        If sentence-transformers is not installed, a model does not exist, or the first one is
        made of others.
    """
    from evaluate_shelf.models.resolve import resolve_part

    require_sentence_transformers(spec.text)
    folder = Path(spec.target).expanduser()
    name, revision = identified(spec.text, folder, spec.target)
    first = resolve_part(spec.options.get("first", "bm25"), protocol)
    if first.identity.kind == "reranker":
        raise ShelfError(f"model {spec.text!r}: a reranker cannot be the first stage of another")
    queries, depth = spec.number("queries"), spec.number("depth") or DEPTH
    if depth > protocol.ranking_depth:
        raise ShelfError(
            f"model {spec.text!r}: depth={depth}: a ranking is {protocol.ranking_depth} deep"
        )
    settings = {"queries": queries, "depth": depth, "first": part_settings(first)}
    identity = ModelIdentity(
        f"{first.identity.name} > {name}" + (f", {queries} queries" if queries else ""),
        spec.text,
        "reranker",
        f"{revision} + {first.identity.revision}",
        settings,
    )

    def load() -> Reranker:
        checkpoint = opened(folder, spec.target, revision)
        return Reranker(first, CrossEncoder(checkpoint, protocol), queries, depth)

    return NamedModel(identity, load, takes={"max_tokens", *first.takes})


class CrossEncoder:
    """A cross-encoder of sentence-transformers on the CPU, without remote code.

    Its activation, which would make many scores equal, is left out: the order of scores is the
    same without it.

    Parameters
    ----------
    checkpoint : Checkpoint
        Where it is.
    protocol : Protocol
        Gives the limit on a pair of texts, the batch size and the threads.

    Raises
    ------
    ShelfError
        If it names code of its own, cannot be loaded, gives more than one score a pair, or has no
        positions for the protocol's limit.
    """

    def __init__(self, checkpoint: Checkpoint, protocol: Protocol) -> None:
        self._batch_size = protocol.batch_size
        self._model = load_checked(checkpoint, "CrossEncoder", protocol, activation_fn=_unchanged)
        labels = self._labels()
        if labels != 1:
            raise ShelfError(f"{checkpoint.place}: gives {labels} scores a pair; one is needed")
        capped(self._model, checkpoint.place, protocol.max_tokens)

    @property
    def facts(self) -> ModelFacts:
        """Parameters and the limit on a pair of texts."""
        return ModelFacts(
            parameters=sum(weights.numel() for weights in self._model.parameters()),
            max_tokens=own_limit(self._model),
        )

    def scores(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Score pairs of texts; equal pairs get equal scores, in whichever order they stand.

        Returns
        -------
        ndarray of float64, shape (n_pairs,)
        """
        ends = self._ends_of_tokens(sorted({text for pair in pairs for text in pair}))
        # Pairs of one length together, so that little is padded; the batches depend on nothing
        # but the pairs.
        distinct = sorted(set(pairs), key=lambda pair: (len(pair[0]) + len(pair[1]), pair))
        found: dict[tuple[str, str], float] = {}
        for start in range(0, len(distinct), self._batch_size):
            batch = distinct[start : start + self._batch_size]
            given = self._model.predict(
                [self._shortened(pair, ends) for pair in batch],
                batch_size=len(batch),
                show_progress_bar=False,
                convert_to_numpy=True,
                # Not what `activation_fn` of sentence-transformers 5 sets for good.
                activation_fn=_unchanged,
            )
            found.update(zip(batch, np.asarray(given, np.float64).ravel().tolist(), strict=True))
        return np.array([found[pair] for pair in pairs], dtype=np.float64)

    def _ends_of_tokens(self, texts: Sequence[str]) -> dict[str, list[int]]:
        """Where each token of each text ends; nothing if the tokenizer does not tell."""
        tokenizer = self._model.tokenizer
        if not texts or not tokenizer.is_fast:
            return {}
        given = tokenizer(
            list(texts), add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )
        ends = ([end for _, end in offsets] for offsets in given["offset_mapping"])
        return dict(zip(texts, ends, strict=True))

    def _shortened(self, pair: tuple[str, str], ends: Mapping[str, list[int]]) -> tuple[str, str]:
        """The pair without what lies far behind the limit.

        The tokenizers library keeps what it cuts off from a pair in pieces, each of one text with
        each of the other: long texts would not fit into memory.
        """
        limit = own_limit(self._model)
        if limit is None or not ends:
            return pair
        first, second = pair
        # The longer text stays the longer one: it is given the odd token.
        longer = len(ends[first]) - len(ends[second])
        return (
            _cut(first, ends[first], limit * (2 + (longer > 0))),
            _cut(second, ends[second], limit * (2 + (longer < 0))),
        )

    def _labels(self) -> int:
        labels = getattr(self._model, "num_labels", None)
        return int(self._model.config.num_labels if labels is None else labels)


class Reranker:
    """Two stages: a model that finds documents, and a cross-encoder that orders them.

    Parameters
    ----------
    first : NamedModel
        Not loaded.
    cross_encoder : CrossEncoder
        Loaded.
    queries_cap : int or None
        How many queries are asked at most.
    depth : int, default=100
        How many documents of the first stage are scored for each.
    """

    def __init__(
        self,
        first: NamedModel,
        cross_encoder: CrossEncoder,
        queries_cap: int | None,
        depth: int = DEPTH,
    ) -> None:
        self.first = first
        self.cross_encoder = cross_encoder
        self.queries_cap = queries_cap
        self.depth = depth

    @property
    def facts(self) -> ModelFacts:
        """Those of the cross-encoder."""
        return self.cross_encoder.facts

    def rerank_scores(
        self, query_texts: Sequence[str], document_texts: Sequence[str]
    ) -> NDArray[np.float64]:
        """Score pairs of a query and a document.

        Parameters
        ----------
        query_texts, document_texts : sequence of str, length n_pairs

        Returns
        -------
        ndarray of float64, shape (n_pairs,)
            The higher, the better; not bounded.
        """
        return self.cross_encoder.scores(list(zip(query_texts, document_texts, strict=True)))


def _cut(text: str, ends: Sequence[int], tokens: int) -> str:
    """What a text's first tokens were read from."""
    return text if len(ends) <= tokens else text[: ends[tokens - 1]]


def _unchanged(logits: Any) -> Any:
    return logits
