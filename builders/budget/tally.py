"""What a ledger holds, by generator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from builders.budget.caps import ALL
from builders.budget.entries import Budget, Terms
from builders.budget.ledger import Ledger

Ask = Callable[..., list[tuple[Any, ...]]]
"""Gives the rows of a query, from its SQL and its values."""


@dataclass(frozen=True)
class GeneratorTally:
    """What became of one generator's orders, in all sittings.

    Attributes
    ----------
    name : str
    orders, answers : int
    failed : int
        Orders that the endpoint has refused for good.
    given_up : int
        Orders all of whose calls were lost.
    waiting, in_flight : int
        Orders that are not asked yet, and those of calls that run now.
    lost : int
        Calls whose answers never arrived: paid for perhaps.
    input_tokens, output_tokens, reasoning_tokens : int
        Of answers that report them; the last is part of the one before.
    unreported : int
        Answers whose tokens are not known; they are charged at their bound.
    flags : dict of str to int
        Answers by flag.
    served : tuple of str
        The models that answered, by their own word.
    budget : Budget
    """

    name: str
    orders: int
    answers: int
    failed: int
    given_up: int
    waiting: int
    in_flight: int
    lost: int
    input_tokens: int
    output_tokens: int
    reasoning_tokens: int
    unreported: int
    flags: dict[str, int]
    served: tuple[str, ...]
    budget: Budget

    @property
    def nano_usd_each(self) -> int | None:
        """The mean cost of a document, lost calls among it; None without one."""
        return -(-self.budget.charged // self.answers) if self.answers else None


class Used(NamedTuple):
    """What a generator's calls took and gave.

    Attributes
    ----------
    lost : int
        Calls whose answers never arrived.
    unreported : int
        Answers whose tokens are not known.
    input_tokens, output_tokens, reasoning_tokens : int
        Of the others.
    served : tuple of str
        The models that answered, by their own word.
    """

    lost: int
    unreported: int
    input_tokens: int
    output_tokens: int
    reasoning_tokens: int
    served: tuple[str, ...]


def used_by(name: str, ask: Ask) -> Used:
    """What a generator's calls took and gave, as the tables of a ledger have it.

    Parameters
    ----------
    name : str
        Of the generator.
    ask : callable
        Gives the rows of a query, from its SQL and its values.
    """
    [(lost,)] = ask("SELECT count(*) FROM attempts WHERE generator = ? AND state = 'unknown'", name)
    [(unreported, *tokens)] = ask(
        "SELECT total(input_tokens IS NULL), total(input_tokens), total(output_tokens), "
        "total(reasoning_tokens) FROM answers WHERE generator = ?",
        name,
    )
    served = ask(
        "SELECT DISTINCT model_resolved FROM answers WHERE generator = ? "
        "AND model_resolved IS NOT NULL ORDER BY 1",
        name,
    )
    return Used(
        lost=lost,
        unreported=int(unreported),
        input_tokens=int(tokens[0]),
        output_tokens=int(tokens[1]),
        reasoning_tokens=int(tokens[2]),
        served=tuple(model for (model,) in served),
    )


def tally_of(ledger: Ledger, terms: Terms) -> tuple[GeneratorTally, ...]:
    """Count what a ledger holds, generator by generator in the order of the plan."""
    names = [
        name
        for (name,) in ledger.query(
            "SELECT generator FROM budgets WHERE generator != ? ORDER BY rowid", ALL
        )
    ]
    return tuple(_tally(ledger, name, terms) for name in names)


def _tally(ledger: Ledger, name: str, terms: Terms) -> GeneratorTally:
    states = {
        (state, is_over): count
        for state, is_over, count in ledger.query(
            "SELECT state, state = 'waiting' AND lost >= ?, count(*) FROM orders "
            "WHERE generator = ? GROUP BY 1, 2",
            terms.attempts,
            name,
        )
    }
    used = used_by(name, ledger.query)
    flags = ledger.query(
        "SELECT value, count(*) FROM answers, json_each(flags) WHERE generator = ? "
        "GROUP BY value ORDER BY value",
        name,
    )
    return GeneratorTally(
        name=name,
        orders=sum(states.values()),
        answers=states.get(("answered", 0), 0),
        failed=states.get(("failed", 0), 0),
        given_up=states.get(("waiting", 1), 0),
        waiting=states.get(("waiting", 0), 0),
        in_flight=states.get(("reserved", 0), 0),
        lost=used.lost,
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        reasoning_tokens=used.reasoning_tokens,
        unreported=used.unreported,
        flags=dict(flags),
        served=used.served,
        budget=ledger.budget(name),
    )
