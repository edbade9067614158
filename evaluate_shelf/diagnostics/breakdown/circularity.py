"""Whether a model reads what the probe reads that difficulty comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evaluate_shelf.runs.schema import RunModel

PROBE_KIND = "sparse"
"""Kind of the lexical probe, and of every other model that reads counts of words alone."""


def why_circular(model: RunModel) -> str | None:
    """Why strata of difficulty are circular for a model; None where they are not.

    They are for every model of the probe's kind, whatever its name, and for one that such a model
    is part of: a hybrid, a reranker of what it finds.

    Parameters
    ----------
    model : RunModel
        As its run has it.

    Returns
    -------
    str or None
        A sentence to stand beside the strata.
    """
    if model.kind == PROBE_KIND:
        who = model.name
    elif PROBE_KIND in _kinds_in(model.settings):
        who = f"a part of {model.name}"
    else:
        return None
    return (
        f"circular: {who} reads counts of words, as the probe does that says what is hard, so that "
        "being worse on hard texts follows from how they are drawn; see models that read otherwise"
    )


def _kinds_in(settings: Mapping[str, Any]) -> Iterator[str]:
    """Kinds of the models that a model is made of."""
    for value in settings.values():
        if isinstance(value, Mapping):
            yield str(value.get("kind", ""))
            yield from _kinds_in(value)
