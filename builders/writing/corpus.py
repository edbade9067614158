"""Write a corpus: from a plan, writers and caps to a folder with every answer in it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from builders.budget.caps import ALL
from builders.budget.commission import commission_of
from builders.budget.entries import Budget, Terms
from builders.budget.folder import ledger_file
from builders.budget.ledger import Ledger
from builders.budget.money import usd
from builders.budget.opening import open_ledger
from builders.budget.stops import ask_again, why_stopped
from builders.budget.tally import GeneratorTally, tally_of
from builders.budget.tariff import Tariff, tariffs_of
from builders.orders import orders_of
from builders.plan.choice import chosen_slices
from builders.specifications.blocks import blocks_of
from builders.writers.batch import BatchWriter
from builders.writers.openai import OpenAIWriter
from builders.writing.batch_lane import BatchLane
from builders.writing.chat_lane import ChatLane
from builders.writing.gates import Gates
from builders.writing.lane import Lane
from builders.writing.patience import Patience
from builders.writing.progress import Progress
from builders.writing.sequence import Steps
from builders.writing.sitting import Sitting
from builders.writing.stopping import Stop, stopping
from evaluate_shelf.counts import counted
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.generation import Plan
from evaluate_shelf.registry.prices import Price
from evaluate_shelf.registry.taxonomy import Taxonomy

Writer = OpenAIWriter | BatchWriter


@dataclass(frozen=True)
class Request:
    """What is to be written.

    Attributes
    ----------
    plan : Plan
        With all its generators.
    taxonomy : Taxonomy
    seed : int
    prices : mapping of str to Price
        By model.
    out : pathlib.Path
        The corpus's folder.
    caps : mapping of str to int
        Nanodollars by generator and by `ALL`.
    slices : tuple of str
        Those of the plan that are written now; all of it for none.
    workers : int or None
        The most calls at once of all generators together.
    attempts : int
        How many calls of an order may be lost.
    retry_failed : bool
        Whether orders that were refused for good are asked again, those of a batch that the
        endpoint does not know any more, and generators that did not keep to their allowance.
    """

    plan: Plan
    taxonomy: Taxonomy
    seed: int
    prices: Mapping[str, Price]
    out: Path
    caps: Mapping[str, int]
    slices: tuple[str, ...] = ()
    workers: int | None = None
    attempts: int = 3
    retry_failed: bool = False


@dataclass(frozen=True)
class Outcome:
    """How a sitting ended.

    Attributes
    ----------
    tallies : tuple of GeneratorTally
        Of all sittings.
    budget : Budget
        Of all generators.
    written : int
        Documents of this sitting.
    capped : bool
        Whether the cap of all ended it.
    rest_at_most : int
        Nanodollars that the orders which are waiting would cost at most.
    stopped : dict of str to str
        Generators that were given up, with the reason.
    at_own_cap : tuple of str
        Generators whose own cap is reached.
    interrupted : bool
        Whether the user ended it.
    trouble : BaseException or None
        What else ended it.
    """

    tallies: tuple[GeneratorTally, ...]
    budget: Budget
    written: int
    capped: bool
    rest_at_most: int
    stopped: dict[str, str]
    at_own_cap: tuple[str, ...]
    interrupted: bool
    trouble: BaseException | None

    @property
    def answers(self) -> int:
        """Documents that are there."""
        return sum(own.answers for own in self.tallies)

    @property
    def orders(self) -> int:
        """Documents of the plan."""
        return sum(own.orders for own in self.tallies)


def write_corpus(request: Request, patience: Patience | None = None) -> Outcome:
    """Write what a plan orders, and go on where it stopped.

    Parameters
    ----------
    request : Request
    patience : Patience, default=None
        How long generators that do not answer are asked.

    Returns
    -------
    Outcome

    Raises
    ------
    ShelfError
        Before anything is asked: if the plan cannot be written, a key or a price is missing, or
        the folder holds another corpus.
    StoppedError
        At a second Ctrl-C.
    OSError
        If the ledger cannot be written.
    """
    plan, own_patience = request.plan, patience or Patience()
    if request.retry_failed:
        own_patience = replace(own_patience, longest_batch=0.0)
    check_writable(plan)
    slices = chosen_slices(plan, request.slices)
    tariffs = tariffs_of(plan.generators, request.prices)
    is_paid = any(own.price is not None for own in tariffs.values())
    if not ledger_file(request.out).exists():
        _check_capped(is_paid, request.caps.get(ALL))
    stop, lengths = Stop(), {length.id: length for length in request.taxonomy.lengths}
    # Before the ledger is begun: a key that is missing leaves nothing behind.
    writers: dict[str, Writer] = {
        row.name: BatchWriter(row, lengths, pause=stop.pause)
        if row.writer == "batch"
        else OpenAIWriter(row, lengths)
        for row in plan.generators
    }
    gates = Gates(lengths)
    commission = commission_of(plan, request.taxonomy, request.seed, tariffs)
    steps = Steps(block for name in plan.slices for block in blocks_of(name, plan, request.seed))
    terms = Terms(request.attempts, slices)
    with stopping(stop), Progress() as progress:
        ledger = open_ledger(
            request.out,
            commission,
            lambda: steps.numbered(orders_of(plan, request.taxonomy, request.seed)),
            request.caps,
        )
        try:
            # A ledger that was begun by a process that was killed at once has none yet.
            _check_capped(is_paid, ledger.budget().cap)
            _tell_beginning(ledger, terms, request, progress)
            lanes = _lanes(plan, writers, tariffs, terms, own_patience, ledger, progress)
            sitting = Sitting(
                ledger, lanes, terms, request.workers, own_patience, stop, progress, gates
            )
            sitting.run()
            outcome = _outcome(sitting, lanes, ledger, terms, stop, writers, tariffs)
        except BaseException:
            # Another error is on its way, and says more.
            with contextlib.suppress(OSError, ShelfError):
                ledger.close()
            raise
        ledger.close()
    for writer in writers.values():
        writer.close()
    return outcome


def check_writable(plan: Plan) -> None:
    """Refuse a plan whose generators are none that can be asked.

    Raises
    ------
    ShelfError
        It names them.
    """
    if plan.places:
        names = ", ".join(own.name for own in plan.places)
        raise ShelfError(
            f"plan {plan.id!r}: {names}: nobody is named who writes; name your generators with "
            "--writer MODEL@URL or in a file with --writers"
        )
    others = [own for own in plan.generators if own.writer not in ("openai", "batch")]
    if others:
        names = ", ".join(f"{own.name} ({own.writer})" for own in others)
        raise ShelfError(
            f"plan {plan.id!r}: {names}: is nobody who is asked; `shelf build` takes documents "
            "that are composed by rules, or exist already"
        )


def _check_capped(is_paid: bool, cap: int | None) -> None:
    if is_paid and cap is None:
        raise ShelfError("--cap-usd: is needed, as a generator is paid; nothing is asked without")


def _lanes(
    plan: Plan,
    writers: Mapping[str, Writer],
    tariffs: Mapping[str, Tariff],
    terms: Terms,
    patience: Patience,
    ledger: Ledger,
    progress: Progress,
) -> list[Lane]:
    lanes: list[Lane] = []

    def shares() -> int:
        return sum(lane.ending is None for lane in lanes)

    for row in plan.generators:
        writer, tariff = writers[row.name], tariffs[row.name]
        if isinstance(writer, BatchWriter):
            own: Lane = BatchLane(row, writer, tariff, terms, patience, shares, progress.tell)
        else:
            key = ledger.owner.token
            own = ChatLane(row, writer, tariff, terms, patience, key, progress.tell)
        lanes.append(own)
    return lanes


def _tell_beginning(ledger: Ledger, terms: Terms, request: Request, progress: Progress) -> None:
    if request.retry_failed:
        again = counted(ledger.retry_failed(), "order")
        progress.tell(f"{again} that had been refused for good: asked again")
        for name in ask_again(ledger):
            progress.tell(f"{name}: asked again, though it did not keep to its allowance")
    abandoned = ledger.live()
    if abandoned.calls:
        progress.tell(
            f"{counted(abandoned.calls, 'call')} of a process that was ended: paid for perhaps, "
            f"and the answers never arrived; {usd(abandoned.nano_usd)} USD stay charged"
        )
    tallies, budget = tally_of(ledger, terms), ledger.budget()
    answers, orders = sum(own.answers for own in tallies), sum(own.orders for own in tallies)
    caps = [
        f"cap {usd(own.budget.cap)} of {own.name}" for own in tallies if own.budget.cap is not None
    ]
    if budget.cap is not None:
        caps.insert(0, f"cap {usd(budget.cap)}")
    money = ", ".join([f"{usd(budget.charged)} USD spent", *caps])
    progress.tell(f"{answers:,} of {counted(orders, 'document')} are there; {money}")


def _outcome(
    sitting: Sitting,
    lanes: Sequence[Lane],
    ledger: Ledger,
    terms: Terms,
    stop: Stop,
    writers: Mapping[str, Writer],
    tariffs: Mapping[str, Tariff],
) -> Outcome:
    rest = 0
    for lane in lanes:
        for order in ledger.rest(lane.name, terms):
            bound = writers[lane.name].bound(order)
            rest += tariffs[lane.name].nanodollars(bound.input_tokens, bound.output_tokens)
    endings = {lane.name: lane.ending for lane in lanes if lane.ending is not None}
    stopped = {name: own.reason for name, own in endings.items() if own.kind == "stopped"}
    # Also where the sitting ended before a lane could see it; and with the calls that were in
    # flight when it was stopped.
    for lane in lanes:
        over = why_stopped(ledger, lane.name)
        if over is not None:
            stopped[lane.name] = over
    return Outcome(
        tallies=tally_of(ledger, terms),
        budget=ledger.budget(),
        written=sitting.written,
        capped=sitting.capped,
        rest_at_most=rest,
        stopped=stopped,
        at_own_cap=tuple(name for name, own in endings.items() if own.kind == "own cap"),
        interrupted=stop.wanted,
        trouble=sitting.trouble,
    )
