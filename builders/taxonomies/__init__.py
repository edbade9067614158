"""Taxonomies of others: read from SKOS, a table or authority files, written in SHELF's own form."""
