"""Specifications: what documents are to be, drawn in blocks and kept in block files."""

from builders.specifications.drawing import draw_block
from builders.specifications.specification import Specification

__all__ = ["Specification", "draw_block"]
