"""What is asked of an application."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluate_shelf.errors import ShelfError


@dataclass(frozen=True)
class Request:
    """What to apply to which records, and where the result goes.

    Attributes
    ----------
    run : pathlib.Path
        Folder of the run.
    records : sequence of pathlib.Path
        MARC files, or one table.
    data : str
        The release that the run was scored on: a folder or a Hub dataset id.
    columns : sequence of str
        `role=column`, for a table; see `parse_mapping`.
    out : pathlib.Path or None
        The CSV file.
    marc : pathlib.Path or None
        The records with their classes: a file, or for several MARC files a folder.
    top : int
        How many classes a record is given.
    minimum_probability : float
        Classes below it are given to no record.
    model : str or None
        Names the model in place of the run's own spec; needed where that is `module:attribute`.
    store : pathlib.Path or None
        Folder of stored vectors.
    batch_records : int
        Records that are held and encoded at a time. For a model whose vector of a text depends
        on the texts beside it (an encoder that pads a batch) another number may change the last
        digits of a probability, and a class only where two are equal to these digits. For `tf`,
        `tfidf` and `wordllama` it changes nothing.

    Raises
    ------
    ShelfError
        If a number is out of its range.
    """

    run: Path
    records: Sequence[Path]
    data: str
    columns: Sequence[str] = ()
    out: Path | None = None
    marc: Path | None = None
    top: int = 1
    minimum_probability: float = 0.0
    model: str | None = None
    store: Path | None = None
    batch_records: int = 1000

    def __post_init__(self) -> None:
        if self.top < 1:
            raise ShelfError(f"--top {self.top}: at least 1 class a record is needed")
        if not 0 <= self.minimum_probability <= 1:
            raise ShelfError(
                f"--minimum-probability {self.minimum_probability}: a probability lies between "
                "0 and 1"
            )
        if self.batch_records < 1:
            raise ShelfError(f"batch of {self.batch_records} records: at least 1 is needed")
