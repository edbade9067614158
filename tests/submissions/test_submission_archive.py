"""An archive of a stranger becomes a run's files, or nothing at all."""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.submissions import archive as opening
from evaluate_shelf.submissions.archive import opened
from evaluate_shelf.submissions.contents import allowed_names, check_names, listed
from evaluate_shelf.submissions.refusals import Refused

FILES = {
    "items/lcc_retrieval.parquet": b"PAR1 some rows PAR1",
    "run.json": b'{"run_version": 2}',
    "scores.parquet": os.urandom(3000),
}


def zipped(
    entries: Iterable[tuple[str, bytes]], method: int = zipfile.ZIP_STORED, mode: int | None = None
) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in entries:
            entry = zipfile.ZipInfo(name)
            entry.filename, entry.compress_type = name, method
            if mode is not None:
                entry.external_attr = mode << 16
            archive.writestr(entry, data)
    return stream.getvalue()


GOOD = zipped(FILES.items())


def tried(folder: Path, data: bytes) -> dict[str, bytes]:
    """What comes out; where it is refused, that nothing has."""
    path, into = folder / "sent.zip", folder / "into" / "run"
    path.write_bytes(data)
    into.parent.mkdir(exist_ok=True)
    try:
        opened(path, into)
    except Refused as error:
        reason = str(error)
        assert not list(into.parent.iterdir())
        assert "\n" not in reason
        assert str(folder) not in reason
        raise
    return {own.relative_to(into).as_posix(): own.read_bytes() for own in into.rglob("*.*")}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_plain_archive_comes_out_as_it_is(tmp_path: Path, method: int) -> None:
    assert tried(tmp_path, zipped(FILES.items(), method)) == FILES
    modes = {stat.S_IMODE(own.stat().st_mode) & 0o111 for own in (tmp_path / "into").rglob("*.*")}
    assert modes == {0}


def test_an_empty_folder_is_filled_and_another_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "sent.zip"
    path.write_bytes(GOOD)
    (tmp_path / "empty").mkdir()
    assert opened(path, tmp_path / "empty") == sorted(FILES)
    with pytest.raises(ShelfError, match="not an empty folder"):
        opened(path, tmp_path / "empty")
    assert listed(tmp_path / "empty") == sorted(FILES)


@pytest.mark.parametrize(
    "name",
    [
        "../run.json",
        "items/../../x.json",
        "/etc/passwd",
        "//host/share/run.json",
        "C:\\x.json",
        "C:/x.json",
        "c:run.json",
        "items\\lcc_retrieval.parquet",
        "..\\run.json",
        "./run.json",
        "RUN.JSON",
        "run.json\x00.exe",
        "items/",
        "items/none.parquet",
        "items/lcc_retrieval.parquet/x",
        "model.pkl",
        "more.zip",
        "=1+1",
        "<script>",
        "",
        "x" * 3000,
    ],
    ids=lambda name: ascii(name[:20]),
)
def test_a_name_that_no_run_has_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(Refused):
        tried(tmp_path, zipped([*FILES.items(), (name, b"x")]))
    assert {own.name for own in tmp_path.iterdir()} == {"sent.zip", "into"}


@given(st.text(max_size=40) | st.sampled_from(sorted(allowed_names())))
def test_only_names_of_the_list_pass(name: str) -> None:
    names = ["run.json", "scores.parquet"]
    if name in allowed_names() and name not in names:
        check_names([*names, name])
    else:
        with pytest.raises(Refused):
            check_names([*names, name])


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFDIR, stat.S_IFIFO, stat.S_IFCHR])
def test_links_folders_and_devices_are_refused(tmp_path: Path, kind: int) -> None:
    with pytest.raises(Refused, match="link"):
        tried(tmp_path, zipped(FILES.items(), mode=kind | 0o644))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="twice"):
        tried(tmp_path, zipped([*FILES.items(), ("run.json", b"{}")]))


@pytest.mark.parametrize("lost", ["run.json", "scores.parquet"])
def test_a_run_without_its_head_is_refused(tmp_path: Path, lost: str) -> None:
    with pytest.raises(Refused, match=lost):
        tried(tmp_path, zipped((name, data) for name, data in FILES.items() if name != lost))


