from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from chromium import skip_without_browser
from made_site import HOSTILE, SiteVisit, hostile_aggregate, shown, visiting

from benchmarks.synthetic_aggregate import synthetic_aggregate
from evaluate_shelf.aggregate.schema import RANKED
from evaluate_shelf.aggregate.schema.boards import View
from evaluate_shelf.aggregate.schema.models import ModelEntry
from evaluate_shelf.aggregate.schema.rows import Row
from space.static_site import write_site

pytestmark = pytest.mark.slow

skip_without_browser()

from playwright import sync_api as playwright  # noqa: E402

AGGREGATE = hostile_aggregate()
[BOARD] = AGGREGATE.boards
RANKED_ROWS = [row for row in BOARD.rows if row.status in RANKED]
Filter = Callable[[ModelEntry], bool | None]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("leaderboard") / "site"
    write_site(AGGREGATE, folder)
    return folder


@pytest.fixture
def visit(site: Path, browser: playwright.Browser) -> Iterator[SiteVisit]:
    with visiting(browser) as visit:
        visit.open(site, "index.html")
        yield visit
        assert visit.complaints == []
        assert visit.page.evaluate("window.ran") is None


def _view(facet: str | None, formulation: str | None = None) -> View:
    [view] = [one for one in BOARD.views if (one.facet, one.formulation) == (facet, formulation)]
    return view


def _in_order(
    view: View, kept: Callable[[Row], bool] = lambda row: row.status in RANKED
) -> list[str]:
    return [BOARD.rows[n].name for n in view.order if kept(BOARD.rows[n])]


def _model(row: Row) -> ModelEntry:
    return AGGREGATE.models[row.model]


def _weights(model: ModelEntry) -> int | None:
    return 0 if model.parameters is None and model.kind == "sparse" else model.parameters


def _tasks(visit: SiteVisit) -> list[str]:
    return visit.page.locator("#table > .scroller th.task code").all_inner_texts()


def test_the_first_view_is_the_subject_with_ranked_models_in_the_order_of_the_view(
    visit: SiteVisit,
) -> None:
    view = _view("subject")
    assert visit.models() == _in_order(view)
    assert _tasks(visit) == [BOARD.tasks[n] for n in view.tasks]
    for n in view.tasks:
        values = [BOARD.rows[m].cells[n] for m in view.order if BOARD.rows[m].status in RANKED]
        assert visit.column(BOARD.tasks[n]) == [
            "–" if len(cell) == 1 else shown(cell[0]) for cell in values
        ]
    text = visit.page.locator("#table > .scroller tfoot").inner_text()
    assert all(shown(BOARD.chance[n]) in text for n in view.tasks)


def test_a_score_stands_with_interval_rank_tie_and_group(visit: SiteVisit) -> None:
    view = _view("subject")
    first = next(n for n in view.order if BOARD.rows[n].status in RANKED)
    line = visit.page.locator("#table > .scroller tbody tr").first.inner_text()
    for n in view.tasks:
        _, low, high, rank, tied, group, _ = BOARD.rows[first].cells[n]
        assert f"[{shown(low)}, {shown(high)}]" in line
        assert f"#{rank}{'=' if tied else ''} {group}" in line


def test_facet_and_formulation_choose_the_tasks(visit: SiteVisit) -> None:
    visit.page.get_by_role("radio", name="Form", exact=True).check()
    visit.ready()
    assert visit.models() == _in_order(_view("form"))
    visit.page.get_by_label("Formulation").select_option("retrieval")
    visit.ready()
    assert _tasks(visit) == ["form_retrieval"]
    visit.page.get_by_role("radio", name="All", exact=True).check()
    visit.ready()
    view = _view(None, "retrieval")
    assert _tasks(visit) == [BOARD.tasks[n] for n in view.tasks]
    assert visit.models() == _in_order(view)


FILTERS: list[tuple[str, dict[str, str], Filter]] = [
    ("least", {"least": "100"}, lambda m: (_weights(m) or 0) >= 1e8),
    ("most", {"most": "100"}, lambda m: (_weights(m) or 0) <= 1e8),
    ("context", {"context": "512"}, lambda m: m.max_tokens and m.max_tokens >= 512),
    ("from", {"from": "2022-01-01"}, lambda m: m.released and str(m.released) >= "2022-01-01"),
    ("until", {"until": "2021-12-31"}, lambda m: m.released and str(m.released) <= "2021-12-31"),
    ("weights", {"weights": "open"}, lambda m: m.open_weights is True),
    ("weights", {"weights": "closed"}, lambda m: m.open_weights is False),
    ("licence", {"licence": "MIT"}, lambda m: m.licence == "MIT"),
    ("kind", {"kind": "sparse"}, lambda m: m.kind == "sparse"),
    (
        "q",
        {"q": "MODEL 1"},
        lambda m: all(word in f"{m.name} {m.key}".lower() for word in ("model", "1")),
    ),
]


