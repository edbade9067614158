"""What a score does not mean."""

from __future__ import annotations

from evaluate_shelf.report.document import Listing, Section

_LIMITS = """
Labels of synthetic documents are those of the specification that a document was written to;
nobody has judged the texts.

Scores help to choose between models. They do not predict accuracy on a catalogue, and a score on
one corpus does not carry to another.

Read the interval before the rank. Models whose intervals overlap may differ all the same, since
they answered the same items: the tests of paired differences say which do. Models that no test
tells apart are not shown to be equal.

An interval says how far a score hangs on which documents were drawn. It says nothing of other
writers, other labels or other text.

Agreement of ranks between corpora is about the order of the models compared, and about the
subject, since the natural corpora have no other label.

A control is a task at or near chance by nature. It is in no mean, and a score on it is no merit.

An interval of macro-F1 over few groups is lopsided, because a resample can lose a class.

A rate belongs to the machine on which it was measured, and to that number of threads.

Natural corpora are public text; models may have been trained on it. Whether a model may have seen
synthetic documents is said only where a source for its dates is cited.
"""


def meaning() -> Section:
    """What a score does not mean, whatever the runs."""
    limits = tuple(" ".join(limit.split()) for limit in _LIMITS.split("\n\n"))
    return Section("meaning", "What a score does not mean", (Listing(limits),))
