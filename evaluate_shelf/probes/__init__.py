"""Probes: logistic regression on frozen vectors, to the optimum."""

from evaluate_shelf.probes.design import Design
from evaluate_shelf.probes.linear import Fit, LinearProbe
from evaluate_shelf.probes.sparse import SparseDesign

__all__ = ["Design", "Fit", "LinearProbe", "SparseDesign"]
