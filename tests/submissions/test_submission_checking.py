"""What is accepted follows from its items; what is not is refused, and never takes the server."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from release_forgery import Release as Forgery
from submitted_runs import copied_run, kept_run

from benchmarks.hostile.forging import (
    changed_run,
    contents_of,
    data_of,
    rescored,
    table_of,
    zipped,
)
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.evaluation.rescore import rescored_differences
from evaluate_shelf.files import sha256_of_file, write_json
from evaluate_shelf.formulations.rankers import sampled_queries
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.runs.folder import write_parquet
from evaluate_shelf.submissions import checking
from evaluate_shelf.submissions.checking import Limits, checked, checked_archive
from evaluate_shelf.submissions.pack import pack_run
from evaluate_shelf.submissions.parquet_reading import reading_memory
from evaluate_shelf.submissions.refusals import Refused

RELEASES = [shipped_release()]
ITEMS = "items/lcc_retrieval.parquet"
NO_TASKS: dict[str, Any] = {"claimed": [], "recomputed": [], "fingerprints": {}, "sketches": {}}
WRITTEN = {"first": "2030-01-01", "last": None, "source": "ids"}


def resealed(run: Path, name: str, table: pa.Table) -> None:
    """Put a table in place and its hash into `run.json`, as a forger would."""
    write_parquet(run / name, table)
    edited(run, lambda value: value["files"].update({name: sha256_of_file(run / name)}))


def edited(run: Path, change: Callable[[dict[str, Any]], object]) -> None:
    value = json.loads((run / "run.json").read_text())
    change(value)
    write_json(run / "run.json", value)


def with_column(run: Path, name: str, column: str, values: pa.Array) -> None:
    table = pq.read_table(run / name)
    resealed(run, name, table.set_column(table.column_names.index(column), column, values))


# What is accepted


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("money_usd", {"money_usd": 9e15}),
        ("money_usd", {"money_usd": -1.0}),
    ],
)
def test_what_no_board_can_show_is_refused_by_the_field_s_name(
    tmp_path: Path, field: str, change: dict[str, Any]
) -> None:
    run = copied_run(tmp_path)
    edited(run, lambda value: value.update(change))
    with pytest.raises(Refused, match=rf"run\.json, field {field}: "):
        checked(run, RELEASES)


@pytest.mark.parametrize("model", ["wordllama", "bm25"])
def test_an_honest_run_is_accepted_with_its_own_scores(tmp_path: Path, model: str) -> None:
    run = copied_run(tmp_path, model)
    found = checked(run, RELEASES)
    rows = pq.read_table(run / "scores.parquet").to_pylist()
    assert [row.model_dump() for row in found.claimed] == rows
    assert [row.model_dump() for row in found.recomputed] == rows
    assert found.file.model.name == model
    assert list(found.fingerprints) == [
        task for task, record in found.file.tasks.items() if record.status == "done"
    ]
    assert set(found.primary_scores()) == set(found.fingerprints)


def test_every_formulation_of_the_release_is_accepted(tmp_path: Path) -> None:
    tasks = (
        "instruction_same_subject_diff_form",
        "topic_classification",
        "x_form_clustering",
        "geographic_clustering",
    )
    found = checked(copied_run(tmp_path, "tfidf", tasks), RELEASES)
    assert len(found.fingerprints) == len(tasks)


def test_an_archive_is_checked_as_its_run_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = pack_run(kept_run(), tmp_path / "run.zip")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    assert checked_archive(packed.path, RELEASES) == checked(kept_run(), RELEASES)
    assert not list((tmp_path / "temporary").iterdir())


def test_last_digits_of_another_processor_are_no_difference(tmp_path: Path) -> None:
    run = copied_run(tmp_path)
    rows = pq.read_table(run / "scores.parquet").to_pylist()
    rows[0]["value"] += 5e-10
    schema = pq.read_schema(run / "scores.parquet")
    resealed(run, "scores.parquet", pa.Table.from_pylist(rows, schema=schema))
    found = checked(run, RELEASES)
    assert found.claimed[0].value != found.recomputed[0].value
    rows[0]["value"] += 2e-9
    resealed(run, "scores.parquet", pa.Table.from_pylist(rows, schema=schema))
    with pytest.raises(Refused, match="is claimed"):
        checked(run, RELEASES)


def test_the_release_is_found_among_others(tmp_path: Path) -> None:
    other = Forgery.copy_of(shipped_release(), tmp_path / "other")
    other.change_row("all", 0, title="Another")
    other.rehash()
    found = checked(kept_run(), [other.folder, *RELEASES])
    assert found.release == shipped_release()
    with pytest.raises(Refused, match="taken are runs on"):
        checked(kept_run(), [other.folder])


def test_what_it_is_kept_under_is_a_hash_of_its_files(tmp_path: Path) -> None:
    run = copied_run(tmp_path)
    before = checked(run, RELEASES).content_sha256
    assert before == checked(kept_run(), RELEASES).content_sha256
    edited(run, lambda value: value["hardware"].update(system="Other"))
    assert checked(run, RELEASES).content_sha256 != before


# What is refused


@pytest.mark.parametrize("field", ["value", "low", "high", "chance_level", "n", "n_units", "level"])
@pytest.mark.parametrize("row", [0, -1])
def test_a_forged_number_is_named(tmp_path: Path, field: str, row: int) -> None:
    run = copied_run(tmp_path)
    table = pq.read_table(run / "scores.parquet")
    rows = table.to_pylist()
    old = rows[row][field]
    rows[row][field] = old + 1 if isinstance(old, int) else old * 0.9 + 0.001
    resealed(run, "scores.parquet", pa.Table.from_pylist(rows, schema=table.schema))
    with pytest.raises(Refused, match=f"{rows[row]['task']}.*{field}"):
        checked(run, RELEASES)


def test_the_check_refuses_what_rescoring_finds(tmp_path: Path) -> None:
    """Against the command that owners of runs use, on predictions that are changed at random."""
    run = copied_run(tmp_path)
    name = "items/lcc_classification.parquet"
    column = pq.read_table(run / name)["predicted"].combine_chunks()
    order = np.random.default_rng(7).permutation(len(column))
    with_column(run, name, "predicted", column.take(pa.array(order)))
    assert rescored_differences(run, shipped_release())
    with pytest.raises(Refused, match="lcc_classification"):
        checked(run, RELEASES)


def leave_out_bad_queries(run: Path) -> None:
    table = pq.read_table(run / ITEMS)
    bad = (table["outcome"].fill_null(0.0).to_numpy() == 0).tolist()
    for column in ("ranked", "scores"):
        values = [
            None if lost else own for lost, own in zip(bad, table[column].to_pylist(), strict=True)
        ]
        kind = table.schema.field(column).type
        with_column(run, ITEMS, column, pa.array(values, kind))
    with_column(
        run,
        ITEMS,
        "outcome",
        pa.array(
            [
                None if lost else own
                for lost, own in zip(bad, table["outcome"].to_pylist(), strict=True)
            ],
            pa.float64(),
        ),
    )


def test_queries_that_went_badly_cannot_be_left_out(tmp_path: Path) -> None:
    run = copied_run(tmp_path)
    leave_out_bad_queries(run)
    with pytest.raises(Refused, match="queries were asked"):
        checked(run, RELEASES)


def reranked(folder: Path, asked: list[int], depth: int) -> Path:
    """An archive of a run as a reranker leaves it, consistent in everything."""
    task = "lcc_retrieval"
    contents = contents_of(kept_run("bm25", (task,)))
    items = table_of(contents, ITEMS)
    for column in ("ranked", "scores"):
        kind = pa.list_(items.schema.field(column).type.value_type, depth)
        values = [
            own[:depth] if row in asked else None
            for row, own in enumerate(items[column].to_pylist())
        ]
        items = items.set_column(items.column_names.index(column), column, pa.array(values, kind))
    contents = changed_run(contents, ("model", "kind"), "reranker")
    contents = changed_run(contents, ("model", "settings"), {"queries": 60, "depth": 50})
    path = folder / "run.zip"
    path.write_bytes(zipped(rescored(contents, task, items, folder)))
    return path


def test_a_reranker_asks_the_queries_that_follow_from_its_cap(tmp_path: Path) -> None:
    data = data_of("lcc_retrieval")
    asked = sampled_queries(data.test.ids, 60).tolist()
    found = checked_archive(reranked(tmp_path, asked, 50), RELEASES)
    assert found.primary_scores()["lcc_retrieval"].n <= 60
    for others, depth in ((asked[:-1], 50), (list(range(60)), 50), (asked, 40), (asked, 100)):
        with pytest.raises(Refused, match="ranked"):
            checked_archive(reranked(tmp_path, others, depth), RELEASES)


def test_a_label_that_nobody_has_is_refused_though_it_is_wrong_anyway(tmp_path: Path) -> None:
    run = copied_run(tmp_path)
    name = "items/lcc_classification.parquet"
    column = pq.read_table(run / name)["predicted"].chunk(0)
    names = pa.array([*column.dictionary.to_pylist(), "<script>"])
    with_column(run, name, "predicted", pa.DictionaryArray.from_arrays(column.indices, names))
    with pytest.raises(Refused, match="no training document"):
        checked(run, RELEASES)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda v: v["model"].update(name="x<script>"), "'<'"),
        (lambda v: v["model"].update(name="=1+1"), "letter or a digit"),
        (lambda v: v["model"].update(name="x\u202egpj"), r"U\+202E"),
        (lambda v: v["model"].update(name="m" * 201), "200 characters"),
        (lambda v: v["model"].update(name=" "), "empty"),
        (lambda v: v["model"].update(kind="best"), "kind"),
        (lambda v: v["model"].update(parameters=10**18), "too large"),
        (lambda v: v["model"].update(parameters=-1), "below 0"),
        (lambda v: v["model"].update(parameters="1"), "parameters"),
        (lambda v: v["versions"].update({"<b>": "1"}), "a key"),
        (lambda v: v["hardware"].update(gpu="x\x1b[2J"), r"U\+001B"),
        (lambda v: v.update(run_id="0" * 12), "run_id"),
        (lambda v: v.update(limit=50), "smoke run"),
        (lambda v: v.update(run_version=1), "earlier version"),
        (lambda v: v.update(verified=True), "verified"),
        (lambda v: v["seeds"].update(bootstrap=1), "seeds"),
        (lambda v: v["protocol"].update(key="0" * 64), "protocol"),
        (lambda v: v["protocol"].update(id="none"), "unknown protocol"),
        (lambda v: v["data"].update(release_id="0" * 12), "taken are runs on"),
        (lambda v: v["data"]["content_sha256"].update(all="0" * 64), "rows of the release"),
        (lambda v: v["data"].update(config="same_lcc_pairs"), "no documents"),
        (lambda v: v["data"].update(release_name="other"), "named"),
        (lambda v: v["data"].update(written=WRITTEN), "written"),
        (lambda v: v["tasks"].update(none={"status": "skipped", "reason": "x"}), "no task"),
        (lambda v: v["tasks"].pop("lcc_retrieval"), "files"),
        (lambda v: v["files"].update({ITEMS: "0" * 64}), "not the file"),
    ],
)
def test_a_header_that_is_none_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], reason: str
) -> None:
    run = copied_run(tmp_path)
    edited(run, change)
    with pytest.raises(Refused, match=reason):
        checked(run, RELEASES)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"limit": null', '"limit": null, "limit": null', "stands twice"),
        ('"tokens": null', '"tokens": NaN', "NaN"),
        ('"tokens": null', '"tokens": 1e999', "too large"),
        ('"tokens": null', f'"tokens": {"9" * 5000}', "digits"),
        ('"settings": {}', f'"settings": {{"a": {"[" * 9}{"]" * 9}}}', "too deep"),
        ('"settings": {}', f'"settings": {{"a": {"[" * 100_000}{"]" * 100_000}}}', "too deep"),
        ("{", "[", "JSON"),
        ("{", "{\x00", "JSON"),
    ],
)
def test_json_that_readers_do_not_agree_on_is_refused(
    tmp_path: Path, old: str, new: str, reason: str
) -> None:
    run = copied_run(tmp_path)
    text = (run / "run.json").read_text()
    assert old in text
    (run / "run.json").write_text(text.replace(old, new, 1))
    with pytest.raises(Refused, match=reason):
        checked(run, RELEASES)


def test_what_is_wrong_with_the_release_is_not_laid_to_the_run(tmp_path: Path) -> None:
    shutil.copytree(shipped_release(), tmp_path / "data")
    path = tmp_path / "data" / "data" / "all" / "train-00000-of-00001.parquet"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ShelfError, match="train") as caught:
        checked(kept_run(), [tmp_path / "data"])
    assert not isinstance(caught.value, Refused)


def test_a_run_that_was_checked_is_read_without_its_scores(tmp_path: Path) -> None:
    whole, read = (checked(kept_run(), RELEASES, scores=own) for own in (True, False))
    assert read.fingerprints == whole.fingerprints
    assert read.claimed == whole.claimed


# What a hostile file does to the process that reads it


def stand_in(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a script in the place of the process that checks."""
    program = folder / "python"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("kill -SEGV $$", "broke off"),
        ("kill -KILL $$", "broke off"),
        ("echo deep inside >&2; exit 1", "broke off"),
        ("exit 0", "no answer"),
        ("echo '{'", "no answer"),
        ("echo '{}'", "no answer"),
        (
            "echo '" + json.dumps({"checked": NO_TASKS}) + "'",
            "tasks",
        ),
        ('echo \'{"checked": 1, "more": "<script>"}\'', "no answer"),
        ("head -c 9000000 /dev/zero", "broke off"),
        ("printf '%s' '{\"refused\": \"in /srv/secret/run.json\"}'", r"^in run\.json$"),
    ],
)
def test_a_process_that_dies_or_lies_is_a_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, reason: str
) -> None:
    stand_in(tmp_path, script, monkeypatch)
    with pytest.raises(Refused, match=reason) as caught:
        checked(kept_run(), RELEASES)
    assert "deep inside" not in str(caught.value)
    assert ("deep inside" in script) == ("deep inside" in caught.value.detail)


