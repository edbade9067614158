"""The page in a real browser: nothing leaves the machine, and it is legible on a telephone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import Visit, opened_browser, skip_without_browser

pytestmark = pytest.mark.slow

skip_without_browser("matplotlib")

from playwright import sync_api as playwright  # noqa: E402

from evaluate_shelf.quickstart import shipped_release  # noqa: E402
from evaluate_shelf.release.documents import Release  # noqa: E402
from evaluate_shelf.report.building import report_of  # noqa: E402
from evaluate_shelf.report.evidence import Evidence  # noqa: E402
from evaluate_shelf.report.writing import write_report  # noqa: E402
from evaluate_shelf.reported.runs import reported_runs  # noqa: E402

WIDTHS = (390, 1440)
# What is wider than the window without standing in a box that scrolls.
OUTSIDE = """() => [...document.querySelectorAll('body *')].filter(element =>
  element.getBoundingClientRect().right > innerWidth + 0.5 && !element.closest('.scroller table')
  && !element.closest('svg')).map(element => element.outerHTML.slice(0, 80))"""
# The size of each text of each drawing, as it is shown.
SIZES = """() => [...document.querySelectorAll('svg text')].map(text =>
  parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.getBoundingClientRect().width
  / text.ownerSVGElement.viewBox.baseVal.width)"""
# Texts that a drawing cuts off at its left or right edge.
CUT = """() => [...document.querySelectorAll('svg text')].filter(text => {
  const own = text.getBoundingClientRect(), all = text.ownerSVGElement.getBoundingClientRect();
  return own.left < all.left - 1 || own.right > all.right + 1;
}).map(text => text.textContent)"""
# Contrast of each drawn text with the page, as WCAG counts it.
CONTRASTS = """() => {
  const light = colour => {
    const [r, g, b] = colour.match(/[0-9.]+/g).map(value => value / 255)
      .map(value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = light(getComputedStyle(document.body).backgroundColor);
  const contrast = ink => (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
  return [...document.querySelectorAll('svg text, p, td, th, h2, figcaption')]
    .map(element => contrast(light(element.closest('svg')
      ? getComputedStyle(element).fill : getComputedStyle(element).color)));
}"""


@pytest.fixture(scope="module")
def address(evidence: Evidence, tmp_path_factory: pytest.TempPathFactory) -> str:
    everything = Evidence(
        computed=evidence.computed,
        folders=evidence.folders,
        reported=tuple(reported_runs()),
        treated=(*reported_runs(arm="masked"), *reported_runs(arm="sham")),
        damaged=("runs/a/" + "0123456789" * 20 + "/scores.parquet: not the file that it was",),
        releases=(("a release", Release.open(shipped_release())),),
    )
    page, _ = write_report(report_of(everything), tmp_path_factory.mktemp("page") / "out")
    return page.as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[playwright.Browser]:
    with opened_browser() as browser:
        yield browser


@pytest.fixture(params=[(width, scheme) for width in WIDTHS for scheme in ("light", "dark")])
def visit(
    request: pytest.FixtureRequest, address: str, browser: playwright.Browser
) -> Iterator[Visit]:
    width, scheme = request.param
    context = browser.new_context(
        viewport={"width": width, "height": 844}, color_scheme=scheme, java_script_enabled=True
    )
    visit = Visit(context.new_page())
    visit.page.goto(address)
    yield visit
    context.close()


def test_nothing_is_asked_for_nothing_runs_and_nothing_complains(
    visit: Visit, address: str
) -> None:
    assert visit.addresses == [address]
    assert visit.complaints == []
    assert visit.page.evaluate("window.ran") is None
    assert visit.page.locator("script, img, iframe, object, embed").count() == 0


def test_the_page_does_not_scroll_sideways_and_tables_do_in_their_box(visit: Visit) -> None:
    width = visit.page.evaluate("innerWidth")
    assert visit.page.evaluate("document.documentElement.scrollWidth") == width
    assert visit.page.evaluate(OUTSIDE) == []
    if width == 390:
        boxes = visit.page.locator(".scroller").evaluate_all(
            "boxes => boxes.filter(box => box.scrollWidth > box.clientWidth).length"
        )
        assert boxes > 0


def test_drawings_are_legible(visit: Visit) -> None:
    sizes = visit.page.evaluate(SIZES)
    assert len(sizes) > 1000
    assert min(sizes) >= 9.5
    assert visit.page.evaluate(CUT) == []
    assert min(visit.page.evaluate(CONTRASTS)) >= 4.5


def test_every_drawing_is_an_image_with_a_text_for_those_who_do_not_see_it(visit: Visit) -> None:
    drawings = visit.page.locator("figure svg")
    assert drawings.count() == visit.page.get_by_role("img").count() > 50
    texts = drawings.evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    assert min(map(len, texts)) > 40
    assert len(set(texts)) == len(texts)


def test_paper_is_white_and_wide_enough(browser: playwright.Browser, address: str) -> None:
    # 178 mm between the margins of A4, in CSS pixels.
    context = browser.new_context(viewport={"width": 673, "height": 1000}, color_scheme="dark")
    page = context.new_page()
    page.goto(address)
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 673
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(255, 255, 255)"
    assert min(page.evaluate(CONTRASTS)) >= 4.5
    context.close()


def test_the_files_of_figures_open_by_themselves(browser: playwright.Browser, address: str) -> None:
    folder = Path(address.removeprefix("file://")).parent / "figures"
    drawings = sorted(folder.glob("*.svg"))
    assert drawings
    context = browser.new_context()
    visit = Visit(context.new_page())
    for drawing in drawings[:3]:
        visit.page.goto(drawing.as_uri())
        assert visit.page.evaluate("document.documentElement.tagName") == "svg"
    assert all(own.startswith("file://") for own in visit.addresses)
    assert visit.complaints == []
    context.close()
