"""Who is told what a publication does."""

from __future__ import annotations

from collections.abc import Callable

from evaluate_shelf.publishing.plan import Plan


class Reporter:
    """Told what a publication does; this one says nothing."""

    def verified(self, release_id: str, files: int) -> None:
        """Report that the folder's `files` files are the release `release_id`, whole."""

    def planned(self, plan: Plan) -> None:
        """Report what will change; told again where the repository changed in between."""

    def created(self, repo_id: str) -> None:
        """Report that the repository was missing and was made."""

    def warned(self, message: str) -> None:
        """Report what the user should know and what does not stop the publication."""

    def waiting(self, seconds: float, reason: str) -> None:
        """Report that the next attempt begins in so many seconds, and why."""


class LineReporter(Reporter):
    """Tells what a publication does in lines of text.

    Parameters
    ----------
    say : callable
        Takes a line.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def verified(self, release_id: str, files: int) -> None:
        """Say that the folder is whole."""
        self._say(f"release {release_id} is whole: {files} files")

    def planned(self, plan: Plan) -> None:
        """Say how many files change."""
        self._say(
            f"{len(plan.added)} to add, {len(plan.replaced)} to replace, {len(plan.deleted)} to "
            f"delete, {plan.unchanged} unchanged; {plan.bytes_to_send / 1e6:.1f} MB to send"
        )

    def created(self, repo_id: str) -> None:
        """Say that the repository was made."""
        self._say(f"{repo_id}: made")

    def warned(self, message: str) -> None:
        """Say what does not stop the publication."""
        self._say(f"note: {message}")

    def waiting(self, seconds: float, reason: str) -> None:
        """Say why, and for how long."""
        self._say(f"{reason}; trying again in {seconds:.0f} s")
