"""The same records give the same release: again, in another order, after an interruption."""

from __future__ import annotations

import gzip
import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from made_library import SOUND
from marc_samples import utf8

import builders.corpora.catalogue.config as catalogue_config
import builders.recipes as recipes_module
from builders.build import build
from builders.corpora.catalogue.recipes import catalogue_recipes
from builders.corpora.catalogue.request import CatalogueRequest, Choice, marc_request
from builders.request import BuildRequest
from evaluate_shelf.records.record import CatalogueRecord, Unread
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.release.manifest import read_manifest
from evaluate_shelf.release.verification import verify_release


def hashes(release: Path) -> dict[str, str]:
    return {
        path.relative_to(release).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(release.rglob("*"))
        if path.is_file()
    }


def imported(request: CatalogueRequest, out: Path, seed: int = 42) -> str:
    known = catalogue_recipes(request)
    asked = BuildRequest(tuple(known), out, out.name, load_plan("standard"), seed)
    return build(asked, None, known).manifest.release_id


def test_the_same_files_give_the_same_bytes_in_any_order_and_folder(
    tmp_path: Path, files: list[Path], release: Path
) -> None:
    moved = [tmp_path / path.name for path in reversed(files)]
    for path, copy in zip(reversed(files), moved, strict=True):
        shutil.copy(path, copy)
    choice = Choice(licence="CC0 1.0", source="The library of Arkham")
    imported(marc_request(moved, choice), tmp_path / release.name)
    assert hashes(tmp_path / release.name) == hashes(release)


def test_the_order_of_records_tells_in_positions_alone(tmp_path: Path) -> None:
    rows = []
    for folder, records in (("one", SOUND), ("other", SOUND[::-1])):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "a.mrc"
        path.write_bytes(b"".join(map(utf8, records)))
        imported(marc_request([path], Choice()), tmp_path / folder / "out")
        found = [
            (file.name, row)
            for file in sorted((tmp_path / folder / "out/data/catalogue").iterdir())
            for row in pq.read_table(file).drop_columns("source_position").to_pylist()
        ]
        rows.append(found)
    assert rows[0] == rows[1]


def test_another_seed_gives_other_splits(tmp_path: Path, files: list[Path]) -> None:
    request = marc_request(files, Choice())
    first = imported(request, tmp_path / "first")
    assert imported(request, tmp_path / "second", seed=7) != first


def test_a_compressed_file_gives_the_same_rows_but_for_its_name(
    tmp_path: Path, files: list[Path], release: Path
) -> None:
    packed = tmp_path / "one.mrc.gz"
    packed.write_bytes(gzip.compress(files[0].read_bytes()))
    imported(marc_request([packed, files[1]], Choice()), tmp_path / "out")
    for name in ("train", "validation", "test"):
        own, other = (
            pq.read_table(folder / f"data/catalogue/{name}-00000-of-00001.parquet").drop_columns(
                "source_file"
            )
            for folder in (tmp_path / "out", release)
        )
        assert own.equals(other)


class Interrupted(BaseException):
    """What Ctrl-C raises is no `Exception` either."""


def broken_off_reading(request: CatalogueRequest, after: int) -> CatalogueRequest:
    def read() -> Iterator[CatalogueRecord | Unread]:
        for number, record in enumerate(request.read()):
            if number == after:
                raise Interrupted
            yield record

    return CatalogueRequest(request.files, read, request.reader, request.choice)


@pytest.mark.parametrize("moment", ["reading", "writing", "pairs", "queries"])
def test_an_interrupted_import_leaves_the_old_release_and_goes_on(
    tmp_path: Path, files: list[Path], monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    request = marc_request(files, Choice())
    expected = imported(request, tmp_path / "undisturbed")
    out = tmp_path / "ours"
    old = imported(request, out, seed=7)

    def interrupt(*_: Any, **__: Any) -> None:
        raise Interrupted

    broken = request
    with monkeypatch.context() as patched:
        if moment == "reading":
            broken = broken_off_reading(request, 20)
        elif moment == "writing":
            patched.setattr(catalogue_config, "stage", interrupt)
        else:
            name = {"pairs": "build_pairs", "queries": "build_search"}[moment]
            patched.setattr(recipes_module, name, interrupt)
        with pytest.raises(Interrupted):
            imported(broken, out)
    assert read_manifest(out).release_id == old
    verify_release(out)
    reads = 0

    def counted_read() -> Iterator[CatalogueRecord | Unread]:
        nonlocal reads
        reads += 1
        return request.read()

    again = CatalogueRequest(request.files, counted_read, request.reader, request.choice)
    assert imported(again, out) == expected
    verify_release(out)
    assert (out / "reports/records.json").read_bytes() == (
        tmp_path / "undisturbed/reports/records.json"
    ).read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ours", "undisturbed"]
    # What was finished before the interruption is not done again.
    assert reads == (0 if moment in ("pairs", "queries") else 1)


def test_changed_records_are_read_anew_after_an_interruption(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.mrc"
    path.write_bytes(b"".join(map(utf8, SOUND)))

    def interrupt(*_: Any, **__: Any) -> None:
        raise Interrupted

    with monkeypatch.context() as patched:
        patched.setattr(recipes_module, "build_pairs", interrupt)
        with pytest.raises(Interrupted):
            imported(marc_request([path], Choice()), tmp_path / "out")
    path.write_bytes(b"".join(map(utf8, SOUND[:-1])))
    imported(marc_request([path], Choice()), tmp_path / "out")
    rows = read_manifest(tmp_path / "out").rows_of("catalogue")
    assert sum(rows.values()) == len(SOUND) - 1
