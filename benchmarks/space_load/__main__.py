"""Measure how quick the served leaderboard is with many models, and print Markdown.

    python -m benchmarks.space_load > benchmarks/space_load.md

Starts `shelf space`, a plain Gradio app with a `gr.Dataframe`, and the static site under `python -m
http.server`, over the same made aggregate, and visits them with Chromium and without.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measuring import told
from benchmarks.space_load.facets import facets_of, tour_of
from benchmarks.space_load.measured import measured
from benchmarks.space_load.page import Asked, page_of
from benchmarks.space_load.sites import all_started
from benchmarks.synthetic_aggregate import synthetic_aggregate
from evaluate_shelf.aggregate.file import write_aggregate
from space.static_site import write_site

_STANDARD = {"models": 1000, "tasks": 40, "visitors": 20, "rounds": 5}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    for name, standard in _STANDARD.items():
        parser.add_argument(f"--{name}", type=_one_or_more, default=standard)
    values = vars(parser.parse_args(arguments))
    other = (f" --{name} {value}" for name, value in values.items() if value != _STANDARD[name])
    asked = Asked(**values, arguments="".join(other))
    # What ends this ends the servers too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    load = os.getloadavg()[0]
    aggregate = synthetic_aggregate(asked.models, asked.tasks)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = write_aggregate(aggregate, folder / "leaderboard.json")
        write_site(aggregate, folder / "site")
        told("starting")
        with all_started(file, folder / "site") as servers:
            found, browser = asyncio.run(
                measured(
                    servers,
                    tour_of(facets_of(aggregate)),
                    visitors=asked.visitors,
                    rounds=asked.rounds,
                )
            )
    print(page_of(asked, found, browser=browser, load=load), end="")


def _one_or_more(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


if __name__ == "__main__":
    main()
