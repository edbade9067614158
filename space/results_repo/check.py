"""Compute the scores of runs again, from their items and a release's labels.

    python check.py --data RELEASE [--data RELEASE ...] [--alone] [RUN ...]
    python check.py --data RELEASE --again AGAIN --who NAME RUN

RUN is a folder `runs/MODEL/RUN_ID`; without one, all below `runs` beside this file. Those that
are named are compared with the others, which are read for that; with --alone they are not. What
verified.yaml names has to be there, as it was when it was named.

AGAIN is the run that came of evaluating the model of RUN anew: where their scores agree, the entry
for verified.yaml is printed.

The status is 0 where all agree, 1 where one is refused, 2 where the command is wrong. Needs nothing
but `pip install evaluate-shelf`.
"""

from __future__ import annotations

import argparse
import datetime as dt
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml
from pydantic import ValidationError

from evaluate_shelf.aggregate.facts import facts_of
from evaluate_shelf.aggregate.results_repository import VERIFIED, read_standings
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.parallel import workers
from evaluate_shelf.release.needed import folder_to_evaluate
from evaluate_shelf.runs.folder import RUN, read_run
from evaluate_shelf.runs.names import safe_name
from evaluate_shelf.submissions.agreement import check_agreement
from evaluate_shelf.submissions.checking import checked
from evaluate_shelf.submissions.flags import flags_of, known_of, known_run
from evaluate_shelf.submissions.likeness import Known
from evaluate_shelf.submissions.refusals import Refused

AGREE, REFUSED, WRONG = 0, 1, 2
# What keeps a folder in git that has no run yet.
_KEEPER = ".gitkeep"


def main(given: Sequence[str] | None = None, here: Path = Path(__file__).parent) -> int:
    """Check runs and say what was found, a line a run; gives the status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", action="append", required=True, help="A release.")
    parser.add_argument("--alone", action="store_true", help="Compare with no other run.")
    parser.add_argument("--again", type=Path, help="The run of the same model, made anew.")
    parser.add_argument("--who", help="With --again: who made it.")
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN")
    asked = parser.parse_args(given)
    try:
        releases = [folder_to_evaluate(source) for source in asked.data]
        every = _runs_below(here / "runs")
        chosen = list(dict.fromkeys(run.absolute() for run in asked.runs)) or every
        for run in chosen or [here / "runs"]:
            if not run.exists():
                raise ShelfError(f"{run}: no such run; give a folder runs/MODEL/RUN_ID")
        if not chosen:
            raise ShelfError(f"{here / 'runs'}: no run to check")
        if (asked.again is None) != (asked.who is None) or (asked.again and len(chosen) != 1):
            raise ShelfError("--again AGAIN takes one RUN, and --who NAME")
        others = [] if asked.alone else [run for run in every if run not in chosen]
        with ThreadPoolExecutor(workers()) as pool:
            known = list(pool.map(lambda run: _known(run, releases), others))
        status = _report(chosen, releases, [own for own in known if own is not None])
        if asked.again and status == AGREE:
            return _say_verified(chosen[0], asked.again, asked.who)
        return max(status, _check_list(here, every))
    except ShelfError as error:
        sys.stderr.write(f"check.py: {error}\n")
        return WRONG


def _report(runs: Sequence[Path], releases: Sequence[Path], known: list[Known]) -> int:
    status = AGREE
    for run in runs:
        name = "/".join(run.parts[-3:])
        try:
            if not run.is_dir() or run.is_symlink() or run.parent.is_symlink():
                raise Refused("a link, or a file where a run's folder has to be")
            found = checked(run, releases)
            if (run.parent.name, run.name) != (safe_name(found.file.model.name), found.file.run_id):
                raise Refused("its folder is not runs/MODEL/RUN_ID as `shelf evaluate` names it")
        except Refused as error:
            status = REFUSED
            sys.stdout.write(f"refused: {name}: {error}\n")
            continue
        sys.stdout.write(f"agrees: {name}: {len(found.recomputed)} scores\n")
        for flag in flags_of(found, known):
            sys.stdout.write(f"  {'look at' if flag.holds else 'noted'}: {flag.text}\n")
        known.append(known_of(found))
    return status


def _say_verified(run: Path, again: Path, who: str) -> int:
    """Print the entry of a run that was made anew with the same outcome."""
    try:
        why = check_agreement(run, again)
        measured = facts_of(read_run(again))
    except (ShelfError, ValidationError) as error:
        sys.stdout.write(f"refused: {error}\n")
        return REFUSED
    entry = {
        "run_id": run.name,
        "sha256": sha256_of_file(run / RUN),
        "status": "verified",
        "who": who,
        "when": dt.datetime.now(dt.UTC).date().isoformat(),
        "note": why,
        "measured": measured.model_dump(mode="json"),
    }
    sys.stdout.write(yaml.safe_dump([entry], sort_keys=False, allow_unicode=True))
    return AGREE


def _check_list(here: Path, runs: Sequence[Path]) -> int:
    """Refuse a list that names what is not there, or was changed since."""
    if not (here / VERIFIED).is_file():
        sys.stderr.write(f"no {VERIFIED}: all runs are unverified\n")
        return AGREE
    there = {(run.name, sha256_of_file(run / RUN)) for run in runs if (run / RUN).is_file()}
    status = AGREE
    for own in read_standings(here / VERIFIED):
        if (own.run_id, own.sha256) not in there:
            status = REFUSED
            sys.stdout.write(
                f"refused: {VERIFIED}: no run {own.run_id} has a run.json with SHA-256 "
                f"{own.sha256[:12]}\n"
            )
    return status


def _known(run: Path, releases: Sequence[Path]) -> Known | None:
    """A run to compare with; None, which is said, where it cannot be read."""
    try:
        return known_run(run, releases)
    except Refused as error:
        sys.stderr.write(f"not compared with: {'/'.join(run.parts[-3:])}: {error}\n")
        return None


def _runs_below(folder: Path) -> list[Path]:
    """What lies two levels down, and files above: what is no run is refused, not passed over."""
    found = [*folder.glob("*/*"), *(path for path in folder.glob("*") if not path.is_dir())]
    return sorted(path.absolute() for path in found if path.name != _KEEPER)


if __name__ == "__main__":
    sys.exit(main())
