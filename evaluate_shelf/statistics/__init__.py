"""Resampling units, bootstrap intervals and the dyadic variance of pair scores."""
