"""Kill `shelf write` ten times against an endpoint that misbehaves, and compare the books.

    python -m benchmarks.write_budget

The endpoint runs in this process, on 127.0.0.1, and counts what it generates, whatever its answers
say. `shelf write` runs in a process of its own that is killed (SIGKILL) while calls are in flight:
up to 50 ms after a call has come that a seed has drawn. Both counts, and every rule that has to
hold, go into write_budget.md. A rule that is broken ends it with status 1, after the page.
"""

from __future__ import annotations

import json
import os
import platform
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from builders.budget.folder import ledger_file
from builders.budget.reading import read_answers
from builders.draws import Draws
from tests.support.misbehaving_endpoint import Asked, Endpoint, Written, by_share, misbehaving

DOCUMENTS = 5_000
CAP_USD = 33
KILLS = 10
CALLS_TO_A_KILL = (150, 350)
CONCURRENCY = 8
GENERATORS = ("first", "second")
SHARES = {
    "busy": 0.03, "error_500": 0.02, "error_503": 0.02, "error_504": 0.01, "hang": 0.004,
    "cut_before": 0.02, "cut_inside": 0.02, "not_json": 0.01, "no_choices": 0.01,
    "empty_reasoning": 0.01, "refusal": 0.02, "content_filter": 0.01, "thinking": 0.02,
    "surrogates": 0.01, "other_model": 0.02, "routed": 0.01, "bad_request": 0.004,
    "endless": 0.002, "chunked": 0.02, "gzip": 0.02, "usage_absent": 0.01, "usage_zero": 0.01,
    "usage_half": 0.01, "usage_huge": 0.01, "usage_negative": 0.005, "usage_text": 0.005,
    "usage_nan": 0.005, "usage_float": 0.005, "usage_true": 0.005, "no_top_p": 0.02,
    "reasoning_beside": 0.02,
}  # fmt: skip
LOST = ("error_504", "hang", "cut_before", "cut_inside", "not_json", "no_choices", "endless")
AS_WRITTEN = ("ok", "chunked", "gzip", "other_model", "routed", "no_top_p", "content_filter")
PRICES = """
- model: m-1
  usd_per_million_input_tokens: 1
  usd_per_million_output_tokens: 10
  date: 2026-03-01
  source: https://example.org/prices
"""
# The command line; waits after failures are a twentieth of the usual ones.
MAIN = """
from builders.commands import write as command
from builders.writing.patience import Patience
from evaluate_shelf.cli import app, main, write

whole = command.write_corpus
patience = Patience(first_wait=0.05, longest_wait=3.0)
command.write_corpus = lambda request, _: whole(request, patience)
app.app.command("write")(write.write)
main()
"""
HEAD = """# Spending under a cap, with kills

{documents:,} documents ordered of two generators, {calls} calls at once each, with a cap of
{cap:.2f} US dollars, against an endpoint on this machine that misbehaves as listed below. The
process was killed {kills} times while calls were in flight, and begun again with the same command.
Made by

```sh
python -m benchmarks.write_budget
```

Of the endpoint: what it really generated, by its own count. Of the ledger: what it counts as spent,
by the usage that answers report where it can be right, else at the worst case that was set aside.

"""


@dataclass
class Books(Endpoint):
    """An endpoint that remembers what it wrote, and says when a call comes."""

    texts: dict[str, list[str]] = field(default_factory=dict)
    kill_at: int = 0
    kill: Any = None
    seen: int = 0

    def asked(self, order: str, body: Mapping[str, Any]) -> Asked:
        """Count a call, and kill at the right one."""
        with self._lock:
            self.seen += 1
            due = self.seen == self.kill_at
        if due:
            threading.Thread(target=self.kill).start()
        return super().asked(order, body)

    def book(self, asked: Asked, behaviour: str, written: Written | None, batch: str = "") -> None:
        """Remember the text too."""
        if written is not None:
            self.texts.setdefault(asked.order, []).append(written.text)
        super().book(asked, behaviour, written, batch)


