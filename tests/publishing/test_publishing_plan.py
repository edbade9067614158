"""What is to change follows from hashes alone, and carried out leaves nothing to change."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback_hub import git_blob_id
from writable_hub import manifest_of

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.publishing.address import Address
from evaluate_shelf.publishing.faults import TransientError, seconds_asked
from evaluate_shelf.publishing.limits import GIGABYTE, warnings_about
from evaluate_shelf.publishing.local import LocalFile, release_files
from evaluate_shelf.publishing.patience import persistently
from evaluate_shelf.publishing.plan import RemoteFile, listed_paths, plan_changes
from evaluate_shelf.publishing.reporter import Reporter
from evaluate_shelf.release.manifest import MANIFEST

PATHS = (
    "README.md", "manifest.json", "OLD.md", "notes.txt", "data/a/test.parquet",
    "data/b/test.parquet", "data/.gitattributes", "checks/a.crc32", "reports/r.json",
    "figures/f.png", ".gitattributes", "database/x", "a/data/x",
)  # fmt: skip
CONTENTS = st.binary(max_size=3)
FILES = st.dictionaries(st.sampled_from(PATHS), CONTENTS)


def local(content: bytes) -> LocalFile:
    sha256 = hashlib.sha256(content).hexdigest()
    return LocalFile(Path("somewhere"), len(content), sha256, git_blob_id(content))


def remote(content: bytes, large: bool) -> RemoteFile:
    if large:
        pointer = git_blob_id(b"pointer to " + content)
        return RemoteFile(len(content), pointer, hashlib.sha256(content).hexdigest())
    return RemoteFile(len(content), git_blob_id(content), None)


@given(
    release=FILES, present=FILES, large=st.sets(st.sampled_from(PATHS)),
    owned=st.frozensets(st.sampled_from(PATHS)),
)  # fmt: skip
def test_a_plan_carried_out_leaves_the_release_and_what_is_not_to_go(
    release, present, large, owned
):
    files = {path: local(content) for path, content in release.items()}

    def as_remote(contents):
        return {path: remote(content, path in large) for path, content in contents.items()}

    plan = plan_changes(files, as_remote(present), owned)
    after = {path: content for path, content in present.items() if path not in plan.deleted}
    after |= {path: release[path] for path in plan.sent}
    assert {path: after[path] for path in release} == release
    for path in after.keys() - release.keys():
        assert after[path] == present[path]
        assert path.endswith(".gitattributes") or path not in owned
    assert owned.issuperset(plan.deleted)
    assert not any(path.endswith(".gitattributes") for path in plan.deleted)
    assert plan_changes(files, as_remote(after), owned).operations == 0
    # And nothing that need not be touched is.
    assert all(present[path] != release[path] for path in plan.replaced)
    assert not set(plan.added) & present.keys()
    assert plan.unchanged == sum(present.get(path) == release[path] for path in release)
    assert plan.bytes_to_send == sum(len(release[path]) for path in plan.sent)
    assert plan.operations == len({*plan.sent, *plan.deleted})


@given(content=st.binary(max_size=100))
def test_a_files_ids_are_those_of_git_and_of_the_storage(content, tmp_path_factory):
    place = tmp_path_factory.mktemp("file") / "file"
    place.write_bytes(content)
    file = LocalFile.of(place)
    assert file == LocalFile(
        place, len(content), hashlib.sha256(content).hexdigest(), git_blob_id(content)
    )


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_gives_the_same_id(tmp_path):
    place = tmp_path / "file"
    place.write_bytes(bytes(range(256)) * 10_000)
    told = subprocess.run(
        ["git", "hash-object", "--no-filters", str(place)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert LocalFile.of(place).git_blob_id == told.stdout.strip()


def test_the_files_of_a_release_are_all_of_its_folder(first_release, verified):
    files = release_files(first_release, verified(first_release))
    present = [path for path in first_release.rglob("*") if path.is_file()]
    assert set(files) == {path.relative_to(first_release).as_posix() for path in present}
    assert files[MANIFEST].place == first_release / MANIFEST


@given(value=st.recursive(st.none() | st.text() | st.integers(), lambda s: st.lists(s)))
def test_only_a_manifest_lists_files(value):
    with pytest.raises(ValueError):  # noqa: PT011 - whatever it says
        listed_paths(manifest_of(data_files=value))


@pytest.mark.parametrize("part", ["manifest_version", "configs", "data_files", "other_files"])
def test_what_lacks_a_part_of_every_manifest_is_none(part):
    assert listed_paths(manifest_of(data_files={"a": {}}, other_files={"b": {}})) == {"a", "b"}
    value = json.loads(manifest_of())
    del value[part]
    with pytest.raises(ValueError):  # noqa: PT011 - whatever it says
        listed_paths(json.dumps(value).encode())


# Limits


def sized(**sizes: int) -> dict[str, LocalFile]:
    return {path: LocalFile(Path(path), size, "", "") for path, size in sizes.items()}


@pytest.mark.parametrize(
    ("files", "fits"),
    [
        (sized(**{"x.parquet": 500 * GIGABYTE}), True),
        (sized(**{"x.parquet": 500 * GIGABYTE + 1}), False),
        (sized(**{f"data/{n}.parquet": 1 for n in range(10_000)}), True),
        (sized(**{f"data/{n}.parquet": 1 for n in range(10_001)}), False),
        (sized(**{f"data/{n % 9}/{n}.parquet": 1 for n in range(25_000)}), True),
        (sized(**{f"data/{n % 9}/{n}.parquet": 1 for n in range(25_001)}), False),
        (sized(**{f"{n}.json": 7_500_000 for n in range(100)}), True),
        (sized(**{f"{n}.json": 7_500_003 for n in range(100)}), False),
        (sized(**{f"{n}.bin": 10_000_001 for n in range(100)}), True),
    ],
)
def test_the_hubs_limits(files, fits):
    plan = plan_changes(files, {}, frozenset())
    if fits:
        warnings_about(files, plan)
    else:
        with pytest.raises(ShelfError):
            warnings_about(files, plan)


def test_what_the_repository_has_already_counts_towards_no_commit():
    files = sized(**{f"data/{n % 9}/{n}.parquet": 1 for n in range(25_001)})
    there = {path: RemoteFile(1, "", "") for path in files}
    assert warnings_about(files, plan_changes(files, there, frozenset())) == []


@pytest.mark.parametrize(
    ("files", "warnings"),
    [
        (sized(**{"x.parquet": 200 * GIGABYTE}), 0),
        (sized(**{"x.parquet": 200 * GIGABYTE + 1}), 1),
        (sized(**{f"data/{n}.parquet": 1 for n in range(100)}), 0),
        (sized(**{f"data/{n}.parquet": 1 for n in range(101)}), 1),
    ],
)
def test_the_hubs_advice(files, warnings):
    assert len(warnings_about(files, plan_changes(files, {}, frozenset()))) == warnings


# Waiting


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "٣"}, None),
        ({"retry-after": "1e3"}, None),
        ({"retry-after": "30"}, 30.0),
        ({"retry-after": "Thu, 01 Jan 2026 00:01:00 GMT"}, 60.0),
        ({"retry-after": "Thu, 01 Jan 2026 00:01:00"}, 60.0),
        ({"retry-after": "Thu, 01 Jan 2026 01:01:00 +0100"}, 60.0),
        ({"retry-after": "Wed, 31 Dec 2025 00:00:00 GMT"}, 0.0),
        ({"retry-after": "Thu, 99 Jan 2026 00:01:00 GMT"}, None),
        ({"ratelimit": '"api";r=0;t=55'}, 55.0),
        ({"ratelimit": '"api";r=1;t=55'}, None),
        ({"ratelimit": "nonsense", "retry-after": "2"}, 2.0),
    ],
)
def test_how_long_an_answer_asks_to_wait(headers, seconds):
    assert seconds_asked(headers, datetime(2026, 1, 1, tzinfo=UTC)) == seconds


@given(failures=st.integers(0, 10), asked=st.none() | st.floats(0, 300))
def test_attempts_and_waits_are_bounded(failures, asked):
    waits, calls = [], []

    def attempt():
        calls.append(None)
        if len(calls) <= failures:
            raise TransientError("not yet", asked)
        return "done"

    def run():
        return persistently(attempt, wait=waits.append, reporter=Reporter())

    if failures < 6:
        assert run() == "done"
        assert waits == [asked if asked is not None else 2.0**n for n in range(failures)]
    else:
        with pytest.raises(ShelfError):
            run()
        assert (len(calls), len(waits)) == (6, 5)


def test_an_error_that_is_not_transient_is_not_tried_again():
    def attempt():
        raise ShelfError("wrong")

    with pytest.raises(ShelfError, match="wrong"):
        persistently(attempt, wait=lambda seconds: None, reporter=Reporter())


@given(text=st.text(), cut=st.integers(0, 20))
def test_a_cleaned_text_holds_no_token_and_is_one_line(text, cut):
    address = Address("owner/name", "main", "https://huggingface.co", "hf_secret")
    for dirty in (f"{text}hf_secret{text}", f"hf_\x00secret{text}", f"{'x' * cut}hf_secret"):
        clean = address.clean(dirty, 100)
        assert "hf_secret" not in clean
        assert clean.isprintable() or not any(c in clean for c in "\n\r\x1b\x00")
        assert len(clean) <= 100
    assert "hf_secret" not in repr(address)
