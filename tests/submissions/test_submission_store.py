from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from stored_runs import DIGEST, Clock, passes, sent, store_in, written_run

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.submissions.holdings import DATABASE
from evaluate_shelf.submissions.records import KEPT, LISTED, MOVES, NOBODY, Passed
from evaluate_shelf.submissions.refusals import Refused
from evaluate_shelf.submissions.run_files import content_id
from evaluate_shelf.submissions.store import Store


def refuses(_: Path) -> Passed:
    raise Refused("scores.parquet, row 0, field 'value': above what the items give")


def test_a_run_that_passes_is_unverified_and_on_the_disk(store: Store, run: Path) -> None:
    submission = sent(store, run)
    assert submission.state == "unverified"
    assert submission.id == content_id(run)
    [accepted] = store.accepted_runs()
    assert (accepted.status, accepted.user) == ("unverified", "ann")
    assert content_id(accepted.folder) == submission.id
    assert submission.run is not None
    assert submission.run.model == "owner/name"
    assert [event.state for event in store.events(submission.id)] == ["unverified"]


def test_the_same_run_twice_is_one_submission_and_is_checked_once(store: Store, run: Path) -> None:
    first = sent(store, run)
    again = sent(store, run, "ben", check=refuses)
    assert again == first
    assert len(store.submissions()) == 1


def test_nothing_of_a_refused_run_stays_but_hash_time_state_and_reason(
    store: Store, run: Path
) -> None:
    submission = sent(store, run, check=refuses)
    assert submission.state == "refused"
    assert submission.id == content_id(run)
    assert "above what the items give" in str(submission.reason)
    assert (submission.run, submission.found, submission.flags) == (None, {}, ())
    assert submission.user == NOBODY
    assert "ann" not in {event.who for event in store.events(submission.id)}
    assert store.newest(LISTED, most=10) == []
    assert store.get(submission.id) == submission
    assert not store.accepted_runs()
    files = [path.name for path in store.folder.rglob("*") if path.is_file()]
    assert sorted(files) == ["store.lock", DATABASE]


def test_what_no_run_can_be_got_out_of_is_refused_under_its_own_hash(store: Store) -> None:
    def fails(folder: Path) -> None:
        (folder / "half").write_text("x")
        raise Refused(f"{folder}/x.zip: not a zip archive")

    submission = store.receive(fails, digest=DIGEST, user="ann", check=passes)
    assert (submission.id, submission.state) == (DIGEST, "refused")
    # Where the store lies is nobody's business.
    assert submission.reason == "x.zip: not a zip archive"
    assert not list((store.folder / "scratch").iterdir())


def test_a_fault_of_the_check_is_no_refusal(store: Store, run: Path) -> None:
    def broken(_: Path) -> Passed:
        raise ShelfError("release: cannot be read")

    with pytest.raises(ShelfError, match="cannot be read"):
        sent(store, run, check=broken)
    assert not store.submissions()
    assert not list((store.folder / "scratch").iterdir())


def test_what_the_check_refused_may_be_sent_again(store: Store, run: Path) -> None:
    sent(store, run, check=refuses)
    assert sent(store, run).state == "unverified"


def test_what_a_maintainer_refused_stays_refused(store: Store, run: Path) -> None:
    identity = sent(store, run).id
    refused = store.refuse(identity, "not the model that it names", "maria")
    assert (refused.state, refused.reason) == ("refused", "not the model that it names")
    assert (refused.run, refused.found) == (None, {})
    assert not store.run_folder(identity).exists()
    assert sent(store, run) == refused
    assert not store.accepted_runs()


def test_a_flagged_run_waits_until_it_is_accepted(store: Store, run: Path) -> None:
    flagged = sent(store, run, check=lambda _: Passed(flags=("near-perfect",)))
    assert flagged.state == "received"
    assert not store.accepted_runs()
    assert store.accept(flagged.id, "maria").state == "unverified"
    [accepted] = store.accepted_runs()
    assert accepted.flags == ("near-perfect",)


