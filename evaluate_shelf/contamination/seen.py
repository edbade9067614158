"""Whether a model may have seen documents: a rule over two dates."""

from __future__ import annotations

from typing import Literal

from evaluate_shelf.contamination.written import Written
from evaluate_shelf.registry.panel import Cutoff

Seen = Literal[
    "out of sample by date",
    "may have seen",
    "unknown",
    "in pretraining data",
    "no pretraining",
]

MARKS: dict[Seen, str] = {
    "out of sample by date": "no",
    "may have seen": "maybe",
    "unknown": "?",
    "in pretraining data": "yes",
    "no pretraining": "never",
}
"""One word each, for a column."""

MEANINGS: dict[Seen, str] = {
    "out of sample by date": "they were written after all that it learned from",
    "may have seen": "they were there before all that it learned from was",
    "unknown": "no source states when it was trained, or when they were written",
    "in pretraining data": "such texts are known to be in pretraining data",
    "no pretraining": "it knows nothing but the corpus that it is fitted on",
}
"""What each means, behind "whether a model may have seen the documents before: ..."."""


def seen(
    *,
    kind: str,
    cutoff: Cutoff | None,
    corpus: Literal["synthetic", "natural"] | None,
    written: Written | None,
) -> Seen:
    """Tell whether a model may have seen a corpus.

    Parameters
    ----------
    kind : str
        Of the model; a sparse one is fitted on the corpus alone.
    cutoff : Cutoff or None
        A day after which it learned nothing.
    corpus : {'synthetic', 'natural'} or None
        What its documents are; None where that is not known.
    written : Written or None
        When they were written.

    Returns
    -------
    str
        Unknown unless both dates are known. A model whose cutoff is the day of the first document,
        or a later one, may have seen some.

    Examples
    --------
    >>> import datetime as dt
    >>> cutoff = Cutoff(date=dt.date(2021, 8, 30), of="release", source="https://example.org/a")
    >>> written = Written(dt.date(2025, 11, 1), None, "https://example.org/b")
    >>> seen(kind="encoder", cutoff=cutoff, corpus="synthetic", written=written)
    'out of sample by date'
    >>> seen(kind="encoder", cutoff=None, corpus="synthetic", written=written)
    'unknown'
    """
    if kind == "sparse":
        return "no pretraining"
    if corpus == "natural":
        return "in pretraining data"
    if cutoff is None or written is None:
        return "unknown"
    return "out of sample by date" if cutoff.date < written.first else "may have seen"
