from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import skip_without_browser
from made_site import SiteVisit, visiting

from benchmarks.synthetic_aggregate import synthetic_aggregate
from space.static_site import write_site

pytestmark = pytest.mark.slow

skip_without_browser()

from playwright import sync_api as playwright  # noqa: E402

AMOUNTS = sorted(
    {
        sign * factor * 10.0**power
        for sign in (1, -1)
        for power in range(-7, 13)
        for factor in (1, 1.5, 4.999, 5, 9.4, 9.49, 9.5, 9.94, 9.95, 9.994, 9.996, 9.9999)
    }
    | {0.0, -0.0, 0.0005, 59.6, 89.9, 90, 3420, 3419.9, 3599.9, 82079, 86399, 30e6, 31.5576e6}
)
"""Around all edges at which a word or a digit changes."""


@pytest.fixture(scope="module")
def visit(
    browser: playwright.Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SiteVisit]:
    folder = tmp_path_factory.mktemp("words") / "site"
    write_site(synthetic_aggregate(3, 2), folder)
    with visiting(browser) as visit:
        visit.open(folder, "index.html")
        yield visit


def _written(visit: SiteVisit, name: str, values: list[float], *rest: Any) -> list[str]:
    found: list[str] = visit.page.evaluate(
        "([name, values, rest]) => values.map(value => SHELF[name](value, ...rest))",
        [name, values, list(rest)],
    )
    return found


def _read(text: str) -> float:
    size = {"k": 1e3, "M": 1e6, "B": 1e9}.get(text[-1:], 1.0)
    return float(re.sub(r"[ ,kMB$+]", "", text).replace("−", "-")) * size


@pytest.mark.parametrize("digits", [0, 2, 3])
@pytest.mark.parametrize("name", ["number", "signed"])
def test_a_number_that_rounds_to_zero_has_no_sign(visit: SiteVisit, name: str, digits: int) -> None:
    values = [value for value in AMOUNTS if abs(value) < 1e9]
    for value, text in zip(values, _written(visit, name, values, digits), strict=True):
        assert "-" not in text
        read = _read(text)
        assert read == pytest.approx(value, abs=0.5001 * 10**-digits)
        sign = text[0] if text[0] in "+−" else ""
        assert sign == ("−" if read < 0 else "+" if read > 0 and name == "signed" else "")


def test_an_interval_has_no_negative_zero(visit: SiteVisit) -> None:
    texts = _written(visit, "interval", [-0.0004, -0.0, -0.0006], 0.0)
    assert texts == ["[0.000, 0.000]", "[0.000, 0.000]", "[−0.001, 0.000]"]


@pytest.mark.parametrize(("name", "precision"), [("rounded", 0.06), ("brief", 0.006)])
def test_a_count_never_has_a_thousand_of_a_size(
    visit: SiteVisit, name: str, precision: float
) -> None:
    values = [float(round(value)) for value in AMOUNTS if 1 <= value < 9e11]
    for value, text in zip(values, _written(visit, name, values), strict=True):
        assert "e" not in text
        assert _read(text) == pytest.approx(value, rel=precision)
        if value < 0.9995e12:
            assert float(text.split(" ")[0]) < 1000


def test_a_rate_is_written_in_digits_and_never_as_nothing(visit: SiteVisit) -> None:
    values = [value for value in AMOUNTS if value > 0]
    for value, text in zip(values, _written(visit, "rate", values), strict=True):
        assert "e" not in text.removeprefix("under")
        if value < 0.001:
            assert text == "under 0.001"
        else:
            assert _read(text) == pytest.approx(value, rel=0.006)


def test_money_is_written_in_digits_and_never_as_nothing(visit: SiteVisit) -> None:
    values = [value for value in AMOUNTS if value >= 0]
    for value, text in zip(values, _written(visit, "money", values), strict=True):
        if 0 < value < 0.0001:
            assert text == "under $0.0001"
            continue
        assert re.fullmatch(r"\$\d{1,3}(,\d{3})*\.\d+|\$0", text), text
        assert _read(text) == pytest.approx(value, rel=0.06, abs=0.0051)
        assert (_read(text) == 0) == (value == 0)


def test_a_share_is_all_or_nothing_only_where_it_is_so(visit: SiteVisit) -> None:
    values = [0, 1e-6, 0.0049, 0.005, 0.014, 0.5, 0.994, 0.995, 0.9999, 1]
    assert _written(visit, "percent", values) == [
        "0 %",
        "less than 1 %",
        "less than 1 %",
        "1 %",
        "1 %",
        "50 %",
        "99 %",
        "more than 99 %",
        "more than 99 %",
        "100 %",
    ]


def test_a_time_is_said_once_and_as_a_person_would(visit: SiteVisit) -> None:
    seconds = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "year": 365.25 * 86400}
    values = [value for value in AMOUNTS if value >= 0]
    for value, text in zip(values, _written(visit, "duration", values), strict=True):
        if value < 0.95:
            assert text == "less than a second"
            continue
        found = re.fullmatch(r"about ([\d,.]+) (second|minute|hour|day|year)(s?)", text)
        assert found, text
        count = float(found[1].replace(",", ""))
        assert count >= 1
        assert (found[3] == "") == (count == 1)
        assert count * seconds[found[2]] == pytest.approx(value, rel=0.06, abs=0.51)
        assert found[2] != "second" or count <= 90


def test_no_page_says_about_less_or_a_negative_zero(
    browser: playwright.Browser, tmp_path: Path
) -> None:
    write_site(synthetic_aggregate(12, 8), tmp_path / "site")
    with visiting(browser) as visit:
        for documents in (1, 2, 1000, 1_000_000_000):
            visit.open(tmp_path / "site", f"index.html?documents={documents}&time=any")
            said = visit.page.locator("main").inner_text()
            assert not re.search(r"about (about|less|an unknown)", said, re.IGNORECASE)
            assert not re.search(r"[−-]0\.0+(?![\d])", said)
            assert "1 documents" not in said