def test_only_who_sent_a_run_can_withdraw_it(store: Store, run: Path) -> None:
    identity = sent(store, run).id
    with pytest.raises(ShelfError, match="only who sent it"):
        store.withdraw(identity, "ben")
    assert store.withdraw(identity, "ann").state == "withdrawn"
    assert not store.run_folder(identity).exists()
    assert not store.accepted_runs()
    assert sent(store, run, "ben").user == "ben"


@pytest.mark.parametrize(
    "act",
    [
        lambda store, identity: store.accept(identity, "maria"),
        lambda store, identity: store.withdraw(identity, "ann"),
        lambda store, identity: store.refuse(identity, "why", "maria"),
    ],
)
def test_what_is_refused_cannot_become_anything(store: Store, run: Path, act) -> None:  # type: ignore[no-untyped-def]
    identity = sent(store, run, check=refuses).id
    before = store.events(identity)
    with pytest.raises(ShelfError, match=r"is refused; it cannot become|only who sent it"):
        act(store, identity)
    assert store.events(identity) == before


def test_a_rerun_that_agrees_verifies(store: Store, run: Path, tmp_path: Path) -> None:
    identity = sent(store, run).id
    near = {"lcc_retrieval": 0.503, "lcc_clustering": 0.54}
    again = written_run(tmp_path / "again", scores=near)
    verified = store.verify(identity, again, "maria")
    assert (verified.state, verified.computed) == ("verified", False)
    [accepted] = store.accepted_runs()
    assert accepted.status == "verified"


@pytest.mark.parametrize(
    ("scores", "model", "why"),
    [
        ({"lcc_retrieval": 0.506, "lcc_clustering": 0.5}, {}, "do not agree: lcc_retrieval"),
        ({"lcc_retrieval": 0.5, "lcc_clustering": 0.56}, {}, "do not agree: lcc_clustering"),
        ({"lcc_retrieval": 0.5}, {}, "no score on lcc_clustering"),
        (None, {"revision": "1" * 40}, "weights"),
        (None, {"name": "other/name"}, "the model is another"),
        (None, {"settings": {"dim": 64}}, "settings"),
        (None, {"spec": "st:minilm"}, "string"),
        (None, {"spec": "owner/name,dim=64"}, "string"),
        (None, {}, "the submitted run itself"),
    ],
)
def test_a_rerun_that_does_not_agree_verifies_nothing(
    store: Store,
    run: Path,
    tmp_path: Path,
    scores,
    model,
    why: str,  # type: ignore[no-untyped-def]
) -> None:
    identity = sent(store, run).id
    with pytest.raises(ShelfError, match=why):
        store.verify(identity, written_run(tmp_path / "again", scores=scores, **model), "maria")
    assert store.get(identity).state == "unverified"


@pytest.mark.parametrize(
    ("of_sent", "of_again", "agrees"),
    [
        ("st:owner/name", f"st:owner/name@{'0' * 40}", True),
        ("hybrid:bm25+st:owner/name@main,dim=64", "hybrid:bm25+st:owner/name,dim=64", True),
        ("st:minilm", "tfidf", False),
        ("st:minilm", "st:minilm@main", False),
        ("st:owner/name", "st:owner/other", False),
        ("st:owner/name@main,dim=64", "st:owner/name", False),
    ],
)
def test_a_rerun_is_of_the_same_string_with_any_name_of_its_commit(
    store: Store, tmp_path: Path, of_sent: str, of_again: str, agrees: bool
) -> None:
    identity = sent(store, written_run(tmp_path / "sent", spec=of_sent)).id
    again = written_run(tmp_path / "again", spec=of_again, parameters=3)
    if agrees:
        assert store.verify(identity, again, "maria").state == "verified"
    else:
        with pytest.raises(ShelfError, match="string"):
            store.verify(identity, again, "maria")


def test_a_rerun_knows_when_the_documents_were_written(store: Store, tmp_path: Path) -> None:
    def written(folder: str, year: int | None) -> Path:
        place = written_run(tmp_path / folder)
        value = json.loads((place / "run.json").read_text())
        days = {"first": f"{year}-01-01", "last": None, "source": "s"}
        value["data"]["written"] = None if year is None else days
        (place / "run.json").write_text(json.dumps(value))
        return place

    identity = sent(store, written("sent", 2999)).id
    for folder, year in (("other", 2001), ("none", None)):
        with pytest.raises(ShelfError, match="time of the documents"):
            store.verify(identity, written(folder, year), "maria")
    silent = sent(store, written("silent", None)).id
    store.accept(silent, "maria")
    assert store.verify(silent, written("again", 2001), "maria").state == "verified"


