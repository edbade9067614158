"""SHELF's tasks and results in the forms that mteb reads."""
