"""Names of the configs that mteb looks for."""

from __future__ import annotations

from typing import Literal

Part = Literal["corpus", "queries", "qrels", "instruction"]


def subset_name(source: str, task_id: str) -> str:
    """What mteb calls the subset of a task on a source corpus.

    Examples
    --------
    >>> subset_name("all", "lcc_retrieval"), subset_name("transfer_gutenberg", "lcc_retrieval")
    ('lcc_retrieval', 'transfer_gutenberg_lcc_retrieval')
    """
    return task_id if source == "all" else f"{source}_{task_id}"


def config_name(subset: str, part: Part) -> str:
    """The config of a part of a subset, or of the corpus that a source's subsets share.

    Examples
    --------
    >>> config_name("lcc_retrieval", "qrels")
    'lcc_retrieval-qrels'
    """
    return f"{subset}-{part}"