@pytest.mark.parametrize(("name", "query", "keeps"), FILTERS)
def test_each_filter_keeps_what_it_says(
    visit: SiteVisit, name: str, query: dict[str, str], keeps: Filter
) -> None:
    [(_, value)] = query.items()
    visit.page.locator("details.filters summary").click()
    control = visit.page.locator(f"#{name}") if name != "kind" else None
    if control is None:
        visit.page.locator(f"input[name=kind][value={value}]").check()
    elif control.evaluate("one => one.tagName") == "SELECT":
        control.select_option(value)
    else:
        control.fill(value)
    visit.ready()
    expected = _in_order(
        _view("subject"), lambda row: row.status in RANKED and bool(keeps(_model(row)))
    )
    assert 0 < len(expected) < len(RANKED_ROWS)
    assert visit.models() == expected
    assert (
        f"{len(expected)} of {len(RANKED_ROWS)} models" in visit.page.locator("#count").inner_text()
    )
    assert f"{name}={value}".replace(" ", "+") in visit.page.url


def test_models_of_which_a_fact_is_unknown_are_counted_and_can_be_kept(visit: SiteVisit) -> None:
    unknown = [row for row in RANKED_ROWS if _model(row).released is None]
    assert unknown
    visit.page.locator("details.filters summary").click()
    visit.page.locator("#from").fill("2019-01-01")
    visit.ready()
    assert len(visit.models()) == len(RANKED_ROWS) - len(unknown)
    said = visit.page.locator("#count").inner_text()
    assert f"{len(unknown)} model" in said
    assert "unknown" in said
    visit.page.locator("#unknown").check()
    visit.ready()
    assert len(visit.models()) == len(RANKED_ROWS)


def test_a_filter_that_leaves_nothing_says_so_and_can_be_cleared(visit: SiteVisit) -> None:
    visit.page.get_by_label("Search models").fill("no such model")
    visit.page.get_by_text("No model passes the filters.").wait_for()
    playwright.expect(visit.page.get_by_role("button", name="CSV")).to_be_disabled()
    visit.page.get_by_role("button", name="Clear the filters").click()
    visit.ready()
    assert visit.models() == _in_order(_view("subject"))


def test_unverified_rows_are_hidden_then_apart_and_without_rank(visit: SiteVisit) -> None:
    apart = _in_order(_view("subject"), lambda row: row.status == "unverified")
    assert apart
    assert not set(visit.models()) & set(apart)
    visit.page.locator("details.filters summary").click()
    visit.page.locator("#unverified").check()
    visit.ready()
    assert visit.models() == [*_in_order(_view("subject")), *apart]
    bodies = visit.page.locator("#table > .scroller tbody.apart")
    assert bodies.locator(".name").all_text_contents() == apart
    assert not [text for text in bodies.all_inner_texts() if "#" in text]
    # Sorting never mixes them in.
    visit.page.locator("th[data-key=parameters] .sort").click()
    visit.ready()
    assert set(visit.models()[-len(apart) :]) == set(apart)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("parameters", lambda row: _weights(_model(row))),
        ("rate", lambda row: row.documents_per_second),
        ("released", lambda row: _model(row).released),
        ("context", lambda row: _model(row).max_tokens),
        ("subject_retrieval", lambda row: row.cells[BOARD.tasks.index("subject_retrieval")][0]),
    ],
)
def test_columns_sort_as_what_they_hold_and_without_a_value_last(
    visit: SiteVisit, key: str, value: Callable[[Row], float | None]
) -> None:
    by_name = {row.name: value(row) for row in RANKED_ROWS}
    heading = visit.page.locator(f"th[data-key={key}]")
    for direction in ("descending", "ascending"):
        heading.locator(".sort").click()
        visit.ready()
        playwright.expect(heading).to_have_attribute("aria-sort", direction)
        values = [by_name[name] for name in visit.models()]
        known = [one for one in values if one is not None]
        assert known == sorted(known, reverse=direction == "descending")
        assert values == [*known, *[None] * (len(values) - len(known))]
    assert f"sort={key}&order=ascending" in visit.page.url
    assert visit.page.locator("th[aria-sort]").count() == 1
    assert visit.page.evaluate("document.activeElement.closest('th').dataset.key") == key


