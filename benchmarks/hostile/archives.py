# ruff: noqa: D103 - the names of attacks say what is wrong
"""Archives that lead out, inflate, contradict themselves or hold something else than a run."""

from __future__ import annotations

import io
import struct
import tarfile
import zipfile
import zlib

from benchmarks.hostile.forging import Contents, entry, zipped
from builders.draws import Draws
from evaluate_shelf.runs.folder import RUN, SCORES

_NAMES = (
    "../run.json",
    "../../../../tmp/owned",
    "items/../../owned.json",
    "/etc/passwd",
    "//server/share/run.json",
    "C:\\Windows\\owned.dll",
    "C:/owned.json",
    "c:run.json",
    "items\\lcc_retrieval.parquet",
    "..\\..\\owned.json",
    "./run.json",
    "items//lcc_retrieval.parquet",
    "items/./lcc_retrieval.parquet",
    "~/owned.json",
    "RUN.JSON",
    "Run.json",
    "items/LCC_retrieval.parquet",
    "run.json ",
    "run.json.",
    "run.json\x00.exe",
    "ｒun.json",
    "items/no_such_task.parquet",
    "items/lcc_retrieval.parquet.pkl",
    "items/deeper/lcc_retrieval.parquet",
    "model.pkl",
    "model.safetensors",
    "setup.py",
    "run.py",
    ".git/hooks/post-checkout",
    "more.zip",
    "more.tar.gz",
    "leaderboard.json.gz",
    "items/<script>.parquet",
    "=1+1.parquet",
    "progress/lcc_retrieval.json",
    "",
    "a" * 5_000,
)


def a_name_that_is_no_part_of_a_run(draws: Draws, run: Contents) -> bytes:
    return zipped([*run.items(), (draws.choice(_NAMES), b"owned")])


def every_file_below_another_folder(draws: Draws, run: Contents) -> bytes:
    before = draws.choice(["run/", "../", "/", "runs/a/b/", "..\\"])
    return zipped({before + name: data for name, data in run.items()})


def a_link_in_place_of_a_file(draws: Draws, run: Contents) -> bytes:
    target = draws.choice([b"/etc/passwd", b"../../../secret", b"run.json"])
    return _with_entry(run, draws, 0o120777, target)


def a_device_or_a_pipe(draws: Draws, run: Contents) -> bytes:
    return _with_entry(run, draws, draws.choice([0o010644, 0o020644, 0o060644, 0o140644]), b"")


def a_file_twice(draws: Draws, run: Contents) -> bytes:
    name = draws.choice(sorted(run))
    return zipped([*run.items(), (name, draws.choice([b"{}", run[name], b""]))])


def folders_as_entries(draws: Draws, run: Contents) -> bytes:
    return zipped([(draws.choice(["items/", "items/deeper/", "./"]), b""), *run.items()])


def a_file_missing(draws: Draws, run: Contents) -> bytes:
    lost = draws.choice(sorted(run))
    return zipped({name: data for name, data in run.items() if name != lost})


def an_encrypted_file(draws: Draws, run: Contents) -> bytes:
    archive = bytearray(zipped(run))
    bit = draws.choice([0x1, 0x41, 0x2001])
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = archive.find(signature)
        archive[start + place] |= bit & 0xFF
        archive[start + place + 1] |= bit >> 8
    return bytes(archive)


def an_unknown_compression(draws: Draws, run: Contents) -> bytes:
    archive = bytearray(zipped(run))
    method = draws.choice([1, 6, 9, 12, 14, 93, 95, 99, 65_535])
    for signature, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        struct.pack_into("<H", archive, archive.find(signature) + place, method)
    return bytes(archive)


def a_bomb(draws: Draws, run: Contents) -> bytes:
    name = draws.choice(sorted(run))
    size = draws.choice([2, 24, 60]) * 2**20
    return zipped({**run, name: bytes(size)}, deflated=True)


def a_bomb_that_says_it_is_small(draws: Draws, run: Contents) -> bytes:
    name = draws.choice(sorted(run))
    archive = bytearray(zipped({**run, name: bytes(24 * 2**20)}, deflated=True))
    said = struct.pack("<L", len(run[name]))
    true = struct.pack("<L", 24 * 2**20)
    return bytes(archive.replace(true, said))


def a_bomb_in_the_form_for_large_files(draws: Draws, run: Contents) -> bytes:
    """Sizes of 2^40 stand in the extra field, as for files above 4 GiB."""
    archive = bytearray(zipped(run))
    start = archive.find(b"PK\x01\x02")
    struct.pack_into("<LL", archive, start + 20, 0xFFFFFFFF, 0xFFFFFFFF)
    extra = struct.pack("<HHQQ", 1, 16, 2 ** draws.between(33, 62), 100)
    length = struct.unpack_from("<H", archive, start + 28)[0]
    struct.pack_into("<H", archive, start + 30, len(extra))
    at = start + 46 + length
    archive[at:at] = extra
    end = len(archive) - 22
    directory = struct.unpack_from("<L", archive, end + 12)[0]
    struct.pack_into("<L", archive, end + 12, directory + len(extra))
    return bytes(archive)


def a_directory_in_the_form_for_large_archives(draws: Draws, run: Contents) -> bytes:
    archive = zipped(run)
    offset, size = struct.unpack_from("<LL", archive, len(archive) - 22 + 12)[::-1]
    large = struct.pack(
        "<4sQHHLLQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, len(run), len(run), size, offset
    )
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, len(archive) - 22, 1)
    return archive[:-22] + large + locator + archive[-22:]


