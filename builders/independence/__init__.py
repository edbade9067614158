"""How far a release's generators tell of its labels, and its texts of their generators."""
