"""What is measured of a server, and in which order, so that a busy machine is as busy for all."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.measuring import told
from benchmarks.space_load.clients import Errand, Fetched, fetched
from benchmarks.space_load.facets import Facet
from benchmarks.space_load.servers import Server, cpu_seconds, peak_gib
from benchmarks.space_load.sites import PLACES, Place
from benchmarks.space_load.visitors import Traffic, Visit, browser, traffic, visits

if TYPE_CHECKING:
    from playwright.async_api import Browser

_FETCHES = 5


@dataclass
class Measured:
    """What was measured of a server.

    Attributes
    ----------
    start_seconds : float
        Until it said its address.
    traffic : Traffic
        What its page asks for.
    alone, among, together : list of Visit
        Of a browser alone, of one among visitors without a browser, of browsers alone.
    fetched_alone, fetched_together : list of Fetched
        Of visitors without a browser, one after the other and at once.
    visit_cpu : float
        Milliseconds of the server's processor time for a visit without a browser.
    together_cpu, together_seconds : float
        Processor time and time by the clock while browsers alone came at once.
    peak_gib : float
        The most memory, in the end.
    """

    start_seconds: float
    traffic: Traffic
    alone: list[Visit] = field(default_factory=list)
    among: list[Visit] = field(default_factory=list)
    together: list[Visit] = field(default_factory=list)
    fetched_alone: list[Fetched] = field(default_factory=list)
    fetched_together: list[Fetched] = field(default_factory=list)
    visit_cpu: float = 0.0
    together_cpu: float = 0.0
    together_seconds: float = 0.0
    peak_gib: float = 0.0


async def measured(
    servers: Mapping[str, Server], tour: Sequence[Facet], *, visitors: int, rounds: int
) -> tuple[dict[str, Measured], str]:
    """Measure servers, in turns.

    Parameters
    ----------
    servers : mapping of str to Server
        By the keys of `sites.PLACES`.
    tour : sequence of Facet
        What a visitor looks at, in order.
    visitors : int
        How many come at once.
    rounds : int
        How often each is measured; browsers alone come at once one time only.

    Returns
    -------
    dict of str to Measured
        By server.
    str
        The browser and its version.
    """
    async with browser() as opened:
        turns = {
            name: await _turn(opened, server, PLACES[name], tour)
            for name, server in servers.items()
        }
        for number in range(rounds):
            for name, turn in turns.items():
                told(f"round {number + 1} of {rounds}: {name}")
                await _one_round(turn, visitors)
        for name, turn in turns.items():
            told(f"{visitors} browsers at once: {name}")
            await _browsers(turn, visitors)
        version = f"Chromium {opened.version}"
    for turn in turns.values():
        turn.own.visit_cpu /= len(turn.own.fetched_alone)
        turn.own.peak_gib = peak_gib(turn.server.process)
    return {name: turn.own for name, turn in turns.items()}, version


class _Turn(NamedTuple):
    """A server, what is known of it so far, and its visitors: with a browser, and without."""

    own: Measured
    server: Server
    come: Callable[..., Awaitable[list[Visit]]]
    errand: Errand


async def _turn(opened: Browser, server: Server, place: Place, tour: Sequence[Facet]) -> _Turn:
    found = await traffic(opened, server.address, place, tour)
    changes = tuple(tour[1:]) if place.asks_server else ()
    return _Turn(
        own=Measured(server.seconds, found),
        server=server,
        come=partial(visits, opened, server.address, place, tour),
        errand=Errand(server.address, found.paths, changes),
    )


async def _one_round(turn: _Turn, visitors: int) -> None:
    own, errand = turn.own, turn.errand
    own.alone += await turn.come()
    before = cpu_seconds(turn.server.process)
    for _ in range(_FETCHES):
        own.fetched_alone += fetched(errand, 1)
    own.visit_cpu += 1000 * (cpu_seconds(turn.server.process) - before)
    own.fetched_together += fetched(errand, visitors)
    if visitors > 1:
        own.among += await turn.come(beside=partial(fetched, errand, visitors - 1))


async def _browsers(turn: _Turn, visitors: int) -> None:
    own = turn.own
    before, began = cpu_seconds(turn.server.process), time.perf_counter()
    own.together = await turn.come(visitors=visitors)
    own.together_seconds = time.perf_counter() - began
    own.together_cpu = cpu_seconds(turn.server.process) - before
