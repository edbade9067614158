from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import skip_without_browser
from made_site import HOSTILE, SCRIPT, SiteVisit, hostile_aggregate, shown, visiting

from benchmarks.space_load import served
from evaluate_shelf.aggregate.building import aggregate_of
from evaluate_shelf.aggregate.evidence import Evidence
from evaluate_shelf.aggregate.schema import RANKED, Aggregate
from evaluate_shelf.reported.runs import reported_runs
from space.static_site import write_site

pytestmark = pytest.mark.slow

skip_without_browser()

from playwright import sync_api as playwright  # noqa: E402

HOSTILE_AGGREGATE = hostile_aggregate()
[BOARD] = HOSTILE_AGGREGATE.boards
COMPARED = BOARD.pairs.rows
KEYS = [HOSTILE_AGGREGATE.models[BOARD.rows[n].model].key for n in COMPARED]
PAGES = (
    "index.html",
    "index.html?facet=all&unverified=yes",
    "transfer.html",
    "cost.html",
    f"compare.html?model={KEYS[0]}&model={KEYS[1]}&model={KEYS[2]}",
    f"model.html?model={KEYS[0]}",
    "model.html",
    "tasks.html",
    "submit.html",
    "about.html",
)
Sites = dict[str, Path]


@pytest.fixture(scope="module")
def reported() -> Aggregate:
    return aggregate_of(Evidence(reported=tuple(reported_runs())))


@pytest.fixture(scope="module")
def sites(reported: Aggregate, tmp_path_factory: pytest.TempPathFactory) -> Sites:
    folder = tmp_path_factory.mktemp("pages")
    made = {"hostile": HOSTILE_AGGREGATE, "reported": reported}
    for name, aggregate in made.items():
        write_site(aggregate, folder / name)
    return {name: folder / name for name in made}


@pytest.fixture
def visit(browser: playwright.Browser) -> Iterator[SiteVisit]:
    with visiting(browser) as visit:
        yield visit


def _pages(name: str, reported: Aggregate) -> list[str]:
    if name == "hostile":
        return list(PAGES)
    keys = [model.key for model in reported.models[:2]]
    queries = {"compare": f"?model={keys[0]}&model={keys[1]}", "model": f"?model={keys[0]}"}
    pages = ("index", "transfer", "cost", "compare", "model", "tasks", "submit", "about")
    return [f"{page}.html{queries.get(page, '')}" for page in pages]


@pytest.mark.parametrize("name", ["hostile", "reported"])
def test_no_page_complains_or_asks_another_host_or_runs_a_text(
    sites: Sites, reported: Aggregate, browser: playwright.Browser, name: str
) -> None:
    with served(sites[name]) as address, visiting(browser) as visit:
        for page in _pages(name, reported):
            visit.page.goto(f"{address}/{page}")
            visit.ready()
            assert visit.page.evaluate("window.ran") is None
            assert visit.page.locator("main h1").count() == 1
            assert visit.page.locator("img").count() == 0
        assert {url.split("/")[2] for url in visit.addresses} == {address.split("/")[2]}
        assert visit.complaints == []


