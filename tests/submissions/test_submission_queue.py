from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from stored_runs import TARGET, Clock, store_in, written_run

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.submissions.job_records import JOB_MOVES, Claim, Job, Target, hub_model
from evaluate_shelf.submissions.leases import LONGEST_WAIT, LeaseLostError, Leases, SameJobError
from evaluate_shelf.submissions.queue import Queue
from evaluate_shelf.submissions.records import Passed
from evaluate_shelf.submissions.store import Store
from evaluate_shelf.submissions.worker import Renewal

COMMIT = "0" * 40
LEASE = 100.0


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def leases(tmp_path: Path, clock: Clock) -> Leases:
    return Leases(store_in(tmp_path / "store", clock), lease_seconds=LEASE)


@pytest.fixture
def queue(leases: Leases) -> Queue:
    return Queue(leases.store)


def claimed(leases: Leases, worker: str = "one") -> Claim:
    claim = leases.claim(TARGET, worker)
    assert claim is not None
    return claim


def finished(leases: Leases, claim: Claim, name: str | None = None) -> Job:
    """Hand in a run under the name of the claim's model."""
    with leases.store.scratch() as folder:
        run = folder / "run"
        run.mkdir()
        leases.finish(claim, written_run(run, name or claim.job.model), Passed())
    return Queue(leases.store).get(claim.job.id)


@pytest.mark.parametrize(
    "text",
    [
        "owner",
        "owner/name/more",
        "owner/name@main",
        "owner/name@" + "0" * 39,
        "owner/name@" + "A" * 40,
        "owner/na--me",
        "owner/..",
        "../name",
        "owner/name.git",
        "-owner/name",
        "owner/name-",
        "owner/name\n",
        "owner/nämé",
        " owner/name",
        "https://huggingface.co/owner/name",
        "owner/" + "x" * 97,
        "=cmd|x/name",
        "<b>/name",
        "st:/etc",
        "",
    ],
)
def test_what_is_no_model_of_the_hub_is_not_queued(queue: Queue, text: str) -> None:
    with pytest.raises(ShelfError, match="model "):
        queue.enqueue(text, TARGET, "ann")
    assert not queue.jobs()


@pytest.mark.parametrize("text", ["a/b", "owner/name-1.5_x", f"owner/name@{COMMIT}"])
def test_a_model_of_the_hub_is_queued(queue: Queue, text: str) -> None:
    job = queue.enqueue(text, TARGET, "ann")
    assert (job.asked, job.state, job.revision) == (text, "queued", hub_model(text).commit)


def test_a_model_that_is_asked_for_twice_is_one_job(queue: Queue) -> None:
    first = queue.enqueue("owner/name", TARGET, "ann")
    assert queue.enqueue("owner/name", TARGET, "ben") == first
    other = queue.enqueue("owner/name", Target("bbbb", "all", "k"), "ben")
    assert other.id != first.id
    assert len(queue.jobs()) == 2


def test_a_worker_is_given_the_jobs_of_its_release_in_their_order(
    queue: Queue, leases: Leases, clock: Clock
) -> None:
    other = Target("bbbb", "all", "k")
    queue.enqueue("owner/elsewhere", other, "ann")
    for number in range(3):
        clock.forward(1)
        queue.enqueue(f"owner/name{number}", TARGET, "ann")
    assert [claimed(leases).job.model for _ in range(3)] == [f"owner/name{n}" for n in range(3)]
    assert leases.claim(TARGET, "one") is None
    found = leases.claim(other, "two")
    assert found is not None
    assert found.job.model == "owner/elsewhere"


def test_folders_of_this_machine_are_for_workers_that_take_them(
    queue: Queue, leases: Leases
) -> None:
    queue.enqueue("st:/models/tiny", TARGET, "ann", allow_local=True)
    assert leases.claim(TARGET, "one") is None
    assert leases.claim(TARGET, "one", local=True) is not None


