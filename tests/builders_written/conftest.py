"""A corpus as `shelf write` leaves it, some of its answers as they should not be."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from small_ledger import SEED, TERMS, answer_to, small_commission, small_orders, small_plan

from builders.budget.ledger import Reservation
from builders.budget.opening import open_ledger
from builders.orders import Order
from builders.writers.lexical import LexicalWriter, lexical_writers
from builders.writers.lexicon import load_lexicon
from builders.writers.protocol import Answer
from evaluate_shelf.registry.generation import Plan
from evaluate_shelf.registry.taxonomy import load_taxonomy

Change = Callable[[int, Order, Answer], Answer]
"""Makes another answer of a good one; given its number."""


@pytest.fixture(scope="session")
def writer() -> LexicalWriter:
    return lexical_writers(load_lexicon(), load_taxonomy())[0]


@pytest.fixture(scope="session")
def write(writer: LexicalWriter) -> Callable[..., Path]:
    """Write a corpus of two generators into a folder; a good document for most orders."""

    def written(
        folder: Path,
        documents: int = 240,
        change: Change | None = None,
        first: int | None = None,
        plan: Plan | None = None,
    ) -> Path:
        plan = plan or small_plan(documents)
        ledger = open_ledger(folder, small_commission(plan), lambda: small_orders(plan), {})
        with ledger.transaction():
            for number in range(documents if first is None else first):
                own = ledger.reserve("ab"[number % 2], lambda order: 10**9, TERMS)
                if not isinstance(own, Reservation):
                    break
                document = writer.write(own.order.spec, SEED + number % 2)
                answer = answer_to(own.order, f"{document.title}\n\n{document.body}")
                if change:
                    answer = change(number, own.order, answer)
                ledger.settle(own.attempt, answer, 1_000_000 * (number + 1))
        ledger.close()
        return folder

    return written


@pytest.fixture
def photograph() -> Callable[[Path], dict[str, str]]:
    """Every file of a folder with the hash of its bytes."""

    def take(folder: Path) -> dict[str, str]:
        return {
            path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }

    return take
