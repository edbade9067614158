"""Whatever happens to the process: the books of the endpoint and the ledger agree."""

from __future__ import annotations

import json
import os
import resource
import signal
import sqlite3
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from misbehaving_endpoint import Asked, Endpoint, Written, by_share, fraction, misbehaving

from builders.budget.folder import ledger_file
from builders.budget.reading import read_answers

# Nearly all that it can do but to say that nobody may ask, and to take minutes.
SHARES = {
    "busy": 0.04, "error_500": 0.03, "error_503": 0.03, "error_504": 0.02, "hang": 0.01,
    "cut_before": 0.03, "cut_inside": 0.03, "not_json": 0.02, "no_choices": 0.02,
    "empty_reasoning": 0.02, "refusal": 0.02, "content_filter": 0.01, "thinking": 0.02,
    "surrogates": 0.02, "other_model": 0.02, "routed": 0.02, "bad_request": 0.01, "endless": 0.004,
    "chunked": 0.02, "gzip": 0.02, "usage_absent": 0.01, "usage_zero": 0.01, "usage_half": 0.01,
    "usage_huge": 0.01, "usage_negative": 0.01, "usage_text": 0.01, "usage_nan": 0.01,
    "usage_float": 0.01, "usage_true": 0.01, "no_top_p": 0.02, "reasoning_beside": 0.02,
}  # fmt: skip
AS_WRITTEN = {"ok", "chunked", "gzip", "other_model", "routed", "no_top_p", "content_filter"}
CHARGED_PER_TOKEN = (1_000, 10_000)


@dataclass
class Watched(Endpoint):
    """An endpoint that does something when a call comes, and remembers what it wrote."""

    on_call: Callable[[int], None] = lambda number: None
    texts: dict[str, list[str]] = field(default_factory=dict)
    seen: int = 0

    def asked(self, order: str, body: Any) -> Asked:
        with self._lock:
            self.seen += 1
            number = self.seen
        self.on_call(number)
        return super().asked(order, body)

    def book(self, asked: Asked, behaviour: str, written: Written | None, batch: str = "") -> None:
        if written is not None:
            self.texts.setdefault(asked.order, []).append(written.text)
        super().book(asked, behaviour, written, batch)


