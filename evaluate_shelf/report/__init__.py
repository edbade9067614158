"""What is shown of runs: a page with figures, and the check of numbers in the project's prose."""
