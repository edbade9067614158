"""HTTP endpoints of models: where they are, the key to them, one bounded request, repeats."""
