"""A document's own label terms: how often they stand in it, and what a score is without them."""
