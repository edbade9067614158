"""The page that says what was measured."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from benchmarks.measuring import machine, table
from benchmarks.space_load.clients import Fetched
from benchmarks.space_load.limits import CHANGE_LIMIT, MEMORY_LIMIT, VIEW_LIMIT, limits_of
from benchmarks.space_load.measured import Measured
from benchmarks.space_load.sites import OURS, PLAIN, STATIC
from benchmarks.space_load.waits import (
    TIMES,
    Times,
    median,
)

HEAD = """# {models:,} models, {tasks} tasks: how quick `shelf space` is, and two others

Made by

```sh
python -m benchmarks.space_load{arguments} > space_load.md
```

{ours} serves an aggregate of {models:,} models and {tasks} tasks, made from a seed.
{plain} is a Gradio app over the same data, as one writes it first: the change of a
`gr.Dropdown` of facets fills a `gr.Dataframe` with a table that is already made. It has names,
means and scores rounded to three decimals, no intervals and no ranks; server-side rendering is off,
all else is as Gradio has it. {static} is what `shelf space --static` writes, under `python -m
http.server`. Each runs in a process of its own on this machine, and has had one visitor before.

A visitor has an empty cache and a window of 1280 x 1800, in which the leaderboard's table stands
below the librarian's question. It opens the first page, waits until all rows are drawn (a
`gr.Dataframe` draws those in sight alone), then chooses two other facets, all tasks, and the first
facet again, each as soon as the first row of the one before is painted, so while the leaderboard
still draws the others. Times are those of the page's clock, from the navigation, or from the press
of the pointer on a facet, to the frame after the one in which the first row of the right table,
with its scores, stands in the window. The three are measured in turns, {rounds} times.
"""

ALONE = """
## One visitor

"""

TOGETHER = """
## {visitors} visitors at once

*Among others*: one browser, and at the same moment {others} visitors without one, which read all
that a first page reads and ask for the same changes, but draw nothing. *{visitors} browsers*: all
of them draw, on the {cores} cores that the server has too (its share of them is in the last but one
table). Real visitors bring processors of their own. So the first of the two says what others cost a
visitor, the second what this machine can draw. Medians in ms, and how many times that of a browser
alone.

"""

FETCHED = """
## Without a browser

The server's own time: a visitor reads the files of a first page one after the other over one
connection, as they are sent (packed or not), and draws nothing. A change is a request to Gradio's
queue and the stream that answers it; the leaderboard's pages have all facets already and ask for
nothing. Those who begin in the same moment wait for each other, however quick a server is: half of
them until more than half of all is sent.

"""

COSTS = """
## What a server holds and does

"""

LIMITS = """
## Against what is asked for

A first table within {view_limit:.1f} s, a change within {change_limit:.1f} s; with {visitors}
visitors (a browser among others) no more than twice that, read here in both ways: as twice the
limit and as twice the median of one alone. Memory under {memory_limit:.0f} GiB. Medians.

"""

END = """
*Memory* is the most that the server's processes have held (`VmHWM`), at the end of all this.
*Processor time* is the server's, for a first page and {n_changes} changes. `http.server` packs
nothing, and keeps five connections waiting at most; a client that finds no place tries again a
second later. Chromium asks for a page's icon again whenever the address changes, which is no
request of a change here.

