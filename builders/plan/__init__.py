"""A plan as numbers: what would be written, in how many tokens, and for how much money."""
