"""How a worker of a test evaluates a model: one quick task on the shipped release."""

from __future__ import annotations

from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.submissions.evaluating import Terms, target_of


def terms(**changes: object) -> Terms:
    """Those terms, with changes."""
    data = shipped_release()
    settings = {
        "data": data,
        "target": target_of(data, "all", None),
        "protocol": "shelf-1",
        "rates": False,
        "tasks": ("lcc_retrieval",),
        "pulse_seconds": 0.2,
    }
    return Terms(**{**settings, **changes})  # type: ignore[arg-type]
