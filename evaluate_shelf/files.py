"""Files that are whole or absent: write beside the final name, then rename."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary name beside `path`; what was written there becomes `path` at the end.

    Parameters
    ----------
    path : pathlib.Path
        The final name. Its folder is made if it is missing.

    Yields
    ------
    pathlib.Path
        The name to write to. It is removed if the block raises.

    Raises
    ------
    OSError
        If it cannot be written; the error names `path`, as `writing_to` says.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "a.txt"
    >>> with replacing(target) as temporary:
    ...     _ = temporary.write_text("whole")
    >>> target.read_text()
    'whole'
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with writing_to(path, temporary):
        try:
            yield temporary
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


# What a write fails with where nothing says which file it was to.
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})


@contextlib.contextmanager
def writing_to(destination: Path | str, temporary: Path | None = None) -> Iterator[None]:
    """Let the errors of a write name what the user asked for.

    Parameters
    ----------
    destination : pathlib.Path or str
        What the user named.
    temporary : pathlib.Path, default=None
        The file or folder that is written in its place.

    Raises
    ------
    OSError
        That of the block: with the destination where it names the temporary one or something in
        it, and where the disk is full and it names nothing. Others, as those of a file that is
        read, stay as they are.

    Examples
    --------
    >>> with writing_to(Path("out.csv"), Path(".out.csv.tmp")):
    ...     raise FileNotFoundError(errno.ENOENT, "No such file or directory", ".out.csv.tmp")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'out.csv'
    """
    try:
        yield
    except OSError as error:
        place = _named(error, str(destination), None if temporary is None else str(temporary))
        if place is None:
            raise
        number = error.errno or errno.EIO
        # pyarrow puts the file's name into the reason.
        raise OSError(number, os.strerror(number), place) from error


def _named(error: OSError, destination: str, temporary: str | None) -> str | None:
    """What an error should name in place of what it names; None if it is right as it is."""
    if error.filename is None:
        own = temporary is not None and temporary in str(error)
        return destination if own or error.errno in _NO_ROOM else None
    name = os.fsdecode(error.filename) if not isinstance(error.filename, int) else ""
    if temporary is not None and (name == temporary or name.startswith(f"{temporary}{os.sep}")):
        return destination + name.removeprefix(temporary)
    return None


def write_json(path: Path, value: Any) -> None:
    """Write `value` as indented UTF-8 JSON; the same value gives the same bytes."""
    with replacing(path) as temporary:
        text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
        temporary.write_text(text + "\n", encoding="utf-8")


def linked_or_copied(source: Path, target: Path) -> None:
    """Give a file a second name, or copy it where the disk has no second names."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def sha256_of_file(path: Path) -> str:
    """Hexadecimal SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sha256_of_json(value: Any) -> str:
    """Hexadecimal SHA-256 of a value's canonical JSON (sorted keys, no spaces, UTF-8).

    Examples
    --------
    >>> sha256_of_json({"b": 1, "a": 2}) == sha256_of_json({"a": 2, "b": 1})
    True
    """
    text = json.dumps(
        value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def replace_folder(new: Path, final: Path) -> None:
    """Put the complete folder `new` in the place of `final`.

    `final` is moved aside first, because a folder that is not empty cannot be overwritten by a
    rename. `restore_folder` mends what a death between the two renames leaves.
    """
    aside = _aside(final)
    if final.exists():
        if aside.exists():
            shutil.rmtree(aside)
        final.rename(aside)
    new.rename(final)
    shutil.rmtree(aside, ignore_errors=True)


def restore_folder(final: Path) -> None:
    """Undo a `replace_folder` that died between its two renames."""
    aside = _aside(final)
    if aside.exists():
        if final.is_dir() and not any(final.iterdir()):
            final.rmdir()
        if final.exists():
            shutil.rmtree(aside)
        else:
            aside.rename(final)


def cache_folder() -> Path:
    """Where vectors and fetched books are kept: `$SHELF_CACHE`, or else the user's cache."""
    return Path(os.environ.get("SHELF_CACHE") or Path.home() / ".cache" / "shelf")


def _aside(final: Path) -> Path:
    return final.with_name(f".{final.name}.previous")
