from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from chromium import skip_without_browser
from made_boards import GPU, Given, Model, Task, aggregate_with, key_of
from made_site import SiteVisit, shown

from evaluate_shelf.aggregate.schema import Aggregate
from space.static_site import write_site

pytestmark = pytest.mark.slow

skip_without_browser()

from playwright import sync_api as playwright  # noqa: E402

ONE = (Task(),)
THREE = (Task(), Task(formulation="retrieval"), Task(formulation="clustering", stated=0.0))
HOUR = 100_000 / 3600
"""Documents a second of a model that needs an hour for the collection that is asked for first."""
Opened = Callable[..., SiteVisit]


@pytest.fixture
def opened(browser: playwright.Browser, tmp_path: Path) -> Opened:
    """Opens a page of a site of boards; the visit stays open until the test ends."""

    def of(
        *boards: Given, page: str = "index.html", reported: Sequence[int] = (), width: int = 1280
    ) -> SiteVisit:
        return _opened(browser, tmp_path, aggregate_with(*boards, reported=reported), page, width)

    return of


def _opened(
    browser: playwright.Browser, folder: Path, made: Aggregate, page: str, width: int
) -> SiteVisit:
    write_site(made, folder / "site")
    context = browser.new_context(viewport={"width": width, "height": 844})
    context.set_default_timeout(15_000)
    visit = SiteVisit(context.new_page())
    visit.open(folder / "site", page)
    return visit


def _picks(visit: SiteVisit) -> list[str]:
    return visit.page.locator(".pick").evaluate_all("all => all.map(one => one.dataset.model)")


def _whys(visit: SiteVisit) -> list[str]:
    return visit.page.locator(".pick .why").all_inner_texts()


def _address(visit: SiteVisit) -> str:
    return str(visit.page.evaluate("location.href"))


def _answer(visit: SiteVisit) -> str:
    return visit.page.locator(".answer").inner_text()


UNVERIFIED = Model("sent in", (0.9,), status="unverified")
RANKED = Model("ours", (0.5,))


# Which board is shown first, and what is said where only unverified rows are.


@pytest.mark.parametrize("page", ["index.html", "cost.html", "compare.html"])
@pytest.mark.parametrize(
    ("boards", "reported", "first"),
    [
        ([(ONE, [RANKED]), (ONE, [UNVERIFIED])], (), 0),
        ([(ONE, [UNVERIFIED]), (ONE, [RANKED])], (), 1),
        ([(ONE, [UNVERIFIED]), (ONE, [UNVERIFIED]), (ONE, [RANKED])], (), 2),
        ([(ONE, [UNVERIFIED]), (ONE, [RANKED._replace(status="verified")])], (), 1),
        ([(ONE, [UNVERIFIED]), (ONE, [RANKED._replace(status="reported", half=None)])], (1,), 1),
        ([(ONE, [UNVERIFIED]), (ONE, [UNVERIFIED])], (), 0),
    ],
)
def test_the_first_board_is_one_with_rows_that_someone_stands_for(
    opened: Opened, page: str, boards: list[Given], reported: tuple[int, ...], first: int
) -> None:
    visit = opened(*boards, page=page, reported=reported)
    assert visit.page.locator("#board").input_value() == f"board-{first}"
    assert "?" not in _address(visit)
    if page == "index.html" and boards[first][1][0].status != "unverified":
        assert visit.models() == ["ours"]
        assert _picks(visit) == [key_of(RANKED, first)]
    assert visit.complaints == []


def test_a_board_of_unverified_rows_says_so_and_offers_them(opened: Opened) -> None:
    visit = opened((ONE, [RANKED]), (ONE, [UNVERIFIED]), page="index.html?board=board-1")
    said = visit.page.locator("main").inner_text()
    assert "Only unverified submissions" in said
    assert "No model passes" not in said
    assert "control" not in visit.page.locator("#table").inner_text()
    assert "control" not in _answer(visit)
    visit.page.get_by_role("button", name="Show them", exact=True).click()
    visit.ready()
    assert visit.models() == ["sent in"]
    assert visit.page.locator("#unverified").is_checked()
    assert "unverified=yes" in _address(visit)


