"""Generators that do not keep to their allowance: stopped, until the user says otherwise."""

from __future__ import annotations

from builders.budget.ledger import Ledger
from builders.budget.money import usd
from evaluate_shelf.counts import counted


def stop_generator(ledger: Ledger, generator: str) -> None:
    """Let no process ask a generator from now on; inside a transaction."""
    ledger.change("INSERT OR IGNORE INTO stops VALUES (?)", generator)


def why_stopped(ledger: Ledger, generator: str) -> str | None:
    """Why a generator is not asked, and what it took; None if it may be."""
    if not ledger.query("SELECT 1 FROM stops WHERE generator = ?", generator):
        return None
    [(calls, charged, bound)] = ledger.query(
        "SELECT count(*), total(charged), total(bound) FROM attempts "
        "WHERE generator = ? AND charged > bound",
        generator,
    )
    took = ""
    if calls:
        took = (
            f": {counted(calls, 'call')} took {usd(int(charged))} USD, and {usd(int(bound))} USD "
            "were set aside"
        )
    return (
        f"it does not keep to the allowance that it is given{took}; nobody can say what a call "
        "will cost at most, so it is not asked, in later sittings neither, until --retry-failed "
        "says so"
    )


def ask_again(ledger: Ledger) -> tuple[str, ...]:
    """Let all be asked again; which ones had been stopped."""
    with ledger.transaction():
        rows = ledger.query("SELECT generator FROM stops ORDER BY generator")
        ledger.change("DELETE FROM stops")
    return tuple(name for (name,) in rows)