def test_what_is_encrypted_is_refused(tmp_path: Path) -> None:
    data = bytearray(GOOD)
    data[data.find(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(Refused, match="encrypted"):
        tried(tmp_path, bytes(data))


@pytest.mark.parametrize("said", [None, 3000])
def test_a_bomb_is_refused_and_never_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: int | None
) -> None:
    size = 40 * 2**20
    data = zipped([*FILES.items(), ("items/form_retrieval.parquet", bytes(size))], 8)
    if said is not None:
        data = data.replace(struct.pack("<L", size), struct.pack("<L", said))
    counted = []
    real = opening._written

    def written(*given: object) -> int:
        counted.append(real(*given))  # type: ignore[arg-type]
        return counted[-1]

    monkeypatch.setattr(opening, "_written", written)
    with pytest.raises(Refused):
        tried(tmp_path, data)
    assert sum(counted) < 10_000


def test_bytes_are_counted_and_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that passes the look at the directory is cut off by the count all the same."""
    data = zipped([*FILES.items(), ("items/form_retrieval.parquet", bytes(10**6))], 8)
    monkeypatch.setattr(opening, "_check_entries", lambda *_: None)
    monkeypatch.setattr(opening, "TOTAL_BYTES", 10_000)
    with pytest.raises(Refused, match="more bytes"):
        tried(tmp_path, data)


def test_many_entries_are_refused_before_anything_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = zipped((f"items/{number}.parquet", b"") for number in range(5_000))

    def read(*_: object) -> None:
        raise AssertionError("the directory was read")

    monkeypatch.setattr(zipfile, "ZipFile", read)
    with pytest.raises(Refused, match="5,000 files"):
        tried(tmp_path, data)


def test_a_second_directory_is_not_looked_for(tmp_path: Path) -> None:
    """A locator of the form for large files, hidden in a comment, would name another directory."""
    size, offset = struct.unpack_from("<LL", GOOD, len(GOOD) - 22 + 12)
    note = struct.pack("<4sLQL", b"PK\x06\x07", 0, 0, 1)
    directory = bytearray(GOOD[offset : offset + size])
    last = directory.rfind(b"PK\x01\x02")
    struct.pack_into("<H", directory, last + 32, len(note))
    end = bytearray(GOOD[-22:])
    struct.pack_into("<L", end, 12, size + len(note))
    with pytest.raises(Refused, match="large files"):
        tried(tmp_path, GOOD[:offset] + bytes(directory) + note + bytes(end))


def test_too_large_an_archive_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "ARCHIVE_BYTES", len(GOOD) - 1)
    with pytest.raises(Refused, match="MiB"):
        tried(tmp_path, GOOD)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x05\x06" + bytes(18),
        GOOD[:-1],
        GOOD + b"\0",
        b"#!/bin/sh\n" + GOOD,
        zlib.compress(GOOD),
        GOOD[: len(GOOD) // 2],
        GOOD[:-2] + b"\x03\x00abc",
        os.urandom(2000),
    ],
    ids=["empty", "no entry", "cut", "more", "before", "inflated", "half", "comment", "noise"],
)
def test_what_is_not_one_plain_archive_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(Refused):
        tried(tmp_path, data)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, len(GOOD) - 1), value=st.integers(0, 255))
def test_a_changed_byte_is_refused_or_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, place: int, value: int
) -> None:
    data = bytearray(GOOD)
    data[place] = value
    try:
        found = tried(tmp_path_factory.mktemp("changed"), bytes(data))
    except Refused:
        return
    assert found == FILES


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), st.integers(0, len(GOOD)), st.integers(0, 200))
def test_noise_is_refused_or_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, place: int, lost: int
) -> None:
    data = GOOD[:place] + noise + GOOD[place + lost :]
    try:
        found = tried(tmp_path_factory.mktemp("noise"), data)
    except Refused:
        return
    assert found == FILES


def test_a_folder_with_a_link_or_a_stranger_s_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sent.zip"
    path.write_bytes(GOOD)
    opened(path, tmp_path / "run")
    target = tmp_path / "run" / "items" / "form_retrieval.parquet"
    target.symlink_to("/etc/hostname")
    with pytest.raises(Refused, match="link"):
        listed(tmp_path / "run")
    target.unlink()
    (tmp_path / "run" / "model.pkl").write_bytes(b"x")
    with pytest.raises(Refused, match=r"model\.pkl"):
        listed(tmp_path / "run")
