"""Which labels are set against generators, and how a document without one counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from builders.independence.crossing import Crossing, crossing


class Label(NamedTuple):
    """One facet of a specification.

    Attributes
    ----------
    name : str
        For people.
    column : str
        Of the release.
    several : bool
        Whether a document can have several values.
    """

    name: str
    column: str
    several: bool = False


LABELS = (
    Label("class", "lcc_code"),
    Label("category", "lcgft_category"),
    Label("form", "lcgft_form"),
    Label("register", "register"),
    Label("audience", "audience"),
    Label("target length", "target_length"),
    Label("prompt variant", "prompt_variant_id"),
    Label("topics", "topics", several=True),
    Label("places", "geographic", several=True),
)
"""In the order in which they are shown."""


def crossing_of(
    values: Sequence[Any], generators: Sequence[str], groups: Sequence[str], *, several: bool
) -> Crossing:
    """Every occurrence of a label, with the generator and the specification of its document.

    A document without the label counts once, under a value of its own: that it has none, such as
    no audience, was drawn as well. One with several values counts once for each.

    Parameters
    ----------
    values : sequence
        Of each document: a text or None; a list of them or None where there may be several.
    generators, groups : sequence of str
        Of each document.
    several : bool
        Whether `values` holds lists.

    Examples
    --------
    >>> places = [["Paris", "Lyon"], []]
    >>> crossing_of(places, ["a", "b"], ["1", "1"], several=True).table.tolist()
    [[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]]
    """
    lists = [own or [None] for own in values] if several else [[own] for own in values]
    rows = [row for row, own in enumerate(lists) for _ in own]
    # No label is empty, so that an empty text stands for none.
    labels = [value or "" for own in lists for value in own]
    return crossing([generators[row] for row in rows], labels, [groups[row] for row in rows])


def is_label(kind: pa.DataType, own: Label) -> bool:
    """Whether a column can hold the label."""
    if own.several:
        return bool(pa.types.is_list(kind) and _is_text(kind.value_type))
    return _is_text(kind)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
