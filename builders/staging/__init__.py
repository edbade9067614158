"""Configs on their way into a release: streams of rows, put in order and written piece by piece."""
