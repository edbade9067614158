"""Batches as an endpoint describes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError

_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,199}")
_OVER = frozenset({"completed", "failed", "expired", "cancelled"})
_KEY, _GENERATOR, _WITHOUT = "shelf_batch", "shelf_generator", "shelf_without"


@dataclass(frozen=True)
class BatchJob:
    """A batch on the endpoint.

    Attributes
    ----------
    id : str
        As the endpoint names it.
    key : str
        As `Prepared.key`; "" for a batch that SHELF did not submit.
    status : str
        `validating`, `in_progress`, `finalizing`, `completed`, `failed`, `expired`, `cancelling` or
        `cancelled`.
    input_file : str
        What it was made of; "" where the endpoint does not say.
    output_file, error_file : str or None
        Where its answers and errors are.
    completed, failed, total : int
        Orders; 0 where the endpoint does not say.
    problems : tuple of str
        Why it failed.
    without : tuple of str
        As `Prepared.without`.
    """

    id: str
    key: str
    status: str
    input_file: str
    output_file: str | None
    error_file: str | None
    completed: int
    failed: int
    total: int
    problems: tuple[str, ...]
    without: tuple[str, ...]

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.status in _OVER


def metadata_of(key: str, generator: str, without: tuple[str, ...]) -> dict[str, str]:
    """What is written on a batch, so that it is found and understood again."""
    return {_KEY: key, _GENERATOR: generator, _WITHOUT: ",".join(without)}


def job_of(value: Any) -> BatchJob:
    """Read an endpoint's description of a batch.

    Raises
    ------
    ShelfError
        If it is none.
    """
    if not isinstance(value, dict):
        raise ShelfError("what the endpoint calls a batch is no object")
    metadata = value.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    counts = value.get("request_counts")
    counts = counts if isinstance(counts, dict) else {}
    return BatchJob(
        id=id_of(value, "a batch"),
        key=_text(metadata.get(_KEY)),
        status=_text(value.get("status")),
        input_file=_text(value.get("input_file_id")),
        output_file=_text(value.get("output_file_id")) or None,
        error_file=_text(value.get("error_file_id")) or None,
        completed=_count(counts.get("completed")),
        failed=_count(counts.get("failed")),
        total=_count(counts.get("total")),
        problems=tuple(_problems(value.get("errors"))),
        without=tuple(filter(None, _text(metadata.get(_WITHOUT)).split(","))),
    )


def _problems(errors: Any) -> Iterator[str]:
    rows = errors.get("data") if isinstance(errors, dict) else None
    for row in (rows if isinstance(rows, list) else [])[:5]:
        own = row if isinstance(row, dict) else {}
        yield one_line(f"{own.get('code')}: {own.get('message')}", 300)


def id_of(value: dict[str, Any], what: str) -> str:
    """The id of something on the endpoint.

    Raises
    ------
    ShelfError
        If it has none that can be part of a path.
    """
    name = value.get("id")
    if not isinstance(name, str):
        raise ShelfError(f"{what} has no id")
    return safe_id(name)


def safe_id(name: str) -> str:
    """An id that is one part of a path, whoever gave it.

    Raises
    ------
    ShelfError
        If it is none.

    Examples
    --------
    >>> safe_id("batch_abc123")
    'batch_abc123'
    """
    if not _ID.fullmatch(name):
        raise ShelfError(f"{one_line(name, 80)!r} is no id of a batch or a file")
    return name


def _text(value: Any) -> str:
    return one_line(value, 200) if isinstance(value, str) else ""


def _count(value: Any) -> int:
    return value if type(value) is int and value >= 0 else 0
