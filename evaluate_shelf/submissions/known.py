"""The runs of a store that a new one is compared with."""

from __future__ import annotations

from evaluate_shelf.submissions.flags import Known
from evaluate_shelf.submissions.records import KEPT
from evaluate_shelf.submissions.store import Store


def known_in(store: Store) -> list[Known]:
    """What a check kept of each run that is in a store, for `flags.check_of`."""
    return [
        Known.model_validate(own.found["known"])
        for own in store.submissions(KEPT)
        if "known" in own.found
    ]
