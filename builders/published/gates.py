"""The gates over a published document: the columns that they record."""

from __future__ import annotations

from collections.abc import Sequence

from builders.gates.length import length_delta, length_passes
from builders.gates.parse import is_parsed
from builders.gates.refusal import is_complete
from builders.gates.self_label import self_labels

Columns = dict[str, bool | int | None]


def gate_columns(
    title: str, body: str, labels: Sequence[str], words: int, wanted: tuple[int, int] | None
) -> Columns:
    """What gates G1 (parse), G3 (length), G4 (self-label) and G7 (refusal) find.

    They need the text and its labels alone, so that they can be put to documents that others
    wrote.

    Parameters
    ----------
    title, body : str
        The document.
    labels : sequence of str
        Its category, form and class name, which must not stand in it as labels.
    words : int
        Of the body.
    wanted : tuple of int and int or None
        The fewest and the most words that were asked for; None where that is not known.

    Returns
    -------
    dict of str to bool, int or None
        The columns `qc_*`. Without a known length, `qc_length_delta` is null, and so is
        `qc_passed` unless another gate fails.

    Examples
    --------
    >>> gate_columns("Bees", "They came home.", ["Essays"], 3, (10, 25))["qc_length_delta"]
    -7
    >>> gate_columns("Bees", "They came home.", ["Essays"], 3, None)["qc_passed"] is None
    True
    """
    parsed = is_parsed(title, body)
    unlabelled = not self_labels(f"{title}\n\n{body}", labels)
    complete = is_complete(body)
    delta = fits = None
    if wanted is not None:
        delta = length_delta(words, *wanted)
        fits = length_passes(delta, *wanted)
    others = parsed and unlabelled and complete
    return {
        "qc_parse": parsed,
        "qc_length_delta": delta,
        "qc_selflabel": unlabelled,
        "qc_refusal": complete,
        "qc_passed": others and fits,
    }
