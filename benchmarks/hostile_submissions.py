"""Send hostile submissions and good ones to a store, and print Markdown.

    python -m benchmarks.hostile_submissions --work FOLDER > benchmarks/hostile_submissions.md

Good ones are runs of models that need no download, on the release that ships, as `shelf pack` packs
them. Each hostile one is a good one that was changed (`benchmarks.hostile`). The folder of --work
keeps the runs, so that they are not made again. All archives are made first; a process that has
done nothing before then sends them to a new store, a few at a time, as a server does.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.hostile import archives, item_tables, parquet_files, run_files, score_tables
from benchmarks.hostile.forging import TASKS, Contents, contents_of
from benchmarks.measuring import REPOSITORY, in_fresh_process, machine, peak_gib, table, told
from builders.draws import Draws
from evaluate_shelf.evaluation import evaluate, prepare, run_folder
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.parallel import workers
from evaluate_shelf.printable import UNPRINTABLE
from evaluate_shelf.quickstart import CONFIG, shipped_release
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.submissions.archive import opened
from evaluate_shelf.submissions.flags import check_of
from evaluate_shelf.submissions.known import known_in
from evaluate_shelf.submissions.pack import pack_run
from evaluate_shelf.submissions.records import KEPT
from evaluate_shelf.submissions.store import Store

SEED = 42
N_HOSTILE, N_GOOD, N_FUZZED = 950, 50, 50
FAMILIES = {
    "archives": archives.ATTACKS,
    "run.json": run_files.ATTACKS,
    "scores and items": (*score_tables.ATTACKS, *item_tables.ATTACKS),
    "Parquet files": parquet_files.ATTACKS,
}
GOOD, FUZZED = "good", "a flipped footer"

HEAD = """# {n_hostile:,} hostile submissions, with {n_good} good ones among them

Made by

```sh
python -m benchmarks.hostile_submissions --work FOLDER{arguments} > hostile_submissions.md
```

Good are runs of {n_models} models on the release that ships, each with five tasks of five
formulations. Hostile are {n_attacks} kinds of changes to them, drawn with seed {seed}: most have
the hashes, the id, the outcomes or the scores that fit what was changed, so that these do not give
them away. Each is sent to a store of submissions, {jobs} at a time: taken out of its archive,
looked at, and recomputed in a process of its own."""


class Sent(NamedTuple):
    """A submission.

    Attributes
    ----------
    family, kind : str
        What is wrong with it; `good` where nothing is.
    path : pathlib.Path
        The archive.
    """

    family: str
    kind: str
    path: Path


class Outcome(NamedTuple):
    """What became of it.

    Attributes
    ----------
    family, kind : str
        As it was sent.
    accepted : bool
    reason : str
        Why it was refused.
    seconds : float
        By the clock.
    fault : str
        What is wrong with the refusal, or how the check failed; empty as it should be.
    found : str
        Of an accepted one, its scores and answers.
    """

    family: str
    kind: str
    accepted: bool
    reason: str
    seconds: float
    fault: str
    found: str


class Served(NamedTuple):
    """What checking all of them took.

    Attributes
    ----------
    outcomes : list of Outcome
        In the order in which they were sent.
    seconds : float
        By the clock, all together.
    server_gib, child_gib : float
        The most memory of the process that received them, and of one that checked one.
    kept : int
        Runs that the store holds afterwards.
    left : int
        Folders that its table does not name, names without a folder, and unfinished work.
    """

    outcomes: list[Outcome]
    seconds: float
    server_gib: float
    child_gib: float
    kept: int
    left: int


def models(number: int) -> list[str]:
    """Names of different models that are quick and have vectors."""
    dims = [f"wordllama,dim={dim}" for dim in range(256, 8, -8)]
    bits = [f"{name},precision={kind}" for kind in ("int8", "binary") for name in dims]
    return ["wordllama", "tfidf", "tf", *dims, *bits][:number]


def good_runs(work: Path, number: int, tasks: Sequence[str]) -> list[Path]:
    """Evaluate models, or find that they were evaluated before; gives their runs' folders."""
    asked = prepare(
        shipped_release(),
        CONFIG,
        task_ids=tasks,
        protocol=load_protocol(),
        runs=work / "runs",
        store=work / "store",
    )
    names = models(number)
    evaluate(names, asked)
    return [run_folder(resolve_model(name, asked.protocol), asked) for name in names]


