"""`openai:<model>@<base url>`: an endpoint that gives embeddings as OpenAI's does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from evaluate_shelf.endpoints.address import checked_base, is_loopback, is_private
from evaluate_shelf.endpoints.key import KEY_VARIABLE, key_in
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.named import NamedModel, base_spec, reducible
from evaluate_shelf.models.post import Poster
from evaluate_shelf.models.protocol import ModelFacts, ModelIdentity, Role, Vectors
from evaluate_shelf.models.spec import REDUCING, Spec
from evaluate_shelf.registry.protocols import Protocol

OPTIONS = (*REDUCING, "dimensions")
KEY = KEY_VARIABLE

_ADDRESS = re.compile(r"(?P<model>[^@\s]{1,200})@(?P<base>https?://\S{1,200})")
_MOST_DIMENSIONS = 65_536
# A number with sixteen digits, sign, exponent and comma has 25 bytes.
_BYTES_A_TEXT = 25 * _MOST_DIMENSIONS
_BYTES_BESIDES = 1_000_000


class Address(NamedTuple):
    """Where an endpoint is and what it is asked for."""

    model: str
    base: str


def endpoint(spec: Spec, protocol: Protocol) -> NamedModel:
    """Identify an endpoint's model; nothing is sent.

    An endpoint names no revision of its weights. The base URL and the model's name stand for it,
    so a model that is changed behind its name is not noticed.

    Parameters
    ----------
    spec : Spec
        `openai:<model>@<base url>`, the URL up to and without `/embeddings`. `dimensions` is
        sent to the endpoint, which then gives so many; `dim` cuts what it gives.
    protocol : Protocol
        Not used: its limit on a text is not the endpoint's.

    Raises
    ------
    ShelfError
        If it is no such address.
    """
    address = _address(spec)
    dimensions = spec.number("dimensions")
    name = address.model + (f", {dimensions} dimensions" if dimensions else "")
    base = ModelIdentity(
        name,
        base_spec(spec),
        "endpoint",
        f"{address.model} at {address.base}",
        {"dimensions": dimensions} if dimensions else {},
    )
    return reducible(base, spec, lambda: Endpoint(address, dimensions), dimension=dimensions)


class Endpoint:
    """An encoder that asks an endpoint for embeddings.

    The key is what the environment variable OPENAI_API_KEY says, if it says anything; it is sent
    to the base URL's host alone, never followed by a redirect and never part of a message.

    Parameters
    ----------
    address : Address
        Where, and which model.
    dimensions : int, default=None
        Asked of the endpoint.
    poster : Poster, default=None
        Sends requests.

    Attributes
    ----------
    tokens : int
        Tokens that the endpoint has charged so far.
    unreported : int
        Answers that did not say how many.

    Raises
    ------
    ShelfError
        If there is a key, and it would be sent in the clear to another machine.
    """

    def __init__(
        self, address: Address, dimensions: int | None = None, poster: Poster | None = None
    ) -> None:
        key = key_in(KEY)
        if key and not is_private(address.base):
            raise ShelfError(
                f"{address.base}: {KEY} would be sent unencrypted; use https, or unset it"
            )
        self.address = address
        self.tokens = 0
        self.unreported = 0
        self._dimensions = dimensions
        self._dimension: int | None = None
        url = f"{address.base}/embeddings"
        self._poster = poster or Poster(url, key, use_proxy=not is_loopback(url))

    @property
    def facts(self) -> ModelFacts:
        """The dimension of its vectors, known after the first."""
        return ModelFacts(dimension=self._dimension)

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        """Ask for the vectors of one batch.

        Raises
        ------
        ShelfError
            If the endpoint cannot be reached or refuses the texts, for example one that is too
            long for it, or gives what is not one vector of finite numbers for each.
        """
        request: dict[str, Any] = {
            "model": self.address.model,
            "input": list(texts),
            "encoding_format": "float",
        }
        if self._dimensions is not None:
            request["dimensions"] = self._dimensions
        most = _BYTES_BESIDES + _BYTES_A_TEXT * len(texts)
        try:
            answer = self._poster.post(request, most_bytes=most)
            vectors = _vectors(answer, len(texts))
        except ShelfError as error:
            longest = max(map(len, texts), default=0)
            raise ShelfError(
                f"{self.address.model} at {self.address.base}: {error} "
                f"({len(texts)} texts, the longest of {longest:,} characters)"
            ) from error
        self._count(answer)
        self._dimension = int(vectors.shape[1])
        return vectors

    def _count(self, answer: Any) -> None:
        usage = answer.get("usage")
        usage = usage if isinstance(usage, dict) else {}
        tokens = usage.get("prompt_tokens", usage.get("total_tokens"))
        if type(tokens) is int and 0 < tokens < 2**50:
            self.tokens += tokens
        else:
            self.unreported += 1


def _vectors(answer: Any, n_texts: int) -> Vectors:
    """The vectors of an answer, in the order of the texts."""
    rows = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(rows, list) or len(rows) != n_texts:
        given = f"{len(rows)} vectors" if isinstance(rows, list) else "no list of vectors"
        raise ShelfError(f"the answer holds {given} for {n_texts} texts")
    in_order: list[Any] = [None] * n_texts
    for row in rows:
        index = row.get("index") if isinstance(row, dict) else None
        if type(index) is not int or not 0 <= index < n_texts or in_order[index] is not None:
            raise ShelfError("the answer does not number its vectors 0 to the last, each once")
        in_order[index] = row.get("embedding")
    lengths = {len(row) if isinstance(row, list) else 0 for row in in_order}
    if len(lengths) != 1 or not 0 < max(lengths) <= _MOST_DIMENSIONS:
        raise ShelfError("the answer's vectors are not lists of numbers, all of one length")
    if any(type(number) not in (float, int) for row in in_order for number in row):
        raise ShelfError("the answer's vectors hold something that is no number")
    try:
        with np.errstate(over="ignore"):
            vectors = np.array(in_order, dtype=np.float64).astype(np.float32)
    except OverflowError as error:
        raise ShelfError("the answer's vectors hold a number that is too large") from error
    if not np.isfinite(vectors).all():
        raise ShelfError("the answer's vectors hold NaN, infinity or a number above float32")
    return vectors


def _address(spec: Spec) -> Address:
    found = _ADDRESS.fullmatch(spec.target)
    if found is None:
        raise ShelfError(
            f"model {spec.text!r}: openai:<model>@<base url> is needed, "
            "as in openai:my-model@https://example.org/v1"
        )
    try:
        base = checked_base(found["base"])
    except ShelfError as error:
        raise ShelfError(f"model {spec.text!r}: {error}") from error
    return Address(found["model"], base.removesuffix("/embeddings"))