@contextmanager
def ledger_of(corpus: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(ledger_file(corpus))
    yield connection
    connection.close()


def counts(corpus: Path) -> dict[str, int]:
    with ledger_of(corpus) as ledger:
        [row] = ledger.execute(
            "SELECT (SELECT count(*) FROM orders), (SELECT count(*) FROM answers), "
            "(SELECT total(charged) FROM attempts WHERE state = 'settled'), "
            "(SELECT total(charged) FROM attempts WHERE state = 'unknown'), "
            "(SELECT count(*) FROM attempts WHERE state = 'unknown'), "
            "(SELECT count(*) FROM attempts WHERE state = 'reserved')"
        )
    names = ("orders", "answers", "settled", "unknown", "lost", "reserved")
    return dict(zip(names, map(int, row), strict=True))


def check_books(corpus: Path, endpoint: Watched, cap: int) -> dict[str, int]:
    """What has to hold whatever happened."""
    own = counts(corpus)
    # No more was spent than the cap, by the ledger's count and by the endpoint's own.
    assert own["settled"] + own["unknown"] <= cap
    assert endpoint.nano_usd <= own["settled"] + own["unknown"]
    paid = Counter(call.order for call in endpoint.calls if call.charged)
    with ledger_of(corpus) as ledger:
        lost = dict(
            ledger.execute(
                "SELECT order_id, count(*) FROM attempts WHERE state = 'unknown' GROUP BY order_id"
            )
        )
    answers = {order.id: (answer, cost) for order, answer, cost in read_answers(corpus)}
    # Every paid call has its answer here, or is known to be lost: none is paid a second time.
    for order, times in paid.items():
        assert times <= (order in answers) + lost.get(order, 0), order
    assert set(answers) <= set(paid)
    delivered = {call.order: call for call in endpoint.calls if call.behaviour in AS_WRITTEN}
    for order, (answer, cost) in answers.items():
        last = [call for call in endpoint.calls if call.order == order and call.charged][-1]
        if last.behaviour in AS_WRITTEN:
            assert answer.text == endpoint.texts[order][-1]
            assert cost == last.nano_usd
        assert cost >= last.nano_usd
    assert delivered
    return own


@pytest.mark.slow
def test_three_kills_and_every_misbehaviour(writing: Any) -> None:
    kills = [int(12 + 60 * fraction("kill", number)) for number in range(3)]
    with misbehaving(Watched(choose=by_share(SHARES, seed=1))) as endpoint:
        writing.generators(endpoint.base, "g1", "g2", concurrency=5, answer_seconds=1.0)
        arguments = ("--cap-usd", "1.6", "--cap", "g2=0.9", "--documents", "300")
        in_flight = 0
        for kill in kills:
            process = writing.start(*arguments)
            at = endpoint.seen + kill
            endpoint.on_call = lambda number, at=at, pid=process.pid: (
                os.kill(pid, signal.SIGKILL) if number == at else None
            )
            process.communicate(timeout=240)
            assert process.returncode == -signal.SIGKILL
            in_flight += 10
        endpoint.on_call = lambda number: None
        status, out, said = writing.run(*arguments)
        assert status == 0, said
        own = check_books(writing.corpus, endpoint, 1_600_000_000)
        told = json.loads(out)
        assert told["documents"] == own["answers"]
        assert told["nano_usd_settled"] + told["nano_usd_lost"] <= 1_600_000_000
        assert told["cap_reached"]
        assert own["reserved"] == 0
        by_behaviour = Counter(call.behaviour for call in endpoint.calls)
        without_answer = {"error_504", "hang", "cut_before", "cut_inside", "not_json", "no_choices"}
        cut = sum(by_behaviour[name] for name in (*without_answer, "endless"))
        assert own["lost"] <= cut + in_flight
        # Another sitting asks no more than still fits.
        status, out, _ = writing.run(*arguments)
        assert (status, json.loads(out)["cap_reached"]) == (0, True)
        check_books(writing.corpus, endpoint, 1_600_000_000)
        with ledger_of(writing.corpus) as ledger:
            rows = ledger.execute("SELECT generator, step FROM orders WHERE state = 'answered'")
            steps: dict[str, set[int]] = {"g1": set(), "g2": set()}
            for generator, step in rows:
                steps[generator].add(step)
        # Both have written the same specifications, but for the last few and for those that
        # were lost or refused.
        assert abs(max(steps["g1"]) - max(steps["g2"])) <= 12


def test_two_processes_share_the_work(writing: Any) -> None:
    with misbehaving(Watched(delay=0.01)) as endpoint:
        writing.generators(endpoint.base, "g1", "g2", concurrency=3)
        arguments = ("--cap-usd", "5", "--documents", "80")
        processes = [writing.start(*arguments) for _ in range(2)]
        for process in processes:
            _, said = process.communicate(timeout=240)
            assert process.returncode == 0, said
        own = check_books(writing.corpus, endpoint, 5_000_000_000)
    assert own["answers"] == own["orders"] == len(endpoint.calls)
    assert own["lost"] == 0
    assert own["settled"] == endpoint.nano_usd
    with ledger_of(writing.corpus) as ledger:
        [(owners,)] = ledger.execute("SELECT count(DISTINCT owner) FROM attempts")
    assert owners == 2


def test_one_of_two_processes_is_killed_and_the_other_takes_over(writing: Any) -> None:
    with misbehaving(Watched(delay=0.01)) as endpoint:
        writing.generators(endpoint.base, "g1", concurrency=2)
        arguments = ("--cap-usd", "5", "--documents", "90")
        one, two = (writing.start(*arguments) for _ in range(2))
        endpoint.on_call = lambda number: os.kill(one.pid, signal.SIGKILL) if number == 20 else None
        one.communicate(timeout=240)
        _, said = two.communicate(timeout=240)
        assert (one.returncode, two.returncode) == (-signal.SIGKILL, 0), said
        # The other has asked the lost ones again, or leaves them to the next sitting.
        assert writing.run(*arguments)[0] == 0
        own = check_books(writing.corpus, endpoint, 5_000_000_000)
    assert own["answers"] == own["orders"]
    assert own["lost"] <= 2


def test_an_endpoint_that_is_not_there(writing: Any) -> None:
    writing.generators("http://127.0.0.1:9/v1", "g1")
    status, _, said = writing.run("--cap-usd", "1", "--documents", "10")
    assert status == 2
    assert "g1" in said
    own = counts(writing.corpus)
    assert (own["settled"], own["unknown"], own["reserved"], own["answers"]) == (0, 0, 0, 0)


def test_a_network_that_dies_and_comes_back(writing: Any) -> None:
    dies = threading.Event()
    arguments = ("--cap-usd", "5", "--documents", "60", "--attempts", "9")

    def die(number: int) -> None:
        # Connections that are open are cut too.
        if number >= 20:
            dies.set()
            raise ConnectionResetError

    with misbehaving(Watched(delay=0.01, on_call=die)) as first:
        port = int(first.base.split(":")[2].split("/")[0])
        writing.generators(first.base, "g1", concurrency=3)
        process = writing.start(*arguments)
        assert dies.wait(120)
    _, said = process.communicate(timeout=240)
    assert process.returncode == 2, said
    lost = counts(writing.corpus)["lost"]
    assert lost > 0
    with misbehaving(Watched(), port=port) as second:
        assert writing.run(*arguments)[0] == 0
    own = counts(writing.corpus)
    assert own["answers"] == own["orders"] == len(first.calls) + len(second.calls)
    assert own["lost"] == lost
    assert first.nano_usd + second.nano_usd == own["settled"]


def test_ctrl_c_waits_for_the_calls_in_flight(writing: Any) -> None:
    with misbehaving(Watched(delay=0.05)) as endpoint:
        writing.generators(endpoint.base, "g1", concurrency=4)
        arguments = ("--cap-usd", "5", "--documents", "60")
        process = writing.start(*arguments)
        endpoint.on_call = lambda number: (
            os.kill(process.pid, signal.SIGINT) if number == 15 else None
        )
        out, said = process.communicate(timeout=240)
        assert process.returncode == 130, said
        own = check_books(writing.corpus, endpoint, 5_000_000_000)
        assert own["answers"] == len(endpoint.calls) == json.loads(out)["documents"]
        assert (own["lost"], own["reserved"]) == (0, 0)
        endpoint.on_call = lambda number: None
        assert writing.run(*arguments)[0] == 0
        own = check_books(writing.corpus, endpoint, 5_000_000_000)
    assert own["answers"] == own["orders"] == len(endpoint.calls)


def test_a_second_ctrl_c_ends_at_once(writing: Any) -> None:
    with misbehaving(Watched(choose=lambda asked: "hang" if asked.nth == 0 else "ok")) as endpoint:
        writing.generators(endpoint.base, "g1", concurrency=2)
        arguments = ("--cap-usd", "5", "--documents", "12")
        process = writing.start(*arguments)
        endpoint.on_call = lambda number: (
            os.kill(process.pid, signal.SIGINT) if number == 2 else None
        )
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("stopping"):
                process.send_signal(signal.SIGINT)
                break
        process.communicate(timeout=10)
        assert process.returncode == 130
        own = counts(writing.corpus)
        assert (own["answers"], own["reserved"]) == (0, 2)
        endpoint.choose = lambda asked: "ok"
        endpoint.on_call = lambda number: None
        assert writing.run(*arguments)[0] == 0
        own = check_books(writing.corpus, endpoint, 5_000_000_000)
    assert own["answers"] == own["orders"]
    assert own["lost"] == 2


def limited(size: int) -> Callable[[], None]:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    return limit


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs Linux")
def test_a_full_disk_loses_no_answer_if_room_is_made(writing: Any) -> None:
    with misbehaving(Watched()) as endpoint:
        writing.generators(endpoint.base, "g1", concurrency=3)
        arguments = ("--documents", "60")
        # It begins with room enough, and nothing to spend.
        assert writing.run("--cap-usd", "0", *arguments)[0] == 0
        size = ledger_file(writing.corpus).stat().st_size
        process = writing.start("--cap-usd", "5", *arguments)
        assert process.stderr is not None
        told = []
        for line in process.stderr:
            told.append(line)
            if "are there" in line:
                most = (size + 200_000, resource.RLIM_INFINITY)
                resource.prlimit(process.pid, resource.RLIMIT_FSIZE, most)
                break
        for line in process.stderr:
            told.append(line)
            if "make room" in line:
                break
        asked = len(endpoint.calls)
        assert asked < 60, told
        unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, unlimited)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0, "".join([*told, said])
        own = check_books(writing.corpus, endpoint, 5_000_000_000)
    assert own["answers"] == own["orders"] == len(endpoint.calls)
    assert own["lost"] == 0