def test_the_librarian_offers_the_unverified_rows_of_what_was_asked(opened: Opened) -> None:
    tasks = (Task(), Task(facet="form"))
    board = (tasks, [Model("ours", (0.5, None)), Model("sent in", (0.4, 0.9), status="unverified")])
    visit = opened(board, page="index.html?for=form")
    assert _picks(visit) == []
    visit.page.get_by_role("button", name="Show them in the table").click()
    visit.ready()
    assert "sent in" in visit.models()
    assert "facet=form" in _address(visit)


def test_the_cost_of_unverified_rows_leads_to_them(opened: Opened) -> None:
    visit = opened((ONE, [RANKED]), (ONE, [UNVERIFIED]), page="cost.html?board=board-1")
    assert "Only unverified submissions" in visit.page.locator("#cost").inner_text()
    visit.page.get_by_role("link", name="Show them").click()
    visit.ready()
    assert visit.models() == ["sent in"]


REASONS: list[tuple[str, Given, str, str]] = [
    ("no task", (ONE, [RANKED]), "work=retrieval", "no such task"),
    (
        "controls",
        (
            (Task(control=True), Task(formulation="retrieval", optional=True)),
            [Model("a", (0.5, 0.5))],
        ),
        "",
        "control or optional",
    ),
    (
        "nothing in common",
        (THREE[:2], [Model("a", (0.5, None)), Model("b", (None, 0.5))]),
        "",
        "no task in common",
    ),
    ("unverified", (ONE, [UNVERIFIED]), "", "nverified"),
    ("no score", (ONE, [Model("a", (None,))]), "", "No model of this board has a score"),
    ("no service", (ONE, [RANKED]), "budget=api", "none is a paid service"),
    ("services", (ONE, [RANKED._replace(kind="endpoint")]), "", "all are paid services"),
    (
        "a task of the mean is lacking",
        (
            THREE[:2],
            [
                Model("a", (0.5, 0.6)),
                Model("b", (0.5, 0.6)),
                Model("c", (0.5, None), kind="endpoint"),
            ],
        ),
        "budget=api",
        "has a score on all",
    ),
    ("chance", (ONE, [Model("a", (0.05,))]), "", "above chance"),
    ("slow", (ONE, [RANKED._replace(rate=1e-3)]), "", "longer than you have"),
]


@pytest.mark.parametrize(("name", "board", "query", "reason"), REASONS)
def test_no_answer_has_its_own_reason_and_no_other(
    opened: Opened, name: str, board: Given, query: str, reason: str
) -> None:
    visit = opened(board, page=f"index.html?{query}")
    assert _picks(visit) == []
    said = _answer(visit)
    assert reason in said
    assert [other for *_, other in REASONS if other in said] == [reason]
    assert visit.complaints == []


@pytest.mark.parametrize(
    ("board", "reason"), [(one[1], one[3]) for one in REASONS if one[0] in ("controls",)]
)
def test_the_table_gives_the_reason_of_a_missing_mean(
    opened: Opened, board: Given, reason: str
) -> None:
    visit = opened(board)
    assert reason in visit.page.locator(".below").inner_text()


# Speed.


def test_models_of_unknown_speed_are_called_so_and_the_slow_ones_named(opened: Opened) -> None:
    models = [
        Model("best but slow", (0.9,), rate=HOUR / 100),
        Model("slow", (0.7,), rate=HOUR / 1000),
        Model("untimed", (0.6,)),
        Model("untimed too", (0.5,)),
        Model("timed on a GPU", (0.55,), rate=1e6, machine=GPU),
    ]
    visit = opened((ONE, models))
    assert _picks(visit) == [key_of(models[n]) for n in (2, 4, 3)]
    first, *others = _whys(visit)
    assert first == "The best of those whose speed is not known"
    assert not [why for why in others if "best" in why.lower()]
    said = _answer(visit)
    assert "best but slow with 0.900: about 4.2 days" in said
    assert "a week" in said
    assert "No speed" not in said
    assert "Of 3 models no speed" in said


