"""Vectors of texts: canonical batches, checked, and stored once for all tasks of a config."""
