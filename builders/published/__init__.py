"""The published release: read as it was published, taken over into the columns of this project."""