@pytest.mark.parametrize("name", ["hostile", "reported"])
@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_is_wider_than_the_screen(
    sites: Sites, reported: Aggregate, browser: playwright.Browser, name: str, width: int
) -> None:
    with visiting(browser, width=width) as visit:
        for page in _pages(name, reported):
            visit.open(sites[name], page)
            for closed in visit.page.locator("details").all():
                closed.evaluate("one => { one.open = true }")
            assert visit.page.evaluate("document.documentElement.scrollWidth") == width, page


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing(
    sites: Sites, reported: Aggregate, browser: playwright.Browser, dark: bool
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with visiting(browser, dark=dark) as visit:
        for name in ("hostile", "reported"):
            for page in _pages(name, reported):
                visit.open(sites[name], page)
                for closed in visit.page.locator("details").all()[:5]:
                    closed.evaluate("one => { one.open = true }")
                found = axe.run(visit.page).response["violations"]
                assert [(one["id"], one["nodes"][0]["html"]) for one in found] == [], page


def test_a_site_without_scores_says_so_on_every_page(
    browser: playwright.Browser, tmp_path: Path
) -> None:
    empty = {"boards": (), "models": ()}
    write_site(HOSTILE_AGGREGATE.model_copy(update=empty), tmp_path / "site")
    with visiting(browser) as visit:
        for page in ("index", "transfer", "cost", "compare", "model", "tasks"):
            visit.open(tmp_path / "site", f"{page}.html")
            said = visit.page.locator("main").inner_text()
            assert any(text in said for text in ("There are no", "No scores on two corpora"))
            assert visit.page.get_by_role("alert").count() == 0
        assert visit.complaints == []


def test_hostile_texts_are_texts(sites: Sites, visit: SiteVisit) -> None:
    visit.open(sites["hostile"], "model.html")
    assert visit.page.locator("#model li a").all_text_contents()[: len(HOSTILE)] == list(HOSTILE)
    visit.open(sites["hostile"], "model.html?model=model-0000")
    assert visit.page.locator("h1").text_content() == HOSTILE[0]
    assert visit.page.title() == f"{HOSTILE[0]}, SHELF"
    assert SCRIPT in visit.page.locator(".facts-list").inner_text()
    visit.open(sites["hostile"], "tasks.html")
    assert SCRIPT in visit.page.locator("dl.tasks").inner_text()
    visit.open(sites["hostile"], "model.html?model=__proto__")
    assert "“model”" in visit.page.locator(".notice.ignored").inner_text()


def test_data_that_cannot_be_read_are_said_and_can_be_tried_again(
    sites: Sites, visit: SiteVisit
) -> None:
    visit.page.route("**/board-0.js", lambda route: route.abort())
    with served(sites["hostile"]) as address:
        visit.page.goto(f"{address}/cost.html")
        alert = visit.page.get_by_role("alert")
        alert.wait_for()
        assert "could not be read" in alert.inner_text()
        visit.page.unroute("**/board-0.js")
        alert.get_by_role("button").click()
        visit.page.locator("#cost svg").first.wait_for()


def test_points_of_a_plot_are_walked_with_the_arrows(sites: Sites, visit: SiteVisit) -> None:
    visit.open(sites["hostile"], "cost.html")
    section = visit.page.locator("section[data-cost=parameters]")
    section.locator("svg a[tabindex='0']").focus()
    first = section.locator(".reading").inner_text()
    visit.page.keyboard.press("ArrowRight")
    second = section.locator(".reading").inner_text()
    assert first != second
    assert visit.page.evaluate("document.activeElement.getAttribute('aria-label')") == second
    visit.page.keyboard.press("ArrowLeft")
    assert section.locator(".reading").inner_text() == first


def test_comparison_shows_scores_and_paired_differences(sites: Sites, visit: SiteVisit) -> None:
    visit.open(sites["hostile"], f"compare.html?model={KEYS[0]}&model={KEYS[3]}")
    first, other = COMPARED[0], COMPARED[3]
    for n, task in enumerate(BOARD.tasks):
        a, b = BOARD.rows[first].cells[n], BOARD.rows[other].cells[n]
        if len(a) == 1 or len(b) == 1:
            continue
        line = visit.page.locator(f"tr[data-task={task}]").inner_text()
        assert shown(a[0]) in line
        assert f"[{shown(b[1])}, {shown(b[2])}]" in line
        contest = next(one for one in BOARD.pairs.tasks if one.task == task)
        found = next(d for d in contest.differences if set(d[:2]) == {first, other})
        sign = 1 if found[0] == other else -1
        low, high = sorted((sign * (found[3] or 0.0), sign * (found[4] or 0.0)))
        for value in (sign * found[2], low, high):
            assert (f"+{shown(value)}" if value > 0 else shown(value)) in line
        assert ("not told apart" in line) == (not found[6])


def test_a_pair_that_was_not_tested_is_said_to_be_so(sites: Sites, visit: SiteVisit) -> None:
    other = next(
        n for n, row in enumerate(BOARD.rows) if row.status in RANKED and n not in COMPARED
    )
    key = HOSTILE_AGGREGATE.models[BOARD.rows[other].model].key
    visit.open(sites["hostile"], f"compare.html?model={KEYS[0]}&model={key}")
    line = visit.page.locator("tr[data-task]").first.inner_text()
    assert "not tested" in line


def test_models_are_added_and_removed_and_stay_in_the_link(sites: Sites, visit: SiteVisit) -> None:
    visit.open(sites["hostile"], f"compare.html?model={KEYS[0]}&model={KEYS[1]}")
    name = BOARD.rows[COMPARED[2]].name
    visit.page.locator("#add").fill(name)
    visit.page.locator("#add").press("Tab")
    playwright.expect(visit.page.locator(".chips li")).to_have_count(3)
    visit.page.locator(".chips button").first.click()
    playwright.expect(visit.page.locator(".chips li")).to_have_count(2)
    assert visit.page.url.partition("?")[2] == f"model={KEYS[1]}&model={KEYS[2]}"


def test_a_models_page_has_its_scores_and_confusions(sites: Sites, visit: SiteVisit) -> None:
    visit.open(sites["hostile"], f"model.html?model={KEYS[0]}")
    row = BOARD.rows[COMPARED[0]]
    for n, task in enumerate(BOARD.tasks):
        cell = row.cells[n]
        if len(cell) > 1:
            line = visit.page.locator(f"tr[data-task={task}]").inner_text()
            assert shown(cell[0]) in line
            assert f"[{shown(cell[1])}, {shown(cell[2])}]" in line
            assert f"{cell[3]}" in line
    said = visit.page.locator(".mistakes").inner_text()
    assert "Of 120 documents in the register formal, 14 were taken for casual." in said
    assert "Of 60 documents in the register casual, 3 were given no label." in said


def test_the_chosen_pair_of_measures_is_drawn_and_in_the_link(
    sites: Sites, reported: Aggregate, visit: SiteVisit
) -> None:
    visit.open(sites["reported"], "transfer.html")
    cell = reported.transfer.outcomes[0].cells[0]
    assert shown(cell.spearman) in visit.page.locator(".agreement").inner_text()
    measures = {one.key: dict(one.scores) for one in reported.transfer.measures}
    x, y = "all/lcc_retrieval/ndcg_at_10", "all/lcc_classification/macro_f1"
    visit.page.locator("#x").select_option(f"reported|{x}")
    visit.page.locator("#y").select_option(f"reported|{y}")
    both = set(measures[x]) & set(measures[y])
    playwright.expect(visit.page.locator("#scatter svg a")).to_have_count(len(both))
    labels = visit.page.locator("#scatter svg a").evaluate_all(
        "all => all.map(one => one.getAttribute('aria-label'))"
    )
    assert set(labels) == {
        f"{reported.models[n].name}: {shown(measures[x][n])} across, {shown(measures[y][n])} up"
        for n in both
    }
    with_link = visit.page.url
    visit.page.goto(with_link)
    visit.ready()
    assert visit.page.locator("#x").input_value() == f"reported|{x}"
    assert visit.page.locator("#y").input_value() == f"reported|{y}"


def test_cards_are_shown_for_the_chosen_board(
    sites: Sites, reported: Aggregate, visit: SiteVisit
) -> None:
    other = reported.boards[1].key
    visit.open(sites["reported"], f"tasks.html?board={other}")
    shown_sections = visit.page.locator("section.cards:visible")
    assert shown_sections.evaluate_all("all => all.map(one => one.dataset.board)") == [other]


def test_reported_scores_stand_apart_on_a_computed_board(
    reported: Aggregate, browser: playwright.Browser, tmp_path: Path
) -> None:
    made = hostile_aggregate(10, 3)
    own = made.boards[0].model_copy(
        update={"tasks": ("lcc_retrieval", "lcc_classification", "same_lcc_pairs")}
    )
    shift = len(made.models)
    theirs = [
        board.model_copy(
            update={
                "rows": tuple(
                    row.model_copy(update={"model": row.model + shift}) for row in board.rows
                )
            }
        )
        for board in reported.boards
    ]
    mixed = reported.model_copy(
        update={"models": (*made.models, *reported.models), "boards": (own, *theirs)}
    )
    write_site(mixed, tmp_path / "site")
    with visiting(browser) as visit:
        visit.open(tmp_path / "site", "index.html?facet=all")
        computed = visit.models()
        visit.page.locator("details.filters summary").click()
        visit.page.locator("#reported").check()
        playwright.expect(visit.page.locator("tbody.apart").first).to_be_visible()
        visit.ready()
        assert visit.models()[: len(computed)] == computed
        names = {row.name for row in theirs[0].rows}
        assert set(visit.models()[len(computed) :]) == names
        apart = visit.page.locator("tbody.apart").all_inner_texts()
        assert not [text for text in apart if "#" in text or "[" in text]
        assert visit.complaints == []
