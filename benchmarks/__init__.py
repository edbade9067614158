"""What was measured, with the command that measures it."""