@pytest.mark.parametrize(
    ("hours", "patience"), [(12.5, "a week"), (168.5, "as long as it takes"), (11, None)]
)
def test_the_patience_that_the_slow_one_needs_is_enough(
    opened: Opened, hours: float, patience: str | None
) -> None:
    slow = Model("slow", (0.9,), rate=HOUR / hours)
    visit = opened((ONE, [slow]))
    if patience is None:
        assert _picks(visit) == [key_of(slow)]
        return
    assert _picks(visit) == []
    assert f"“{patience}”" in _answer(visit)
    visit.page.get_by_label("It may take").select_option(label=patience)
    assert _picks(visit) == [key_of(slow)]
    assert "longer than you have" not in _answer(visit)


@pytest.mark.parametrize("better", ["slow", "untimed", "none"])
def test_only_the_best_of_all_is_called_the_best_score(opened: Opened, better: str) -> None:
    models = [Model("in time", (0.5,), rate=HOUR)]
    models += [Model("slow", (0.6,), rate=HOUR / 1000)] if better == "slow" else []
    models += [Model("untimed", (0.6,))] if better == "untimed" else []
    visit = opened((ONE, models))
    assert _picks(visit) == [key_of(models[0])]
    assert (_whys(visit) == ["The best score"]) == (better == "none")
    if better != "none":
        assert f"{better} with 0.600" in _answer(visit)


def test_nothing_is_said_of_time_where_no_speed_is_known(opened: Opened) -> None:
    visit = opened((ONE, [Model("a", (0.5,)), Model("b", (0.4,))]))
    assert [why.partition(",")[0] for why in _whys(visit)] == ["The best score", "The second"]
    assert all("measured its speed" in why for why in _whys(visit))
    assert "No speed on a CPU is known" in _answer(visit)
    assert "longer than you have" not in _answer(visit)


# Chance.


@pytest.mark.parametrize(
    ("score", "half", "stated", "measured", "is_at_chance"),
    [
        (0.20, 0.05, 0.10, 0.12, False),
        (0.16, 0.05, 0.10, 0.12, True),
        (0.16, 0.05, 0.12, 0.10, True),
        (0.16, 0.05, 0.12, None, True),
        (0.16, 0.05, None, 0.12, True),
        (0.16, 0.05, None, None, False),
        (0.11, None, 0.10, 0.12, True),
        (0.13, None, 0.10, 0.12, False),
        (0.25, 0.125, 0.125, 0.0, True),
    ],
)
def test_what_is_at_chance_is_so_on_every_page(
    opened: Opened,
    score: float,
    half: float | None,
    stated: float | None,
    measured: float | None,
    is_at_chance: bool,
) -> None:
    board = ((Task(stated=stated, measured=measured),), [Model("a", (score,), half=half)])
    visit = opened(board)
    assert (_picks(visit) == []) == is_at_chance
    assert ("No model here is above chance" in _answer(visit)) == is_at_chance
    assert visit.page.locator("#table em").count() == int(is_at_chance)
    folder = visit.page.url.rpartition("/")[0]
    visit.page.goto(f"{folder}/model.html?model=0-a")
    visit.ready()
    assert ("not told from it" in visit.page.locator("tr[data-task]").inner_text()) == is_at_chance
    visit.page.goto(f"{folder}/compare.html?model=0-a")
    rule = """([chance, low]) => {
      const task = { id: "t", chance: 0.1 };
      return SHELF.isAtChance(task, { value: 0.5, low, high: 1, chance });
    }"""
    assert visit.page.evaluate(rule, [None, 0.11]) is False
    assert visit.page.evaluate(rule, [0.2, 0.11]) is True
    assert visit.page.evaluate(rule, [0.2, 0.25]) is False
    assert visit.page.evaluate(rule, [0.05, 0.1]) is True
    assert visit.page.evaluate(rule, [0.05, None]) is False


def test_both_compared_models_are_marked_where_they_are_at_chance(opened: Opened) -> None:
    models = [Model("a", (0.05,)), Model("b", (0.5,))]
    visit = opened((ONE, models), page="compare.html?model=0-a&model=0-b")
    cells = visit.page.locator("tr[data-task] td").all_inner_texts()
    assert ["at chance" in text for text in cells[:2]] == [True, False]