def test_a_process_that_does_not_end_is_ended_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, f"sh -c 'echo $$ > {tmp_path}/child; sleep 1000' & wait", monkeypatch)
    with pytest.raises(Refused, match="longer than 1 seconds"):
        checked(kept_run(), RELEASES, Limits(seconds=1))
    child = int((tmp_path / "child").read_text())
    for _ in range(500):
        state = Path(f"/proc/{child}/stat")
        if not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.01)
    raise AssertionError("it still runs")


def test_the_process_is_told_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_TOKEN", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "very-secret")
    stand_in(tmp_path, f"env > {tmp_path}/environment", monkeypatch)
    with pytest.raises(Refused):
        checked(kept_run(), RELEASES)
    assert "very-secret" not in (tmp_path / "environment").read_text()


def test_a_module_of_the_current_folder_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json", "numpy", "evaluate_shelf"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('not mine')")
    monkeypatch.chdir(tmp_path)
    checked(kept_run(), RELEASES, scores=False)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux limits memory so")
def test_a_label_of_gigabytes_takes_no_memory(tmp_path: Path) -> None:
    """It compresses to nothing, and the process has no room for it."""
    run = copied_run(tmp_path)
    name = "items/lcc_classification.parquet"
    table = pq.read_table(run / name)
    names = pa.array([*table["predicted"].chunk(0).dictionary.to_pylist(), "a" * 100_000_000])
    indices = pa.array([len(names) - 1] * len(table), pa.int32())
    with_column(run, name, "predicted", pa.DictionaryArray.from_arrays(indices, names))
    assert (run / name).stat().st_size < 100_000
    with pytest.raises(Refused, match=r"more than its rows need|more memory"):
        checked(run, RELEASES)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux limits memory so")
def test_memory_is_limited_within_a_block_alone() -> None:
    with reading_memory(2**26), pytest.raises(MemoryError):
        np.ones(2**28, dtype=np.uint8)
    assert np.ones(2**28, dtype=np.uint8).all()


def test_the_process_needs_nothing_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check from another folder, with next to no environment, finds the same."""
    before = checked(kept_run(), RELEASES, scores=False)
    monkeypatch.chdir("/")
    for name in list(os.environ):
        if name not in ("PATH", "SHELF_CACHE"):
            monkeypatch.delenv(name)
    assert checked(kept_run(), RELEASES, scores=False) == before
    assert checking.board_of(before.file) == before.board
