"""What the gates say of an answer as soon as it is there."""

from __future__ import annotations

from collections.abc import Mapping

from builders.gates.language import english_probability
from builders.gates.parse import document_of
from builders.gates.verdict import judged_as_ordered, origin_of
from builders.orders import Order
from builders.writers.protocol import Answer
from evaluate_shelf.registry.taxonomy_rows import Length


class Gates:
    """All gates but G6, which needs the whole corpus.

    Parameters
    ----------
    lengths : mapping of str to Length
        Target lengths by id.

    Raises
    ------
    ShelfError
        If py3langid is not installed.
    OSError
        If there is no room to unpack its model: better now than between two answers.
    """

    def __init__(self, lengths: Mapping[str, Length]) -> None:
        english_probability("Its model is loaded with the first text.")
        self._lengths = lengths

    def refuse(self, order: Order, answer: Answer) -> bool:
        """Whether a gate refuses an answer, which the corpus keeps all the same."""
        title, body = document_of(answer.text)
        length = self._lengths[order.spec.target_length]
        return not judged_as_ordered(
            title, body, order.spec, length, origin_of(answer)
        ).verdict.qc_passed
