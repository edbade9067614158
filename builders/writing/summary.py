"""The end of a sitting as a table, as plain values, and in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from builders.budget.entries import Budget
from builders.budget.money import NANODOLLARS, usd
from builders.budget.tally import GeneratorTally
from builders.writing.corpus import Outcome
from evaluate_shelf.counts import counted
from evaluate_shelf.printable import one_line
from evaluate_shelf.text_columns import aligned

_HEADINGS = (
    "GENERATOR",
    "orders",
    "answers",
    "failed",
    "lost calls",
    "input tokens",
    "output tokens",
    "reasoning",
    "USD",
    "of it lost",
    "USD each",
    "served by",
)
_NONE = "–"


def table_of(outcome: Outcome) -> list[str]:
    """Lines of a table, a row a generator and one for all of several."""
    rows = [_HEADINGS, *(_row(own) for own in outcome.tallies)]
    if len(outcome.tallies) > 1:
        rows.append(_sums(outcome))
    return aligned(rows, left={0, len(_HEADINGS) - 1})


def values_of(outcome: Outcome) -> dict[str, Any]:
    """The same and more as plain values, for JSON; money in whole nanodollars too."""
    return {
        "documents": outcome.answers,
        "orders": outcome.orders,
        "written_now": outcome.written,
        "cap_reached": outcome.capped,
        "caps_reached": list(outcome.at_own_cap),
        "stopped": outcome.stopped,
        "interrupted": outcome.interrupted,
        "rest_at_most_usd": outcome.rest_at_most / NANODOLLARS,
        **_money(outcome.budget),
        "generators": [_values(own) for own in outcome.tallies],
    }


def messages_of(outcome: Outcome) -> Iterator[str]:
    """What the user should know, a line each."""
    there = f"{outcome.answers:,} of {counted(outcome.orders, 'document')} are there"
    waiting = sum(own.waiting for own in outcome.tallies)
    if outcome.capped or outcome.at_own_cap:
        caps = ["the cap"] if outcome.capped else []
        caps += [f"the cap of {name}" for name in outcome.at_own_cap]
        option = "--cap-usd" if outcome.capped else "--cap"
        yield (
            f"{' and '.join(caps)} is reached: {there}; "
            f"{_rest(outcome, waiting)}; raise {option} to go on"
        )
    elif waiting:
        yield f"{there}; {_rest(outcome, waiting)}"
    budgets = [("the cap", outcome.budget)]
    budgets += [(f"the cap of {own.name}", own.budget) for own in outcome.tallies]
    for name, budget in budgets:
        if budget.cap is not None and budget.charged > budget.cap:
            yield (
                f"{name} of {usd(budget.cap)} USD is passed: {usd(budget.charged)} USD are "
                "charged, as calls took more than they were allowed"
            )
    lost = sum(own.lost for own in outcome.tallies)
    if lost:
        yield (
            f"{counted(lost, 'call was', 'calls were')} cut off: paid for perhaps, and the answers "
            f"never arrived; {usd(outcome.budget.unknown)} USD are counted as spent for that"
        )
    in_flight = sum(own.in_flight for own in outcome.tallies)
    if in_flight:
        yield (
            f"{counted(in_flight, 'order is', 'orders are')} in a batch or with another process; "
            f"{usd(outcome.budget.reserved)} USD are set aside; the same command collects them"
        )
    for own in outcome.tallies:
        yield from _messages(own)


def _messages(own: GeneratorTally) -> Iterator[str]:
    if own.failed:
        yield (
            f"{own.name}: {counted(own.failed, 'order was', 'orders were')} refused for good; "
            "--retry-failed asks again"
        )
    if own.given_up:
        yield (
            f"{own.name}: {counted(own.given_up, 'order', 'orders')} lost every call; more "
            "--attempts ask again"
        )
    if own.flags:
        flags = ", ".join(f"{name} {count:,}" for name, count in own.flags.items())
        yield f"{own.name}: answers with a flag: {flags}"


def _rest(outcome: Outcome, waiting: int) -> str:
    most = f"{waiting:,} more would cost {usd(outcome.rest_at_most)} USD at most"
    if not outcome.answers or not outcome.budget.charged:
        return most
    each = outcome.budget.charged / outcome.answers
    return f"{most}, and about {usd(round(each * waiting))} at the mean so far"


def _row(own: GeneratorTally) -> tuple[str, ...]:
    return (
        one_line(own.name),
        f"{own.orders:,}",
        f"{own.answers:,}",
        f"{own.failed + own.given_up:,}",
        f"{own.lost:,}",
        f"{own.input_tokens:,}",
        f"{own.output_tokens:,}",
        f"{own.reasoning_tokens:,}",
        usd(own.budget.charged),
        usd(own.budget.unknown),
        _NONE if own.nano_usd_each is None else usd(own.nano_usd_each),
        one_line(", ".join(own.served), 80) or _NONE,
    )


def _sums(outcome: Outcome) -> tuple[str, ...]:
    tallies, budget = outcome.tallies, outcome.budget
    each = -(-budget.charged // outcome.answers) if outcome.answers else None
    return (
        "all",
        f"{outcome.orders:,}",
        f"{outcome.answers:,}",
        f"{sum(own.failed + own.given_up for own in tallies):,}",
        f"{sum(own.lost for own in tallies):,}",
        f"{sum(own.input_tokens for own in tallies):,}",
        f"{sum(own.output_tokens for own in tallies):,}",
        f"{sum(own.reasoning_tokens for own in tallies):,}",
        usd(budget.charged),
        usd(budget.unknown),
        _NONE if each is None else usd(each),
        "",
    )


def _values(own: GeneratorTally) -> dict[str, Any]:
    return {
        "name": own.name,
        "orders": own.orders,
        "documents": own.answers,
        "failed": own.failed,
        "given_up": own.given_up,
        "waiting": own.waiting,
        "in_flight": own.in_flight,
        "lost_calls": own.lost,
        "input_tokens": own.input_tokens,
        "output_tokens": own.output_tokens,
        "reasoning_tokens": own.reasoning_tokens,
        "answers_without_usage": own.unreported,
        "flags": own.flags,
        "served": list(own.served),
        **_money(own.budget),
        "usd_each": None if own.nano_usd_each is None else own.nano_usd_each / NANODOLLARS,
    }


def _money(budget: Budget) -> dict[str, Any]:
    return {
        "cap_usd": None if budget.cap is None else budget.cap / NANODOLLARS,
        "usd": budget.charged / NANODOLLARS,
        "nano_usd_settled": budget.settled,
        "nano_usd_lost": budget.unknown,
        "nano_usd_reserved": budget.reserved,
    }
