"""The gates over a published document: the columns that they record."""

from __future__ import annotations

from collections.abc import Sequence

from builders.gates.labels import OwnLabels
from builders.gates.verdict import Origin, judged

Columns = dict[str, bool | int | float | None]

REFUSING = ("qc_parse", "qc_language", "qc_selflabel", "qc_refusal")
"""The gates that can refuse a published document, but for its length."""


def gate_columns(
    title: str,
    body: str,
    labels: OwnLabels,
    topics: Sequence[str],
    wanted: tuple[int, int] | None,
) -> Columns:
    """What the gates find that need the text and its labels alone.

    They can be put to documents that others wrote: G1 (parse), G2 (language), G3 (length), G4
    (self-label), G5 (topic coverage) and G7 (refusal).

    Parameters
    ----------
    title, body : str
        The document.
    labels : OwnLabels
        Its own, which it must not present as labels.
    topics : sequence of str
        Its topics.
    wanted : tuple of int and int or None
        The fewest and the most words that were asked for; None where that is not known.

    Returns
    -------
    dict of str to bool, int, float or None
        The columns `qc_*`. Without a known length, `qc_length_delta` is null, and so is
        `qc_passed` unless another gate fails. `qc_near_dup` is null, since documents that were
        published stay, and so is `qc_served`, since nobody recorded it.

    Examples
    --------
    >>> labels = OwnLabels(("Discursive works", "Essays"), ("Agriculture",))
    >>> gate_columns("Bees", "They came home.", labels, [], (10, 25))["qc_length_delta"]
    -7
    >>> gate_columns("Bees", "They came home.", labels, [], None)["qc_passed"] is None
    True
    """
    columns = judged(title, body, labels, topics, wanted, Origin()).verdict._asdict()
    return {**columns, "qc_served": None}
