"""How quick the site is with many models, as `python -m benchmarks.space_load` measures it.

A synthetic board of 1,000 models and 40 tasks is written as a static site, served from this
machine, and opened in Chromium: until the first rows are drawn, until all are, and the same after
a change of facet. Then the same table without any script, as one HTML page.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import os
import shutil
import statistics
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measuring import timed
from benchmarks.synthetic_aggregate import synthetic_aggregate
from evaluate_shelf.aggregate.schema import Aggregate
from space.static_site import write_site
from space.views.markup import interval, number, table

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")
_NAMES = ("chromium", "chromium-browser", "google-chrome")

# Two frames after the click the new rows are on the screen.
_CHANGE = """
facet => new Promise(resolve => {
  const start = performance.now();
  document.querySelector(`input[name=facet][value=${facet}]`).click();
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const first = performance.now() - start;
    const wait = () => document.getElementById("table").dataset.state === "whole"
      ? resolve([first, performance.now() - start]) : setTimeout(wait, 5);
    wait();
  }));
})
"""
_MARKED = "name => performance.getEntriesByName(name)[0].startTime"
_PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A folder over HTTP on this machine, uncompressed.

    Yields
    ------
    str
        The address.
    """
    handler = functools.partial(_Silent, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


class _Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        return


@contextmanager
def browser() -> Iterator[Browser]:
    """Chromium without a window."""
    from playwright.sync_api import sync_playwright

    found = os.environ.get("SHELF_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        sys.exit("no chromium; SHELF_CHROMIUM may name one")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=found, args=list(_ARGUMENTS))
        yield opened
        opened.close()


def visit(opened: Browser, address: str) -> dict[str, float]:
    """Milliseconds of one visitor with an empty cache.

    Parameters
    ----------
    opened : Browser
        Where.
    address : str
        Of the first page.

    Returns
    -------
    dict of str to float
        `painted`, `first` and `whole` from the start of the navigation; `change` and
        `change whole`, the medians over all facets.
    """
    context = opened.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(address)
    _await_whole(page)
    found = {
        "painted": page.evaluate(_PAINTED),
        "first": page.evaluate(_MARKED, "shelf-first"),
        "whole": page.evaluate(_MARKED, "shelf-whole"),
    }
    facets = page.locator("input[name=facet]").evaluate_all("all => all.map(one => one.value)")
    changes = [page.evaluate(_CHANGE, facet) for facet in [*facets[1:], facets[0]]]
    found["change"] = statistics.median(change[0] for change in changes)
    found["change to all tasks"] = changes[-1][0]
    found["change whole"] = statistics.median(change[1] for change in changes)
    found["change to all tasks, whole"] = changes[-1][1]
    context.close()
    return found


def _await_whole(page: Page) -> None:
    page.wait_for_selector("#table[data-state=whole]", timeout=60_000)


def plain_page(aggregate: Aggregate) -> str:
    """All scores of the first board as one HTML table without a script."""
    board = aggregate.boards[0]
    rows = (
        [
            row.name,
            *(
                "–" if len(cell) == 1 else f"{number(cell[0])} {interval(cell[1], cell[2])}"
                for cell in row.cells
            ),
        ]
        for row in board.rows
    )
    return f"<!DOCTYPE html><title>plain</title>{table(board.title, ['model', *board.tasks], rows)}"


def _plain(opened: Browser, address: str) -> float:
    page = opened.new_page()
    page.goto(address, wait_until="load")
    painted: float = page.evaluate(_PAINTED)
    page.close()
    return painted


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=1000)
    parser.add_argument("--tasks", type=int, default=40)
    parser.add_argument("--visits", type=int, default=5)
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "site"
        aggregate = synthetic_aggregate(asked.models, asked.tasks)
        _, building = timed(lambda: write_site(aggregate, folder))
        (folder / "plain.html").write_text(plain_page(aggregate), encoding="utf-8")
        sizes = {file.name: file.stat().st_size for file in (folder / "data").glob("*-0.js")}
        print(f"{asked.models} models, {asked.tasks} tasks; written in {building.seconds:.1f} s")
        print(", ".join(f"{name} {size / 2**20:.1f} MiB" for name, size in sorted(sizes.items())))
        with served(folder) as address, browser() as opened:
            visits = [visit(opened, f"{address}/index.html") for _ in range(asked.visits)]
            plain = statistics.median(
                _plain(opened, f"{address}/plain.html") for _ in range(asked.visits)
            )
        for key in visits[0]:
            values = [one[key] for one in visits]
            print(f"{key}: median {statistics.median(values):.0f} ms, worst {max(values):.0f} ms")
        print(f"one plain HTML table of all tasks, painted: median {plain:.0f} ms")


if __name__ == "__main__":
    main()
