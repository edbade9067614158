"""The texts of a pair's two sides."""

from __future__ import annotations

from evaluate_shelf.release.documents import Documents


def texts_of(pairs: Documents, side: str) -> list[str]:
    """The text of one side, `a` or `b`, of each pair: title, blank line, body."""
    titles, bodies = pairs.column(f"doc_{side}_title"), pairs.column(f"doc_{side}_body")
    return [f"{title or ''}\n\n{body}" for title, body in zip(titles, bodies, strict=True)]
