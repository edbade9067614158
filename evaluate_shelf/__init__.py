"""Score models on SHELF, a benchmark of bibliographic work."""

__version__ = "0.1.0"
