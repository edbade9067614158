"""Score models on SHELF, a benchmark of bibliographic work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluate_shelf.api import evaluate

__all__ = ["evaluate"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    # Imported when it is asked for: most that import the package need nothing heavy.
    if name == "evaluate":
        from evaluate_shelf.api import evaluate

        return evaluate
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