def test_every_change_leaves_an_event_and_is_an_allowed_one(tmp_path: Path, run: Path) -> None:
    clock = Clock()
    store = store_in(tmp_path / "timed", clock)
    identity = sent(store, run, check=lambda _: Passed(flags=("near-perfect",))).id
    for act in (
        lambda: store.accept(identity, "maria"),
        lambda: store.verify(
            identity,
            written_run(tmp_path / "again", scores={"lcc_retrieval": 0.5, "lcc_clustering": 0.51}),
            "maria",
        ),
        lambda: store.withdraw(identity, "ann"),
        lambda: sent(store, run),
        lambda: store.refuse(identity, "why", "maria"),
    ):
        clock.forward(10)
        act()
    events = store.events(identity)
    assert [(e.was, e.state, e.who) for e in events] == [
        (None, "received", "ann"),
        ("received", "unverified", "maria"),
        ("unverified", "verified", "maria"),
        ("verified", "withdrawn", "ann"),
        ("withdrawn", "unverified", "ann"),
        ("unverified", "refused", "maria"),
    ]
    assert all((e.was, e.state, e.role) in MOVES for e in events)
    assert [e.at for e in events] == [1_000_000.0 + 10 * n for n in range(6)]
    assert all(e.why for e in events)


@pytest.mark.parametrize("user", ["", "a b", "=cmd", "<b>", "x" * 101, "a\n", "ä"])
def test_a_name_that_is_none_is_refused(store: Store, run: Path, user: str) -> None:
    with pytest.raises(ShelfError, match="user "):
        sent(store, run, user)


def test_the_same_run_from_many_threads_is_one_submission(store: Store, run: Path) -> None:
    start, found = threading.Barrier(8), []

    def send(number: int) -> None:
        start.wait()
        found.append(sent(store, run, f"user{number}"))

    threads = [threading.Thread(target=send, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({submission.user for submission in found}) == 1
    assert len(store.accepted_runs()) == 1
    assert [path.name for path in (store.folder / "runs").iterdir()] == [found[0].id]


def test_a_folder_without_a_row_is_swept_and_a_row_without_a_folder_is_named(
    store: Store, run: Path, tmp_path: Path
) -> None:
    kept = sent(store, run).id
    lost = sent(store, written_run(tmp_path / "lost", "other/name")).id
    (store.folder / "runs" / ("0" * 64)).mkdir()
    store.run_folder(lost).rename(tmp_path / "away")
    swept = store.sweep()
    assert swept.removed == 1
    assert swept.missing == (lost,)
    assert [path.name for path in (store.folder / "runs").iterdir()] == [kept]


def test_what_a_death_left_in_its_place_does_not_keep_a_run_out(store: Store, run: Path) -> None:
    place = store.folder / "runs" / content_id(run)
    place.mkdir(parents=True)
    (place / "run.json").write_text("half")
    assert content_id(store.run_folder(sent(store, run).id)) == content_id(run)


def test_the_scratch_of_a_living_process_is_not_swept(store: Store) -> None:
    with store.scratch() as folder:
        (folder / "x").write_text("x")
        Store.create(store.folder).sweep()
        assert (folder / "x").is_file()
    assert not folder.exists()


def test_a_folder_that_is_no_store_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(ShelfError, match="no store of submissions"):
        Store(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / DATABASE).write_bytes(b"anything at all, and more than a header")
    with pytest.raises(ShelfError, match=DATABASE):
        Store(tmp_path / "other")


def test_a_prefix_names_one_submission(store: Store, run: Path) -> None:
    identity = sent(store, run).id
    assert store.full_id(identity[:6]) == identity
    for prefix in (identity[:5], "zzzzzz", "%%%%%%", "0" * 64):
        with pytest.raises(ShelfError):
            store.full_id(prefix)


def test_states_that_are_kept_are_those_with_a_way_out() -> None:
    assert {was for was, state, role in MOVES if role == "submitter"} == KEPT
