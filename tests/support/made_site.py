"""Sites of made aggregates, and a visitor of one."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chromium

from benchmarks.synthetic_aggregate import synthetic_aggregate
from evaluate_shelf.aggregate.schema import Aggregate

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage

SCRIPT = "<img src=x onerror=\"window.ran='text'\">"
HOSTILE = (
    SCRIPT,
    "</script><script>window.ran='tag'</script>",
    "${window.ran='literal'} {{constructor}} `'\"",
    '=HYPERLINK("http://203.0.113.1/","x")',
    ' @SUM(1,2), "quoted"',
    "__proto__",
    "javascript:window.ran='address'",
    "x" * 300,
)
"""Names that strangers may give: none may run, here or in a spreadsheet."""


def hostile_aggregate(models: int = 30, tasks: int = 14) -> Aggregate:
    """A small aggregate with hostile texts wherever the schema lets one be."""
    made = synthetic_aggregate(models, tasks, seed=3, compared=6, names=HOSTILE)
    [board] = made.boards
    rows = tuple(
        row.model_copy(update={"machine": SCRIPT} if row.machine else {}) for row in board.rows
    )
    board = board.model_copy(
        update={"title": f"{SCRIPT} {board.title}", "reasons": (SCRIPT,), "rows": rows}
    )
    return made.model_copy(
        update={
            "made_with": SCRIPT,
            "left_out": (SCRIPT,),
            "boards": (board,),
            "tasks": tuple(task.model_copy(update={"note": SCRIPT}) for task in made.tasks),
            "metrics": tuple(one.model_copy(update={"help": SCRIPT}) for one in made.metrics),
            "models": tuple(
                model.model_copy(
                    update={"licence": SCRIPT if n == 0 else model.licence, "checkpoint": SCRIPT}
                )
                for n, model in enumerate(made.models)
            ),
        }
    )


class SiteVisit(chromium.Visit):
    """A page of a site. Notices of the browser itself are no complaints."""

    def is_complaint(self, message: ConsoleMessage) -> bool:
        """Errors and warnings count."""
        return message.type in ("error", "warning")

    def open(self, site: Path, page: str) -> None:
        """Open a page from the disk and wait until it is drawn."""
        self.page.goto(f"{site.as_uri()}/{page}")
        self.ready()

    def ready(self) -> None:
        """Wait until the page is drawn, where a script draws it."""
        from playwright.sync_api import expect

        expect(self.page.locator(".waiting")).to_have_count(0)
        if self.page.locator("#table > .scroller").count():
            expect(self.page.locator("#table")).to_have_attribute("data-state", "whole")
            expect(self.page.locator("#table > .old")).to_have_count(0)

    def models(self) -> list[str]:
        """Names in the leaderboard, in order."""
        return self.page.locator("#table > .scroller tbody .name").all_text_contents()

    def column(self, key: str) -> list[str]:
        """Texts of the leaderboard's column, in order; a score without rank and interval."""
        return self.page.evaluate(
            """key => {
              const table = document.querySelector("#table > .scroller table");
              const place = [...table.tHead.rows[0].cells].findIndex(th => th.dataset.key === key);
              return [...table.tBodies].flatMap(body => [...body.rows])
                .filter(row => !row.classList.contains("title"))
                .map(row => row.cells[place])
                .map(cell => (cell.querySelector("b") ?? cell.firstChild).textContent);
            }""",
            key,
        )

    def downloaded(self, name: str, folder: Path) -> Path:
        """Press a download's button or link; the file that comes."""
        with self.page.expect_download() as download:
            self.page.locator(".downloads").get_by_text(name, exact=True).click()
        file = folder / download.value.suggested_filename
        download.value.save_as(file)
        return file

    def csv(self, folder: Path) -> list[dict[str, str]]:
        """The CSV of what is shown."""
        with self.downloaded("CSV", folder).open(encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))

    def json(self, folder: Path) -> dict[str, Any]:
        """The JSON of what is shown."""
        found: dict[str, Any] = json.loads(self.downloaded("JSON", folder).read_text("utf-8"))
        return found


@contextmanager
def visiting(
    browser: Browser, *, width: int = 1280, dark: bool = False, scripts: bool = True
) -> Iterator[SiteVisit]:
    """A visitor with a fresh browser context."""
    context = browser.new_context(
        viewport={"width": width, "height": 844},
        color_scheme="dark" if dark else "light",
        java_script_enabled=scripts,
    )
    yield SiteVisit(context.new_page())
    context.close()


def shown(value: float | None) -> str:
    """A score as the pages write it."""
    return "–" if value is None else f"{value:.3f}".replace("-", "−")


Opened = Callable[[str], SiteVisit]
