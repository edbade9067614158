"""Marks this folder as the checkout's own: packages of the same name exist elsewhere."""
