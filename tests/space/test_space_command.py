from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from stored_runs import written_run

pytest.importorskip("gradio", reason="the extra `space` is not installed")

from served_space import free_port, serving_space

from benchmarks.synthetic_aggregate import synthetic_aggregate
from evaluate_shelf.aggregate.file import write_aggregate
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.submissions.holdings import DATABASE
from space.app import Space, space_app
from space.serving.people import MAINTAINER_VARIABLE

ROOT = Path(__file__).parents[2]


def _command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "evaluate_shelf", "space", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(write_aggregate(synthetic_aggregate(2, 2), tmp_path / "shown.json"))


@pytest.mark.slow
def test_a_wrong_command_ends_with_a_sentence(tmp_path: Path, file: str) -> None:
    store = str(tmp_path / "store")
    release = str(shipped_release())
    (tmp_path / "text").write_text("no folder")
    wrong: list[tuple[list[str], dict[str, str], str]] = [
        (["--store", store], {}, "--store needs --data"),
        ([file, "--store", store, "--data", release], {}, "takes no more runs"),
        (["--static", str(tmp_path / "site"), "--store", store], {}, "take no submissions"),
        ([str(tmp_path / "none")], {}, "none"),
        ([file, "--data", str(tmp_path / "none")], {}, "none"),
        ([file], {MAINTAINER_VARIABLE: "short"}, MAINTAINER_VARIABLE),
    ]
    for arguments, environment, said in wrong:
        done = _command(*arguments, **environment)
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        assert said in done.stderr
        assert "Traceback" not in done.stderr


def test_a_taken_port_is_said(file: str) -> None:
    space = space_app(file)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        with pytest.raises(ShelfError, match="is taken; choose another with --port"):
            space.start(listener.getsockname()[1])
    space.close()


def test_it_listens_on_this_machine_alone(file: str) -> None:
    port = free_port()
    space = space_app(file)
    space.start(port)
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10):
            pass
        others = {entry[4][0] for entry in socket.getaddrinfo(socket.gethostname(), port)}
        for other in others - {"127.0.0.1", "127.0.1.1", "::1"}:
            with pytest.raises(OSError), socket.create_connection((other, port), timeout=2):  # noqa: PT011
                pass
    finally:
        space.close()


def test_a_store_is_made_where_there_is_none(tmp_path: Path) -> None:
    run = tmp_path / "runs" / "ours" / "1"
    run.mkdir(parents=True)
    written_run(run, "ours")
    space = space_app(
        str(tmp_path / "runs"), store=tmp_path / "store", data=[str(shipped_release())]
    )
    assert isinstance(space, Space)
    assert (tmp_path / "store" / DATABASE).is_file()
    with serving_space(space) as address:
        assert address.startswith("http://127.0.0.1:")


def test_a_folder_of_runs_becomes_a_static_site_too(tmp_path: Path) -> None:
    run = tmp_path / "runs" / "ours" / "1"
    run.mkdir(parents=True)
    written_run(run, "ours")
    done = _command(str(tmp_path / "runs"), "--static", str(tmp_path / "site"))
    assert done.returncode == 0, done.stderr
    assert "ours" in (tmp_path / "site" / "index.html").read_text("utf-8")
