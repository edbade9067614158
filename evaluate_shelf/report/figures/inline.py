"""A drawing as a part of a page: its ids its own, its colours the page's."""

from __future__ import annotations

import re
from html import escape
from xml.etree import ElementTree as ET

from evaluate_shelf.report.figures.figure import Picture
from evaluate_shelf.report.figures.palette import COLOURS

_DROPPED = {"title", "metadata", "style"}
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_VARIABLES = {colour.light: f"var({colour.variable})" for colour in COLOURS}
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")


def inline_svg(picture: Picture, prefix: str) -> str:
    """The picture's SVG for an HTML page.

    Parameters
    ----------
    picture : Picture
        As `drawing.picture` makes it: no file of a stranger.
    prefix : str
        What its ids begin with, so that they are no other picture's.

    Returns
    -------
    str
        An `svg` element with the role of an image and its alternative text.
    """
    root = ET.fromstring(picture.svg)  # noqa: S314
    parts = "".join(_element(child, prefix) for child in root)
    box = escape(root.attrib["viewBox"])
    return (
        f'<svg class="picture" viewBox="{box}" role="img" '
        f'aria-label="{escape(picture.alternative)}">{parts}</svg>'
    )


def _element(element: ET.Element, prefix: str) -> str:
    name = _local(element.tag)
    if name in _DROPPED:
        return ""
    inner = escape((element.text or "").strip("\n") if name == "text" else "", quote=False)
    inner += "".join(_element(child, prefix) for child in element)
    if name in ("g", "defs") and not inner:
        return ""
    attributes = "".join(
        f' {key}="{escape(value)}"'
        for attribute, raw in element.attrib.items()
        if (value := _value(name, key := _local(attribute), raw, prefix)) is not None
    )
    return f"<{name}{attributes}>{inner}</{name}>"


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _value(element: str, key: str, raw: str, prefix: str) -> str | None:
    """An attribute as the page needs it; None for one that it does not."""
    if key == "id":
        # A group's id is nobody's target.
        return None if element == "g" else f"{prefix}-{raw}"
    if key == "href":
        return f"#{prefix}-{raw.removeprefix('#')}"
    if key == "d":
        return " ".join(raw.split())
    value = _REFERENCE.sub(rf"url(#{prefix}-\1)", raw)
    if key == "style":
        return _COLOUR.sub(lambda found: _VARIABLES.get(found[0], found[0]), value)
    return value
