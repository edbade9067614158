"""The folder of a corpus that is being written: its ledger, and what was commissioned."""

from __future__ import annotations

from pathlib import Path

LEDGER = "ledger.sqlite"
PLAN = "plan.json"
FORMAT = "shelf-corpus-1"


def ledger_file(corpus: Path) -> Path:
    """Where a corpus keeps its ledger."""
    return corpus / LEDGER


def plan_file(corpus: Path) -> Path:
    """Where a corpus says what it was commissioned as."""
    return corpus / PLAN
