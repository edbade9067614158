from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from stored_runs import passes, sending, store_in, written_run

from benchmarks.synthetic_aggregate import synthetic_aggregate
from evaluate_shelf.aggregate.file import write_aggregate
from evaluate_shelf.aggregate.schema import Aggregate
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.submissions.hub import LEADERBOARD
from evaluate_shelf.submissions.store import Store
from space.serving.renewal import Shown
from space.serving.site import Site, site_of
from space.serving.sources import Fixed, Runs, source_of

_LONGEST = 60.0


class Changing:
    """Results that a test changes: as many models as it says, or a failure."""

    seconds = None

    def __init__(self, models: int = 2) -> None:
        self.models = models
        self.fails = False
        self.made: list[int] = []
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def state(self) -> object:
        return self.models, self.fails

    def first(self) -> Aggregate:
        return synthetic_aggregate(self.models, 2)

    def whole(self) -> Aggregate:
        models, fails = self.models, self.fails
        self.made.append(models)
        assert self.may_go_on.wait(_LONGEST)
        if fails:
            raise ShelfError("more than an aggregate holds")
        return synthetic_aggregate(models, 2)


@pytest.fixture
def source() -> Changing:
    return Changing()


@pytest.fixture
def shown(source: Changing) -> Iterator[Shown]:
    made = Shown(source, pause=0.0)
    made.start()
    _await(lambda: source.made == [2])
    yield made
    made.close()


def _await(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + _LONGEST
    while not is_so():
        assert time.monotonic() < until
        threading.Event().wait(0.005)


def _models(site: Site) -> int:
    return site.pages["index.html"].plain().decode().count('<th scope="row">')


def test_newer_results_are_shown_and_the_old_ones_until_then(
    source: Changing, shown: Shown
) -> None:
    before = shown.site()
    source.may_go_on.clear()
    source.models = 5
    shown.renew()
    _await(lambda: source.made == [2, 5])
    assert shown.site() is before
    source.may_go_on.set()
    _await(lambda: shown.site() is not before)
    assert dict(shown.site().pages) == dict(site_of(synthetic_aggregate(5, 2)).pages)


def test_a_wish_without_newer_results_makes_nothing(source: Changing, shown: Shown) -> None:
    before = shown.site()
    shown.renew()
    source.models = 4
    shown.renew()
    _await(lambda: shown.site() is not before)
    assert set(source.made) == {2, 4}
    assert source.made.count(4) == 1


def test_wishes_that_come_together_are_one_site(source: Changing) -> None:
    shown = Shown(source, pause=0.3)
    shown.start()
    _await(lambda: source.made == [2])
    before = shown.site()
    for models in range(3, 9):
        source.models = models
        shown.renew()
    _await(lambda: shown.site() is not before)
    shown.close()
    assert source.made == [2, 8]


def test_a_failure_leaves_the_older_site_and_the_next_one_is_shown(
    source: Changing, shown: Shown, caplog: pytest.LogCaptureFixture
) -> None:
    before = shown.site()
    source.fails = True
    shown.renew()
    _await(lambda: "more than an aggregate holds" in caplog.text)
    assert shown.site() is before
    source.fails, source.models = False, 6
    shown.renew()
    _await(lambda: shown.site() is not before)
    assert dict(shown.site().pages) == dict(site_of(synthetic_aggregate(6, 2)).pages)


def _sent(store: Store, run: Path) -> str:
    digest = "a" * 64
    return store.receive(sending(run), digest=digest, user="ann", check=passes).id


def _statuses(aggregate: Aggregate) -> dict[str, str]:
    return {
        row.name: row.status
        for board in aggregate.boards
        if board.reported is None
        for row in board.rows
    }


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def test_runs_of_a_store_stand_beside_those_of_the_folder(tmp_path: Path) -> None:
    ours = written_run(_made(tmp_path / "runs" / "ours" / "1"), "ours")
    store = store_in(tmp_path / "store")
    source = source_of(str(tmp_path / "runs"), (), store)
    assert isinstance(source, Runs)
    states = [source.state()]
    assert _statuses(source.whole()) == {"ours": "computed"}
    theirs = _sent(store, written_run(_made(tmp_path / "theirs"), "theirs"))
    states.append(source.state())
    assert _statuses(source.whole()) == {"ours": "computed", "theirs": "unverified"}
    store.refuse(theirs, "no", "eve")
    states.append(source.state())
    assert _statuses(source.whole()) == {"ours": "computed"}
    assert states[0] == states[2] != states[1]
    assert ours.is_dir()


def test_a_refusal_is_no_newer_result(tmp_path: Path) -> None:
    store = store_in(tmp_path / "store")
    source = source_of(None, (), store)
    before = source.state()
    held = store.receive(
        sending(written_run(_made(tmp_path / "run"))),
        digest="b" * 64,
        user="ann",
        check=passes,
        hold=lambda _: True,
    )
    assert source.state() == before
    store.accept(held.id, "eve")
    assert source.state() != before


def test_a_run_whose_files_are_gone_is_left_out_and_said(tmp_path: Path) -> None:
    store = store_in(tmp_path / "store")
    identity = _sent(store, written_run(_made(tmp_path / "run")))
    (store.run_folder(identity) / "scores.parquet").unlink()
    made = source_of(None, (), store).whole()
    assert _statuses(made) == {}
    assert [line for line in made.left_out if identity[:12] in line]
    assert str(tmp_path) not in "".join(made.left_out)


def test_without_an_address_published_scores_are_shown() -> None:
    made = source_of(None).first()
    assert made.boards
    assert all(board.reported for board in made.boards)


def test_an_aggregate_is_shown_as_it_is_and_takes_no_submissions(tmp_path: Path) -> None:
    made = synthetic_aggregate(3, 2)
    file = write_aggregate(made, tmp_path / LEADERBOARD)
    for address in (str(file), str(tmp_path)):
        source = source_of(address)
        assert isinstance(source, Fixed)
        assert source.whole() == made
    store = store_in(tmp_path / "store")
    for address in (str(file), "hf://datasets/org/results"):
        with pytest.raises(ShelfError, match="takes no more runs"):
            source_of(address, (), store)


def test_the_runs_of_a_results_repository_can_be_shown_anew(tmp_path: Path) -> None:
    write_aggregate(synthetic_aggregate(3, 2), tmp_path / LEADERBOARD)
    written_run(_made(tmp_path / "runs" / "ours" / "1"), "ours")
    source = source_of(str(tmp_path), (), store_in(tmp_path / "store"))
    assert _statuses(source.whole()) == {"ours": "computed"}


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    for address in (str(tmp_path / "none"), str(tmp_path / "none.json"), "hf://models/x"):
        with pytest.raises(ShelfError):
            source_of(address)
