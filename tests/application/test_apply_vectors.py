"""A text that the model can say nothing of costs no other text its class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from evaluate_shelf.application.vectors import NO_KNOWN_TERM, NO_VECTOR, usable_vectors
from evaluate_shelf.models.protocol import Role, Vectors


class Fragile:
    """Gives a text's length; NaN, zero or an exception for some texts."""

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        if "raise" in texts:
            raise ValueError("not this one")
        known = {"nan": np.nan, "zero": 0.0}
        return np.array([[known.get(text, len(text))] for text in texts], dtype=np.float32)


@pytest.mark.parametrize("batch_size", [1, 2, 32])
@pytest.mark.parametrize(
    ("zero_says_nothing", "of_zero"), [(False, NO_VECTOR), (True, NO_KNOWN_TERM)]
)
def test_other_texts_keep_their_vectors(
    batch_size: int, zero_says_nothing: bool, of_zero: str
) -> None:
    texts = ["a book", "nan", "zero", "of birds", "raise", "x"]
    vectors, reasons = usable_vectors(
        Fragile(), texts, batch_size, zero_says_nothing=zero_says_nothing
    )
    assert vectors.tolist() == [[6.0], [8.0], [1.0]]
    assert reasons == ["", NO_VECTOR, of_zero, "", NO_VECTOR, ""]


def test_no_text_and_no_usable_text_give_no_vector() -> None:
    for texts in ([], ["nan", "nan"]):
        vectors, reasons = usable_vectors(Fragile(), texts, 32, zero_says_nothing=False)
        assert len(vectors) == 0
        assert reasons == [NO_VECTOR] * len(texts)
