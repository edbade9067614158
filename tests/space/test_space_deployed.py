"""The folder as it is on the Hub: the root of its repository, and no package."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("gradio", reason="the extra `space` is not installed")

import chromium
import writable_hub as hubs
from loopback_server import serving
from made_site import visiting
from served_space import ZIP, free_port
from submitted_runs import copied_run, kept_run
from writable_hub import WritableHub, released

import evaluate_shelf
from benchmarks.synthetic_aggregate import synthetic_aggregate
from evaluate_shelf.aggregate.file import write_aggregate
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.submissions.pack import pack_run

SPACE = Path(__file__).parents[2] / "space"
NAME = "org/SHELF-results"
SECRET = "a secret of the Space's own"
SECONDS = 120.0

# Loaded before anything else: what a process asks for outside of this machine is written down.
_WATCH = """
import os, sys
def watch(event, arguments):
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event == "socket.connect" and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:
        return
    host = host.decode() if isinstance(host, bytes) else host
    if host not in (None, "", "localhost", "127.0.0.1", "0.0.0.0", "::1", "::"):
        with open(os.environ["WATCHED"], "a") as out:
            out.write(f"{event} {host}\\n")
sys.addaudithook(watch)
"""


def _front_matter() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((SPACE / "README.md").read_text("utf-8").split("---")[1])
    return found


def _requirements() -> dict[str, str]:
    lines = (SPACE / "requirements.txt").read_text("utf-8").split()
    return dict(line.split("==") for line in lines)


def test_what_is_needed_is_pinned_to_what_is_tested() -> None:
    import gradio

    found = _requirements()
    assert found["evaluate-shelf"] == evaluate_shelf.__version__
    assert found["gradio[oauth]"] == _front_matter()["sdk_version"] == gradio.__version__


def test_the_front_matter_is_what_the_hub_takes() -> None:
    found = _front_matter()
    assert (SPACE / found["app_file"]).is_file()
    assert found["sdk"] == "gradio"
    assert tuple(map(int, found["python_version"].split("."))) >= (3, 11)
    colours = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
    assert {found["colorFrom"], found["colorTo"]} <= colours
    assert len(found["short_description"]) <= 60
    assert found["hf_oauth"] is True
    # Enough to open a pull request in a user's name, and not to write.
    assert found["hf_oauth_scopes"] == ["write-discussions"]


@contextmanager
def _deployed(folder: Path, **environment: str) -> Iterator[str]:
    """A copy of the Space's folder, run as the Hub does; gives its address."""
    shutil.copytree(SPACE, folder / "app", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "tmp").mkdir()
    site = folder / "site-packages"
    site.mkdir()
    (site / "sitecustomize.py").write_text(_WATCH)
    root = Path(evaluate_shelf.__file__).parents[1]
    for name in ("evaluate_shelf", "configs"):
        (site / name).symlink_to(root / name)
    port = str(free_port())
    kept = ("PATH", "LANG", "VIRTUAL_ENV")
    settings = {
        **{name: os.environ[name] for name in kept if name in os.environ},
        "PYTHONPATH": str(site),
        "GRADIO_SERVER_PORT": port,
        "HOME": str(folder),
        "HF_HOME": str(folder / "hf"),
        "TMPDIR": str(folder / "tmp"),
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_XET": "1",
        "WATCHED": str(folder / "watched.txt"),
        **environment,
    }
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "app.py"],
            cwd=folder / "app",
            env=settings,
            stdout=log,
            stderr=log,
        )
        address = f"http://127.0.0.1:{port}"
        try:
            _await(address, process, folder / "log.txt")
            yield address
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise
        assert [own.name for own in (folder / "tmp").iterdir() if "shelf" in own.name] == []


