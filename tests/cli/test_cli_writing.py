"""A write that fails names what the user asked for, and leaves nothing behind."""

from __future__ import annotations

import errno
import resource
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from evaluate_shelf.files import replacing, write_json, writing_to
from evaluate_shelf.runs.folder import write_parquet


def as_json(path: Path) -> None:
    write_json(path, "x" * 100_000)


def as_parquet(path: Path) -> None:
    write_parquet(path, pa.table({"a": [float(number) ** 0.5 for number in range(100_000)]}))


def as_text(path: Path) -> None:
    with replacing(path) as temporary, temporary.open("w") as stream:
        stream.writelines("line\n" for _ in range(100_000))


WRITERS = [as_json, as_parquet, as_text]


@pytest.fixture
def no_room() -> Iterator[None]:
    """Files of this process end at a thousand bytes, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.usefixtures("no_room")
def test_a_full_disk_names_the_destination(tmp_path: Path, write: Callable[[Path], None]) -> None:
    path = tmp_path / "out.file"
    with pytest.raises(OSError, match="too large") as caught:
        write(path)
    assert caught.value.filename == str(path)
    assert ".tmp" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("write", WRITERS)
def test_a_destination_that_cannot_be_is_named(
    tmp_path: Path, write: Callable[[Path], None]
) -> None:
    (tmp_path / "folder" / "inner").mkdir(parents=True)
    for path in (tmp_path / "folder", tmp_path / ("n" * 300)):
        with pytest.raises(OSError, match=r".") as caught:
            write(path)
        assert caught.value.filename == str(path)
        assert ".tmp" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_the_name_is_the_one_that_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_room: None
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OSError, match="too large") as caught:
        as_json(Path("out.json"))
    assert caught.value.filename == "out.json"


@pytest.mark.parametrize(
    ("error", "named"),
    [
        (OSError(errno.ENOSPC, "full"), "out"),
        (OSError(errno.ENOSPC, "full", "out.tmp/figures/a.svg"), "out/figures/a.svg"),
        (PermissionError(errno.EACCES, "no", "out.tmp"), "out"),
        (OSError(errno.EISDIR, "no", "out.tmp", None, "out"), "out"),
        (OSError("cannot open out.tmp"), "out"),
        # What was read, or fetched, in the course of writing stays what it is.
        (FileNotFoundError(errno.ENOENT, "no", "in.csv"), "in.csv"),
        (OSError(errno.ENOSPC, "full", "elsewhere"), "elsewhere"),
        (OSError(errno.EACCES, "no", "out.tmp.2"), "out.tmp.2"),
        (ConnectionResetError(errno.ECONNRESET, "gone"), None),
        (OSError("not a gzip file"), None),
    ],
    ids=str,
)
def test_only_what_was_written_is_named_anew(error: OSError, named: str | None) -> None:
    with pytest.raises(type(error)) as caught, writing_to("out", Path("out.tmp")):
        raise error
    assert caught.value.filename == named
    assert caught.value.errno == (error.errno or (errno.EIO if named else None))
