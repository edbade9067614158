from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from chromium import skip_without_browser
from made_boards import Model, Task, aggregate_with
from made_site import SiteVisit, hostile_aggregate

from evaluate_shelf.aggregate.schema import RANKED
from evaluate_shelf.report.frontier import frontier
from space.static_site import write_site

pytestmark = pytest.mark.slow

skip_without_browser()

from playwright import sync_api as playwright  # noqa: E402

ONE = (Task(),)
Opened = Callable[..., SiteVisit]
LABELS = """all => all.map(one => one.getBoundingClientRect()).map(box => [box.left, box.right])"""


@pytest.fixture
def opened(browser: playwright.Browser, tmp_path: Path) -> Opened:
    """Opens the cost page of a board of models."""

    def of(models: Sequence[Model], width: int = 1280) -> SiteVisit:
        write_site(aggregate_with((ONE, models)), tmp_path / "site")
        page = browser.new_context(viewport={"width": width, "height": 844}).new_page()
        visit = SiteVisit(page)
        visit.open(tmp_path / "site", "cost.html")
        return visit

    return of


def _section(visit: SiteVisit, cost: str) -> playwright.Locator:
    return visit.page.locator(f"section[data-cost={cost}]")


def _frontier(visit: SiteVisit, cost: str) -> list[str]:
    return _section(visit, cost).locator("> .lists > .scroller tbody th").all_text_contents()


def _others(visit: SiteVisit, cost: str) -> list[str]:
    return _section(visit, cost).locator("details tbody th").all_text_contents()


def test_the_frontier_is_that_of_the_report_and_the_others_are_listed(
    browser: playwright.Browser, tmp_path: Path
) -> None:
    made = hostile_aggregate()
    [board] = made.boards
    write_site(made, tmp_path / "site")
    visit = SiteVisit(browser.new_page())
    visit.open(tmp_path / "site", "cost.html")
    points = []
    for n, row in enumerate(board.rows):
        model, mean = made.models[row.model], board.views[0].means[n]
        size = 0 if model.parameters is None and model.kind == "sparse" else model.parameters
        if row.status in RANKED and size is not None and mean is not None:
            points.append((row.name, float(size), mean))
    assert {size for _, size, _ in points} > {0.0}
    best = [points[n][0] for n in frontier([(size, mean) for _, size, mean in points])]
    assert _frontier(visit, "parameters") == best
    rest = sorted((size, name) for name, size, _ in points if name not in best)
    assert sorted(_others(visit, "parameters")) == sorted(name for _, name in rest)
    section = _section(visit, "parameters")
    assert section.locator("svg a").count() == len(points)
    assert section.locator("svg .point.on").count() == len(best)


def test_models_without_learned_weights_stand_at_the_cheap_end(opened: Opened) -> None:
    models = [
        Model("counts words", (0.4,), kind="sparse", parameters=None),
        Model("empty", (0.3,), kind="static", parameters=0),
        Model("small", (0.35,), parameters=1_000_000),
        Model("large", (0.8,), parameters=1_000_000_000),
        Model("hidden", (0.9,), kind="endpoint", parameters=None),
    ]
    visit = opened(models)
    assert _frontier(visit, "parameters") == ["counts words", "large"]
    assert _others(visit, "parameters") == ["empty", "small"]
    section = _section(visit, "parameters")
    text = section.inner_text()
    assert "2 models at the left: no learned weights." in text
    assert "Of 1 model it is not known." in text
    places = {
        one["name"].partition(":")[0]: one["x"]
        for one in section.locator("svg a").evaluate_all(
            """all => all.map(one => ({
              name: one.getAttribute("aria-label"), x: one.getBoundingClientRect().x,
            }))"""
        )
    }
    assert set(places) == {"counts words", "empty", "small", "large"}
    assert places["counts words"] == places["empty"] < places["small"] < places["large"]
    assert "no learned weights" in section.locator("tbody").first.inner_text()


@pytest.mark.parametrize("parameters", [0, None])
def test_a_plot_of_models_that_cost_nothing_is_drawn(
    opened: Opened, parameters: int | None
) -> None:
    models = [
        Model(f"m{n}", (0.4 + n / 10,), kind="sparse", parameters=parameters, money=0.0)
        for n in range(2)
    ]
    visit = opened(models)
    for cost in ("parameters", "money"):
        section = _section(visit, cost)
        assert section.locator("svg a").count() == 2
        assert _frontier(visit, cost) == ["m1"]
        assert "NaN" not in section.inner_html()
        assert "Infinity" not in section.inner_html()
    assert visit.complaints == []


def test_a_point_off_the_frontier_gives_its_name_where_it_is_pointed_at(opened: Opened) -> None:
    models = [
        Model("best", (0.8,), parameters=1_000_000),
        Model("dear", (0.5,), parameters=1_000_000_000),
    ]
    visit = opened(models)
    section = _section(visit, "parameters")
    names = section.locator("svg text.name")
    assert names.all_text_contents() == ["best"]
    dear = section.locator("svg a[aria-label^=dear]")
    dear.focus()
    assert names.all_text_contents() == ["best", "dear"]
    assert "dear: 0.500" in section.locator(".reading").inner_text()
    dear.blur()
    assert names.all_text_contents() == ["best"]
    dear.hover()
    assert names.all_text_contents() == ["best", "dear"]
    section.locator("svg a[aria-label^=best]").hover()
    assert names.all_text_contents() == ["best"]
    assert _others(visit, "parameters") == ["dear"]


RANGES = [
    (1.0,),
    (300.0, 310.0),
    (1210.0, 1240.0),
    (0.9, 1.1, 2.2),
    (2.1, 4.8),
    (3.0, 95.0),
    (0.013, 40_000.0),
    (1e-3, 1e9),
    (99_000.0, 101_000.0),
    (999_000.0, 2_000_000.0),
]


@pytest.mark.parametrize("width", [390, 1280])
def test_every_axis_has_ticks_that_can_be_read(opened: Opened, width: int) -> None:
    for values in RANGES:
        for free in (False, True):
            models = [
                Model(f"m{n}", (0.4 + n / 100,), rate=value, parameters=int(value) + 1, money=value)
                for n, value in enumerate(values)
            ]
            if free:
                models.append(Model("free", (0.3,), kind="sparse", parameters=None, money=0.0))
            visit = opened(models, width)
            for cost in ("rate", "parameters", "money"):
                section = _section(visit, cost)
                for axis in ("x", "y"):
                    ticks = section.locator(f"svg text.tick-{axis}")
                    texts = ticks.all_text_contents()
                    assert len(texts) >= 2, (values, cost, axis)
                    assert len(set(texts)) == len(texts), (values, cost, axis)
                boxes = section.locator("svg text.tick-x").evaluate_all(LABELS)
                gaps = [b[0] - a[1] for a, b in pairwise(boxes)]
                assert all(gap > 0 for gap in gaps), (values, cost, texts)
                assert all(box[0] >= 0 and box[1] <= width for box in boxes), (values, cost)
            assert visit.page.evaluate("document.documentElement.scrollWidth") == width
            visit.page.context.close()
