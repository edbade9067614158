"""The files whose records are to be classed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.records.column_mapping import ColumnMapping, parse_mapping
from evaluate_shelf.records.marc import read_marc
from evaluate_shelf.records.record import CatalogueRecord, Unread
from evaluate_shelf.records.tables import read_table

_TABLES = (".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".parquet")


@dataclass(frozen=True)
class CatalogueFiles:
    """MARC files, or one table.

    Attributes
    ----------
    paths : tuple of pathlib.Path
        In the order in which they are read.
    columns : ColumnMapping or None
        Which column of the table is what; None for MARC.
    """

    paths: tuple[Path, ...]
    columns: ColumnMapping | None

    @property
    def are_marc(self) -> bool:
        """Whether they are MARC files."""
        return self.columns is None

    def read(self) -> Iterator[tuple[int, CatalogueRecord | Unread]]:
        """All records, each with the number of its file in `paths`."""
        for number, path in enumerate(self.paths):
            name = one_line(path.name)
            for record in self._records_of(path):
                yield number, record if name == path.name else _named(record, path.name, name)

    def _records_of(self, path: Path) -> Iterator[CatalogueRecord | Unread]:
        if self.columns is None:
            return read_marc([path])
        return read_table(path, self.columns)


def catalogue_files(paths: Sequence[Path], columns: Sequence[str]) -> CatalogueFiles:
    """Tell a table from MARC files, and make sure that there is a text to class.

    Parameters
    ----------
    paths : sequence of pathlib.Path
        MARC 21 or MARCXML, told by their content; or one table, told by its name.
    columns : sequence of str
        `role=column`, for a table.

    Returns
    -------
    CatalogueFiles

    Raises
    ------
    ShelfError
        If a file is missing or of no known kind, stands twice or is a second table, a table has
        no mapping or not its columns, or no record with a text can be read.
    """
    if not paths:
        raise ShelfError("name a file of records")
    seen: set[Path] = set()
    for path in paths:
        if path.resolve() in seen:
            raise ShelfError(f"{path}: stands twice; its records would count twice")
        seen.add(path.resolve())
    files = CatalogueFiles(tuple(paths), _mapping(paths, columns))
    _check_texts(files)
    return files


def _named(record: CatalogueRecord | Unread, name: str, printable: str) -> CatalogueRecord | Unread:
    """A record under a printable name of its file, which may be its id as well."""
    if isinstance(record, Unread):
        return replace(record, file=printable)
    own = record.id
    known = f"{printable}:{record.position}" if own == f"{name}:{record.position}" else own
    return replace(record, file=printable, id=known)


def _mapping(paths: Sequence[Path], columns: Sequence[str]) -> ColumnMapping | None:
    tables = [path for path in paths if _is_table(path)]
    if not tables and not columns:
        return None
    if not tables:
        raise ShelfError(
            f"{paths[0]}: --column is for a table, whose name ends in one of {', '.join(_TABLES)}"
        )
    if len(paths) > 1:
        raise ShelfError(f"{tables[0]}: a table is read alone; leave out the other files")
    if not columns:
        raise ShelfError(
            f"{tables[0]}: say which column is what, such as --column title=Title --column id=No"
        )
    return parse_mapping(columns)


def _is_table(path: Path) -> bool:
    name = path.name.lower().removesuffix(".gz")
    return name.endswith(_TABLES)


def _check_texts(files: CatalogueFiles) -> None:
    """Read up to the first record with a text; a million records without one are no work."""
    read = unread = 0
    reason = ""
    for _, record in files.read():
        if isinstance(record, Unread):
            unread += 1
            reason = reason or f"; the first of these: {record.reason}"
        elif record.text.strip():
            return
        else:
            read += 1
    place = ", ".join(str(path) for path in files.paths)
    if not read and not unread:
        raise ShelfError(f"{place}: no record")
    raise ShelfError(
        f"{place}: no record with a text: {read} records without title, contents and summary, "
        f"{unread} that could not be read{reason}"
    )
