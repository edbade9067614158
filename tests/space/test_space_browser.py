from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import skip_without_browser

pytestmark = pytest.mark.slow

skip_without_browser("gradio")

from made_site import HOSTILE, SiteVisit, hostile_aggregate, visiting  # noqa: E402
from playwright import sync_api as playwright  # noqa: E402
from served_space import MAINTAINERS, serving_space  # noqa: E402
from stored_runs import passes, sending, written_run  # noqa: E402
from submitted_runs import kept_run  # noqa: E402

from evaluate_shelf.quickstart import shipped_release  # noqa: E402
from evaluate_shelf.submissions.pack import pack_run  # noqa: E402
from evaluate_shelf.submissions.records import Passed  # noqa: E402
from evaluate_shelf.submissions.store import Store  # noqa: E402
from space.app import space_app  # noqa: E402
from space.serving.people import MAINTAINER_VARIABLE  # noqa: E402
from space.static_site import write_site  # noqa: E402

expect = playwright.expect
SECONDS = 120_000.0
REASON = "too large <b>for us</b>: see /tmp/x and `y`"


class SpaceVisit(SiteVisit):
    """A page of the served Space; that an answer refuses something is no complaint."""

    address = ""

    def is_complaint(self, message: playwright.ConsoleMessage) -> bool:
        refusal = re.search(r"status of (4\d\d|503)", message.text)
        return super().is_complaint(message) and refusal is None

    def at(self, page: str) -> playwright.Page:
        self.page.goto(f"{self.address}/{page}")
        self.ready()
        return self.page

    def send(self, archive: Path) -> playwright.Locator:
        """Send an archive; gives what is said of it."""
        page = self.at("submit.html")
        page.get_by_label("Archive", exact=True).set_input_files(archive)
        page.get_by_role("button", name="Check and send it").click()
        said = page.locator("#send-run ~ form .outcome")
        expect(said.locator(".notice")).to_be_visible(timeout=SECONDS)
        return said


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("space")


@pytest.fixture(scope="module")
def store(folder: Path) -> Store:
    return Store.create(folder / "store")


@pytest.fixture(scope="module")
def address(folder: Path, store: Store) -> Iterator[str]:
    ours = kept_run("tf")
    shutil.copytree(ours, folder / "runs" / ours.parent.name / ours.name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MAINTAINER_VARIABLE, MAINTAINERS)
        space = space_app(str(folder / "runs"), store=store.folder, data=[str(shipped_release())])
        with serving_space(space) as address:
            yield address


@pytest.fixture
def visit(address: str, browser: playwright.Browser) -> Iterator[SpaceVisit]:
    with visiting(browser) as plain:
        visit = SpaceVisit(plain.page)
        visit.address = address
        yield visit
        assert visit.complaints == []
        assert {url.split("/")[2] for url in visit.addresses} == {address.split("/")[2]}


@pytest.fixture(scope="module")
def archive(folder: Path) -> Path:
    return pack_run(kept_run("wordllama"), folder / "wordllama.zip").path


