"""How quick the served leaderboard is, beside a plain Gradio table and a static page.

Measured by `python -m benchmarks.space_load`.
"""

from benchmarks.space_load.servers import served

__all__ = ["served"]
