"""Writers: from a specification to a document with its provenance."""
