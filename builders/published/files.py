"""The Parquet files that a card names, and those that it does not know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from builders.published.card import CARD, PublishedConfig
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.release.manifest import SPLITS

_MOST_FILES = 2000
_SHOWN = 5


class SourceFile(NamedTuple):
    """A published Parquet file.

    Attributes
    ----------
    config, split : str
        What the card has it for.
    path : pathlib.Path
        Where it lies.
    rows : int
        Number of its rows.
    """

    config: str
    split: str
    path: Path
    rows: int


@dataclass(frozen=True)
class SourceFiles:
    """The files of a published folder.

    Attributes
    ----------
    of_config : mapping of str to tuple of SourceFile
        In the order of the card's splits and of their paths; a config without files is left out.
    unknown : tuple of str
        Paths, inside the folder, of Parquet files that the card does not name.
    """

    of_config: Mapping[str, tuple[SourceFile, ...]]
    unknown: tuple[str, ...]

    def rows(self, config: str) -> dict[str, int]:
        """Number of rows of each split of a config that has files."""
        rows: dict[str, int] = {}
        for file in self.of_config.get(config, ()):
            rows[file.split] = rows.get(file.split, 0) + file.rows
        return rows


def find_files(folder: Path, configs: Mapping[str, PublishedConfig]) -> SourceFiles:
    """Find the files of each config of a card.

    Parameters
    ----------
    folder : pathlib.Path
        A published release.
    configs : mapping of str to PublishedConfig
        What its card says.

    Returns
    -------
    SourceFiles
        The files by config.

    Raises
    ------
    ShelfError
        If a pattern finds something that is no Parquet file, a file is in two splits of a config,
        or there are too many files.
    """
    of_config: dict[str, tuple[SourceFile, ...]] = {}
    known: set[Path] = set()
    for name, config in configs.items():
        split_of: dict[Path, str] = {}
        for split, patterns in config.patterns.items():
            for path in sorted({path for own in patterns for path in _found(folder, own)}):
                if split_of.setdefault(path, split) != split:
                    raise ShelfError(
                        f"{folder / CARD}, field 'configs', config {name!r}: {path} is in the "
                        f"splits {split_of[path]!r} and {split!r}"
                    )
                if len(known | split_of.keys()) > _MOST_FILES:
                    raise ShelfError(f"{folder / CARD}: it names more than {_MOST_FILES} files")
        if split_of:
            of_config[name] = tuple(
                SourceFile(name, split, path, _rows(path)) for path, split in split_of.items()
            )
        known.update(split_of)
    return SourceFiles(of_config, tuple(_unknown(folder, known)))


def _found(folder: Path, pattern: str) -> Iterator[Path]:
    for count, path in enumerate(folder.glob(pattern), start=1):
        if count > _MOST_FILES:
            raise ShelfError(f"{folder}: more than {_MOST_FILES} files for {pattern!r}")
        if not path.is_file() or path.suffix != ".parquet":
            raise ShelfError(
                f"{path}: the card's pattern {pattern!r} finds it, and it is no Parquet file; "
                "move it away"
            )
        yield path


def _rows(path: Path) -> int:
    try:
        return int(pq.read_metadata(path).num_rows)
    except (pa.ArrowException, OSError) as error:
        raise ShelfError(f"{path}: damaged, it cannot be read as Parquet") from error


def _unknown(folder: Path, known: set[Path]) -> list[str]:
    """Paths of Parquet files besides those; hidden folders are the tools' that fetched them."""
    paths = []
    for path in folder.rglob("*.parquet"):
        own = path.relative_to(folder)
        if path not in known and not any(part.startswith(".") for part in own.parts):
            paths.append(own.as_posix())
    return sorted(paths)


def check_splits(files: Sequence[SourceFile]) -> None:
    """Refuse files of a split that this project does not have.

    Raises
    ------
    ShelfError
        Names the file and its split.
    """
    for file in files:
        if file.split not in SPLITS:
            raise ShelfError(
                f"{file.path}: the card has it for the split {file.split!r} of {file.config}; "
                f"known are {', '.join(SPLITS)}"
            )


def shortened_list(names: tuple[str, ...]) -> str:
    """The first names, and how many more there are.

    Examples
    --------
    >>> shortened_list(("a", "b")), shortened_list(tuple("abcdefg"))
    ('a, b', 'a, b, c, d, e and 2 more')
    """
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