Load {load:.1f} at the start. {machine}
"""


Row = tuple[str, Callable[[Measured], float | None], Callable[[Measured], str]]
"""A line of a table: its name, its value of a server, and that as text."""


class Asked(NamedTuple):
    """What was asked for.

    Attributes
    ----------
    models, tasks, visitors, rounds : int
        As on the command line.
    arguments : str
        Those that are not the standard ones, with a space before.
    """

    models: int
    tasks: int
    visitors: int
    rounds: int
    arguments: str


def page_of(asked: Asked, found: Mapping[str, Measured], *, browser: str, load: float) -> str:
    """The page, as Markdown.

    Parameters
    ----------
    asked : Asked
        What was asked for.
    found : mapping of str to Measured
        By server, in the order of the columns.
    browser : str
        Its name and version.
    load : float
        Of the machine, before anything was started.
    """
    n_changes = len(found[OURS].alone[0].changes)
    words = {
        **asked._asdict(),
        "ours": OURS,
        "plain": PLAIN,
        "static": STATIC,
        "n_changes": n_changes,
        "others": asked.visitors - 1,
        "cores": len(os.sched_getaffinity(0)),
        "load": load,
        "view_limit": VIEW_LIMIT / 1000,
        "change_limit": CHANGE_LIMIT / 1000,
        "memory_limit": MEMORY_LIMIT,
        "machine": f"{browser}, {machine('gradio', 'uvicorn', 'playwright')}",
    }
    parts = (
        (HEAD, ""),
        (ALONE, _compared("median (longest), ms", found, _alone())),
        (TOGETHER, _with_others(asked, found)),
        (FETCHED, _compared("median, ms", found, _fetched(asked))),
        (COSTS, _compared("", found, _costs(found))),
        (LIMITS, limits_of(found[OURS], asked.visitors)),
        (END, ""),
    )
    return "".join(text.format(**words) + numbers for text, numbers in parts)


def _row(name: str, value: Callable[[Measured], float | None], digits: int = 0) -> Row:
    return name, value, lambda own: _shown(value(own), digits)


def _compared(corner: str, found: Mapping[str, Measured], rows: Iterable[Row]) -> str:
    """A table of servers, and how ours compares to each peer."""
    peers = (PLAIN, STATIC)
    header = [corner, *found, *(f"ours / {peer}" for peer in peers)]
    lines = [
        [
            name,
            *(shown(own) for own in found.values()),
            *(ratio(value(found[OURS]), value(found[peer])) for peer in peers),
        ]
        for name, value, shown in rows
    ]
    return table(header, lines) + "\n"


def ratio(ours: float | None, other: float | None) -> str:
    """How many times the other one ours is.

    Examples
    --------
    >>> ratio(30.0, 120.0), ratio(3.0, None), ratio(0.0, 0.0)
    ('0.25', '–', '–')
    """
    return "–" if ours is None or not other else f"{ours / other:.2f}"


def _shown(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"


def _alone() -> list[Row]:
    return [_alone_row(name, times) for name, times in TIMES.items()]


def _alone_row(name: str, times: Times) -> Row:
    def middle(own: Measured) -> float | None:
        return median(times(own.alone))

    def shown(own: Measured) -> str:
        there = [value for value in times(own.alone) if value is not None]
        return f"{statistics.median(there):,.0f} ({max(there):,.0f})" if there else "–"

    return name, middle, shown


def _with_others(asked: Asked, found: Mapping[str, Measured]) -> str:
    lines = []
    for server, own in found.items():
        for name, times in TIMES.items():
            alone = median(times(own.alone))
            if alone is not None:
                cells = [_times_more(median(times(own.among)), alone)]
                cells.append(_times_more(median(times(own.together)), alone))
                lines.append([f"{server}, {name}", f"{alone:,.0f}", *cells])
    return table(["", "alone", "among others", f"{asked.visitors} browsers"], lines) + "\n"


def _times_more(value: float | None, alone: float) -> str:
    return "–" if value is None else f"{value:,.0f} ({value / alone:.1f} x)"


def _view(visits: Sequence[Fetched]) -> float | None:
    return median(visit.view for visit in visits)


def _change(visits: Sequence[Fetched]) -> float | None:
    return median(ms for visit in visits for ms in visit.changes)


def _fetched(asked: Asked) -> list[Row]:
    at_once = f"{asked.visitors} at once"
    return [
        _row("first page, alone", lambda own: _view(own.fetched_alone), 1),
        _row(f"first page, {at_once}", lambda own: _view(own.fetched_together), 1),
        _row("change of facet, alone", lambda own: _change(own.fetched_alone), 1),
        _row(f"change of facet, {at_once}", lambda own: _change(own.fetched_together), 1),
    ]


def _costs(found: Mapping[str, Measured]) -> list[Row]:
    cores = len(os.sched_getaffinity(0))
    n_changes = len(found[OURS].alone[0].changes)
    return [
        _row("memory, GiB", lambda own: own.peak_gib, 2),
        _row("start until it answers, s", lambda own: own.start_seconds, 1),
        _row("files of the first page", lambda own: float(len(own.traffic.paths))),
        _row("the same, MB as sent", lambda own: own.fetched_alone[0].size / 1e6, 2),
        _row(f"requests for {n_changes} changes", lambda own: float(own.traffic.changing)),
        _row("processor time of a visit, ms", lambda own: own.visit_cpu, 1),
        _row(
            "its share of all processors, browsers at once, %",
            lambda own: 100 * own.together_cpu / own.together_seconds / cores,
            1,
        ),
    ]