@pytest.mark.parametrize("bare", [False, True])
def test_a_batch_is_found_again_after_a_kill(writing: Any, bare: bool) -> None:
    """Also where the endpoint's lists show no metadata."""
    created = threading.Event()
    with misbehaving(Watched(polls=4, bare=bare)) as endpoint:
        writing.generators(endpoint.base, "g1", writer="batch")
        arguments = ("--cap-usd", "5", "--documents", "30")
        process = writing.start(*arguments)
        # The batch is made, and its answer never comes: the process is gone.
        endpoint.creating = Killing(process, created)
        process.communicate(timeout=120)
        assert process.returncode == -signal.SIGKILL
        assert created.is_set()
        assert counts(writing.corpus)["reserved"] == 30
        endpoint.creating = ("ok",)
        status, out, said = writing.run(*arguments)
        assert status == 0, said
        assert len(endpoint.batches) == 1
        own = check_books(writing.corpus, endpoint, 5_000_000_000)
    assert own["answers"] == own["orders"] == 30
    assert own["settled"] == endpoint.nano_usd
    assert json.loads(out)["documents"] == 30


class Killing:
    """A way to create batches: the one who asks is killed when it is made."""

    def __init__(self, process: subprocess.Popen[str], created: threading.Event) -> None:
        self._process, self._created = process, created

    def __len__(self) -> int:
        return 1

    def __getitem__(self, number: int) -> str:
        self._created.set()
        self._process.kill()
        return "cut_before"


