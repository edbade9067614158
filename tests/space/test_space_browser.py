from __future__ import annotations

import csv
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import chromium
import pytest
from chromium import opened_browser, skip_without_browser

from evaluate_shelf.errors import ShelfError

pytestmark = pytest.mark.slow

skip_without_browser("gradio")

from playwright import sync_api as playwright  # noqa: E402

from space.app import leaderboard_app, serve, start  # noqa: E402

HOSTILE = "<img src=x onerror=\"window.ran='name'\">"
# Gradio makes a page's HTML with Handlebars and a JavaScript template literal.
TEMPLATE = "${window.ran='literal'} {{constructor}} `"
SCORES = {
    "good": {
        "lcc_retrieval": (0.61, 0.58, 0.64),
        "form_retrieval": (0.31, 0.28, 0.34),
        "lcc_classification": (0.71, 0.68, 0.74),
        "form_classification": (0.41, 0.38, 0.44),
        "lcc_clustering": (0.21, 0.18, 0.24),
        "same_lcc_pairs": (0.91, 0.88, 0.94),
    },
    HOSTILE: {
        "lcc_retrieval": (0.62, 0.59, 0.65),
        "form_retrieval": (0.22, 0.19, 0.25),
        "lcc_classification": (0.52, 0.49, 0.55),
        "form_classification": (0.42, 0.39, 0.45),
        "lcc_clustering": "no vectors",
        "same_lcc_pairs": (0.72, 0.69, 0.75),
    },
    TEMPLATE: {
        "lcc_retrieval": (0.13, 0.10, 0.16),
        "form_retrieval": (0.03, 0.01, 0.05),
        "lcc_classification": (0.23, 0.20, 0.26),
        "form_classification": (0.33, 0.30, 0.36),
        "lcc_clustering": (0.43, 0.40, 0.46),
        "same_lcc_pairs": (0.53, 0.50, 0.56),
    },
}
PARTS = (".masthead", "#facet", "#formulation", "#scores .scroller", "#download", ".reading")
CLIPPED = "element => element.getBoundingClientRect().right > innerWidth"


class Visit(chromium.Visit):
    """A page of the Space. Gradio's own notices on the console are no complaints."""

    def is_complaint(self, message: playwright.ConsoleMessage) -> bool:
        return message.type == "error"

    def choose(self, filter_id: str, label: str) -> None:
        self.page.locator(f"#{filter_id} input").click()
        self.page.get_by_role("option", name=label, exact=True).click()

    def tasks(self) -> list[str]:
        return self.page.locator("#scores thead th.task code").all_inner_texts()

    def models(self) -> list[str]:
        return self.page.locator("#scores tbody .name").all_inner_texts()

    def await_tasks(self, count: int) -> None:
        expected = playwright.expect(self.page.locator("#scores thead th.task"))
        expected.to_have_count(count)

    def downloaded(self, folder: Path) -> list[dict[str, str]]:
        with self.page.expect_download() as download:
            self.page.locator("#download").click()
        file = folder / download.value.suggested_filename
        download.value.save_as(file)
        with file.open(encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, write_run: Callable[..., Path]) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for model, outcomes in SCORES.items():
        write_run(folder, model, outcomes)
    write_run(folder, "smoked", {"lcc_retrieval": (0.5, 0.4, 0.6)}, config="v0_4_core", limit=20)
    return folder


@pytest.fixture(scope="module")
def address(runs: Path) -> Iterator[str]:
    app = leaderboard_app(runs)
    yield start(app, _free_port())
    app.close(verbose=False)


@pytest.fixture(scope="module")
def browser() -> Iterator[playwright.Browser]:
    with opened_browser() as browser:
        yield browser


@pytest.fixture
def visit(address: str, browser: playwright.Browser) -> Iterator[Visit]:
    yield from _visit(address, browser, 1280)


@pytest.fixture
def phone(address: str, browser: playwright.Browser) -> Iterator[Visit]:
    yield from _visit(address, browser, 390)


def _visit(address: str, browser: playwright.Browser, width: int) -> Iterator[Visit]:
    context = browser.new_context(viewport={"width": width, "height": 844})
    visit = Visit(context.new_page())
    visit.page.goto(address)
    visit.await_tasks(6)
    yield visit
    context.close()


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def test_the_table_shows_all_models_and_scores(visit: Visit) -> None:
    assert sorted(visit.models()) == sorted(SCORES)
    text = visit.page.locator("#scores table").inner_text()
    for outcomes in SCORES.values():
        for outcome in outcomes.values():
            if not isinstance(outcome, str):
                assert f"{outcome[0]:.3f}" in text
                assert f"[{outcome[1]:.3f}, {outcome[2]:.3f}]" in text


