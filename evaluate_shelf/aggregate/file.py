"""An aggregate as a file: on the disk, or in a dataset repository of the Hub."""

from __future__ import annotations

import functools
import gzip
import io
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evaluate_shelf.aggregate.schema import Aggregate
from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replacing

LARGEST = 64 * 2**20
"""Bytes of an aggregate, unpacked."""

MOST_LISTS = 1_500_000
MOST_VALUES = 10_000_000
"""Lists and objects, and values, of an aggregate: what it takes in memory follows from these."""

_PLAIN, _PACKED = ".json", ".json.gz"
_PACKING = 6
_NAME = r"[A-Za-z0-9][\w.-]{0,95}"
_ON_THE_HUB = re.compile(
    rf"hf://datasets/(?P<repository>{_NAME}/{_NAME})(@(?P<revision>[\w.-]{{1,100}}))?"
    rf"/(?P<file>{_NAME}(/{_NAME}){{0,5}})"
)


def write_aggregate(aggregate: Aggregate, path: Path) -> Path:
    """Write an aggregate; the same one gives the same bytes.

    Parameters
    ----------
    aggregate : Aggregate
        What is written.
    path : pathlib.Path
        Its name ends in `.json` or in `.json.gz`. A file that is there is replaced when the new
        one is complete.

    Returns
    -------
    pathlib.Path
        `path`.

    Raises
    ------
    ShelfError
        If the name has another ending, the aggregate is larger than `read_aggregate` reads, or the
        file cannot be written.
    """
    packed = check_name(path)
    content = (aggregate.model_dump_json() + "\n").encode("utf-8")
    if len(content) > LARGEST:
        raise ShelfError(
            f"{path}: the aggregate has {len(content):,} bytes, {LARGEST:,} are read; give fewer "
            "runs, or leave out --data"
        )
    _check_parts(content, str(path))
    try:
        with replacing(path) as temporary:
            temporary.write_bytes(_packed(content) if packed else content)
    except OSError as error:
        raise ShelfError(f"{path}: cannot be written: {error.strerror or error}") from error
    return path


def check_name(path: Path) -> bool:
    """Whether an aggregate of that name is packed.

    Raises
    ------
    ShelfError
        If the name ends in neither `.json` nor `.json.gz`.

    Examples
    --------
    >>> check_name(Path("shelf.json")), check_name(Path("shelf.json.gz"))
    (False, True)
    """
    name = path.name.lower()
    if not name.endswith((_PLAIN, _PACKED)):
        raise ShelfError(f"{path}: the name must end in {_PLAIN} or {_PACKED}")
    return name.endswith(_PACKED)


def read_aggregate(source: str | Path) -> Aggregate:
    """Read an aggregate, at most 64 MB of it unpacked.

    Parameters
    ----------
    source : str or pathlib.Path
        A file, or `hf://datasets/ORG/NAME/FILE`, `hf://datasets/ORG/NAME@REVISION/FILE`.

    Returns
    -------
    Aggregate

    Raises
    ------
    ShelfError
        If it is not there, too large, or no aggregate of this version; the message names the place
        in it.
    """
    place = str(source)
    path = _from_hub(place) if place.startswith("hf:") else Path(place)
    content = _content(path, place)
    _check_parts(content, place)
    try:
        return Aggregate.model_validate_json(content)
    except ValidationError as error:
        raise ShelfError(_problem(place, error)) from error


def _content(path: Path, place: str) -> bytes:
    packed = check_name(path)
    try:
        with path.open("rb") as stream:
            content = stream.read(LARGEST + 1)
        if packed and len(content) <= LARGEST:
            with gzip.GzipFile(fileobj=io.BytesIO(content)) as unpacked:
                content = unpacked.read(LARGEST + 1)
    except FileNotFoundError as error:
        raise ShelfError(
            f"{place}: no such file; make one with `shelf leaderboard --aggregate FILE`"
        ) from error
    except (OSError, EOFError, zlib.error) as error:
        raise ShelfError(f"{place}: cannot be read: {one_line(str(error), 200)}") from error
    if len(content) > LARGEST:
        raise ShelfError(f"{place}: larger than {LARGEST:,} bytes, so no aggregate")
    return content


def _check_parts(content: bytes, place: str) -> None:
    """Refuse what is small as a file and large in memory, before anything is made of it."""
    # A bracket or a comma within a text counts too; there are few of them.
    lists = content.count(b"[") + content.count(b"{")
    values = content.count(b",") + lists
    if lists > MOST_LISTS or values > MOST_VALUES:
        raise ShelfError(
            f"{place}: {lists:,} lists and {values:,} values, at most {MOST_LISTS:,} and "
            f"{MOST_VALUES:,} are read, so no aggregate"
        )


def _packed(content: bytes) -> bytes:
    stream = io.BytesIO()
    # Neither a name nor a time is kept, so that the same content gives the same bytes.
    with gzip.GzipFile("", "wb", compresslevel=_PACKING, fileobj=stream, mtime=0) as packing:
        packing.write(content)
    return stream.getvalue()


def _problem(place: str, error: ValidationError) -> str:
    # What was read is a stranger's text, so none of it is repeated but the names of fields.
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "the file"
    if first["loc"] == ("aggregate_version",):
        return (
            f"{place}: an aggregate of another version; make it again with `shelf leaderboard "
            "--aggregate FILE`, or upgrade evaluate-shelf"
        )
    return f"{place}: no aggregate: {one_line(where, 200)}: {one_line(first['msg'], 300)}"


def _from_hub(place: str) -> Path:
    """The Hub's file in the cache, fetched if it is not there; its size is asked for before."""
    named = _ON_THE_HUB.fullmatch(place)
    if named is None or ".." in place:
        raise ShelfError(
            f"{one_line(place, 300)!r}: must be hf://datasets/ORG/NAME[@REVISION]/FILE"
        )
    repository, revision, file = named["repository"], named["revision"], named["file"]
    check_name(Path(file))
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    fetched = functools.partial(
        hf_hub_download, repository, file, repo_type="dataset", revision=revision
    )
    try:
        size = _size_on_hub(fetched)
        if size is not None and size > LARGEST:
            raise ShelfError(f"{place}: larger than {LARGEST:,} bytes, so no aggregate")
        return Path(fetched())
    except (HfHubHTTPError, HFValidationError, OSError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ShelfError(f"{place}: the Hub did not give it: {one_line(reason, 300)}") from error


def _size_on_hub(fetched: Callable[..., Any]) -> int | None:
    """Bytes of the file that would be fetched; None where the Hub cannot be asked."""
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        return int(fetched(dry_run=True).file_size)
    except (LocalEntryNotFoundError, ConnectionError):
        # Without a network, what was fetched before is in the cache.
        return None