def test_downloads_say_who_is_at_chance(opened: Opened, tmp_path: Path) -> None:
    tasks = (Task(stated=0.1, measured=0.2), Task(formulation="clustering", stated=None))
    models = [Model("above", (0.3, 0.9)), Model("at chance", (0.2, 0.04)), Model("b", (0.3, None))]
    visit = opened((tasks, models))
    assert visit.page.locator("#table em").count() == 2
    lines = {line["model"]: line for line in visit.csv(tmp_path)}
    levels = [[line[f"{task.id} chance"] for task in tasks] for line in lines.values()]
    assert levels[:2] == [["0.2", "0.05"]] * 2
    found = {name: [line[f"{task.id} at chance"] for task in tasks] for name, line in lines.items()}
    assert found == {"above": ["no", "no"], "at chance": ["yes", "yes"], "b": ["no", ""]}


def test_a_model_at_chance_is_never_recommended(opened: Opened) -> None:
    models = [
        Model("above", (0.3,), rate=HOUR),
        Model("lucky", (0.35,), rate=100 * HOUR, half=0.31),
        Model("low", (0.04,), rate=1000 * HOUR),
    ]
    visit = opened((ONE, models))
    assert _picks(visit) == [key_of(models[0])]
    assert "2 models are at chance on this" in _answer(visit)


def test_a_mean_is_at_chance_where_all_its_tasks_are(opened: Opened) -> None:
    models = [Model("half", (0.05, 0.05, 0.5)), Model("none", (0.05, 0.05, 0.0))]
    visit = opened((THREE, models))
    assert _picks(visit) == [key_of(models[0])]
    visit = opened((THREE, models[1:]))
    assert _picks(visit) == []
    said = _answer(visit)
    assert said.count(" The best is none with ") == len(THREE)
    assert said.count(f"at chance {shown(0.05)}") == len(THREE)


def test_chance_stands_beside_each_score_of_the_evidence(opened: Opened) -> None:
    visit = opened((THREE, [Model("a", (0.5, 0.05, 0.4))]))
    lines = visit.page.locator(".pick .tasks li").all_inner_texts()
    assert ["chance 0.050" in text for text in lines] == [True, True, True]
    assert ["at chance" in text for text in lines] == [False, True, False]
    visit = opened((ONE, [Model("a", (0.5,))]))
    assert "chance 0.050" in visit.page.locator(".pick .big").inner_text()


def test_the_evidence_of_a_mean_is_of_its_tasks_alone(opened: Opened) -> None:
    tasks = (*THREE[:2], Task(formulation="pair_classification"), THREE[2]._replace(control=True))
    models = [
        Model("a", (0.5, 0.6, 0.9, 0.1)),
        Model("b", (0.4, 0.5, None, 0.1)),
        Model("c", (0.4, 0.5, None, 0.1)),
        Model("d", (0.4, 0.5, None, 0.1)),
    ]
    visit = opened((tasks, models))
    assert _picks(visit)[0] == key_of(models[0])
    first = visit.page.locator(".pick").first
    listed = first.locator(".tasks li").evaluate_all("all => all.map(one => one.dataset.task)")
    assert listed == [task.id for task in tasks[:2]]
    assert shown(0.55) in first.locator(".big").inner_text()


# The size of the collection.


@pytest.mark.parametrize("typed", ["0", "-5", "1e99", "2.5", "1000000001", "", "e", "1e-3"])
def test_a_count_that_cannot_be_used_is_said_and_changes_nothing(
    opened: Opened, typed: str
) -> None:
    visit = opened((ONE, [RANKED._replace(rate=HOUR)]))
    box = visit.page.get_by_label("How many documents")
    box.fill("5000")
    before = (_address(visit), _answer(visit))
    assert "documents=5000" in _address(visit)
    hint = visit.page.locator("#documents-hint")
    assert hint.is_hidden()
    # No number at all cannot be filled in, and is no number on the way there.
    if typed == "e":
        box.press("e")
    else:
        box.fill(typed)
    playwright.expect(box).to_have_attribute("aria-invalid", "true")
    assert "whole number from 1 to 1,000,000,000" in hint.inner_text()
    assert "5,000" in hint.inner_text()
    assert "whole number" in box.evaluate(
        "one => document.getElementById(one.getAttribute('aria-describedby')).textContent"
    )
    assert (_address(visit), _answer(visit)) == before
    box.fill("1000000000")
    playwright.expect(box).not_to_have_attribute("aria-invalid", "true")
    assert hint.is_hidden()
    assert "documents=1000000000" in _address(visit)


