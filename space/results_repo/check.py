"""Compute the scores of runs again, from their items and a release's labels.

    python check.py --data RELEASE [--data RELEASE ...] [--alone] [RUN ...]

RUN is a folder `runs/MODEL/RUN_ID`; without one, all below `runs` beside this file. Those that
are named are compared with the others, which are read for that; with --alone they are not. The
status is 0 where all agree, 1 where one is refused, 2 where the command is wrong. Needs nothing but
`pip install evaluate-shelf`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.parallel import workers
from evaluate_shelf.release.needed import folder_to_evaluate
from evaluate_shelf.runs.names import safe_name
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
        others = [] if asked.alone else [run for run in every if run not in chosen]
        with ThreadPoolExecutor(workers()) as pool:
            known = list(pool.map(lambda run: _known(run, releases), others))
        return _report(chosen, releases, [own for own in known if own is not None])
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
