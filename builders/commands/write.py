"""What `shelf write` does: from its options to a corpus, a table, and what remains to be done."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from builders.budget.caps import caps_in
from builders.plan.choice import chosen_plan, chosen_slices
from builders.writing.corpus import Outcome, Request, check_writable, write_corpus
from builders.writing.patience import Patience
from builders.writing.summary import messages_of, table_of, values_of
from evaluate_shelf.cli.terminal import say, show_json
from evaluate_shelf.errors import ShelfError, StoppedError
from evaluate_shelf.registry.prices import load_prices
from evaluate_shelf.registry.taxonomy import load_taxonomy


def write_from_command_line(
    name: str,
    *,
    out: Path,
    taxonomy: Path | None,
    writer: Sequence[str],
    writers: Path | None,
    prices: Path | None,
    cap_usd: str | None,
    cap: Sequence[str],
    seed: int,
    slices: Sequence[str],
    documents: int | None,
    workers: int | None,
    attempts: int,
    retry_failed: bool,
    json: bool,
    patience: Patience | None = None,
) -> None:
    """Write a corpus and tell what it cost.

    Raises
    ------
    ShelfError
        If the input is wrong, or a generator was given up.
    StoppedError
        After Ctrl-C.
    OSError
        If the disk is full.
    """
    plan = chosen_plan(name, writer, writers)
    check_writable(plan)
    wanted = chosen_slices(plan, slices)
    if documents is not None:
        plan = plan.sized(documents, wanted)
    request = Request(
        plan=plan,
        taxonomy=load_taxonomy(taxonomy),
        seed=seed,
        prices=load_prices(prices),
        out=out,
        caps=caps_in(cap_usd, cap, [own.name for own in plan.generators]),
        slices=wanted,
        workers=workers,
        attempts=attempts,
        retry_failed=retry_failed,
    )
    outcome = write_corpus(request, patience)
    if json:
        show_json(values_of(outcome))
    else:
        sys.stdout.writelines(f"{line}\n" for line in table_of(outcome))
    for message in messages_of(outcome):
        say(message)
    _end(outcome)


def _end(outcome: Outcome) -> None:
    """Raise for what the exit status has to say."""
    if outcome.trouble is not None:
        raise outcome.trouble
    if outcome.interrupted:
        raise StoppedError(
            f"stopped; {outcome.answers:,} documents are kept, and the same command goes on from "
            "there"
        )
    if outcome.stopped:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in outcome.stopped.items())
        raise ShelfError(f"given up: {reasons}. The same command goes on when that is mended")
