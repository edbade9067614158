"""What a corpus cost, whom it was asked of and when; nothing is changed."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from builders.budget.checks import check_kind, check_whole
from builders.budget.failures import ledger_failures
from builders.budget.folder import ledger_file
from builders.budget.reading import read_plan, reading
from builders.budget.tally import used_by
from evaluate_shelf.registry.prices import Price
from evaluate_shelf.registry.roster import Generator


class GeneratorAccount(BaseModel):
    """What one generator was asked, gave and cost, in all sittings.

    Attributes
    ----------
    name : str
        As the column `model` has it.
    model, base_url : str or None
        What was asked for, and where.
    served, providers : tuple of str
        The models and providers that answered, by their own word.
    orders, answers : int
    lost_calls : int
        Calls whose answers never arrived: paid for perhaps.
    input_tokens, output_tokens, reasoning_tokens : int
        Of answers that report them; the last is part of the one before.
    answers_without_usage : int
        They are charged at their worst case.
    nano_usd, nano_usd_lost : int
        Billionths of a US dollar: of answers, and of lost calls at their worst case.
    first_answer, last_answer : str or None
        Days (UTC), as YYYY-MM-DD.
    price : Price or None
        None for one that is free.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    model: str | None
    base_url: str | None
    served: tuple[str, ...]
    providers: tuple[str, ...]
    orders: int
    answers: int
    lost_calls: int
    input_tokens: int
    output_tokens: int
    reasoning_tokens: int
    answers_without_usage: int
    nano_usd: int
    nano_usd_lost: int
    first_answer: str | None
    last_answer: str | None
    price: Price | None


def accounts_of(corpus: Path) -> tuple[GeneratorAccount, ...]:
    """The account of each generator of a corpus, in the order of its plan.

    Parameters
    ----------
    corpus : pathlib.Path
        The folder that `shelf write` was given as --out.

    Raises
    ------
    ShelfError
        If there is no corpus, or it is damaged.
    """
    commission = read_plan(corpus).commission
    file = ledger_file(corpus)
    with ledger_failures(file), reading(file) as connection:
        connection.execute("BEGIN")
        check_kind(connection, file)
        check_whole(connection, file)

        return tuple(
            _account(row, commission.prices.get(row.name), connection)
            for row in commission.plan.generators
        )


def _account(
    row: Generator, price: Price | None, connection: sqlite3.Connection
) -> GeneratorAccount:
    def ask(sql: str, *values: object) -> list[tuple[Any, ...]]:
        return connection.execute(sql, values).fetchall()

    used = used_by(row.name, ask)
    [(orders, answers)] = ask(
        "SELECT count(*), total(state = 'answered') FROM orders WHERE generator = ?", row.name
    )
    [(cost, lost_cost, first, last)] = ask(
        "SELECT total(iif(state = 'settled', charged, 0)), "
        "total(iif(state = 'unknown', charged, 0)), min(iif(state = 'settled', ended, NULL)), "
        "max(iif(state = 'settled', ended, NULL)) FROM attempts WHERE generator = ?",
        row.name,
    )
    providers = ask(
        "SELECT DISTINCT coalesce(provider_served, provider) FROM answers WHERE generator = ? "
        "ORDER BY 1",
        row.name,
    )
    return GeneratorAccount(
        name=row.name,
        model=row.model,
        base_url=row.base_url,
        served=used.served,
        providers=tuple(own for (own,) in providers),
        orders=orders,
        answers=int(answers),
        lost_calls=used.lost,
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        reasoning_tokens=used.reasoning_tokens,
        answers_without_usage=used.unreported,
        nano_usd=int(cost),
        nano_usd_lost=int(lost_cost),
        first_answer=_day(first),
        last_answer=_day(last),
        price=price,
    )


def _day(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).date().isoformat()