def test_a_link_restores_the_view(
    site: Path, browser: playwright.Browser, visit: SiteVisit
) -> None:
    visit.page.get_by_role("radio", name="All", exact=True).check()
    visit.page.get_by_label("Search models").fill("model")
    visit.page.locator("details.filters summary").click()
    visit.page.locator("#most").fill("2000")
    visit.page.locator("input[name=kind][value=encoder]").check()
    visit.page.locator("#unverified").check()
    visit.ready()
    visit.page.locator("th[data-key=rate] .sort").click()
    visit.ready()
    visit.page.locator("#table input[type=checkbox]").nth(1).check()
    visit.page.get_by_label("I have").select_option("gpu")
    visit.page.get_by_label("How many documents").fill("5000")
    with visiting(browser) as other:
        other.page.goto(visit.page.url)
        other.ready()
        for question in (SiteVisit.models, _tasks):
            assert question(other) == question(visit)
        assert other.page.locator("#most").input_value() == "2000"
        assert other.page.locator("input[name=kind][value=encoder]").is_checked()
        assert other.page.locator("#unverified").is_checked()
        assert other.page.locator("#budget").input_value() == "gpu"
        assert other.page.locator("#documents").input_value() == "5000"
        assert other.page.locator("#table input:checked").count() == 1
        assert (
            other.page.locator(".picks").inner_text() == visit.page.locator(".picks").inner_text()
        )
        assert other.complaints == []


def test_what_means_nothing_in_a_link_is_ignored_and_said(
    site: Path, browser: playwright.Browser
) -> None:
    query = "facet=form&least=-1&kind=x&from=2020-99-99&weights=%3Cb%3E&order=up&other=1&sort=none"
    with visiting(browser) as visit:
        visit.open(site, f"index.html?{query}")
        note = visit.page.locator(".notice.ignored").inner_text()
        for name in ("least", "kind", "from", "weights", "order", "other"):
            assert f"“{name}”" in note
        assert "“facet”" not in note
        assert visit.models() == _in_order(_view("form"))
        assert visit.complaints == []


def test_csv_and_json_hold_what_the_table_shows(visit: SiteVisit, tmp_path: Path) -> None:
    visit.page.locator("details.filters summary").click()
    visit.page.locator("#unverified").check()
    visit.page.locator("#least").fill("1")
    visit.ready()
    lines = visit.csv(tmp_path)
    names = visit.models()
    by_name = {row.name: row for row in BOARD.rows}
    guarded = {f"'{name}" if name.lstrip()[0] in "=+-@" else name: name for name in names}
    assert [guarded[line["model"]] for line in lines] == names
    values = visit.json(tmp_path)["models"]
    assert [one["model"] for one in values] == names
    for line, one, name in zip(lines, values, names, strict=True):
        row = by_name[name]
        assert one["status"] == line["status"] == row.status
        for n in _view("subject").tasks:
            task = BOARD.tasks[n]
            cell = row.cells[n]
            found = [one[task], one[f"{task} low"], one[f"{task} high"], one[f"{task} rank"]]
            if len(cell) == 1:
                assert found == [None] * 4
                assert line[task] == ""
                continue
            assert found == [pytest.approx(part, abs=1e-6) if part else part for part in cell[:4]]
            assert float(line[task]) == found[0]
            assert shown(found[0]) in visit.column(task)


def test_downloads_say_what_a_score_is_held_against(visit: SiteVisit, tmp_path: Path) -> None:
    visit.page.get_by_role("radio", name="All", exact=True).check()
    visit.ready()
    known = {task.id: task for task in AGGREGATE.tasks}
    assert {task.control for task in AGGREGATE.tasks} == {True, False}
    lines, found = visit.csv(tmp_path), visit.json(tmp_path)
    for task in BOARD.tasks:
        assert found["metric"][task] == known[task].metric
        assert found["control"][task] is known[task].control
        assert found["chance"][task] == known[task].chance
        for line, one in zip(lines, found["models"], strict=True):
            for values in (line, one):
                assert values[f"{task} metric"] == known[task].metric
                assert values[f"{task} control"] == ("yes" if known[task].control else "no")
                assert float(values[f"{task} chance"]) == known[task].chance
            if one[task] is not None:
                is_at_chance = one[f"{task} low"] <= known[task].chance
                assert one[f"{task} at chance"] == ("yes" if is_at_chance else "no")


def test_formulas_are_guarded_in_the_csv(visit: SiteVisit, tmp_path: Path) -> None:
    file = visit.downloaded("CSV", tmp_path).read_text("utf-8")
    formulas = [name for name in HOSTILE if name.lstrip()[0] in "=+-@" and name in visit.models()]
    assert formulas
    for name in formulas:
        quoted = name.replace('"', '""')
        assert f"'{quoted}" in file


def test_parquet_is_the_boards_own(visit: SiteVisit, tmp_path: Path, site: Path) -> None:
    file = visit.downloaded("Whole board, Parquet", tmp_path)
    assert file.read_bytes() == (site / "data" / f"{BOARD.key}.parquet").read_bytes()


