"""The site as it is now, made anew in the background where there are newer results."""

from __future__ import annotations

import logging
import threading

from .site import Site, site_of
from .sources import Source, results_named

LOG = logging.getLogger("shelf.space")

_PAUSE = 0.5


class Shown:
    """A site that is replaced as a whole: a request sees the old one or the new one.

    Parameters
    ----------
    source : Source
        The results.
    pause : float, default=0.5
        Seconds between the wish for a newer site and its making, so that what comes close together
        is one site.

    Raises
    ------
    ShelfError
        If there is nothing to show.
    """

    def __init__(self, source: Source, pause: float = _PAUSE) -> None:
        self._source = source
        self._pause = pause
        # Asked for before the results are read: what comes between is shown the next time.
        self._state = source.state()
        self._first = source.first()
        self._results = results_named(source)
        self._site = site_of(self._first, self._results)
        self._wish, self._end = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._renew, name="shelf-renewal", daemon=True)

    def site(self) -> Site:
        """The site as it is now."""
        return self._site

    def start(self) -> None:
        """Begin to make newer sites."""
        self._thread.start()

    def renew(self) -> None:
        """Look soon whether there are newer results."""
        self._wish.set()

    def close(self) -> None:
        """End it; a site that is being made is not shown."""
        self._end.set()
        self._wish.set()

    def _renew(self) -> None:
        self._make(self._state)
        while not self._end.is_set():
            self._wish.wait(self._source.seconds)
            self._end.wait(self._pause)
            self._wish.clear()
            if self._end.is_set():
                return
            try:
                state = self._source.state()
            except Exception:
                LOG.exception("whether there are newer results cannot be said")
                continue
            if state != self._state:
                self._make(state)

    def _make(self, state: object) -> None:
        """Make the whole site; the old one stays where that fails."""
        try:
            whole = self._source.whole()
            site = self._site if whole == self._first else site_of(whole, self._results)
        except Exception:
            LOG.exception("the newer site cannot be made; the older one is shown")
        else:
            self._site = site
            self._first = whole
        # Where it fails it would fail again with the same results.
        self._state = state
