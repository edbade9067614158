"""Tables of verdicts that no gate gave: what rates are counted on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from builders.gates.table import GATE_TABLE, VERDICTS

COLUMN_OF = {gate: column for column, gate in VERDICTS.items()}


def gate_table_of(
    models: Sequence[str],
    specs: Sequence[str | None],
    refused: Mapping[str, Sequence[bool]] | None = None,
    **labels: Sequence[Any],
) -> pa.Table:
    """A table of `GATE_TABLE`: a document each, refused by gates as told, and passed otherwise."""
    count = len(models)
    refused = {COLUMN_OF[gate]: flags for gate, flags in (refused or {}).items()}
    columns: dict[str, Sequence[Any]] = {
        "id": [f"d{number:06}" for number in range(count)],
        "model": models,
        "spec_id": specs,
        **{name: [not own for own in refused.get(name, [False] * count)] for name in VERDICTS},
        **labels,
    }
    columns["passed"] = [
        all(own) for own in zip(*(columns[name] for name in VERDICTS), strict=True)
    ]
    for field in GATE_TABLE:
        if field.name not in columns:
            columns[field.name] = [_filling(field)] * count
    return pa.table(
        {field.name: pa.array(columns[field.name], field.type) for field in GATE_TABLE},
        schema=GATE_TABLE,
    )


def _filling(field: pa.Field) -> Any:
    if field.type == pa.string():
        return {"earlier": None, "prompt_variant_id": None, "target_length": "short"}.get(
            field.name, field.name
        )
    if field.type == pa.bool_():
        return True
    return [] if pa.types.is_list(field.type) else 1 if pa.types.is_floating(field.type) else 0
