"""`CITATION.cff`: how a release is cited, and the paper whose design it follows."""

from __future__ import annotations

import json
from collections.abc import Sequence

from builders.release.front import licences
from builders.release.origins import origins_in
from builders.release.templates import rendered
from builders.staging.config import StagedConfig
from builders.taxonomies.foreign import ForeignLabels
from evaluate_shelf.bounded import one_line

_LONGEST = 300


def citation(
    name: str, configs: Sequence[StagedConfig], foreign: Sequence[ForeignLabels] = ()
) -> str:
    """The release's citation in the Citation File Format 1.2.0.

    Parameters
    ----------
    name : str
        Of the release.
    configs : sequence of StagedConfig
        The release's. Texts that were imported have their author named; where a library's own
        records are among them, no licence is.
    foreign : sequence of ForeignLabels, default=()
        Labels that are not SHELF's; where there are any, no licence is named either.

    Returns
    -------
    str
        YAML without a date: the same release gives the same text.
    """
    origins = origins_in(configs)
    title = one_line(f"SHELF: {name}", _LONGEST)
    return rendered(
        "CITATION.cff",
        # A string of JSON is one of YAML, whatever is in it.
        title=json.dumps(title, ensure_ascii=False),
        origins=origins,
        is_open="other" not in licences(origins, foreign),
    )
