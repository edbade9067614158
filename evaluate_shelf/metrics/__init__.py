"""Metrics as pure functions of labels, rankings, clusters and pair scores."""
