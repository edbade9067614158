"""What the endpoints of submissions share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request

from evaluate_shelf.submissions.database import Database
from evaluate_shelf.submissions.job_records import Target
from evaluate_shelf.submissions.queue import Queue
from evaluate_shelf.submissions.rates import Kind, take
from evaluate_shelf.submissions.store import Store

from .desk import Desk
from .people import Maintainers, SignedIn, address_of
from .pool import Pool
from .site import Site
from .uploads import Uploads


@dataclass(frozen=True)
class Service:
    """What the endpoints of submissions share.

    Attributes
    ----------
    desk : Desk or None
        Takes runs; None where none are taken.
    store : Store or None
        Of submissions; None where they go to the Hub.
    target : Target or None
        What models are evaluated on that are asked for; None where nobody may ask.
    releases : tuple of pathlib.Path
        What the runs of the store may be scored on.
    named_releases : tuple of str
        The releases whose runs are taken, in words.
    results : str or None
        Name of the results repository that runs are proposed to.
    rates : Database
        Where it is counted who sends how much.
    uploads, pool, maintainers
        See there.
    site : callable
        Gives the site as it is now.
    changed : callable
        Called where the table may have changed.
    behind_proxy, sign_in : bool
        Whether the Hub's proxies stand before this server, and whether one can sign in.
    """

    desk: Desk | None
    store: Store | None
    target: Target | None
    releases: tuple[Path, ...]
    named_releases: tuple[str, ...]
    results: str | None
    rates: Database
    uploads: Uploads
    pool: Pool
    maintainers: Maintainers
    site: Callable[[], Site]
    changed: Callable[[], None]
    behind_proxy: bool
    sign_in: bool

    @property
    def queue(self) -> Queue | None:
        """Models that wait; None where there is no store."""
        return None if self.store is None else Queue(self.store)

    def address(self, request: Request) -> str:
        """Where a request comes from."""
        return address_of(request, behind_proxy=self.behind_proxy)

    def count(self, kind: Kind, request: Request, person: SignedIn | None) -> None:
        """Count a request.

        Raises
        ------
        RateError
            If it is one too many.
        """
        user = person.name if person else None
        take(self.rates, kind, user=user, address=self.address(request))
