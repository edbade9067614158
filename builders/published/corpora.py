"""The configs that are taken over, and what their published files must have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import pyarrow as pa

from builders.corpora.columns import GATES, GUTENBERG, slice_schema
from builders.corpora.lcshbench.columns import LCSHBENCH
from builders.corpora.synthetic.slices import COUNTED
from evaluate_shelf.registry.corpora import corpus
from evaluate_shelf.registry.generation import PublishedSlice

BOOKS, RECORDS = "transfer_gutenberg", "transfer_lcshbench"
SLICES: tuple[str, ...] = get_args(PublishedSlice)
"""The published synthetic slices, of which `all` is the pool."""

_OF_DOCUMENTS = frozenset({"id", "title", "lcc_code"})
_OF_SLICES = frozenset(
    {
        "lcgft_category", "lcgft_form", "topics", "geographic", "audience", "register",
        "target_length", "model",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Taken:
    """A config that is taken over.

    Attributes
    ----------
    name : str
        Of the config.
    schema : pyarrow.Schema
        Its columns here.
    own : frozenset of str
        Those that follow from others and are not read.
    required : frozenset of str
        Published columns without which it cannot be taken over; `body` or `text` too.
    group_column : str or None
        Whose values lie in one split each.
    counted : tuple of str
        Columns whose labels the manifest counts.
    """

    name: str
    schema: pa.Schema
    own: frozenset[str]
    required: frozenset[str]
    group_column: str | None
    counted: tuple[str, ...]

    @property
    def read(self) -> pa.Schema:
        """The columns that are read, as far as the files have them."""
        return pa.schema([field for field in self.schema if field.name not in self.own])


def taken(name: str) -> Taken:
    """Give a config that is taken over.

    Examples
    --------
    >>> taken("default").group_column, taken("v0_4_core").group_column
    (None, 'spec_id')
    >>> "qc_parse" in taken("default").read.names
    False
    """
    if name == BOOKS:
        own, labels = frozenset({"work_id", "group_id"}), ("lcgft_category", "lcgft_form")
        return Taken(name, GUTENBERG, own, _OF_DOCUMENTS, "group_id", ("lcc_code", *labels))
    if name == RECORDS:
        return Taken(
            name, LCSHBENCH, frozenset({"group_id"}), _OF_DOCUMENTS, "group_id", ("lcc_code",)
        )
    group = corpus(name).split.group_column
    grouping = {"pair_id", "pair_role"} if group == "pair_id" else {group} if group else set()
    required = _OF_DOCUMENTS | _OF_SLICES | grouping
    return Taken(name, slice_schema(name), frozenset(GATES.names), required, group, COUNTED)
