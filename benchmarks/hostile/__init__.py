"""Submissions that must be refused, and what makes them."""
