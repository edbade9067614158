"""Rank agreement as values for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from evaluate_shelf.transfer.comparison import Comparison
from evaluate_shelf.transfer.members import LeftOut, Members
from evaluate_shelf.transfer.preregistered import Cell, Outcome
from evaluate_shelf.transfer.settings import Panel, TransferSettings


def outcome_values(
    found: Outcome, compared: Members, panel: Panel, settings: TransferSettings
) -> dict[str, Any]:
    """The rule, what it gives, and everything that it follows from."""
    return {
        **_header(compared, panel),
        "reference": settings.reference,
        "natural": list(settings.natural),
        "rule": settings.rule.model_dump(),
        "verdict": found.verdict,
        "passed": list(found.passed),
        "failed": list(found.failed),
        "undecided": list(found.undecided),
        "cells": [_cell(cell) for cell in found.cells],
        "beside": [_cell(cell) for cell in found.beside],
        "stability": {
            "formulation": settings.stability.formulation,
            "floor": settings.stability.floor,
            "corpora": [{**asdict(own), "pairs": list(own.pairs)} for own in found.stability],
        },
    }


def comparison_values(found: Comparison, compared: Members, panel: Panel) -> dict[str, Any]:
    """Two measures, their agreement, and every model's scores and ranks."""
    return {**_header(compared, panel), **_comparison(found)}


def _header(compared: Members, panel: Panel) -> dict[str, Any]:
    runs = compared.runs
    return {
        "reported": runs[0].reported if runs else None,
        "protocol": runs[0].file.protocol.id if runs else None,
        "releases": {
            run.file.data.config: run.file.data.release_id
            for run in sorted(runs, key=lambda run: run.file.data.config)
        },
        "panel": panel.id,
        "left_out": _left_out(compared.left_out),
    }


def _cell(cell: Cell) -> dict[str, Any]:
    return {
        "formulation": cell.formulation,
        "passes": cell.passes,
        "reason": cell.reason,
        **_comparison(cell.comparison),
    }


def _comparison(found: Comparison) -> dict[str, Any]:
    return {
        "x": found.x.text,
        "y": found.y.text,
        **asdict(found.agreement),
        "undefined_because": found.why_undefined,
        "lacking": _left_out(found.lacking),
        "models": [asdict(model) for model in found.models],
    }


def _left_out(rows: Sequence[LeftOut]) -> list[dict[str, str]]:
    return [row._asdict() for row in rows]
