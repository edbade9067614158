"""Whether two corpora, or two tasks, put models into the same order."""
