from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from submitted_runs import kept_run
from writable_hub import READER, WritableHub, WritableRepository, released, writable_hub

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.runs.names import safe_name
from evaluate_shelf.submissions.checking import Checked, checked
from evaluate_shelf.submissions.hub import Proposal, Results, head_of, proposed, results_of

NAME = "org/SHELF-results"
RESULTS = Results(NAME, None)


@pytest.fixture(scope="module")
def run() -> Path:
    return kept_run()


@pytest.fixture(scope="module")
def found(run: Path) -> Checked:
    return checked(run, [shipped_release()])


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    with writable_hub() as hub:
        hub.create(NAME)
        yield hub


@pytest.fixture
def repository(hub: WritableHub) -> WritableRepository:
    return hub.repositories[NAME]


def _proposed(hub: WritableHub, run: Path, found: Checked, token: str = READER) -> Proposal:
    return proposed(run, found, RESULTS, token, endpoint=hub.url, flags=["it is too good"])


def _of(found: Checked, name: str) -> Checked:
    """The same run, as of another model."""
    model = found.file.model.model_copy(update={"name": name})
    file = found.file.model_copy(update={"model": model})
    return replace(found, file=file, content_sha256=name.encode().hex().ljust(64, "0"))


def test_a_run_becomes_a_pull_request_of_its_files(
    hub: WritableHub, repository: WritableRepository, run: Path, found: Checked
) -> None:
    before = repository.head
    made = _proposed(hub, run, found)
    assert (made.number, made.known) == (1, False)
    assert made.address == f"{hub.url}/datasets/{NAME}/discussions/1"
    assert repository.head == before
    place = f"runs/{safe_name(found.file.model.name)}/{found.file.run_id}"
    files = released(repository.commits[repository.references["refs/pr/1"]])
    assert files == {
        f"{place}/{path.relative_to(run).as_posix()}": path.read_bytes()
        for path in run.rglob("*")
        if path.is_file()
    }


def test_the_same_files_are_proposed_once(
    hub: WritableHub, repository: WritableRepository, run: Path, found: Checked
) -> None:
    first = _proposed(hub, run, found)
    again = _proposed(hub, run, found)
    assert (again.number, again.known) == (first.number, True)
    assert len(repository.pull_requests) == 1


def test_a_run_that_is_merged_is_not_proposed(
    hub: WritableHub, repository: WritableRepository, run: Path, found: Checked
) -> None:
    _proposed(hub, run, found)
    repository.references["main"] = repository.references["refs/pr/1"]
    repository.pull_requests.clear()
    with pytest.raises(ShelfError, match="already"):
        _proposed(hub, run, found)


def test_eight_who_send_at_once_are_all_there(
    hub: WritableHub, repository: WritableRepository, run: Path, found: Checked
) -> None:
    hub.tokens.update({f"hf_of_{n}": "read" for n in range(8)})
    names = [f"owner/model-{n}" for n in range(8)]

    def send(n: int) -> Proposal:
        return _proposed(hub, run, _of(found, names[n]), f"hf_of_{n}")

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(send, range(8)))
    assert sorted(own.number or 0 for own in made) == list(range(1, 9))
    assert not [own for own in made if own.known]
    for n, own in enumerate(made):
        files = released(repository.commits[repository.references[f"refs/pr/{own.number}"]])
        place = f"runs/{safe_name(names[n])}/{found.file.run_id}/"
        assert len(files) == len(found.file.files) + 1
        assert all(path.startswith(place) for path in files)


@pytest.mark.parametrize("token", ["hf_of_nobody", "hf_secret"])
def test_a_token_that_may_not_is_said_and_not_shown(
    hub: WritableHub, repository: WritableRepository, run: Path, found: Checked, token: str
) -> None:
    with pytest.raises(ShelfError, match="sign in again") as refused:
        _proposed(hub, run, found, token)
    assert token not in str(refused.value)
    assert refused.value.__cause__ is None
    assert not repository.pull_requests


def test_a_hub_that_is_down_or_knows_nothing_is_said(
    hub: WritableHub, run: Path, found: Checked
) -> None:
    with pytest.raises(ShelfError, match="no such dataset repository"):
        proposed(run, found, Results("org/none", None), READER, endpoint=hub.url)
    with pytest.raises(ShelfError, match="cannot be reached"):
        proposed(run, found, RESULTS, READER, endpoint="http://127.0.0.1:1")
    with pytest.raises(ShelfError, match="no such dataset repository"):
        head_of(Results("org/none", None), endpoint=hub.url)


def test_the_head_moves_with_what_is_merged(
    hub: WritableHub, repository: WritableRepository, tmp_path: Path
) -> None:
    before = head_of(RESULTS, endpoint=hub.url)
    assert before == repository.head
    (tmp_path / "leaderboard.json.gz").write_bytes(b"x")
    repository.commit(tmp_path)
    assert head_of(RESULTS, endpoint=hub.url) == repository.head != before


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("hf://datasets/org/results", Results("org/results", None)),
        ("hf://datasets/org/results/", Results("org/results", None)),
        ("hf://datasets/org/results@main", Results("org/results", "main")),
        ("hf://datasets/org/results/leaderboard.json", None),
        ("hf://datasets/org", None),
        ("hf://datasets/../results", None),
        ("hf://models/org/results", None),
        ("https://huggingface.co/datasets/org/results", None),
        ("runs", None),
        ("", None),
    ],
)
def test_an_address_names_a_results_repository_or_none(
    address: str, expected: Results | None
) -> None:
    assert results_of(address) == expected
    if expected is not None:
        assert expected.leaderboard("c" * 40).endswith(f"results@{'c' * 40}/leaderboard.json.gz")
