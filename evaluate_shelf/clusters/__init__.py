"""Clusterings of unit vectors: pure functions from vectors to cluster numbers."""
