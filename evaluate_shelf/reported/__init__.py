"""Scores that others computed: the published panel, with its source."""
