"""A library's own records as a corpus."""
