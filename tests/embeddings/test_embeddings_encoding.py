"""Encoding in canonical batches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluate_shelf.embeddings.encoding import canonical_batches, encode_all
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.protocol import Vectors


class Lengths:
    """A vector that says in which batch its text was: as noise of a real encoder would."""

    def encode(self, texts: Sequence[str], *, role: str) -> Vectors:
        return np.array(
            [[len(text), len(texts), max(map(len, texts))] for text in texts], np.float32
        )


documents = st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=30)


@given(documents, st.integers(1, 7), st.randoms())
@settings(max_examples=50, deadline=None)
def test_vectors_do_not_depend_on_the_order_of_texts(
    texts: list[str], batch_size: int, random: object
) -> None:
    ids = [f"d{number}" for number in range(len(texts))]
    order = list(range(len(texts)))
    random.shuffle(order)  # type: ignore[attr-defined]
    plain = encode_all(Lengths(), ids, texts, role="document", batch_size=batch_size)
    shuffled = encode_all(
        Lengths(),
        [ids[i] for i in order],
        [texts[i] for i in order],
        role="document",
        batch_size=batch_size,
    )
    np.testing.assert_array_equal(shuffled, plain[order])
    assert plain[:, 0].tolist() == [len(text) for text in texts]


def test_batches_hold_every_text_once() -> None:
    texts = ["a" * (n % 5 + 1) for n in range(23)]
    ids = [f"{n}" for n in range(23)]
    batches = list(canonical_batches(ids, texts, 4))
    assert sorted(i for batch in batches for i in batch) == list(range(23))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0.0])
def test_a_vector_that_cannot_be_used_is_refused_with_the_document_s_id(value: float) -> None:
    class Bad:
        def encode(self, texts: Sequence[str], *, role: str) -> Vectors:
            vectors = np.ones((len(texts), 2), np.float32)
            vectors[texts.index("the bad one")] = value
            return vectors

    ids, texts = ["a", "b", "c"], ["one", "the bad one", "three"]
    with pytest.raises(ShelfError, match="'b'"):
        encode_all(Bad(), ids, texts, role="document", batch_size=8)