def made(
    runs: Sequence[Path], folder: Path, n_hostile: int, n_fuzzed: int, seed: int = SEED
) -> Iterator[Sent]:
    """Write archives into a folder: all good runs, and as many hostile ones as are asked for.

    Every kind of change is made about as often; of the changes of a kind, each is another one.
    """
    for number, run in enumerate(runs):
        yield Sent(GOOD, GOOD, pack_run(run, folder / f"good-{number:04}.zip").path)
    contents = [contents_of(run) for run in runs]
    attacks = [(family, own) for family, attacks in FAMILIES.items() for own in attacks]
    attacks.append(("archives", archives.SLOW_ATTACKS[0]))
    # So that a part of them is of all families too.
    attacks = Draws(seed, "kinds").shuffled(attacks)
    for number in range(n_hostile):
        family, attack = attacks[number % len(attacks)]
        path = folder / f"hostile-{number:04}.zip"
        path.write_bytes(_forged(attack, contents, seed, number))
        yield Sent(family, attack.__name__.replace("_", " "), path)
    for number in range(n_fuzzed):
        path = folder / f"fuzzed-{number:04}.zip"
        [attack] = parquet_files.FUZZED
        path.write_bytes(_forged(attack, contents[:1], seed, number))
        yield Sent(FUZZED, FUZZED, path)


def in_turn(sent: Sequence[Sent], seed: int = SEED) -> list[Sent]:
    """All of them in an order that is drawn, good ones among the others."""
    return Draws(seed, "order").shuffled(list(sent))


def served(sent: Sequence[Sent], jobs: int, folder: Path) -> Served:
    """Send all to a new store in a folder, some at a time, in this process."""
    store = Store.create(folder)
    start = time.perf_counter()
    with ThreadPoolExecutor(jobs) as pool:
        outcomes = list(pool.map(lambda own: outcome_of(store, own), sent))
    seconds = time.perf_counter() - start
    kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    kept = {own.id for own in store.submissions(KEPT)}
    unfinished = [*folder.glob("scratch/*/*"), *folder.glob("runs/*/.*")]
    on_disk = {path.name for path in folder.glob("runs/*")}
    left = len(on_disk ^ kept) + len(unfinished)
    return Served(outcomes, seconds, peak_gib(), kib / 2**20, len(kept), left)


def outcome_of(store: Store, sent: Sent) -> Outcome:
    """Send one submission to a store."""
    start = time.perf_counter()
    accepted, reason, fault, found = False, "", "", ""
    try:
        submission = store.receive(
            lambda into: opened(sent.path, into),
            digest=sha256_of_file(sent.path),
            user="stranger",
            check=check_of([shipped_release()], lambda board: known_in(store, board)),
        )
        accepted = submission.state in KEPT
        if accepted:
            seen = [submission.found[name] for name in ("recomputed", "fingerprints")]
            found = json.dumps([seen, submission.run and submission.run.run_id], sort_keys=True)
        else:
            reason = submission.reason or ""
            fault = _fault_of(reason)
    except Exception as error:  # whatever it is, it is a finding
        fault = f"{type(error).__name__}: {error}"
    seconds = time.perf_counter() - start
    return Outcome(sent.family, sent.kind, accepted, reason, seconds, fault, found)


def _fault_of(reason: str) -> str:
    """What is wrong with a refusal: nobody foresaw it, or it shows what it should not."""
    if "the check of it failed" in reason or "gave no answer" in reason:
        return f"not foreseen: {reason}"
    # A name that leads somewhere is repeated as it was sent; our own folders are not.
    if any(own in reason for own in ("scratch/", str(REPOSITORY), str(Path.home()))):
        return f"a path: {reason}"
    if re.search(f"[{UNPRINTABLE}]", reason):
        return f"an unprintable character: {reason!r}"
    return "" if 0 < len(reason) <= 500 else "no reason, or a long one"


def _forged(
    attack: Callable[[Draws, Contents], bytes],
    contents: Sequence[Contents],
    seed: int,
    number: int,
) -> bytes:
    draws = Draws(seed, attack.__name__, number)
    with warnings.catch_warnings():
        # zipfile warns of a name that stands twice, which is what is wanted.
        warnings.simplefilter("ignore")
        return attack(draws, draws.choice(contents))


def page(found: Served, arguments: str, n_models: int, jobs: int) -> str:
    """The Markdown page."""
    of = {
        family: [own for own in found.outcomes if own.family == family]
        for family in (*FAMILIES, GOOD, FUZZED)
    }
    hostile = [own for family in FAMILIES for own in of[family]]
    kinds = {(own.family, own.kind) for own in hostile}
    head = HEAD.format(
        n_hostile=len(hostile),
        n_good=len(of[GOOD]),
        arguments=arguments,
        n_models=n_models,
        n_attacks=len(kinds),
        seed=SEED,
        jobs=jobs,
    )
    rows = [_row(family, own) for family, own in of.items() if own and family != FUZZED]
    header = ["", "sent", "accepted", "refused", "failed", "median s", "longest s"]
    parts = [head, table(header, rows), *_verdict(found, hostile, of[GOOD], of[FUZZED])]
    parts.append(
        table(
            ["changed", "how", "sent", "accepted"],
            [
                [family, kind, *_counted([own for own in hostile if own.kind == kind])]
                for family, kind in sorted(kinds)
            ],
        )
    )
    return "\n\n".join([*parts, machine()])


