"""Concepts of a tab-separated table: one with a head, or Annif's vocabulary without."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from builders.taxonomies import form
from builders.taxonomies.form import MOST_CONCEPTS, Concept, Reading, plain
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import brief
from evaluate_shelf.records.byte_source import BrokenOffError, lines

COLUMNS = ("id", "label", "broader", "description", "scope_note", "other_labels", "notation")
"""Columns that a table can have, `label` being the one that it must have."""

SEPARATOR = " | "
"""What stands between several broader concepts, and between several other labels."""

_LONGEST_LINE = 2**20
_ANNIF = re.compile(r"\s*<([^<>\t]+)>\t(.*)")


def read_tsv(path: Path) -> Reading:
    """Read a table.

    Parameters
    ----------
    path : pathlib.Path
        UTF-8, plain or compressed by gzip, no quoting. With a head: the columns of `COLUMNS` that
        there are; `broader` holds ids, or labels, with " | " between several. Without a head:
        Annif's form, a URI in angle brackets, a tab, and the label, which is the rest of the line.

    Returns
    -------
    Reading
        In the order of the file. A concept without an id has its label for one.

    Raises
    ------
    ShelfError
        The file cannot be read, has an unknown column, a row of another width, or names a broader
        concept that is not there; the message names the row.
    """
    rows = _rows(path)
    first = next(rows, None)
    if first is None:
        raise ShelfError(f"{path}: has no rows")
    concepts = _annif(path, first, rows) if _ANNIF.match(first[1]) else _table(path, first, rows)
    if not concepts:
        raise ShelfError(f"{path}: has a head and no rows")
    return Reading(path.name, concepts)


def _rows(path: Path) -> Iterator[tuple[int, str]]:
    """Lines with their numbers; those without anything in them are passed over."""
    size = 0
    try:
        for number, line in enumerate(lines(path, _LONGEST_LINE), start=1):
            if line is None:
                raise ShelfError(f"{path}, row {number}: longer than {_LONGEST_LINE:,} bytes")
            size += len(line)
            if size > form.MOST_BYTES:
                most = form.MOST_BYTES // 2**20
                raise ShelfError(f"{path}: larger than {most} MiB; take a part of it")
            if number > MOST_CONCEPTS:
                raise ShelfError(f"{path}: more than {MOST_CONCEPTS:,} rows; take a part of it")
            try:
                text = line.decode("utf-8")
            except UnicodeDecodeError as error:
                raise ShelfError(f"{path}, row {number}: is not UTF-8: {error.reason}") from error
            text = text.removeprefix("\ufeff") if number == 1 else text
            if text.strip():
                yield number, text.rstrip("\r\n")
    except BrokenOffError as error:
        raise ShelfError(f"{path}: cannot be read to its end: {error}") from error


def _annif(path: Path, first: tuple[int, str], rows: Iterator[tuple[int, str]]) -> list[Concept]:
    concepts = []
    for number, line in _chained(first, rows):
        match = _ANNIF.match(line)
        if match is None:
            raise ShelfError(
                f"{path}, row {number}: must be a URI in angle brackets, a tab and a label, as row "
                f"1 is; is {brief(line)}"
            )
        concepts.append(Concept(id=match[1].strip(), label=match[2]))
    return concepts


def _table(path: Path, first: tuple[int, str], rows: Iterator[tuple[int, str]]) -> list[Concept]:
    head = [name.strip().casefold() for name in first[1].split("\t")]
    unknown = [name for name in head if name not in COLUMNS]
    if unknown or "label" not in head or len(set(head)) < len(head):
        what = f"unknown column {brief(unknown[0])}" if unknown else f"columns {brief(head)}"
        raise ShelfError(
            f"{path}, row {first[0]}: {what}; a head names each of its columns once, of "
            f"{', '.join(COLUMNS)}, and label is one of them"
        )
    found: list[tuple[int, dict[str, str]]] = []
    for number, line in rows:
        cells = line.split("\t")
        if len(cells) != len(head):
            raise ShelfError(f"{path}, row {number}: {len(cells)} fields, the head has {len(head)}")
        found.append((number, dict(zip(head, cells, strict=True))))
    ids = {_id(row) for _, row in found}
    ids_of_label = {plain(row["label"]).casefold(): _id(row) for _, row in reversed(found)}
    return [_concept(path, number, row, ids, ids_of_label) for number, row in found]


def _id(row: dict[str, str]) -> str:
    return plain(row.get("id", "")).strip("<>") or plain(row["label"])


def _concept(
    path: Path, number: int, row: dict[str, str], ids: set[str], ids_of_label: dict[str, str]
) -> Concept:
    broader = []
    for name in _several(row.get("broader", "")):
        own = name.strip("<>")
        target = own if own in ids else ids_of_label.get(own.casefold())
        if target is None:
            raise ShelfError(
                f"{path}, row {number}, field 'broader': no concept {brief(name)} in the file; "
                "give its id or its label, or leave the field empty"
            )
        broader.append(target)
    return Concept(
        id=_id(row),
        label=row["label"],
        broader=tuple(dict.fromkeys(broader)),
        description=row.get("description", ""),
        scope_note=row.get("scope_note", ""),
        other_labels=tuple(_several(row.get("other_labels", ""))),
        notation=row.get("notation", ""),
    )


def _several(cell: str) -> list[str]:
    return [name for name in map(plain, cell.split(SEPARATOR)) if name]


def _chained(first: tuple[int, str], rows: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    yield first
    yield from rows
