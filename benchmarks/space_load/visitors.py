"""Visitors with a browser: when they see the table, and how long a change of facet takes."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from benchmarks.space_load.facets import Facet
from benchmarks.space_load.sites import Place

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, Request, ViewportSize

# No other host is known: fonts from elsewhere would else be waited for.
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
_NAMES = ("chromium", "chromium-browser", "google-chrome")
# High enough for the leaderboard's table, which stands below the librarian's question.
_WINDOW: ViewportSize = {"width": 1280, "height": 1800}
_SECONDS = 600.0
_ICON = "/favicon."
_PROBE = Path(__file__).parent / "probe.js"


class Visit(NamedTuple):
    """What a visitor waited, in milliseconds.

    Attributes
    ----------
    first : float
        From the navigation until the first row is painted.
    usable : float
        The same for a table that can be sorted.
    whole : float or None
        Until all rows are drawn; None where they are drawn as one scrolls.
    changes : dict of str to float
        By facet, from the press until the new first row is painted.
    """

    first: float
    usable: float
    whole: float | None
    changes: dict[str, float]


class Traffic(NamedTuple):
    """What a page asks for.

    Attributes
    ----------
    paths : tuple of str
        Of what is read for the first view, in order.
    changing : int
        Requests for all changes of facet. The page's icon is not counted, which Chromium asks for
        again whenever a page changes its address.
    """

    paths: tuple[str, ...]
    changing: int


@asynccontextmanager
async def browser() -> AsyncIterator[Browser]:
    """Chromium without a window."""
    from playwright.async_api import async_playwright

    found = os.environ.get("SHELF_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        sys.exit("no chromium; SHELF_CHROMIUM may name one")
    async with async_playwright() as driver:
        opened = await driver.chromium.launch(executable_path=found, args=list(_ARGUMENTS))
        yield opened
        await opened.close()


async def visits(
    opened: Browser,
    address: str,
    place: Place,
    tour: Sequence[Facet],
    visitors: int = 1,
    beside: Callable[[], object] = lambda: None,
) -> list[Visit]:
    """Visitors with empty caches who come at once.

    Parameters
    ----------
    opened : Browser
        Where.
    address : str
        Of the server.
    place : Place
        Where things stand in its page.
    tour : sequence of Facet
        What is shown first, and what is chosen then, one after the other.
    visitors : int, default=1
        How many.
    beside : callable, default=nothing
        What is done in a thread from the same moment on.
    """
    contexts = [await opened.new_context(viewport=_WINDOW) for _ in range(visitors)]
    pages = [await context.new_page() for context in contexts]
    found, _ = await asyncio.gather(
        asyncio.gather(*(_visit(page, address, place, tour) for page in pages)),
        asyncio.to_thread(beside),
    )
    await asyncio.gather(*(context.close() for context in contexts))
    return list(found)


async def traffic(opened: Browser, address: str, place: Place, tour: Sequence[Facet]) -> Traffic:
    """What one visitor's page asks for; the server is warm afterwards."""
    context = await opened.new_context(viewport=_WINDOW)
    page = await context.new_page()
    seen: list[Request] = []
    page.on("request", lambda request: seen.append(request))
    marks: list[int] = []
    await _visit(page, address, place, tour, lambda: marks.append(len(seen)))
    await context.close()
    [before] = marks
    own = [urlsplit(request.url) for request in seen[:before] if request.method == "GET"]
    paths = [f"{url.path}?{url.query}" if url.query else url.path for url in own]
    changing = sum(not urlsplit(request.url).path.startswith(_ICON) for request in seen[before:])
    return Traffic(tuple(paths), changing)


async def _visit(
    page: Page,
    address: str,
    place: Place,
    tour: Sequence[Facet],
    before_changes: Callable[[], None] = lambda: None,
) -> Visit:
    await page.add_init_script(_PROBE.read_text("utf-8"))
    selectors, opening = place._asdict(), _wanted(tour[0])
    await page.goto(f"{address}/", wait_until="commit", timeout=1000 * _SECONDS)
    [first, usable, whole] = await asyncio.wait_for(
        page.evaluate(
            """([place, facet]) => Promise.all([
                 shelfLoad.shown(place, facet),
                 shelfLoad.usable(place, facet),
                 place.whole && shelfLoad.whole(place),
               ])""",
            [selectors, opening],
        ),
        _SECONDS,
    )
    before_changes()
    changes = {}
    for facet in tour[1:]:
        await page.evaluate(
            "([place, facet]) => { shelfLoad.change = shelfLoad.shown(place, facet); }",
            [selectors, _wanted(facet)],
        )
        if place.opens:
            await page.locator(place.opens).click(timeout=1000 * _SECONDS)
        await page.locator(place.chooses.format(facet.name)).click(timeout=1000 * _SECONDS)
        changes[facet.name] = await asyncio.wait_for(
            page.evaluate("shelfLoad.change.then(at => at - shelfLoad.pressed())"), _SECONDS
        )
    return Visit(first, usable, whole, changes)


def _wanted(facet: Facet) -> dict[str, list[str]]:
    """How a page knows a facet: its tasks, its best model and that one's scores."""
    scores = (column[0] for column in facet.scores)
    return {
        "tasks": list(facet.tasks),
        "words": [facet.models[0], *(str(score) for score in scores if score is not None)],
    }