def begun(folder: Path) -> subprocess.Popen[str]:
    """A sitting that has been started."""
    arguments = [
        "write", "factorial", "--out", folder / "corpus", "--prices", folder / "prices.yaml",
        "--writers", folder / "writers.yaml", "--cap-usd", CAP_USD, "--documents", DOCUMENTS,
        "--json",
    ]  # fmt: skip
    return subprocess.Popen(
        [sys.executable, "-c", MAIN, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def killed(folder: Path, endpoint: Books, number: int) -> None:
    """One sitting, ended by a kill."""
    draws = Draws(7, "kill", number)
    process = begun(folder)

    def kill() -> None:
        time.sleep(0.05 * draws.uniform())
        process.send_signal(signal.SIGKILL)

    endpoint.kill, endpoint.kill_at = kill, endpoint.seen + draws.between(*CALLS_TO_A_KILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL, process.returncode


def broken_rules(corpus: Path, endpoint: Books, own: Mapping[str, int]) -> list[str]:
    """What does not hold of the books, in words."""
    cap = CAP_USD * 10**9
    charged = own["settled"] + own["unknown"]
    paid = Counter(call.order for call in endpoint.calls if call.charged)
    last = {call.order: call for call in endpoint.calls if call.charged}
    broken = []
    if charged > cap:
        broken.append(f"the ledger counts {charged:,} nanodollars, more than the cap")
    if endpoint.nano_usd > cap:
        broken.append(f"the endpoint counts {endpoint.nano_usd:,} nanodollars, more than the cap")
    if endpoint.nano_usd > charged:
        broken.append("the ledger counts less than the endpoint")
    with sqlite3.connect(ledger_file(corpus)) as ledger:
        lost = dict(
            ledger.execute(
                "SELECT order_id, count(*) FROM attempts WHERE state = 'unknown' GROUP BY order_id"
            )
        )
    answers = {order.id: answer for order, answer, _ in read_answers(corpus)}
    for order, times in paid.items():
        if times > (order in answers) + lost.get(order, 0):
            broken.append(f"order {order} was paid {times} times")
    for order, answer in answers.items():
        call = last.get(order)
        if call is None:
            broken.append(f"order {order} has an answer that nobody wrote")
        elif call.behaviour in AS_WRITTEN and answer.text != endpoint.texts[order][-1]:
            broken.append(f"order {order} has another text than was written last")
    by_behaviour = Counter(call.behaviour for call in endpoint.calls)
    most = sum(by_behaviour[name] for name in LOST) + KILLS * CONCURRENCY * len(GENERATORS)
    if own["lost"] > most:
        broken.append(f"{own['lost']} calls are lost, and {most} at most were cut")
    return broken


def counts_of(corpus: Path) -> dict[str, int]:
    """What the ledger counts."""
    with sqlite3.connect(ledger_file(corpus)) as ledger:
        [row] = ledger.execute(
            "SELECT (SELECT count(*) FROM answers), "
            "(SELECT total(settled) FROM budgets WHERE generator = ''), "
            "(SELECT total(unknown) FROM budgets WHERE generator = ''), "
            "(SELECT count(*) FROM attempts WHERE state = 'unknown'), "
            "(SELECT count(*) FROM attempts WHERE state = 'unknown' AND reason LIKE 'its proc%'), "
            "(SELECT count(*) FROM attempts)"
        )
    names = ("answers", "settled", "unknown", "lost", "lost_by_kills", "attempts")
    return dict(zip(names, map(int, row), strict=True))


def page(endpoint: Books, own: Mapping[str, int], told: Mapping[str, Any], seconds: float) -> str:
    """The tables of the page, and what holds."""
    charged = own["settled"] + own["unknown"]
    paid = [call for call in endpoint.calls if call.charged]
    by_order = Counter(call.order for call in paid)
    again = sum(count - 1 for count in by_order.values())
    spent = (
        f"{charged / 1e9:.9f} ({own['settled'] / 1e9:.9f} settled, "
        f"{own['unknown'] / 1e9:.9f} for lost calls)"
    )
    rows = [
        ("calls", f"{len(endpoint.calls):,}", f"{own['attempts']:,} attempts"),
        ("calls that were charged", f"{len(paid):,}", ""),
        ("documents", f"{len(by_order):,} orders written", f"{own['answers']:,} answers kept"),
        ("paid again, as the answer never arrived", f"{again:,}", ""),
        ("lost calls", "", f"{own['lost']:,}, {own['lost_by_kills']:,} of them by kills"),
        ("US dollars", f"{endpoint.nano_usd / 1e9:.9f}", spent),
    ]
    lines = ["| | endpoint | ledger |", "|--|--:|--:|"]
    lines += [f"| {name} | {there} | {here} |" for name, there, here in rows]
    behaviours = Counter(call.behaviour for call in endpoint.calls)
    listed = ", ".join(f"{name} {count:,}" for name, count in behaviours.most_common())
    lines += ["", f"Calls by what the endpoint did with them: {listed}.", ""]
    lines += [
        f"- {row['name']}: {row['documents']:,} of {row['orders']:,}; refused for good "
        f"{row['failed']:,}; lost calls {row['lost_calls']:,}"
        for row in told["generators"]
    ]
    conditions = (
        f"The rest would cost {told['rest_at_most_usd']:.2f} US dollars at most. {seconds:.0f} "
        f"seconds in all, with the starts of {KILLS + 1} processes; waits after failures a "
        f"twentieth of the usual ones. Python {platform.python_version()}, SQLite "
        f"{sqlite3.sqlite_version}, {os.cpu_count()} cores."
    )
    return "\n".join([*lines, "", conditions, "", TAIL])


TAIL = """## What holds, and what cannot

It is checked that neither count passes the cap, that the ledger never counts less than the
endpoint, that an order was paid once for its answer and once for each lost call that the ledger
knows of, that every answer is the text that was written last for its order, and that no more calls
are lost than were cut by the endpoint or in flight at a kill.

An answer is kept when its transaction is on the disk. One whose last bytes arrive in the instant of
a kill, before that, is lost: its call stays charged at its worst case, is told as lost, and its
order is asked again. No client can do better with an endpoint that does not give an answer twice.
A cap holds by the allowance that each call is sent and by a byte of the prompt being a token at
most; an endpoint that takes more charges what it likes. Where that shows in the usage that it
reports or in the text, what it took is booked, even above the cap, and the generator is asked no
more after the calls that are in flight, in later sittings neither, until `--retry-failed` says so.
Usage that is missing or cannot be right, as less than a token a word or a token for twelve
characters, is booked at the worst case. Usage that is too low and looks right cannot be told from
right usage: reasoning that is charged and not reported is seen by nobody.

A call that a gateway gave up (408, 502, 504, 520 and others), and a batch that an endpoint was
asked for and never lists, count as paid at their worst case. An endpoint that answers 429, 500 or
503 is believed to have written nothing.
"""


def main() -> None:
    """Write write_budget.md beside this file."""
    begin = time.monotonic()
    endpoint = Books(choose=by_share(SHARES, seed=7))
    with tempfile.TemporaryDirectory() as name, misbehaving(endpoint):
        folder = Path(name)
        (folder / "prices.yaml").write_text(PRICES, encoding="utf-8")
        (folder / "writers.yaml").write_text(
            "".join(
                f"- {{name: {own}, writer: openai, model: m-1, base_url: '{endpoint.base}', "
                f"concurrency: {CONCURRENCY}, answer_seconds: 2.0}}\n"
                for own in GENERATORS
            ),
            encoding="utf-8",
        )
        for number in range(KILLS):
            killed(folder, endpoint, number)
        process = begun(folder)
        out, said = process.communicate()
        if process.returncode:
            sys.exit(said)
        seconds = time.monotonic() - begin
        own = counts_of(folder / "corpus")
        broken = broken_rules(folder / "corpus", endpoint, own)
        head = HEAD.format(documents=DOCUMENTS, calls=CONCURRENCY, cap=CAP_USD, kills=KILLS)
        text = head + page(endpoint, own, json.loads(out), seconds)
    if broken:
        text += "\n## Broken\n\n" + "".join(f"- {rule}\n" for rule in broken)
    (Path(__file__).parent / "write_budget.md").write_text(text, encoding="utf-8")
    sys.stdout.write(text)
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
