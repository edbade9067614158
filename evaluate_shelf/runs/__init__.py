"""Runs: what an evaluation leaves, from which every aggregate is derived."""
