"""The leaderboard: a pure function from runs to tables, and the tables' forms."""
