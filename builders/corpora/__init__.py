"""Corpora: one package or module for each kind of source."""
