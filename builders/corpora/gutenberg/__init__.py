"""Project Gutenberg: from its catalogue and plain texts to passages with a class."""

from builders.corpora.gutenberg.corpus import GutenbergCorpus, build_passages

__all__ = ["GutenbergCorpus", "build_passages"]
