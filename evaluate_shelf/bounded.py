"""Strings from files that strangers wrote: bounded, on one line, and never a way out."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

from evaluate_shelf.printable import UNPRINTABLE, UNPRINTABLE_BESIDES_LINES, one_line

Line = Annotated[str, StringConstraints(max_length=300, pattern=f"^[^{UNPRINTABLE}]*$")]
"""A name or a number as text, printable anywhere."""

Named = Annotated[
    str,
    StringConstraints(max_length=300, pattern=rf"^[^{UNPRINTABLE}]*[^\s\p{{C}}][^{UNPRINTABLE}]*$"),
]
"""A line with something to see in it."""

Reason = Annotated[str, StringConstraints(max_length=2000, pattern=f"^[^{UNPRINTABLE}]*$")]
"""A sentence on one line."""

Prompt = Annotated[
    str, StringConstraints(max_length=10_000, pattern=f"^[^{UNPRINTABLE_BESIDES_LINES}]*$")
]
"""What is put before a text, to the letter: line feeds and tabs may be in it."""

_PART = "[A-Za-z0-9][A-Za-z0-9_.+-]{0,120}"

InnerPath = Annotated[str, StringConstraints(max_length=400, pattern=f"^{_PART}(/{_PART}){{0,5}}$")]
"""A path inside a folder: no part is absolute, hidden or `..`."""

ConfigName = Annotated[str, StringConstraints(pattern=f"^{_PART}$")]
"""A name that can be part of a path."""

__all__ = ["ConfigName", "InnerPath", "Line", "Named", "Prompt", "Reason", "one_line"]