@pytest.mark.parametrize("text", ["0", "-5", "1e99", "2.5", "1000000001", "", "many"])
def test_a_count_in_a_link_that_cannot_be_used_is_ignored_and_said(
    opened: Opened, text: str
) -> None:
    visit = opened((ONE, [RANKED]), page=f"index.html?documents={text}")
    assert "“documents”" in visit.page.locator(".notice.ignored").inner_text()
    assert visit.page.get_by_label("How many documents").input_value() == "100000"


@pytest.mark.parametrize("name", ["least", "most", "context"])
@pytest.mark.parametrize("typed", ["-1", "1e99", "0.00000001"])
def test_a_filter_that_cannot_be_used_is_said_and_changes_nothing(
    opened: Opened, name: str, typed: str
) -> None:
    visit = opened((ONE, [RANKED._replace(max_tokens=512)]))
    visit.page.locator("details.filters summary").click()
    box = visit.page.locator(f"#{name}")
    box.fill(typed)
    playwright.expect(box).to_have_attribute("aria-invalid", "true")
    assert visit.page.locator(f"#{name}-hint").is_visible()
    assert "?" not in _address(visit)
    assert visit.models() == ["ours"]


# What is known of no model cannot be filtered by.


def test_filters_by_what_is_not_known_are_closed_and_say_so(opened: Opened) -> None:
    bare = Model("bare", (0.5,), parameters=None)
    known = bare._replace(parameters=1, licence="MIT", max_tokens=512)
    names = ("least", "most", "context", "from", "until", "weights", "licence")
    visit = opened((ONE, [bare]), (ONE, [known]))
    visit.page.locator("details.filters summary").click()
    for name in names:
        box = visit.page.locator(f"#{name}")
        playwright.expect(box).to_be_disabled()
        said = box.evaluate("one => one.placeholder ?? one.selectedOptions[0].textContent")
        assert said.lower() == "not known on this board"
    visit.page.locator("#board").select_option("board-1")
    for name in names:
        box = visit.page.locator(f"#{name}")
        if name in ("from", "until", "weights"):
            playwright.expect(box).to_be_disabled()
        else:
            playwright.expect(box).to_be_enabled()
    assert visit.complaints == []


def test_a_filter_of_a_link_can_be_taken_back_where_nothing_is_known(opened: Opened) -> None:
    known = Model("known", (0.5,), licence="MIT", max_tokens=512)
    bare = Model("bare", (0.5,))
    visit = opened((ONE, [bare]), (ONE, [known]), page="index.html?licence=MIT&context=100")
    assert "No model passes the filters." in visit.page.locator("#table").inner_text()
    assert visit.page.locator("#licence").input_value() == "MIT"
    visit.page.locator("#licence").select_option("any")
    visit.page.locator("#context").fill("")
    visit.ready()
    assert visit.models() == ["bare"]


def test_the_leaderboard_begins_on_the_first_screens(opened: Opened) -> None:
    models = [Model(f"m{n}", scores=(0.9 - 0.1 * n,) * 3, rate=HOUR * 40**n) for n in range(3)]
    visit = opened((THREE, models), width=1440)
    visit.page.locator(".pick").first.wait_for()
    top = visit.page.locator("#board-title").evaluate("own => own.getBoundingClientRect().top")
    assert top < 1350
    picks = visit.page.locator(".pick").all()
    assert len(picks) == 2
    assert len({box.evaluate("own => own.offsetTop") for box in picks}) == 1