def _forged(archive: Path, folder: Path) -> Path:
    """The same archive with one byte changed in the items of a task."""
    forged = folder / "forged.zip"
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(forged, "w") as new:
        for name in old.namelist():
            data = bytearray(old.read(name))
            if name.startswith("items/"):
                data[len(data) // 2] ^= 1
            new.writestr(name, bytes(data))
    return forged


def test_a_run_goes_from_the_upload_into_the_table_and_out_again(
    visit: SpaceVisit, store: Store, archive: Path
) -> None:
    said = visit.send(archive)
    expect(said).to_contain_text("joins the table in a moment, as unverified")
    code = said.locator(".code").inner_text()
    row = visit.page.locator("#sent tbody tr", has_text="wordllama")
    expect(row).to_have_attribute("data-state", "unverified")
    expect(row).to_contain_text("no name")
    identity = row.get_attribute("data-id") or ""
    assert store.run_folder(identity).is_dir()

    one = f"submit.html?kind=run&submission={identity}"
    board = visit.page.get_by_role("link", name="on its board")
    for _ in range(200):
        visit.at(one)
        if board.count():
            break
        visit.page.wait_for_timeout(200)
    scores = visit.page.locator("#one table tbody tr")
    assert scores.count() == 3
    for cells in [line.locator("td").all_inner_texts() for line in scores.all()]:
        assert cells[1] == cells[2]
        # The metric by its name, with help where it stands.
        assert "_" not in cells[0]
        assert cells[0].endswith("?")
    board.click()
    visit.ready()
    shown = visit.page.locator("#table > .scroller tbody tr", has_text="wordllama")
    expect(shown).to_have_count(1)
    apart = visit.page.locator("#table > .scroller tbody.apart")
    assert apart.locator(".name").all_text_contents() == ["wordllama"]
    assert "tf" in visit.models()
    visit.at(one)
    visit.page.get_by_role("link", name="on its model’s page").click()
    visit.ready()
    expect(visit.page.locator("main h1")).to_contain_text("wordllama")

    visit.at(one)
    field = visit.page.get_by_label("The code that was shown")
    # This tab has sent it, so that it knows the code.
    expect(field).to_have_value(code)
    button = visit.page.get_by_role("button", name="Withdraw it")
    field.fill("A" * 24)
    button.click()
    expect(visit.page.get_by_role("alert")).to_contain_text("Only who sent it")
    field.fill(code)
    button.click()
    expect(visit.page.locator("#one")).to_have_attribute("data-state", "withdrawn")
    expect(button).to_have_count(0)
    assert not store.run_folder(identity).exists()
    for _ in range(200):
        visit.at("index.html?facet=all&unverified=yes")
        if "wordllama" not in visit.models():
            break
        visit.page.wait_for_timeout(200)
    assert "wordllama" not in visit.models()


def test_a_refused_run_says_why_and_leaves_nothing(
    visit: SpaceVisit, store: Store, archive: Path, tmp_path: Path
) -> None:
    before = sorted(store.folder.glob("runs/*"))
    said = visit.send(_forged(archive, tmp_path))
    # The name of a file stays as it is where a sentence begins with it.
    expect(said.get_by_role("alert")).to_contain_text(re.compile(r"^items/.*not the file that"))
    visit.page.get_by_role("button", name="Read it again").click()
    expect(visit.page.locator("#sent tbody tr[data-state=refused]")).to_have_count(0)
    assert sorted(store.folder.glob("runs/*")) == before
    assert list(store.folder.glob("scratch/*")) == []
    (tmp_path / "text.zip").write_text("no archive")
    expect(visit.send(tmp_path / "text.zip").get_by_role("alert")).to_contain_text("Not a zip")


def test_a_model_is_asked_for_and_refused_by_a_maintainer(visit: SpaceVisit) -> None:
    page = visit.at("submit.html")
    name = page.locator("#model-name")
    for wrong in ("no model", HOSTILE[0]):
        name.fill(wrong)
        page.get_by_role("button", name="Put it into the queue").click()
        expect(page.get_by_role("alert")).to_contain_text("a model is named owner/name")
    name.fill("intfloat/e5-small")
    page.get_by_role("button", name="Put it into the queue").click()
    page.get_by_role("link", name="What becomes of it").click()
    expect(page.locator("#one")).to_have_attribute("data-state", "queued")
    expect(page.locator("#events")).to_contain_text("Asked for")

    page.get_by_text("For maintainers").click()
    page.get_by_label("Decision").select_option("refuse")
    page.get_by_label("Token").fill("a guess of a token that is none")
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_role("alert")).to_contain_text("A reason is missing")
    page.get_by_label("Reason, to refuse").fill(REASON)
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_role("alert")).to_contain_text("token of a maintainer")
    page.get_by_label("Token").fill(MAINTAINERS)
    page.get_by_role("button", name="Decide").click()
    expect(page.locator("#one")).to_have_attribute("data-state", "failed")
    # As it was written: no capital, no full stop.
    expect(page.locator("#one dd", has_text=REASON)).to_have_text(REASON)
    expect(page.locator("#events .quiet", has_text=REASON)).to_have_text(REASON)
    visit.at("submit.html")
    expect(page.locator("#sent .reason", has_text=REASON)).to_have_text(REASON)


def test_names_of_strangers_are_texts(visit: SpaceVisit, store: Store, tmp_path: Path) -> None:
    sent = []
    for number, name in enumerate(HOSTILE):
        run = tmp_path / str(number)
        run.mkdir()
        written_run(run, name, spec=name, revision=name)
        digest = f"{number:064x}"
        sent.append(store.receive(sending(run), digest=digest, user="ann", check=passes))
    page = visit.at("submit.html")
    shown = page.locator("#sent tbody th a").all_inner_texts()
    assert {" ".join(name.split()) for name in HOSTILE} <= {" ".join(own.split()) for own in shown}
    for own in sent:
        visit.at(f"submit.html?kind=run&submission={own.id}")
        assert own.run is not None
        assert page.locator("main h1").inner_text().split() == own.run.model.split()
        assert page.evaluate("window.ran") is None
        assert page.locator("main img, main script").count() == 0
        store.refuse(own.id, f"{HOSTILE[0]} {HOSTILE[1]}", "eve")
    visit.at("submit.html")
    assert page.evaluate("window.ran") is None
    assert page.locator("main img, main script").count() == 0


