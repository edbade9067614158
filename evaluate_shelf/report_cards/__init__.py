"""Report cards of tasks: what a panel of models tells about a task, and a verdict on it."""
