"""Numbers in Markdown that carry a marker, derived again from the data that is committed."""