def test_a_finished_job_is_computed_and_in_the_table(queue: Queue, leases: Leases) -> None:
    queue.enqueue("owner/name", TARGET, "ann")
    job = finished(leases, claimed(leases))
    assert (job.state, job.holder, job.lease_until) == ("done", None, None)
    [accepted] = queue.store.accepted_runs()
    assert (accepted.id, accepted.status, accepted.user) == (job.submission, "computed", "ann")
    assert queue.enqueue("owner/name", TARGET, "ben").state == "done"
    assert leases.claim(TARGET, "one") is None


def test_a_lease_holds_until_its_end_and_is_renewed(
    queue: Queue, leases: Leases, clock: Clock
) -> None:
    queue.enqueue("owner/name", TARGET, "ann")
    claim = claimed(leases)
    for _ in range(5):
        clock.forward(LEASE - 1)
        assert leases.claim(TARGET, "two") is None
        leases.renew(claim)
    assert finished(leases, claim).state == "done"


def test_a_late_worker_cannot_hand_in_even_if_nobody_else_has_the_job(
    queue: Queue, leases: Leases, clock: Clock
) -> None:
    queue.enqueue("owner/name", TARGET, "ann")
    claim = claimed(leases)
    clock.forward(LEASE)
    for act in (
        lambda: finished(leases, claim),
        lambda: leases.renew(claim),
        lambda: leases.give_back(claim, "why"),
        lambda: leases.fail(claim, "why", again=True),
        lambda: leases.pin(claim, "owner/name", COMMIT),
    ):
        with pytest.raises(LeaseLostError):
            act()
    assert not queue.store.accepted_runs()
    assert not list((queue.store.folder / "scratch").iterdir())


def test_a_late_worker_does_not_disturb_the_next_one(
    queue: Queue, leases: Leases, clock: Clock
) -> None:
    queue.enqueue("owner/name", TARGET, "ann")
    late = claimed(leases, "one")
    clock.forward(LEASE)
    # The same worker may claim it again: its first claim is worth nothing all the same.
    second = claimed(leases, "one")
    assert second.job.id == late.job.id
    with pytest.raises(LeaseLostError):
        finished(leases, late)
    assert finished(leases, second).state == "done"
    with pytest.raises(LeaseLostError):
        finished(leases, late)
    assert len(queue.store.accepted_runs()) == 1


def test_a_job_whose_workers_die_fails_after_so_many_attempts(
    queue: Queue, leases: Leases, clock: Clock
) -> None:
    job = queue.enqueue("owner/name", TARGET, "ann")
    for attempt in range(leases.most_attempts):
        assert claimed(leases).job.attempts == attempt + 1
        clock.forward(LEASE)
    assert leases.claim(TARGET, "one") is None
    failed = queue.get(job.id)
    assert failed.state == "failed"
    assert "not heard of" in str(failed.reason)


def test_a_job_that_is_given_back_is_free_at_once_and_no_attempt(
    queue: Queue, leases: Leases
) -> None:
    queue.enqueue("owner/name", TARGET, "ann")
    for _ in range(2 * leases.most_attempts):
        claim = claimed(leases)
        assert claim.job.attempts == 1
        leases.give_back(claim, "the worker was stopped")
    assert queue.get(claim.job.id).state == "queued"


def test_a_failure_that_may_pass_is_tried_again_after_a_pause_that_grows(
    queue: Queue, leases: Leases, clock: Clock
) -> None:
    queue.enqueue("owner/name", TARGET, "ann")
    pauses = []
    for _ in range(leases.most_attempts - 1):
        job = leases.fail(claimed(leases), "the Hub did not answer", again=True)
        assert job.state == "queued"
        pauses.append(job.not_before - clock.now)
        clock.forward(pauses[-1] - 1)
        assert leases.claim(TARGET, "one") is None
        clock.forward(1)
    assert pauses == sorted(set(pauses))
    assert pauses[0] > 0
    job = leases.fail(claimed(leases), "the Hub did not answer", again=True)
    assert job.state == "failed"
    assert str(job.reason).startswith("the Hub did not answer; ")
    assert str(leases.most_attempts) in str(job.reason)


