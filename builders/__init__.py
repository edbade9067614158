"""Turn vocabularies, specifications and real books into a release folder."""
