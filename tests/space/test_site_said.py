"""What the pages say beside their numbers: help, names, and what cannot be done."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import skip_without_browser
from made_site import SiteVisit, hostile_aggregate, visiting

from benchmarks.space_load import served
from benchmarks.synthetic_aggregate import synthetic_aggregate
from evaluate_shelf.aggregate.building import aggregate_of
from evaluate_shelf.aggregate.evidence import Evidence
from evaluate_shelf.aggregate.schema import Aggregate
from evaluate_shelf.reported.runs import reported_runs
from space.static_site import write_site
from space.views.details import details_of

pytestmark = pytest.mark.slow

skip_without_browser()

from playwright import sync_api as playwright  # noqa: E402

MADE = hostile_aggregate()
[BOARD] = MADE.boards
KEYS = [MADE.models[BOARD.rows[n].model].key for n in BOARD.pairs.rows]
COMPARED = f"compare.html?{'&'.join(f'model={key}' for key in KEYS[:5])}"
# A word that is split although the line has room for all of it alone.
BROKEN_WORDS = r"""() => [...document.querySelectorAll("#table .name")].flatMap((name) => {
  const wide = name.clientWidth;
  return [...name.childNodes].filter((node) => node.nodeType === 3).flatMap((node) =>
    [...node.data.matchAll(/[^\s-]+-?/g)].filter((word) => {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      return lines.size > 1 && word[0].length < 18;
    }).map((word) => word[0]));
})"""
# Names that the frontier's line goes through.
CROSSED = """(svg) => {
  const line = svg.querySelector(".steps").points;
  const screen = svg.getScreenCTM();
  const corners = [...line].map((point) => point.matrixTransform(screen));
  return [...svg.querySelectorAll("text.name")].filter((name) => {
    const box = name.getBoundingClientRect();
    return corners.slice(1).some((to, n) => {
      const from = corners[n];
      return Math.max(from.x, to.x) > box.left && Math.min(from.x, to.x) < box.right
        && Math.max(from.y, to.y) > box.top + 2 && Math.min(from.y, to.y) < box.bottom - 2;
    });
  }).map((name) => name.textContent);
}"""


@pytest.fixture(scope="module")
def reported() -> Aggregate:
    return aggregate_of(Evidence(reported=tuple(reported_runs())))


@pytest.fixture(scope="module")
def sites(reported: Aggregate, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("said")
    for name, aggregate in (("made", MADE), ("reported", reported)):
        write_site(aggregate, folder / name)
    return {name: folder / name for name in ("made", "reported")}


@pytest.fixture
def visit(browser: playwright.Browser) -> Iterator[SiteVisit]:
    with visiting(browser) as visit:
        yield visit


@pytest.mark.parametrize(
    "page",
    ["index.html", "transfer.html", "cost.html", COMPARED, "model.html?model=", "tasks.html"],
)
def test_help_stands_where_metrics_stand(
    sites: dict[str, Path], visit: SiteVisit, page: str
) -> None:
    name = "reported" if page == "transfer.html" else "made"
    visit.open(sites[name], f"{page}{KEYS[0]}" if page.endswith("=") else page)
    assert visit.page.locator("main button.help:visible").count() > 0
    if page == COMPARED:
        lines = visit.page.locator("tr[data-task]")
        assert lines.locator("th button.help").count() == lines.count() > 0


def test_both_correlations_stand_with_their_intervals(
    sites: dict[str, Path], reported: Aggregate, visit: SiteVisit
) -> None:
    visit.open(sites["reported"], "transfer.html")
    table = visit.page.locator("section[aria-labelledby=agreement] table")
    heads = [text.rstrip("?") for text in table.locator("thead th").all_inner_texts()]
    assert heads[4:8] == ["Spearman", "Spearman's interval", "Kendall", "Kendall's interval"]
    cells = [cell for one in reported.transfer.outcomes for cell in (*one.cells, *one.beside)]
    for cell, line in zip(cells, table.locator("tbody tr").all_inner_texts(), strict=True):
        assert cell.kendall_low is not None
        for low, high in ((cell.low, cell.high), (cell.kendall_low, cell.kendall_high)):
            assert f"[{low:.2f}, {high:.2f}]" in line
    first = cells[0]
    sentence = visit.page.locator(".agreement").inner_text()
    assert f"[{first.kendall_low:.2f}, {first.kendall_high:.2f}]" in sentence


def test_an_aggregate_without_kendalls_interval_is_read(reported: Aggregate) -> None:
    values = json.loads(reported.model_dump_json())
    for outcome in values["transfer"]["outcomes"]:
        for cell in (*outcome["cells"], *outcome["beside"]):
            del cell["kendall_low"], cell["kendall_high"]
    older = Aggregate.model_validate_json(json.dumps(values))
    assert older.transfer.outcomes[0].cells[0].kendall_low is None


def test_a_sixth_model_is_refused_in_sight(sites: dict[str, Path], visit: SiteVisit) -> None:
    visit.open(sites["made"], "index.html")
    boxes = visit.page.locator("#table tbody input[type=checkbox]")
    for n in range(5):
        boxes.nth(n).check()
    boxes.nth(5).click()
    assert not boxes.nth(5).is_checked()
    assert "At most 5 models" in visit.page.locator(".bar .compare").inner_text()
    boxes.nth(4).uncheck()
    assert "At most" not in visit.page.locator(".bar .compare").inner_text()
    visit.open(sites["made"], COMPARED)
    assert "At most 5 models" in visit.page.locator("#full").inner_text()


@pytest.mark.parametrize("page", ["index.html", "cost.html"])
def test_a_formulation_without_a_task_cannot_be_chosen(
    sites: dict[str, Path], visit: SiteVisit, page: str
) -> None:
    known = {(view.facet, view.formulation) for view in BOARD.views}
    for facet in sorted({view.facet or "all" for view in BOARD.views}):
        visit.open(sites["made"], f"{page}?facet={facet}")
        for option in visit.page.locator("#formulation option").all():
            value = option.get_attribute("value")
            wanted = (None if facet == "all" else facet, None if value == "all" else value)
            assert option.is_disabled() == (wanted not in known)


def test_names_are_not_broken_inside_words_on_a_phone(
    sites: dict[str, Path], browser: playwright.Browser
) -> None:
    with visiting(browser, width=390) as visit:
        visit.open(sites["reported"], "index.html?facet=all")
        assert visit.page.evaluate(BROKEN_WORDS) == []


@pytest.mark.parametrize("width", [390, 1440])
def test_the_frontier_goes_through_no_name(
    browser: playwright.Browser, tmp_path: Path, sites: dict[str, Path], width: int
) -> None:
    write_site(synthetic_aggregate(40, 8), tmp_path / "site")
    with visiting(browser, width=width) as visit:
        for site in (sites["reported"], tmp_path / "site"):
            visit.open(site, "cost.html")
            for svg in visit.page.locator(".plot svg").all():
                assert svg.evaluate(CROSSED) == []


def test_no_heading_promises_what_was_not_measured(
    sites: dict[str, Path], visit: SiteVisit
) -> None:
    visit.open(sites["reported"], "index.html?documents=90000000&time=1")
    for why in visit.page.locator(".pick .why").all_inner_texts():
        assert "nobody has measured its speed" in why
    assert visit.page.locator(".pick code").count() == 0


def test_parts_have_items_and_names_of_writers() -> None:
    for entries in details_of(MADE).values():
        for part in (part for entry in entries for part in entry["strata"]):
            assert len(part["strata"]) > 1
            assert all(n > 0 for _, n, *_ in part["strata"])
            assert "language models" not in (part["text"] or "")


def test_a_static_site_names_no_form_that_is_not_there(
    sites: dict[str, Path], visit: SiteVisit
) -> None:
    visit.open(sites["made"], "submit.html")
    assert visit.page.locator("form").count() == 0
    assert "form" not in visit.page.locator("#sending").inner_text()


def test_an_archive_that_is_chosen_meanwhile_is_sent_next(
    sites: dict[str, Path], visit: SiteVisit
) -> None:
    service = {
        "runs": True,
        "models": False,
        "sign_in": False,
        "store": False,
        "user": None,
        "results": None,
        "releases": [],
        "archive_bytes": 2**26,
    }
    answer = {"submission": None, "known": False, "pull_request": "https://example.org/1"}
    asked: list[playwright.Route] = []
    page = visit.page
    page.route("**/js/served.js", lambda route: route.fulfill(body="SHELF.served = true;"))
    page.route("**/submissions/service", lambda route: route.fulfill(json=service))
    page.route("**/submissions/runs", lambda route: asked.append(route))

    def chosen(name: str) -> None:
        file = {"name": name, "mimeType": "application/zip", "buffer": name.encode()}
        page.locator("#archive").set_input_files(file)  # type: ignore[arg-type]

    with served(sites["made"]) as address:
        page.goto(f"{address}/submit.html")
        chosen("first.zip")
        with page.expect_request("**/submissions/runs"):
            page.get_by_role("button", name="Check and send it").click()
        chosen("second.zip")
        page.wait_for_timeout(0)
        asked[0].fulfill(json=answer)
        page.locator(".notice.done").wait_for()
        assert page.locator("#archive").evaluate("box => box.files[0].name") == "second.zip"
        with page.expect_request("**/submissions/runs") as request:
            page.get_by_role("button", name="Check and send it").click()
        assert request.value.post_data == "second.zip"
        page.wait_for_timeout(0)
        asked[1].fulfill(json=answer)
        playwright.expect(page.locator("#archive")).to_have_value("")