def _verdict(
    found: Served, hostile: list[Outcome], good: list[Outcome], fuzzed: list[Outcome]
) -> list[str]:
    faults = [own for own in found.outcomes if own.fault]
    n_accepted = sum(own.accepted for own in hostile)
    n_good = sum(own.accepted for own in good)
    parts = [
        (
            f"**Accepted are {n_accepted} of {len(hostile)} hostile ones and {n_good} of "
            f"{len(good)} good ones.** {len(faults)} checks failed in a way that was not foreseen, "
            f"or gave a reason with a path or a control character. The store holds {found.kept} "
            f"runs afterwards; {found.left} folders are there without a row, or rows without a "
            f"folder. All of it took {found.seconds:,.0f} s. The process that received them held "
            f"{found.server_gib:.2f} GiB at most, one that checked one {found.child_gib:.2f} GiB."
        )
    ]
    if fuzzed:
        n_read = sum(own.accepted for own in fuzzed)
        n_others = sum(own.accepted and not says_the_same(own, good) for own in fuzzed)
        parts.append(
            f"Besides, {len(fuzzed)} runs had one bit flipped in what a Parquet file says of "
            f"itself, and new hashes. {len(fuzzed) - n_read} are refused. In {n_read} the bit says "
            f"nothing that is read: they are accepted, {n_others} of them with other scores or "
            "answers than the run had before."
        )
    return [*parts, *(f"- {own.kind}: {own.fault}" for own in faults)]


def says_the_same(outcome: Outcome, good: Sequence[Outcome]) -> bool:
    """Whether an accepted run has the scores and the answers of a good one."""
    return outcome.found in {own.found for own in good}


def _row(family: str, outcomes: list[Outcome]) -> list[str]:
    seconds = sorted(own.seconds for own in outcomes)
    n_accepted = sum(own.accepted for own in outcomes)
    n_failed = sum(bool(own.fault) for own in outcomes)
    refused = len(outcomes) - n_accepted
    counts = [str(own) for own in (len(outcomes), n_accepted, refused, n_failed)]
    return [family, *counts, f"{seconds[len(seconds) // 2]:.2f}", f"{seconds[-1]:.2f}"]


def _counted(outcomes: list[Outcome]) -> list[str]:
    return [str(len(outcomes)), str(sum(own.accepted for own in outcomes))]


def main(given: Sequence[str] | None = None) -> int:
    """Make them, check them and print the page; status 1 where one was judged wrongly."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--hostile", type=int, default=N_HOSTILE)
    parser.add_argument("--good", type=int, default=N_GOOD)
    parser.add_argument("--fuzzed", type=int, default=N_FUZZED)
    parser.add_argument("--jobs", type=int, default=workers())
    asked = parser.parse_args(given)
    runs = good_runs(asked.work, asked.good, TASKS)
    told(f"{len(runs)} runs are there")
    with tempfile.TemporaryDirectory(dir=asked.work) as folder:
        sent = in_turn(list(made(runs, Path(folder), asked.hostile, asked.fuzzed)))
        told(f"{len(sent)} archives are made")
        found = in_fresh_process(served, sent, asked.jobs, Path(folder) / "store")
    defaults: dict[str, Any] = {"hostile": N_HOSTILE, "good": N_GOOD, "fuzzed": N_FUZZED}
    others = [
        f" --{name} {getattr(asked, name)}"
        for name in defaults
        if getattr(asked, name) != defaults[name]
    ]
    print(page(found, "".join(others), len(runs), asked.jobs))
    return 0 if judged_rightly(found.outcomes) else 1


def judged_rightly(outcomes: Sequence[Outcome]) -> bool:
    """Whether all good ones and no hostile ones are accepted, and no check failed."""
    good = [own for own in outcomes if own.family == GOOD]

    def is_right(own: Outcome) -> bool:
        if own.family == FUZZED:
            return not own.accepted or says_the_same(own, good)
        return own.accepted == (own.family == GOOD)

    return all(not own.fault and is_right(own) for own in outcomes)


if __name__ == "__main__":
    sys.exit(main())