def test_two_chosen_models_give_a_link_to_their_comparison(visit: SiteVisit) -> None:
    boxes = visit.page.locator("#table input[type=checkbox]")
    for n in range(6):
        boxes.nth(n).click()
    assert visit.page.locator("#table input:checked").count() == 5
    names = visit.models()[:5]
    visit.page.get_by_role("link", name="Compare 5 models").click()
    visit.ready()
    assert visit.page.locator(".chips a").all_text_contents() == names


def test_help_opens_by_keyboard_and_closes_with_escape(visit: SiteVisit) -> None:
    button = visit.page.locator("th[data-key=mean] .help")
    button.focus()
    visit.page.keyboard.press("Enter")
    box = visit.page.locator("#help")
    playwright.expect(box).to_be_visible()
    assert "average" in box.inner_text()
    visit.page.keyboard.press("Escape")
    playwright.expect(box).to_be_hidden()


def test_the_theme_is_remembered(site: Path, browser: playwright.Browser) -> None:
    with visiting(browser) as visit:
        visit.open(site, "index.html")
        ground = "getComputedStyle(document.documentElement).backgroundColor"
        light = visit.page.evaluate(ground)
        visit.page.locator("#theme").click()
        dark = visit.page.evaluate(ground)
        assert light != dark
        visit.open(site, "about.html")
        assert visit.page.evaluate(ground) == dark


def test_a_phone_scrolls_the_table_under_one_pinned_column(
    site: Path, browser: playwright.Browser
) -> None:
    with visiting(browser, width=390) as visit:
        visit.open(site, "index.html?facet=all")
        assert visit.page.evaluate("document.documentElement.scrollWidth") == 390
        box = visit.page.locator("#table > .scroller")
        first = box.locator("tbody th").first
        before = first.bounding_box()
        assert before is not None
        assert before["width"] < 390 / 2
        box.evaluate("box => { box.scrollLeft = 300 }")
        assert first.bounding_box() == before


def _advice(visit: SiteVisit) -> list[str]:
    return visit.page.locator(".pick").evaluate_all("all => all.map(one => one.dataset.model)")


def test_the_question_is_answered_by_the_best_that_is_done_in_time(visit: SiteVisit) -> None:
    view = _view("subject")
    visit.page.get_by_label("How many documents").fill("1000000")
    visit.page.get_by_label("It may take").select_option("1")

    def fits(row: Row) -> bool:
        rate = row.documents_per_second
        cpu = row.machine is not None and _model(row).kind != "endpoint"
        return bool(rate and cpu and 1e6 / rate <= 3600)

    # The machines' names are hostile texts here, none of which says that it has a GPU.
    expected = [
        n
        for n in view.order
        if BOARD.rows[n].status in RANKED and view.means[n] and fits(BOARD.rows[n])
    ]
    assert expected
    picks = _advice(visit)
    assert picks[0] == _model(BOARD.rows[expected[0]]).key
    assert len(picks) <= 3
    text = visit.page.locator(".pick").first.inner_text()
    assert shown(view.means[expected[0]]) in text
    rates = {_model(row).key: row.documents_per_second or 0.0 for row in BOARD.rows}
    assert all(rates[other] > rates[picks[0]] for other in picks[1:])


def test_a_service_is_asked_for_by_its_kind(visit: SiteVisit) -> None:
    visit.page.get_by_label("I have").select_option("api")
    kinds = {model.key: model.kind for model in AGGREGATE.models}
    if any(_model(row).kind == "endpoint" for row in RANKED_ROWS):
        assert {kinds[key] for key in _advice(visit)} == {"endpoint"}
    else:
        visit.page.get_by_text("No model of this kind").wait_for()


def test_without_javascript_the_first_table_is_there(
    site: Path, browser: playwright.Browser
) -> None:
    with visiting(browser, scripts=False) as visit:
        visit.page.goto(f"{site.as_uri()}/index.html")
        assert visit.models() == _in_order(_view("subject"))


def test_a_rate_of_a_gpu_says_nothing_of_a_cpu(browser: playwright.Browser, tmp_path: Path) -> None:
    made = synthetic_aggregate(40, 7, seed=5, compared=4)
    [board] = made.boards
    machines = {made.models[row.model].key: row.machine or "" for row in board.rows}
    write_site(made, tmp_path / "site")
    with visiting(browser) as visit:
        visit.open(tmp_path / "site", "index.html?time=any")
        assert not [key for key in _advice(visit) if "GPU" in machines[key]]
        visit.open(tmp_path / "site", "cost.html")
        drawn = visit.page.locator("section[data-cost=rate]")
        counts = {name: list(machines.values()).count(name) for name in set(machines.values())}
        most = max((name for name in counts if name), key=counts.__getitem__)
        assert f"Measured on {most}." in drawn.inner_text()
        assert "measured on another machine" in drawn.inner_text()
        assert drawn.locator("svg a").count() <= counts[most]
