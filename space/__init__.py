"""The Gradio Space: a page over `evaluate_shelf`'s leaderboard."""
