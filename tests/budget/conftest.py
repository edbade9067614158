"""Ledgers of a small commission."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from small_ledger import small_commission, small_orders, small_plan

from builders.budget.ledger import Ledger
from builders.budget.opening import open_ledger
from evaluate_shelf.registry.generation import Plan

OpenLedger = Callable[..., Ledger]


@pytest.fixture
def open_small(tmp_path: Path) -> OpenLedger:
    """Opens the ledger of the small plan, or of another."""

    def opened(
        caps: Mapping[str, int] = {"": 10**9}, plan: Plan | None = None, corpus: str = "corpus"
    ) -> Ledger:
        own = plan or small_plan()
        return open_ledger(
            tmp_path / corpus, small_commission(own), lambda: small_orders(own), caps
        )

    return opened
