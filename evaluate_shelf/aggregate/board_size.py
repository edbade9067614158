"""How large the release of a board is, and what that means for a reader."""

from __future__ import annotations

from typing import NamedTuple

from evaluate_shelf.aggregate.tables import Table
from evaluate_shelf.bounded import one_line
from evaluate_shelf.registry.conditions import text_of
from evaluate_shelf.release.documents import Release

SMALL_RELEASE = 1_000
"""Test documents: with fewer, differences between good models are as wide as their intervals."""

_SMALL = (
    "A small release: it shows how SHELF works, not which model is better; differences that it "
    "cannot resolve are shown as ties."
)
_OF_DOCUMENTS = ("classification", "retrieval", "instruction_retrieval", "clustering")


class Size(NamedTuple):
    """What a board's models were scored on.

    Attributes
    ----------
    release_name : str or None
        None where the scores were published elsewhere.
    n_train, n_test : int or None
        Documents; None where neither the release nor the scores tell.
    """

    release_name: str | None
    n_train: int | None
    n_test: int | None


def size_of(table: Table, release: Release | None) -> Size:
    """The size of what a board's models were scored on.

    Parameters
    ----------
    table : Table
        Rows of one board.
    release : Release or None
        Theirs; without it, the largest number of documents that a task was scored on stands for
        those of the test split.
    """
    data = table.runs[0].file.data
    if table.reported:
        return Size(None, None, None)
    name = one_line(data.release_name, 300)
    if release is not None and data.config in release.manifest.configs:
        rows = release.manifest.rows_of(data.config)
        n_train, n_test = rows.get("train"), rows.get("test")
        if table.limit is not None:
            both = (n_train, n_test)
            n_train, n_test = (None if n is None else min(n, table.limit) for n in both)
        return Size(name, n_train, n_test)
    counts = [
        (bool(counted), own[task.id]["n"])
        for task in table.tasks
        if task.formulation in _OF_DOCUMENTS
        for own, counted in zip(table.scores, table.counted.tolist(), strict=True)
        if task.id in own and own[task.id]["n"] is not None
    ]
    # An unverified row tells only where there is no other.
    return Size(name, None, max(counts, default=(False, None))[1])


def title_of(table: Table, size: Size) -> str:
    """What a board compares, in a line.

    Parameters
    ----------
    table : Table
        Rows of the board.
    size : Size
        From `size_of`.
    """
    file = table.runs[0].file
    config = file.data.config
    if table.reported:
        return one_line(f"{config}, as published")
    documents = "" if size.n_test is None else f"{size.n_test:,} test documents of "
    smoke = f", smoke runs of {file.limit} documents a split" if file.limit else ""
    text = text_of(file.protocol.id)
    treated = "" if text == "full" else f", text {text}"
    return one_line(
        f"{config}, {documents}{size.release_name}{treated}{smoke} "
        f"(release {file.data.release_id}, protocol {file.protocol.id}, "
        f"version {file.protocol.version})"
    )


def notes_of(size: Size) -> tuple[str, ...]:
    """What a reader has to know before comparing."""
    is_small = size.n_test is not None and size.n_test < SMALL_RELEASE
    return (_SMALL,) if is_small else ()
