"""Prompts: a specification in words that do not name its labels."""
