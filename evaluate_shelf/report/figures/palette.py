"""Colours of a figure: in a file as they are, in a page as variables that follow its theme.

The three of data are Okabe and Ito's, which are told apart with any kind of colour vision; a page
with a dark theme takes their lighter ones. No figure tells things apart by colour alone.
"""

from __future__ import annotations

from typing import NamedTuple


class Colour(NamedTuple):
    """A colour by its role.

    Attributes
    ----------
    variable : str
        Its name in the page's style sheet.
    light, dark : str
        On a light ground, which a file has, and on a dark one.
    """

    variable: str
    light: str
    dark: str


INK = Colour("--ink", "#1c1e22", "#ece9e2")
QUIET = Colour("--quiet", "#585c64", "#a9adb5")
RULE = Colour("--rule", "#d8d5cd", "#3b3e45")
PAPER = Colour("--paper", "#ffffff", "#17191d")
FIRST = Colour("--first", "#0072b2", "#56b4e9")
SECOND = Colour("--second", "#d55e00", "#e69f00")
THIRD = Colour("--third", "#009e73", "#2fbf94")

COLOURS = (INK, QUIET, RULE, PAPER, FIRST, SECOND, THIRD)
"""All of them."""

SERIES = (FIRST, SECOND, THIRD)
"""Those of data, in the order in which they are taken."""

MARKERS = ("o", "s", "D")
"""The shape that goes with each of them."""
