"""Labelled cases of every gate: documents, and whether a reader would let them pass."""
