"""The three that are measured: how each is started, and where its table stands in the page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.space_load.servers import Server, free_port, started, static_command

OURS, PLAIN, STATIC = "`shelf space`", "`gr.Dataframe`", "`http.server`"


class Place(NamedTuple):
    """Selectors of a page, and how a reader chooses a facet in it.

    Attributes
    ----------
    headings : str
        Those of tasks.
    row : str
        The table's rows, the first first.
    sorts : str
        There once the table can be sorted.
    whole : str or None
        There once all rows are drawn; None where rows are drawn as one scrolls.
    opens : str or None
        What is pressed before the choice is there.
    chooses : str
        What is pressed for a facet, with `{}` for its name.
    asks_server : bool
        Whether a choice asks Gradio's queue.
    """

    headings: str
    row: str
    sorts: str
    whole: str | None
    opens: str | None
    chooses: str
    asks_server: bool


_SITE = Place(
    headings="#table > .scroller:first-child thead code",
    row="#table > .scroller:first-child tbody tr",
    sorts="#table > .scroller:first-child thead button.sort",
    whole="#table[data-state=whole]",
    opens=None,
    chooses='label:has(input[name=facet][value="{}"])',
    asks_server=False,
)
# The first two columns are the model and the mean.
_DATAFRAME = Place(
    headings="[role=grid] [role=columnheader]:nth-child(n+3) .header-content",
    row='[role=grid] [role=row][aria-rowindex="2"]',
    sorts="[role=grid] [role=columnheader]",
    whole=None,
    opens="input[role=combobox]",
    chooses='[role=option][aria-label="{}"]',
    asks_server=True,
)
PLACES = {OURS: _SITE, PLAIN: _DATAFRAME, STATIC: _SITE}


@contextmanager
def all_started(aggregate: Path, folder: Path) -> Iterator[dict[str, Server]]:
    """The three servers, each in a process of its own.

    Parameters
    ----------
    aggregate : pathlib.Path
        The file that two of them read.
    folder : pathlib.Path
        The static site of the same.

    Yields
    ------
    dict of str to Server
        By the keys of `PLACES`.
    """
    commands = {
        OURS: ["-m", "evaluate_shelf", "space", str(aggregate), "--port", str(free_port())],
        PLAIN: ["-m", "benchmarks.space_load.plain_app", str(aggregate), str(free_port())],
        STATIC: static_command(folder),
    }
    with ExitStack() as stack:
        yield {name: stack.enter_context(started(own)) for name, own in commands.items()}
