"""Gates: what a document has to pass before it enters a corpus, each with its column."""
