"""Drawing pairs of documents, as functions over columns of label codes."""
