"""Rows that take over what another row of their file says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evaluate_shelf.registry.strict_yaml import Name, Row, validated, wrong

_NOT_TAKEN_OVER = ("id", "default", "note", "extends")


class _Identified(Row):
    id: Name


def extended(rows: list[Any], file: Path) -> list[dict[str, Any]]:
    """Fill in what rows extend, nearest first.

    Parameters
    ----------
    rows : list
        As they stand in the file; a row may name another by `extends`.
    file : pathlib.Path
        For messages.

    Returns
    -------
    list of dict
        The rows without `extends`.

    Raises
    ------
    ShelfError
        If an id is damaged, or a row extends an unknown one or, by way of others, itself.
    """
    # The ids come first: one that is damaged would else show as an unknown one in another row.
    for number, row in enumerate(rows, start=1):
        own = {key: row[key] for key in ("id",) if key in row} if isinstance(row, dict) else row
        validated(_Identified, own, file, number)
    by_id = {row["id"]: row for row in rows}
    return [_resolved(row, by_id, file) for row in rows]


def _resolved(row: dict[str, Any], by_id: dict[str, dict[str, Any]], file: Path) -> dict[str, Any]:
    """Give a row with the values of the rows that it extends, nearest first."""
    merged = row
    seen: list[str] = [row["id"]]
    while "extends" in merged:
        base_id = merged["extends"]
        if not isinstance(base_id, str) or base_id not in by_id:
            known = ", ".join(by_id)
            raise wrong(file, seen[0], "extends", f"unknown {base_id!r}; known: {known}")
        if base_id in seen:
            way = " -> ".join([*seen, base_id])
            raise wrong(file, seen[0], "extends", f"leads back to itself: {way}")
        seen.append(base_id)
        base = by_id[base_id]
        taken = {key: value for key, value in base.items() if key not in _NOT_TAKEN_OVER}
        own = {key: value for key, value in merged.items() if key != "extends"}
        merged = _merged(taken, own)
        if "extends" in base:
            merged["extends"] = base["extends"]
    return merged


def _merged(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Merge two mappings key by key; where both have a mapping, merge those, else `own` wins.

    Examples
    --------
    >>> _merged({"a": {"x": 1, "y": 2}, "b": 3}, {"a": {"y": 4}})
    {'a': {'x': 1, 'y': 4}, 'b': 3}
    """
    merged = dict(base)
    for key, value in own.items():
        below = base.get(key)
        if isinstance(value, dict) and isinstance(below, dict):
            merged[key] = _merged(below, value)
        else:
            merged[key] = value
    return merged