def thousands_of_files(draws: Draws, run: Contents) -> bytes:
    many = ((f"items/x{number}.parquet", b"") for number in range(draws.between(100, 3_000)))
    return zipped([*run.items(), *many])


def a_directory_that_says_it_is_short(draws: Draws, run: Contents) -> bytes:
    archive = bytearray(zipped(run))
    struct.pack_into("<HH", archive, len(archive) - 22 + 8, *([draws.between(0, 3)] * 2))
    return bytes(archive)


def bytes_before_it(draws: Draws, run: Contents) -> bytes:
    before = draws.choice([b"#!/bin/sh\nrm -rf /\n", b"\x7fELF", b"GIF89a", b"<html><script>"])
    return before + zipped(run)


def bytes_behind_it(draws: Draws, run: Contents) -> bytes:
    return zipped(run) + draws.choice([b"\x00", b"PK\x05\x06", b"owned", zipped(run)])


def a_comment(draws: Draws, run: Contents) -> bytes:
    archive = zipped(run)
    note = draws.choice([b"<script>", b"x" * 60_000, b"PK\x05\x06" * 5])
    return archive[:-2] + struct.pack("<H", len(note)) + note


def cut_off(draws: Draws, run: Contents) -> bytes:
    archive = zipped(run)
    return archive[: draws.integer(len(archive))]


def a_flipped_byte(draws: Draws, run: Contents) -> bytes:
    """In what a file holds: the archive's own checksum tells."""
    archive = bytearray(zipped(run))
    name = draws.choice(sorted(run))
    start = archive.find(run[name])
    archive[start + draws.integer(len(run[name]))] ^= draws.between(1, 255)
    return bytes(archive)


def a_flipped_byte_with_its_checksum(draws: Draws, run: Contents) -> bytes:
    """Only the hash in `run.json` tells."""
    name = draws.choice(sorted(set(run) - {RUN}))
    data = bytearray(run[name])
    data[draws.integer(len(data))] ^= draws.between(1, 255)
    return zipped({**run, name: bytes(data)})


def a_cut_file(draws: Draws, run: Contents) -> bytes:
    name = draws.choice(sorted(run))
    return zipped({**run, name: run[name][: draws.integer(len(run[name]))]})


def entries_that_share_their_bytes(draws: Draws, run: Contents) -> bytes:
    archive = bytearray(zipped(run))
    first = archive.find(b"PK\x01\x02")
    second = archive.find(b"PK\x01\x02", first + 4)
    archive[second + 42 : second + 46] = archive[first + 42 : first + 46]
    return bytes(archive)


def an_offset_that_leads_nowhere(draws: Draws, run: Contents) -> bytes:
    archive = bytearray(zipped(run))
    start = archive.find(b"PK\x01\x02")
    struct.pack_into("<L", archive, start + 42, draws.choice([2**32 - 2, len(archive), 7]))
    return bytes(archive)


def deflate_that_breaks_off(draws: Draws, run: Contents) -> bytes:
    archive = bytearray(zipped(run, deflated=True))
    start = archive.find(b"PK\x03\x04") + 30 + len(RUN)
    archive[start : start + 40] = bytes(draws.integer(256) for _ in range(40))
    return bytes(archive)


def no_zip_at_all(draws: Draws, run: Contents) -> bytes:
    kind = draws.integer(6)
    if kind == 0:
        return b""
    if kind == 1:
        return run[RUN]
    if kind == 2:
        return zlib.compress(zipped(run))
    if kind == 3:
        return b"PK\x05\x06" + bytes(18)
    if kind == 4:
        return bytes(draws.integer(256) for _ in range(5_000))
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, data in run.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return stream.getvalue()


def an_archive_inside(draws: Draws, run: Contents) -> bytes:
    name = draws.choice(sorted(set(run) - {RUN}))
    return zipped({**run, name: zipped(run)})


def nothing_but_empty_files(draws: Draws, run: Contents) -> bytes:
    return zipped(dict.fromkeys(run if draws.happens(0.5) else (RUN, SCORES), b""))


def more_than_is_taken(draws: Draws, run: Contents) -> bytes:
    name = draws.choice(sorted(set(run) - {RUN}))
    return zipped({**run, name: bytes(65 * 2**20)})


def _with_entry(run: Contents, draws: Draws, mode: int, data: bytes) -> bytes:
    """An archive in which one of the files has another mode, and other bytes."""
    name = draws.choice(sorted(run))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for own in run:
            archive.writestr(
                entry(own, mode=mode if own == name else 0o100644),
                data if own == name else run[own],
            )
    return stream.getvalue()


ATTACKS = (
    a_name_that_is_no_part_of_a_run,
    every_file_below_another_folder,
    a_link_in_place_of_a_file,
    a_device_or_a_pipe,
    a_file_twice,
    folders_as_entries,
    a_file_missing,
    an_encrypted_file,
    an_unknown_compression,
    a_bomb,
    a_bomb_that_says_it_is_small,
    a_bomb_in_the_form_for_large_files,
    a_directory_in_the_form_for_large_archives,
    thousands_of_files,
    a_directory_that_says_it_is_short,
    bytes_before_it,
    bytes_behind_it,
    a_comment,
    cut_off,
    a_flipped_byte,
    a_flipped_byte_with_its_checksum,
    a_cut_file,
    entries_that_share_their_bytes,
    an_offset_that_leads_nowhere,
    deflate_that_breaks_off,
    no_zip_at_all,
    an_archive_inside,
    nothing_but_empty_files,
)
"""Each takes draws and a run's files, and gives an archive."""

SLOW_ATTACKS = (more_than_is_taken,)
"""The same, too large to be made often."""
