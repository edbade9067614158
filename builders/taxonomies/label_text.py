"""A label as words inside a sentence."""

from __future__ import annotations

import re

_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")


def natural(label: str) -> str:
    """A label as it would stand inside a sentence.

    Examples
    --------
    >>> natural("Art, Modern"), natural("Cranes (Birds)"), natural("Fishes--Anatomy")
    ('modern art', 'cranes', 'fishes, anatomy')
    >>> natural("Middle East"), natural("{x}")
    ('Middle East', 'x')
    """
    bare = _QUALIFIER.sub("", label) or label
    # Braces are the writer's slots.
    bare = " ".join(bare.replace("{", " ").replace("}", " ").split()) or "this"
    parts = bare.split(", ")
    if len(parts) == 2 and len(parts[1].split()) == 1 and "--" not in bare:
        has_name = any(map(str.isupper, parts[0][1:] + parts[1][1:]))
        own = f"{parts[1]} {parts[0]}"
        return own if has_name else own.lower()
    bare = bare.replace("--", ", ")
    rest = [part[1:] for part in bare.split(", ")]
    return bare if any(map(str.isupper, "".join(rest))) else bare.lower()
