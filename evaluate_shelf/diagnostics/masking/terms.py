"""The own terms of a document: its class name, topics, form and category."""

from __future__ import annotations

import pyarrow as pa

from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.registry.taxonomy import load_taxonomy

LABEL_COLUMNS = ("lcc_name", "topics", "lcgft_form", "lcgft_category")
"""Columns whose labels are a document's own terms; a class without its name has one by its code."""

Terms = tuple[str, ...]
"""Terms of one document, none twice."""


def terms_of_rows(table: pa.Table, place: str) -> list[Terms]:
    """The own terms of each document of a table.

    Parameters
    ----------
    table : pyarrow.Table
        A row a document. Columns of strings, or of lists of them; null and blank labels are none.
    place : str
        What the table is, for messages.

    Returns
    -------
    list of tuple of str, length n_rows
        Empty for a document without labels.

    Raises
    ------
    UnsupportedError
        If the table has none of the columns: nothing says what would have to be removed.

    Examples
    --------
    >>> table = pa.table({"lcc_code": ["K"], "topics": [["Courts", "Law"]], "lcgft_form": [None]})
    >>> terms_of_rows(table, "books")
    [('Law', 'Courts')]
    """
    columns = [_labels(table, name) for name in LABEL_COLUMNS if _is_there(table, name)]
    if not columns:
        known = ", ".join(LABEL_COLUMNS)
        raise UnsupportedError(
            f"{place}: none of the columns {known}, so no document has own terms"
        )
    return [
        tuple(dict.fromkeys(label for labels in row for label in labels))
        for row in zip(*columns, strict=True)
    ]


def _is_there(table: pa.Table, name: str) -> bool:
    names = table.column_names
    return name in names or (name == "lcc_name" and "lcc_code" in names)


def _labels(table: pa.Table, name: str) -> list[list[str]]:
    if name in table.column_names:
        return [labels_in(value) for value in table[name].to_pylist()]
    names = {own.code: own.name for own in load_taxonomy().classes}
    return [labels_in(names.get(code)) for code in table["lcc_code"].to_pylist()]


def labels_in(value: str | list[str | None] | None) -> list[str]:
    """The labels of a field of one label or of several; null and blank ones are none.

    Examples
    --------
    >>> labels_in("Law"), labels_in(["Law", " ", None]), labels_in(None)
    (['Law'], ['Law'], [])
    """
    given = [value] if isinstance(value, str) else value or []
    return [label for label in given if label and label.strip()]
