"""What corpora are called, and what they are."""

from __future__ import annotations

from collections.abc import Iterable

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.corpora import load_corpora

_NAMES = {
    "all": "all documents",
    "default": "documents of the first generation",
    "v0_4_core": "core documents",
    "v0_4_supplement": "supplement",
    "v0_4_minimal_pairs": "minimal pairs",
    "v0_4_holdout": "held-out documents",
    "transfer_gutenberg": "books",
    "transfer_lcshbench": "catalogue records",
}


def corpus_name(config: str) -> str:
    """A corpus as it is said, with its id where that says more.

    Examples
    --------
    >>> corpus_name("all"), corpus_name("transfer_gutenberg"), corpus_name("mine")
    ('all documents', 'books (transfer_gutenberg)', 'documents “mine”')
    """
    if config == "all":
        return _NAMES[config]
    return f"{_NAMES[config]} ({config})" if config in _NAMES else f"documents “{config}”"


def corpus_notes(configs: Iterable[str]) -> list[str]:
    """What is said of each corpus in configs/corpora.yaml; of one that is not in it, nothing."""
    try:
        known = load_corpora()
    except ShelfError:
        return []
    return [
        f"{config}: {corpus_name(config)}. {note}"
        for config in dict.fromkeys(configs)
        if config in known and (note := known[config].note)
    ]