def _await(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        assert process.poll() is None, log.read_text("utf-8")
        try:
            urllib.request.urlopen(address, timeout=5)
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail(log.read_text("utf-8"))


def _asked(address: str, **options: Any) -> tuple[int, Any]:
    request = urllib.request.Request(address, **options)
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.mark.slow
def test_it_runs_by_itself_and_asks_nobody_for_anything(tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()
    with _deployed(tmp_path / "place") as address:
        page = urllib.request.urlopen(f"{address}/index.html").read().decode()
        assert "Leaderboard" in page
        service = _asked(f"{address}/submissions/service")[1]
        assert [service[name] for name in ("runs", "models", "sign_in")] == [False] * 3
    assert not (tmp_path / "place" / "watched.txt").exists()


@pytest.mark.slow
def test_what_is_missing_ends_it_with_a_sentence(tmp_path: Path) -> None:
    environment = {**os.environ, "SHELF_RESULTS": str(tmp_path / "none"), "PYTHONPATH": ""}
    environment["PYTHONPATH"] = str(Path(evaluate_shelf.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "app.py"], cwd=SPACE, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("shelf: ")
    assert "Traceback" not in done.stderr


class _NamingHandler(hubs._WritingHandler):
    """Says who a token is of, as Gradio asks for it."""

    def _route(self) -> None:
        if self.path != "/api/whoami-v2":
            return super()._route()
        role = self._role
        name = self.headers.get("Authorization", "").removeprefix("Bearer hf_of_")
        values = {"type": "user", "name": name, "fullname": name, "avatarUrl": "", "orgs": []}
        return self._send_json(HTTPStatus.OK if role else HTTPStatus.UNAUTHORIZED, values)


@contextmanager
def _results_hub(folder: Path) -> Iterator[WritableHub]:
    """A Hub with a results repository that has a leaderboard."""
    hub = WritableHub("", {}, [])
    with serving(lambda *arguments: _NamingHandler(hub, *arguments)) as hub.url:
        repository = hub.create(NAME)
        (folder / "repository").mkdir()
        file = folder / "repository" / "leaderboard.json.gz"
        write_aggregate(synthetic_aggregate(4, 2), file)
        repository.commit(folder / "repository")
        yield hub


def _cookie(name: str, token: str) -> str:
    """The session of somebody who has signed in, as Gradio keeps it."""
    itsdangerous = pytest.importorskip("itsdangerous")
    key = hashlib.sha256(f"{SECRET}-v4".encode()).hexdigest()
    info = {
        "access_token": token,
        "scope": "openid profile write-discussions",
        "expires_at": int(time.time()) + 3600,
        "userinfo": {"preferred_username": name, "name": name, "profile": "", "picture": ""},
    }
    value = b64encode(json.dumps({"oauth_info": info}).encode())
    signed = itsdangerous.TimestampSigner(key).sign(value).decode()
    return f"session={signed}"


_Sent = Callable[[int], tuple[int, Any]]


@pytest.mark.slow
def test_on_the_hub_eight_send_at_once_in_their_own_names(tmp_path: Path) -> None:
    pytest.importorskip("authlib", reason="gradio[oauth] is not installed")
    archives = []
    for number in range(8):
        run = copied_run(tmp_path / f"copy-{number}", tasks=("same_lcc_pairs",))
        # Seconds are as claimed, so that each is another submission of the same run.
        file = json.loads((run / "run.json").read_text("utf-8"))
        file["tasks"]["same_lcc_pairs"]["seconds"] = number + 1.0
        (run / "run.json").write_text(json.dumps(file), encoding="utf-8")
        archives.append(pack_run(run, tmp_path / f"{number}.zip").path.read_bytes())
    (tmp_path / "place").mkdir()
    with (
        _results_hub(tmp_path) as hub,
        _deployed(
            tmp_path / "place",
            SYSTEM="spaces",
            SPACE_ID="org/space",
            SPACE_HOST="org-space.hf.space",
            OAUTH_CLIENT_ID="client",
            OAUTH_CLIENT_SECRET=SECRET,
            OAUTH_SCOPES="openid profile write-discussions",
            OPENID_PROVIDER_URL=hub.url,
            HF_ENDPOINT=hub.url,
            SHELF_RESULTS=f"hf://datasets/{NAME}",
            SHELF_DATA=str(shipped_release()),
        ) as address,
    ):
        hub.tokens = {f"hf_of_user-{n}": "read" for n in range(8)}
        repository = hub.repositories[NAME]

        def send(number: int, cookie: str) -> tuple[int, Any]:
            headers = {**ZIP, "Cookie": cookie, "X-Forwarded-For": f"203.0.114.{number}"}
            return _asked(f"{address}/submissions/runs", data=archives[number], headers=headers)

        assert send(0, "")[0] == 401
        forged = _cookie("user-0", "hf_of_user-0")[:-1]
        assert send(0, forged)[0] == 401
        assert send(0, _cookie("user-x", "hf_of_user-x"))[0] == 400
        assert repository.pull_requests == {}

        cookies = [_cookie(f"user-{n}", f"hf_of_user-{n}") for n in range(8)]
        service = _asked(f"{address}/submissions/service", headers={"Cookie": cookies[3]})[1]
        assert (service["user"], service["results"], service["store"]) == ("user-3", NAME, False)
        # Whoever asks is not told where the release lies on this machine.
        assert service["releases"] == [shipped_release().name]
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(send, range(8), cookies))
        assert [status for status, _ in answers] == [201] * 8
        addresses = {found["pull_request"] for _, found in answers}
        assert addresses == {f"{hub.url}/datasets/{NAME}/discussions/{n + 1}" for n in range(8)}
        sent = []
        for number in repository.pull_requests:
            files = released(repository.commits[repository.references[f"refs/pr/{number}"]])
            [name] = [path for path in files if path.endswith("/run.json")]
            sent.append(json.loads(files[name])["tasks"]["same_lcc_pairs"]["seconds"])
        assert sorted(sent) == [number + 1.0 for number in range(8)]
        again = send(0, cookies[0])
        assert (again[0], again[1]["known"]) == (200, True)
        # The Space itself has asked for nothing with a right to write.
        assert not [
            asked for asked in hub.writes if "create_pr=1" not in asked and "commit" in asked
        ]
    log = (tmp_path / "place" / "log.txt").read_text("utf-8")
    assert not re.search(r"hf_of_user-\d|session=", log)
    assert not (tmp_path / "place" / "watched.txt").exists()


@pytest.mark.slow
def test_here_one_signs_in_as_whom_this_machines_token_is_of(tmp_path: Path) -> None:
    pytest.importorskip("authlib", reason="gradio[oauth] is not installed")
    archive = pack_run(kept_run(tasks=("same_lcc_pairs",)), tmp_path / "run.zip").path.read_bytes()
    (tmp_path / "place").mkdir()
    with _results_hub(tmp_path) as hub:
        hub.tokens = {"hf_of_ann": "read"}
        with _deployed(
            tmp_path / "place",
            HF_ENDPOINT=hub.url,
            HF_TOKEN="hf_of_ann",
            SHELF_RESULTS=f"hf://datasets/{NAME}",
            SHELF_DATA=str(shipped_release()),
        ) as address:
            status, _ = _asked(f"{address}/submissions/runs", data=archive, headers=ZIP)
            assert status == 401
            opener = urllib.request.build_opener(_NoRedirect)
            callback = f"{address}/login/callback?_target_url=/submit.html"
            with pytest.raises(urllib.error.HTTPError) as redirected:
                opener.open(callback)
            assert redirected.value.headers["location"] == "/submit.html"
            cookie = redirected.value.headers["set-cookie"].partition(";")[0]
            headers = {**ZIP, "Cookie": cookie}
            service = _asked(f"{address}/submissions/service", headers={"Cookie": cookie})[1]
            assert service["user"] == "ann"
            status, found = _asked(f"{address}/submissions/runs", data=archive, headers=headers)
            assert (status, found["submission"]) == (201, None)
            assert list(hub.repositories[NAME].pull_requests) == [1]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


@pytest.mark.slow
def test_signed_in_on_the_page_one_proposes_a_run(tmp_path: Path) -> None:
    pytest.importorskip("authlib", reason="gradio[oauth] is not installed")
    pytest.importorskip("playwright", reason="playwright is not installed")
    if chromium._CHROMIUM is None:
        pytest.skip("no chromium executable; SHELF_CHROMIUM may name one")
    archive = pack_run(kept_run(tasks=("same_lcc_pairs",)), tmp_path / "run.zip").path
    (tmp_path / "place").mkdir()
    with _results_hub(tmp_path) as hub:
        hub.tokens = {"hf_of_ann": "read"}
        with (
            _deployed(
                tmp_path / "place",
                HF_ENDPOINT=hub.url,
                HF_TOKEN="hf_of_ann",
                SHELF_RESULTS=f"hf://datasets/{NAME}",
                SHELF_DATA=str(shipped_release()),
            ) as address,
            chromium.opened_browser() as browser,
            visiting(browser) as visit,
        ):
            page = visit.page
            page.goto(f"{address}/submit.html")
            page.get_by_text("Sign in first.").wait_for()
            assert page.get_by_label("Archive", exact=True).count() == 0
            page.get_by_role("link", name="Sign in with Hugging Face").click()
            page.get_by_text("You are signed in as ann").wait_for()
            page.get_by_label("Archive", exact=True).set_input_files(archive)
            page.get_by_role("button", name="Check and send it").click()
            link = page.get_by_role("link", name="a pull request")
            link.wait_for(timeout=SECONDS * 1000)
            assert link.get_attribute("href") == f"{hub.url}/datasets/{NAME}/discussions/1"
            page.get_by_role("link", name="Sign out").click()
            page.get_by_text("Sign in first.").wait_for()
            assert visit.complaints == []
            assert {url.split("/")[2] for url in visit.addresses} == {address.split("/")[2]}
