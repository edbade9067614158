"""Whether a model may have seen the documents that it is scored on, by dates with a source."""
