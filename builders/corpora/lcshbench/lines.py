"""Read the lines of a file, compressed by gzip or not, with a bound on all that is held."""

from __future__ import annotations

from collections.abc import Iterator
from io import BufferedIOBase
from pathlib import Path

from builders.corpora.inflate import inflated
from evaluate_shelf.errors import ShelfError

_PIECE = 2**16


def numbered_lines(path: Path, *, longest: int, limit: int) -> Iterator[tuple[int, bytes | None]]:
    r"""Give the lines of a file that are not blank, one at a time.

    Parameters
    ----------
    path : pathlib.Path
        A plain file, or one compressed by gzip whatever its name.
    longest : int
        The most bytes of a line, without its end.
    limit : int
        The most bytes of the file, after decompression.

    Yields
    ------
    tuple of int and (bytes or None)
        The number of the line, from 1, and its bytes without its end. None in the place of a line
        that is longer than `longest`; it is skipped without being held.

    Raises
    ------
    ShelfError
        The file cannot be read, is a damaged or truncated gzip, is named `.gz` and is none, or
        holds more than `limit` bytes.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "dev.jsonl"
    >>> _ = path.write_bytes(b"{}\r\n\n" + b"x" * 9 + b"\n[]")
    >>> list(numbered_lines(path, longest=8, limit=1000))
    [(1, b'{}'), (3, None), (4, b'[]')]
    """
    with inflated(path) as source:
        yield from _lines(path, source, longest, limit)


def _lines(
    path: Path, source: BufferedIOBase, longest: int, limit: int
) -> Iterator[tuple[int, bytes | None]]:
    number = taken = 0
    # Two bytes more than the longest line have room for its end.
    while piece := source.readline(longest + 2):
        number += 1
        taken += len(piece)
        stripped = piece.rstrip(b"\r\n")
        whole = piece.endswith(b"\n") or len(piece) < longest + 2
        content = stripped if whole and len(stripped) <= longest else None
        while content is None and piece and not piece.endswith(b"\n") and taken <= limit:
            piece = source.readline(_PIECE)
            taken += len(piece)
        if taken > limit:
            raise ShelfError(
                f"{path}: holds more than {limit:,} bytes when decompressed, the most that is "
                "read; check that it is the right file"
            )
        if content is None or content.strip():
            yield number, content
