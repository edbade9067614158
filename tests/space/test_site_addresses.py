"""Every state of every page is in its address, and a reload restores it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from chromium import skip_without_browser
from made_site import SiteVisit, hostile_aggregate, visiting

from benchmarks.space_load import served
from evaluate_shelf.aggregate.building import aggregate_of
from evaluate_shelf.aggregate.evidence import Evidence
from evaluate_shelf.reported.runs import reported_runs
from space.static_site import write_site

pytestmark = pytest.mark.slow

skip_without_browser()

from playwright import sync_api as playwright  # noqa: E402

MADE = hostile_aggregate()
[BOARD] = MADE.boards
KEYS = [MADE.models[BOARD.rows[n].model].key for n in BOARD.pairs.rows]
PAGES = (
    "",
    "index.html",
    "cost.html",
    f"compare.html?model={KEYS[0]}&model={KEYS[1]}",
    "transfer.html",
    "tasks.html",
)
# The values of all controls, each by its place on the page, and what is chosen or typed in them.
VALUES = """() => [...document.querySelectorAll("main select, main input")]
  .map((one) => [one.id || one.name, ["checkbox", "radio"].includes(one.type) ? one.checked
    : one.value])"""
TEXTS = {"search": "model", "number": "7", "date": "2021-05-31"}


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    folder = tmp_path_factory.mktemp("addresses")
    write_site(MADE, folder / "made")
    write_site(aggregate_of(Evidence(reported=tuple(reported_runs()))), folder / "reported")
    with served(folder / "made") as made, served(folder / "reported") as reported:
        yield {"made": made, "reported": reported}


def _open(visit: SiteVisit, address: str) -> None:
    visit.page.goto(address)
    _settled(visit)


def _address(visit: SiteVisit) -> str:
    # What playwright itself says may be late.
    found: str = visit.page.evaluate("location.href")
    return found


def _settled(visit: SiteVisit) -> None:
    playwright.expect(visit.page.locator("html.ready")).to_have_count(1)
    # Another board comes with a file of its own, and the page stands as it was until then.
    playwright.expect(visit.page.locator("main[aria-busy=true]")).to_have_count(0)
    visit.page.wait_for_load_state("networkidle")
    visit.ready()


def _selects(visit: SiteVisit) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = visit.page.evaluate(
        """() => [...document.querySelectorAll("main select:not(:disabled)")].map((one) =>
          [one.id, [one.value, ...[...one.options].filter((each) => !each.disabled)
            .map((each) => each.value).filter((each) => each !== one.value).slice(0, 1)]])"""
    )
    return [(name, values) for name, values in found if len(values) > 1]


def _choose(visit: SiteVisit, control: str, value: str) -> None:
    box = visit.page.locator(f"#{control}")
    if not box.is_visible():
        visit.page.locator("details.filters summary").click()
    box.select_option(value)


def _kept(visit: SiteVisit) -> None:
    before = visit.page.evaluate(VALUES)
    visit.page.reload()
    _settled(visit)
    assert visit.page.locator(".notice.ignored").count() == 0
    assert visit.page.evaluate(VALUES) == before


@pytest.mark.parametrize("name", ["made", "reported"])
@pytest.mark.parametrize("page", PAGES)
def test_a_choice_is_in_the_address_and_leaves_it_again(
    addresses: dict[str, str], browser: playwright.Browser, name: str, page: str
) -> None:
    if name == "reported" and page.startswith("compare"):
        page = "compare.html"
    start = f"{addresses[name]}/{page}"
    with visiting(browser) as visit:
        _open(visit, start)
        first = visit.page.evaluate(VALUES)
        for control, (own, other) in _selects(visit):
            _choose(visit, control, other)
            _settled(visit)
            assert f"{control}=" in _address(visit), control
            _kept(visit)
            _choose(visit, control, own)
            _settled(visit)
            if page.startswith("transfer"):
                # The other axis may have had to follow.
                _open(visit, start)
            assert _address(visit) == start, control
            assert visit.page.evaluate(VALUES) == first


@pytest.mark.parametrize("page", ["", "index.html"])
def test_what_is_ticked_and_typed_is_in_the_address_and_leaves_it_again(
    addresses: dict[str, str], browser: playwright.Browser, page: str
) -> None:
    start = f"{addresses['made']}/{page}"
    with visiting(browser) as visit:
        _open(visit, start)
        visit.page.locator("details.filters summary").click()
        first = visit.page.locator("input[name=facet]:checked").input_value()
        visit.page.locator("input[name=facet][value=all]").check()
        _kept(visit)
        assert "facet=all" in _address(visit)
        visit.page.locator(f"input[name=facet][value={first}]").check()
        assert _address(visit) == start
        for kind, text in TEXTS.items():
            boxes = visit.page.locator(f"main input[type={kind}]:not(:disabled)")
            for n in range(boxes.count()):
                box = boxes.nth(n)
                name, was = box.get_attribute("id"), box.input_value()
                if not box.is_visible():
                    visit.page.locator("details.filters summary").click()
                box.fill(text)
                assert f"{name}={text}" in _address(visit)
                box.fill(was)
                assert _address(visit) == start, name
        ticks = visit.page.locator("main .filters input[type=checkbox]")
        for n in range(ticks.count()):
            ticks.nth(n).check()
            assert _address(visit) != start
            ticks.nth(n).uncheck()
            assert _address(visit) == start
        _kept(visit)


def test_chosen_models_are_in_the_address_and_leave_it_again(
    addresses: dict[str, str], browser: playwright.Browser
) -> None:
    start = f"{addresses['made']}/"
    with visiting(browser) as visit:
        _open(visit, start)
        boxes = visit.page.locator("#table tbody input[type=checkbox]")
        boxes.nth(0).check()
        boxes.nth(1).check()
        assert _address(visit).count("chosen=") == 2
        _kept(visit)
        for n in (0, 1):
            boxes.nth(n).uncheck()
        assert _address(visit) == start
        visit.page.locator("#table th.task .sort").first.click()
        visit.ready()
        assert "sort=" in _address(visit)
        _kept(visit)


@pytest.mark.parametrize("name", ["sort", "facet", "formulation", "order", "board"])
def test_what_means_nothing_in_a_link_is_said(
    addresses: dict[str, str], browser: playwright.Browser, name: str
) -> None:
    with visiting(browser) as visit:
        _open(visit, f"{addresses['made']}/?{name}=zzz")
        assert f"“{name}”" in visit.page.locator(".notice.ignored").inner_text()
        assert visit.models()