@pytest.mark.parametrize("link", ["?submission=x", f"?submission={'0' * 64}", "?kind=other"])
def test_a_link_that_names_nothing_says_so(visit: SpaceVisit, link: str) -> None:
    page = visit.at(f"submit.html{link}")
    if "submission" in link:
        expect(page.get_by_role("alert")).to_be_visible()
        page.get_by_role("link", name="All submissions").click()
    expect(page.get_by_role("heading", name="Send a run")).to_be_visible()


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1440])
def test_axe_finds_nothing_and_nothing_is_cut_off(
    address: str, store: Store, browser: playwright.Browser, dark: bool, width: int, tmp_path: Path
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    run = tmp_path / "run"
    run.mkdir()
    own = store.receive(sending(written_run(run)), digest="f" * 64, user="ann", check=passes)
    with visiting(browser, dark=dark, width=width) as visit:
        for page in ("submit.html", f"submit.html?kind=run&submission={own.id}"):
            visit.page.goto(f"{address}/{page}")
            visit.ready()
            for closed in visit.page.locator("details").all():
                closed.evaluate("one => { one.open = true }")
            found = axe.run(visit.page).response["violations"]
            assert [(one["id"], one["nodes"][0]["html"]) for one in found] == [], page
            assert visit.page.evaluate("document.documentElement.scrollWidth") == width


def test_the_keyboard_alone_sends_a_model(visit: SpaceVisit) -> None:
    page = visit.at("submit.html")
    page.get_by_label("Archive", exact=True).focus()
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "model-name":
            break
    page.keyboard.type("BAAI/bge-small-en-v1.5")
    page.keyboard.press("Enter")
    expect(page.locator(".notice.done")).to_contain_text("waits for a worker")
    page.keyboard.type("BAAI/bge-small-en-v1.5")
    page.keyboard.press("Enter")
    said = "it was here before; it waits for a worker."
    expect(page.locator(".notice.done")).to_contain_text(said)


def test_what_was_pointed_out_is_no_longer_to_be_looked_at_once_it_is_decided(
    visit: SpaceVisit, store: Store, tmp_path: Path
) -> None:
    flag = "equal to `other`"
    held = store.receive(
        sending(written_run(tmp_path, "owner/held")),
        digest="e" * 64,
        user="ann",
        check=lambda _: Passed(flags=(flag,)),
    )
    link = f"submit.html?kind=run&submission={held.id}"
    page = visit.at(link)
    expect(page.get_by_text("To be looked at", exact=True)).to_be_visible()
    store.accept(held.id, "eve")
    visit.at(link)
    expect(page.get_by_text("To be looked at", exact=True)).to_have_count(0)
    expect(page.get_by_text("Was pointed out", exact=True)).to_be_visible()


def test_a_static_site_has_no_forms_and_asks_nobody(
    browser: playwright.Browser, tmp_path: Path
) -> None:
    write_site(hostile_aggregate(3, 2), tmp_path / "site")
    with visiting(browser) as visit:
        visit.open(tmp_path / "site", "submit.html")
        assert visit.page.locator("#submission-forms > *").count() == 0
        assert visit.page.get_by_role("heading", name="A run that you made").is_visible()
        assert not [url for url in visit.addresses if "submissions" in url]
        assert visit.complaints == []


def test_a_page_of_older_results_takes_in_no_newer_data(
    address: str, browser: playwright.Browser
) -> None:
    with visiting(browser) as visit:
        visit.page.goto(f"{address}/index.html?facet=all")
        visit.ready()
        visit.page.evaluate("SHELF_DATA.state = 'older'")
        with visit.page.expect_navigation():
            visit.page.evaluate("void SHELF.load('pairs-0').catch(() => {})")
        visit.ready()
        assert visit.page.url == f"{address}/index.html?facet=all"
        assert visit.page.evaluate("SHELF_DATA.state") != "older"
        visit.page.evaluate("SHELF.load('pairs-0')")
