"""A corpus as `shelf write` leaves it, some of its answers as they should not be."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from small_ledger import SEED, TERMS, answer_to, small_plan

from builders.budget.commission import commission_of
from builders.budget.entries import Reservation
from builders.budget.opening import open_ledger
from builders.budget.tariff import tariffs_of
from builders.orders import Order, orders_of
from builders.specifications.blocks import blocks_of
from builders.writers.derived_words import lexicon_for
from builders.writers.lexical import lexical_writers
from builders.writers.protocol import Answer
from builders.writing.sequence import Steps
from evaluate_shelf.registry.taxonomy import load_taxonomy

Change = Callable[[int, Order, Answer], Answer]
"""Makes another answer of a good one; given its number."""


@pytest.fixture(scope="session")
def write() -> Callable[..., Path]:
    """Write a corpus of two generators into a folder; a good document for most orders."""

    def written(
        folder: Path,
        documents: int = 240,
        change: Change | None = None,
        first: int | None = None,
        taxonomy: Path | None = None,
    ) -> Path:
        plan, labels = small_plan(documents), load_taxonomy(taxonomy)
        writer = lexical_writers(lexicon_for(labels), labels)[0]
        steps = Steps(blocks_of("v0_4_core", plan, SEED))
        ledger = open_ledger(
            folder,
            commission_of(plan, labels, SEED, tariffs_of(plan.generators, {})),
            lambda: list(steps.numbered(orders_of(plan, labels, SEED))),
            {},
        )
        with ledger.transaction():
            for number in range(documents if first is None else first):
                own = ledger.reserve("ab"[number % 2], lambda order: 10**9, TERMS)
                assert isinstance(own, Reservation)
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
