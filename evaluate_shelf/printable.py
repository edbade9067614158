"""Text that cannot move a terminal's cursor."""

from __future__ import annotations

import re

# Control characters move a terminal's cursor; the others turn the direction of writing around.
UNPRINTABLE = "\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069"


def one_line(text: str, longest: int = 2000) -> str:
    r"""A text as `Reason` takes it: white space folded, unprintable characters gone, cut.

    Examples
    --------
    >>> one_line("out of\n  memory\x1b[2J")
    'out of memory[2J'
    """
    known = text.encode("utf-8", "replace").decode("utf-8")
    return re.sub(f"[{UNPRINTABLE}]", "", " ".join(known.split()))[:longest]


def shortened(name: str, longest: int) -> str:
    """A name on one line, with an ellipsis where it is cut.

    Examples
    --------
    >>> shortened("all-MiniLM-L6-v2", 6)
    'all-Mi…'
    """
    shown = one_line(name)
    return shown if len(shown) <= longest else f"{shown[:longest]}…"