def test_a_hub_that_is_not_reached_puts_a_job_off_ever_longer_and_never_fails_it(
    queue: Queue, leases: Leases, clock: Clock
) -> None:
    queue.enqueue("owner/name", TARGET, "ann")
    pauses = []
    for _ in range(60):
        job = leases.put_off(claimed(leases), "owner/name: it cannot be reached", "errno -2")
        assert (job.state, job.attempts) == ("queued", 0)
        pauses.append(job.not_before - clock.now)
        assert leases.claim(TARGET, "one") is None
        clock.forward(pauses[-1])
    assert pauses[:3] == [60, 120, 240]
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_WAIT
    assert "errno" not in str(job.reason)
    assert queue.store.events(job.id)[-1].detail == "errno -2"
    # Anything else between starts the count again.
    job = leases.fail(claimed(leases), "it broke off", again=True)
    clock.now = job.not_before
    job = leases.put_off(claimed(leases), "owner/name: it cannot be reached")
    assert job.not_before - clock.now == 60


def test_a_failure_for_good_fails_at_once_and_may_be_asked_for_again(
    queue: Queue, leases: Leases
) -> None:
    queue.enqueue("owner/name", TARGET, "ann")
    job = leases.fail(claimed(leases), "no safetensors in it", again=False)
    assert job.state == "failed"
    assert leases.claim(TARGET, "one") is None
    again = queue.enqueue("owner/name", TARGET, "ben")
    assert (again.id, again.state, again.attempts, again.user) == (job.id, "queued", 0, "ben")


def test_two_names_of_one_commit_are_evaluated_once(
    queue: Queue, leases: Leases, clock: Clock
) -> None:
    queue.enqueue("owner/name", TARGET, "ann")
    clock.forward(1)
    queue.enqueue(f"owner/name@{COMMIT}", TARGET, "ben")
    newest, exact = claimed(leases), claimed(leases)
    with pytest.raises(SameJobError, match=exact.job.id[:12]):
        leases.pin(newest, "owner/name", COMMIT)
    leases.pin(exact, "owner/name", COMMIT)
    assert finished(leases, exact).state == "done"


def test_a_commit_that_is_being_evaluated_is_not_queued_anew(queue: Queue, leases: Leases) -> None:
    newest = queue.enqueue("owner/name", TARGET, "ann")
    leases.pin(claimed(leases), "owner/name", COMMIT)
    assert queue.enqueue(f"owner/name@{COMMIT}", TARGET, "ben").id == newest.id
    assert len(queue.jobs()) == 1


def test_only_who_asked_can_withdraw_and_the_worker_hears_of_it(
    queue: Queue, leases: Leases
) -> None:
    job = queue.enqueue("owner/name", TARGET, "ann")
    claim = claimed(leases)
    with pytest.raises(ShelfError, match="only who asked"):
        queue.withdraw(job.id, "ben")
    assert queue.withdraw(job.id, "ann").state == "withdrawn"
    with pytest.raises(LeaseLostError):
        leases.renew(claim)
    with pytest.raises(LeaseLostError):
        finished(leases, claim)
    assert not queue.store.accepted_runs()
    assert queue.enqueue("owner/name", TARGET, "ann").state == "queued"


def test_a_withdrawn_run_may_be_computed_again_and_a_refused_one_not(
    queue: Queue, leases: Leases
) -> None:
    queue.enqueue("owner/name", TARGET, "ann")
    job = finished(leases, claimed(leases))
    leases.store.withdraw(str(job.submission), "ann")
    assert queue.enqueue("owner/name", TARGET, "ann").state == "queued"
    job = finished(leases, claimed(leases))
    leases.store.refuse(str(job.submission), "a copy", "maria")
    with pytest.raises(ShelfError, match="refused by a maintainer: a copy"):
        queue.enqueue("owner/name", TARGET, "ann")