@pytest.mark.parametrize("fate", ["expired", "cancelled"])
def test_what_a_batch_left_is_asked_again(writing: Any, fate: str) -> None:
    with misbehaving(Watched(fate=fate)) as endpoint:
        writing.generators(endpoint.base, "g1", writer="batch")
        status, _, _ = writing.run("--cap-usd", "5", "--documents", "30")
        own = check_books(writing.corpus, endpoint, 5_000_000_000)
    # Each batch does half of what it has, and none of a single order.
    assert status == 2
    assert own["answers"] == own["orders"] - 1
    assert own["answers"] == len([call for call in endpoint.calls if call.charged])
    assert own["lost"] == own["reserved"] == 0


def test_lines_of_a_batch_that_are_missing_are_lost_and_asked_again(writing: Any) -> None:
    choose = by_share({"missing_line": 0.2, "damaged_line": 0.2, "duplicate_line": 0.2}, seed=3)
    with misbehaving(Watched(choose=choose)) as endpoint:
        writing.generators(endpoint.base, "g1", writer="batch")
        status, _, said = writing.run("--cap-usd", "5", "--documents", "30", "--attempts", "9")
        assert status == 0, said
        own = check_books(writing.corpus, endpoint, 5_000_000_000)
    assert own["answers"] == own["orders"]
    assert own["lost"] > 0
