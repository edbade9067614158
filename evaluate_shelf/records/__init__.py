"""A library's own catalogue records: read from MARC and from tables, and written back."""