def test_a_maintainer_ends_a_job_with_a_reason(queue: Queue) -> None:
    job = queue.enqueue("owner/name", TARGET, "ann")
    ended = queue.refuse(job.id, "too large for us", "maria")
    assert (ended.state, ended.reason) == ("failed", "too large for us")
    assert queue.store.events(job.id)[-1].who == "maria"


def test_each_of_many_jobs_goes_to_one_of_many_threads(queue: Queue, leases: Leases) -> None:
    names = {f"owner/name{number}" for number in range(40)}
    for name in sorted(names):
        queue.enqueue(name, TARGET, "ann")
    taken: list[str] = []
    start = threading.Barrier(8)

    def take(worker: str) -> None:
        start.wait()
        while claim := leases.claim(TARGET, worker):
            taken.append(claim.job.model)

    threads = [threading.Thread(target=take, args=(f"worker{n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == sorted(names)


@dataclass
class Believed:
    """What a job should be, by a model that knows no SQL."""

    state: str = "queued"
    attempts: int = 0
    until: float = 0.0
    not_before: float = 0.0
    claims: list[Claim] = field(default_factory=list)


class QueueMachine(RuleBasedStateMachine):
    """Two users, three models, workers that are late, dead or quick; against a plain model."""

    models = ("owner/a", "owner/b", "owner/c")

    def __init__(self) -> None:
        super().__init__()
        import tempfile

        self.place = tempfile.TemporaryDirectory()
        self.clock = Clock()
        store = Store.create(Path(self.place.name) / "s", self.clock)
        self.queue, self.leases = Queue(store), Leases(store, lease_seconds=LEASE)
        self.believed: dict[str, Believed] = {}

    def teardown(self) -> None:
        self.place.cleanup()

    def held(self, name: str, claim: Claim) -> bool:
        own = self.believed[name]
        return own.state == "claimed" and claim is own.claims[-1] and self.clock.now < own.until

    def end_leases(self) -> None:
        for own in self.believed.values():
            if own.state == "claimed" and self.clock.now >= own.until:
                own.state = "failed" if own.attempts >= self.leases.most_attempts else "queued"
                own.not_before = self.clock.now

    @rule(name=st.sampled_from(models))
    def ask(self, name: str) -> None:
        self.clock.forward(0.001)
        job = self.queue.enqueue(name, TARGET, "ann")
        own = self.believed.get(name)
        if own is None or own.state in ("failed", "withdrawn"):
            claims = own.claims if own else []
            self.believed[name] = Believed(not_before=self.clock.now, claims=claims)
        assert job.state == self.believed[name].state

    @rule()
    def claim(self) -> None:
        claim = self.leases.claim(TARGET, "one")
        self.end_leases()
        ready = {
            name
            for name, own in self.believed.items()
            if own.state == "queued" and own.not_before <= self.clock.now
        }
        if claim is None:
            assert not ready
            return
        assert claim.job.model in ready
        own = self.believed[claim.job.model]
        own.state, own.until = "claimed", self.clock.now + LEASE
        own.attempts += 1
        own.claims.append(claim)

    @precondition(lambda self: any(own.claims for own in self.believed.values()))
    @rule(data=st.data(), act=st.sampled_from(["finish", "renew", "fail", "again", "back"]))
    def use_any_claim(self, data: st.DataObject, act: str) -> None:
        claims = [(n, c) for n, own in sorted(self.believed.items()) for c in own.claims]
        name, claim = data.draw(st.sampled_from(claims))
        own = self.believed[name]
        holds = self.held(name, claim)
        try:
            if act == "finish":
                finished(self.leases, claim)
            elif act == "renew":
                self.leases.renew(claim)
            elif act == "back":
                self.leases.give_back(claim, "why")
            else:
                self.leases.fail(claim, "why", again=act == "again")
        except LeaseLostError:
            assert not holds
            return
        assert holds
        if act == "finish":
            own.state = "done"
        elif act == "renew":
            own.until = self.clock.now + LEASE
        elif act == "back":
            own.state, own.attempts, own.not_before = "queued", own.attempts - 1, self.clock.now
        elif act == "fail" or own.attempts >= self.leases.most_attempts:
            own.state = "failed"
        else:
            own.state = "queued"
            own.not_before = self.clock.now + 60 * 4 ** (own.attempts - 1)

    @rule(seconds=st.sampled_from([1.0, LEASE / 2, LEASE, 1000.0]))
    def time_passes(self, seconds: float) -> None:
        self.clock.forward(seconds)

    @rule(name=st.sampled_from(models))
    def withdraw(self, name: str) -> None:
        own = self.believed.get(name)
        if own is None:
            return
        job = next(job for job in self.queue.jobs() if job.model == name)
        if own.state in ("queued", "claimed"):
            self.queue.withdraw(job.id, "ann")
            own.state = "withdrawn"
        else:
            with pytest.raises(ShelfError):
                self.queue.withdraw(job.id, "ann")

    @invariant()
    def states_are_as_believed(self) -> None:
        jobs = {job.model: job for job in self.queue.jobs()}
        assert {name: job.state for name, job in jobs.items()} == {
            name: own.state for name, own in self.believed.items()
        }
        accepted = self.queue.store.accepted_runs()
        assert len(accepted) == sum(own.state == "done" for own in self.believed.values())
        for job in jobs.values():
            events = self.queue.store.events(job.id)
            assert all((e.was, e.state, e.role) in JOB_MOVES for e in events)
            assert [e.was for e in events[1:]] == [e.state for e in events[:-1]]
            assert sum(e.state == "done" for e in events) == (job.state == "done")


class LongQueueMachine(QueueMachine):
    """The same for longer."""


for machine, examples in ((QueueMachine, 4), (LongQueueMachine, 40)):
    machine.TestCase.settings = settings(
        max_examples=examples,
        stateful_step_count=25,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
TestQueueMachine = QueueMachine.TestCase
TestLongQueueMachine = pytest.mark.slow(LongQueueMachine.TestCase)


DAYS = 86_400.0


@pytest.mark.parametrize("back", [1_000.0, DAYS, 30 * DAYS])
def test_a_dead_workers_job_is_anothers_although_the_clock_was_set_back(
    queue: Queue, leases: Leases, clock: Clock, back: float
) -> None:
    job = queue.enqueue("owner/name", TARGET, "ann")
    dead = claimed(leases)
    clock.forward(-back)
    # It counts as one attempt, and the pause after it does not reach further than one may.
    assert leases.claim(TARGET, "two") is not None
    with pytest.raises(LeaseLostError):
        leases.renew(dead)
    assert queue.get(job.id).attempts == 2


def test_a_pause_that_no_clock_reaches_is_none(queue: Queue, leases: Leases, clock: Clock) -> None:
    queue.enqueue("owner/name", TARGET, "ann")
    leases.fail(claimed(leases), "the Hub did not answer", again=True)
    assert leases.claim(TARGET, "one") is None
    clock.forward(-10 * DAYS)
    assert leases.claim(TARGET, "one") is not None


def test_a_worker_that_lives_renews_its_lease_when_the_clock_was_set_back(
    queue: Queue, leases: Leases, clock: Clock
) -> None:
    queue.enqueue("owner/name", TARGET, "ann")
    pulse = Renewal(leases, claimed(leases))
    pulse()
    clock.forward(-30 * DAYS)
    pulse()
    assert leases.claim(TARGET, "two") is None
