"""What a model reads, and where a task fails."""
