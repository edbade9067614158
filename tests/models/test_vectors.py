"""Encoding in canonical batches, stored and resumed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.protocol import Vectors
from evaluate_shelf.models.vectors import canonical_batches, encode_all


class Lengths:
    """A vector that says in which batch its text was: as noise of a real encoder would."""

    def __init__(self, fail_at: int | None = None) -> None:
        self.calls = 0
        self.fail_at = fail_at

    def encode(self, texts: Sequence[str], *, role: str) -> Vectors:
        self.calls += 1
        if self.calls == self.fail_at:
            raise KeyboardInterrupt
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


@pytest.mark.parametrize("fail_at", [1, 2, 3, 6])
def test_a_store_resumes_behind_the_last_whole_batch(tmp_path: Path, fail_at: int) -> None:
    ids = [f"d{n}" for n in range(22)]
    texts = ["x" * (n % 7 + 1) for n in range(22)]
    settings = {"role": "document", "batch_size": 4}
    whole = encode_all(Lengths(), ids, texts, **settings)  # type: ignore[arg-type]
    with pytest.raises(KeyboardInterrupt):
        encode_all(Lengths(fail_at), ids, texts, store=tmp_path / "s", **settings)  # type: ignore[arg-type]
    vectors = tmp_path / "s" / "vectors.f32"
    if vectors.exists():
        # A write that was cut off half-way.
        with vectors.open("ab") as stream:
            stream.write(b"\x01\x02\x03")
    second = Lengths()
    resumed = encode_all(second, ids, texts, store=tmp_path / "s", **settings)  # type: ignore[arg-type]
    np.testing.assert_array_equal(resumed, whole)
    assert second.calls == 6 - (fail_at - 1)
    third = Lengths()
    again = encode_all(third, ids, texts, store=tmp_path / "s", **settings)  # type: ignore[arg-type]
    np.testing.assert_array_equal(again, whole)
    assert third.calls == 0


def test_a_damaged_store_is_refused_by_name(tmp_path: Path) -> None:
    ids, texts = ["a", "b"], ["x", "yy"]
    encode_all(Lengths(), ids, texts, role="document", batch_size=1, store=tmp_path / "s")
    (tmp_path / "s" / "vectors.f32").write_bytes(b"\0" * 4)
    with pytest.raises(ShelfError, match="damaged"):
        encode_all(Lengths(), ids, texts, role="document", batch_size=1, store=tmp_path / "s")


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
