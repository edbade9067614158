"""Strings from files that strangers wrote: bounded, on one line, and never a way out."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import StringConstraints

# Control characters move a terminal's cursor; the others turn the direction of writing around.
_UNPRINTABLE = "\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069"

Line = Annotated[str, StringConstraints(max_length=300, pattern=f"^[^{_UNPRINTABLE}]*$")]
"""A name or a number as text, printable anywhere."""

Reason = Annotated[str, StringConstraints(max_length=2000, pattern=f"^[^{_UNPRINTABLE}]*$")]
"""A sentence on one line."""

_PART = "[A-Za-z0-9][A-Za-z0-9_.+-]{0,120}"

InnerPath = Annotated[str, StringConstraints(max_length=400, pattern=f"^{_PART}(/{_PART}){{0,5}}$")]
"""A path inside a folder: no part is absolute, hidden or `..`."""

ConfigName = Annotated[str, StringConstraints(pattern=f"^{_PART}$")]
"""A name that can be part of a path."""


def one_line(text: str, longest: int = 2000) -> str:
    r"""A text as `Reason` takes it: white space folded, unprintable characters gone, cut.

    Examples
    --------
    >>> one_line("out of\n  memory\x1b[2J")
    'out of memory[2J'
    """
    known = text.encode("utf-8", "replace").decode("utf-8")
    return re.sub(f"[{_UNPRINTABLE}]", "", " ".join(known.split()))[:longest]
