"""What a status without success means for the money: never nothing where an answer may be paid."""

from __future__ import annotations

import pytest

from builders.writers.protocol import MaybeCharged, NotCharged
from builders.writers.refusals import refusal_of

PERHAPS = (408, 499, 502, 504, 520, 522, 524, 527, 561, 598, 599, 777)
NOTHING = (400, 401, 402, 403, 404, 409, 413, 422, 425, 429, 500, 501, 503, 521, 523, 529)


@pytest.mark.parametrize("status", PERHAPS)
def test_an_answer_may_have_been_written(status: int) -> None:
    assert isinstance(refusal_of(status, b'{"error": {"message": "x"}}', "x"), MaybeCharged)


@pytest.mark.parametrize("status", NOTHING)
def test_none_was_written(status: int) -> None:
    assert isinstance(refusal_of(status, b"{}", "x"), NotCharged)


def test_what_is_unknown_is_counted() -> None:
    free = [own for own in range(500, 1000) if isinstance(refusal_of(own, b"", "x"), NotCharged)]
    assert free == [500, 501, 503, 505, 506, 507, 508, 510, 511, 521, 523, 525, 526, 529, 530]
