"""Retrieval and instruction configs in mteb's form: corpus, queries, qrels, instruction."""
