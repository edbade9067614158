"""Read the bytes of a file, compressed by gzip or not, up to a limit."""

from __future__ import annotations

import contextlib
import gzip
import zlib
from collections.abc import Iterator
from io import BufferedIOBase
from pathlib import Path

from evaluate_shelf.errors import ShelfError

_GZIP = b"\x1f\x8b"


def read_bytes(path: Path, *, limit: int) -> bytes:
    """Give the bytes of `path`, decompressed if they are gzip.

    Parameters
    ----------
    path : pathlib.Path
        A plain file, or one compressed by gzip whatever its name.
    limit : int
        The most bytes that are taken, after decompression.

    Returns
    -------
    bytes
        The whole content.

    Raises
    ------
    ShelfError
        The file is missing, is a damaged or truncated gzip, is named `.gz` and is none, or
        holds more than `limit` bytes.

    Examples
    --------
    >>> import gzip, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "12.txt.gz"
    >>> _ = path.write_bytes(gzip.compress(b"a book"))
    >>> read_bytes(path, limit=1000)
    b'a book'
    """
    with inflated(path) as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise ShelfError(
            f"{path}: holds more than {limit:,} bytes when decompressed, the most that is read; "
            "check that it is the right file"
        )
    return data


@contextlib.contextmanager
def inflated(path: Path) -> Iterator[BufferedIOBase]:
    """Open a file, decompressed if it is gzip, whatever its name.

    Raises
    ------
    ShelfError
        The file cannot be read, is a damaged or truncated gzip, or is named `.gz` and is none; also
        where that shows only as it is read.
    """
    try:
        with path.open("rb") as stream:
            packed = stream.read(len(_GZIP)) == _GZIP
            stream.seek(0)
            if path.suffix == ".gz" and not packed:
                raise ShelfError(f"{path}: is named .gz but is not gzip data; fetch the file again")
            yield gzip.GzipFile(fileobj=stream) if packed else stream
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ShelfError(
            f"{path}: the gzip data is damaged or cut short ({error}); fetch the file again"
        ) from error
    except OSError as error:
        raise ShelfError(f"{path}: cannot be read ({error.strerror or error})") from error