def test_a_formulation_leaves_its_columns_alone(visit: Visit) -> None:
    visit.choose("formulation", "Classification")
    visit.await_tasks(2)
    assert visit.tasks() == ["lcc_classification", "form_classification"]
    assert sorted(visit.models()) == sorted(SCORES)
    visit.choose("facet", "Form")
    visit.await_tasks(1)
    visit.choose("formulation", "All formulations")
    visit.await_tasks(2)
    assert visit.tasks() == ["form_retrieval", "form_classification"]


def test_a_filter_that_leaves_nothing_says_so(visit: Visit, tmp_path: Path) -> None:
    visit.choose("facet", "Form")
    visit.await_tasks(2)
    visit.choose("formulation", "Clustering")
    visit.page.get_by_text("this board has no task of the facet form").wait_for()
    playwright.expect(visit.page.locator("#download")).to_be_disabled()
    visit.choose("facet", "All facets")
    visit.await_tasks(1)
    assert {line["task"] for line in visit.downloaded(tmp_path)} == {"lcc_clustering"}


def test_another_board_is_shown_as_the_smoke_run_that_it_is(visit: Visit) -> None:
    visit.page.locator("#board input").click()
    visit.page.get_by_role("option").nth(1).click()
    visit.page.get_by_text("Smoke run, not comparable.").wait_for()
    assert visit.models() == ["smoked"]
    assert "v0_4_core" in visit.page.locator("#scores caption").inner_text()
    assert visit.page.evaluate("window.ran") is None


def test_a_heading_sorts_best_first_then_worst_first_with_dashes_last(visit: Visit) -> None:
    heading = visit.page.locator("#scores th.task", has_text="lcc_clustering")
    heading.get_by_role("button").click()
    playwright.expect(heading).to_have_attribute("aria-sort", "descending")
    assert visit.models() == [TEMPLATE, "good", HOSTILE]
    heading.get_by_role("button").click()
    playwright.expect(heading).to_have_attribute("aria-sort", "ascending")
    assert visit.models() == ["good", TEMPLATE, HOSTILE]
    visit.choose("formulation", "Clustering")
    visit.await_tasks(1)
    visit.page.locator("#scores th.model").get_by_role("button").click()
    playwright.expect(visit.page.locator("#scores th.model")).to_have_attribute(
        "aria-sort", "ascending"
    )
    assert visit.models()[-1] == "good"


def test_the_csv_has_the_scores_of_the_table(visit: Visit, tmp_path: Path) -> None:
    lines = visit.downloaded(tmp_path)
    read = {(line["model"], line["task"]): float(line["value"]) for line in lines if line["value"]}
    assert read == {
        (model, task): outcome[0]
        for model, outcomes in SCORES.items()
        for task, outcome in outcomes.items()
        if not isinstance(outcome, str)
    }
    visit.choose("formulation", "Retrieval")
    visit.await_tasks(2)
    playwright.expect(visit.page.locator("#download")).to_be_enabled()
    tasks = {line["task"] for line in visit.downloaded(tmp_path)}
    assert tasks == {"lcc_retrieval", "form_retrieval"}


def test_nothing_leaves_this_machine_nothing_runs_and_nothing_complains(
    visit: Visit, address: str
) -> None:
    visit.choose("formulation", "Classification")
    visit.await_tasks(2)
    hosts = {url.split("/")[2] for url in visit.addresses if not url.startswith(("data:", "blob:"))}
    assert hosts == {address.split("/")[2]}
    assert visit.page.evaluate("window.ran") is None
    assert visit.page.locator("#scores img").count() == 0
    assert visit.complaints == []


def test_a_phone_scrolls_the_table_and_not_the_page(phone: Visit) -> None:
    widths = phone.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert widths == [390, 390]
    # Gradio cuts off what is too wide instead of scrolling, so the width alone proves little.
    assert not [part for part in PARTS if phone.page.locator(part).evaluate(CLIPPED)]
    box = phone.page.locator("#scores .scroller")
    assert box.evaluate("box => box.scrollWidth > box.clientWidth")
    first = phone.page.locator("#scores tbody th").first
    before = first.bounding_box()
    box.evaluate("box => { box.scrollLeft = 200 }")
    assert box.evaluate("box => box.scrollLeft") == 200
    assert first.bounding_box() == before


def test_a_taken_port_and_missing_runs_are_said_in_words(tmp_path: Path, runs: Path) -> None:
    with pytest.raises(ShelfError, match="no such folder of runs"):
        serve(tmp_path / "none", _free_port())
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        with pytest.raises(ShelfError, match="is taken; choose another with --port"):
            serve(runs, listener.getsockname()[1])
