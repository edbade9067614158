"""What cannot be applied is refused by name, before any file is written."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from finished_runs import finished_runs
from marc_samples import book, marc, utf8, xml
from release_forgery import Release

from evaluate_shelf.application import apply_run
from evaluate_shelf.application.same_model import same_model
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.runs.folder import read_run

TASK = "lcc_classification"


@pytest.fixture
def books(tmp_path: Path) -> Path:
    path = tmp_path / "books.mrc"
    path.write_bytes(utf8(book("1", "The history of the lighthouse")))
    return path


def refused(request: Any, *names: str) -> None:
    """Nothing is written, and the message holds all names."""
    with pytest.raises(ShelfError) as caught:
        apply_run(request())
    for name in names:
        assert name in str(caught.value), caught.value


def changed_run(scored: Any, model: str, folder: Path, change: Callable[[Any], None]) -> str:
    """A copy of a run whose run.json was changed."""
    shutil.copytree(scored.folders[model], folder)
    values = json.loads((folder / "run.json").read_text())
    change(values)
    (folder / "run.json").write_text(json.dumps(values))
    scored.folders[str(folder)] = folder
    return str(folder)


def test_a_model_without_vectors(scored: Any, books: Path) -> None:
    refused(lambda: scored.request("bm25", books), "bm25", "vectors", TASK)


def test_a_model_without_vectors_that_claims_to_have_done_it(
    scored: Any, books: Path, tmp_path: Path
) -> None:
    def claim(values: Any) -> None:
        bm25 = json.loads((scored.folders["bm25"] / "run.json").read_text())
        values["model"] = bm25["model"]

    run = changed_run(scored, "tfidf", tmp_path / "run", claim)
    refused(lambda: scored.request(run, books), "bm25", "vectors")


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (lambda v: v.update(limit=20), ["smoke run", "20"]),
        (lambda v: v["model"].update(revision="scikit-learn 0.1"), ["revision", "0.1"]),
        (lambda v: v["model"]["settings"].update(svd_components=9), ["svd_components", "9"]),
        (lambda v: v["protocol"].update(key="0" * 64), ["protocol", "shelf-1"]),
        (lambda v: v["protocol"].update(id="shelf-9"), ["shelf-9"]),
        (lambda v: v["data"]["content_sha256"].update(all="0" * 64), ["release", "'all'"]),
        (lambda v: v["data"].update(config="nosuch"), ["release", "nosuch"]),
        (lambda v: v["tasks"][TASK].update(status="failed", reason="no memory"), ["no memory"]),
        (lambda v: v["files"].update({f"items/{TASK}.parquet": "0" * 64}), ["items"]),
        (lambda v: v["model"].update(spec="nosuchmodel"), ["nosuchmodel"]),
    ],
    ids=[
        "smoke run",
        "another revision",
        "another setting",
        "another version of the protocol",
        "an unknown protocol",
        "another release",
        "an unknown config",
        "the task failed",
        "changed items",
        "an unknown model",
    ],
)
def test_a_run_that_does_not_fit(
    scored: Any, books: Path, tmp_path: Path, change: Callable[[Any], None], names: list[str]
) -> None:
    run = changed_run(scored, "tfidf", tmp_path / "run", change)
    # The scores name the task, so a run whose task failed has none of it.
    if "no memory" in names:
        values = json.loads((tmp_path / "run" / "run.json").read_text())
        path = tmp_path / "run" / "scores.parquet"
        table = pq.read_table(path)
        pq.write_table(table.slice(0, 0), path)
        values["files"]["scores.parquet"] = sha256_of_file(path)
        (tmp_path / "run" / "run.json").write_text(json.dumps(values))
    out = tmp_path / "out.csv"
    refused(lambda: scored.request(run, books, out=out), *names)
    assert not out.exists()


def test_an_unfinished_run(scored: Any, books: Path, tmp_path: Path) -> None:
    shutil.copytree(scored.folders["tfidf"], tmp_path / "run")
    (tmp_path / "run" / "run.json").unlink()
    scored.folders["unfinished"] = tmp_path / "run"
    refused(lambda: scored.request("unfinished", books), "run.json")


def test_a_run_of_another_task(scored: Any, books: Path, tmp_path: Path) -> None:
    scored.folders["other"] = finished_runs(tmp_path, ["bm25"], "lcc_retrieval")["bm25"]
    refused(lambda: scored.request("other", books), TASK, "shelf evaluate bm25")


def test_another_release(scored: Any, books: Path, tmp_path: Path) -> None:
    other = Release.copy_of(shipped_release(), tmp_path / "other")
    other.change_row("all", 0, text="Another text about the same lighthouse.")
    other.rehash()
    refused(
        lambda: scored.request("tfidf", books, data=str(tmp_path / "other")),
        "release",
        str(tmp_path / "other"),
    )
    refused(lambda: scored.request("tfidf", books, data="no/such release"), "no/such release")


def test_a_release_whose_files_were_changed(scored: Any, books: Path, tmp_path: Path) -> None:
    other = Release.copy_of(shipped_release(), tmp_path / "other")
    other.change_row("all", 0, split="train", text="Another text.")
    refused(lambda: scored.request("tfidf", books, data=str(tmp_path / "other")), "train-")


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"top": 0}, ["--top 0"]),
        ({"top": 22}, ["--top 22", "21"]),
        ({"minimum_probability": 1.5}, ["1.5"]),
        ({"minimum_probability": float("nan")}, ["nan"]),
        ({"columns": ["title=Title"]}, ["--column"]),
    ],
)
def test_settings_that_mean_nothing(
    scored: Any, books: Path, changes: dict[str, Any], names: list[str]
) -> None:
    refused(lambda: scored.request("tfidf", books, **changes), *names)


def table(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_records_that_cannot_be_used(scored: Any, books: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.mrc").write_bytes(b"")
    (tmp_path / "letter.mrc").write_text("Dear library, here are our books.")
    (tmp_path / "none.xml").write_bytes(xml([]))
    (tmp_path / "blank.mrc").write_bytes(utf8(marc("1")) + utf8(marc("2")))
    (tmp_path / "damaged.mrc").write_bytes(utf8(book("1", "A book"))[:-30] + b"\x1d")
    good = table(tmp_path / "good.csv", "Title\nA book of birds\n")
    no_rows = table(tmp_path / "none.csv", "Title\n")
    no_text = table(tmp_path / "blank.csv", "Title,Id\n,1\n,2\n")
    title = ["title=Title"]
    for records, columns, names in [
        (tmp_path / "missing.mrc", [], ["missing.mrc"]),
        (tmp_path / "empty.mrc", [], ["empty.mrc"]),
        (tmp_path / "letter.mrc", [], ["letter.mrc"]),
        (tmp_path / "none.xml", [], ["none.xml", "no record"]),
        (tmp_path / "blank.mrc", [], ["blank.mrc", "2 records without"]),
        (tmp_path / "damaged.mrc", [], ["damaged.mrc", "1 that could not be read"]),
        (good, [], ["good.csv", "--column"]),
        (good, ["title=Titel"], ["Titel"]),
        (good, ["titel=Title"], ["titel"]),
        (no_rows, title, ["none.csv", "no record"]),
        (no_text, title, ["blank.csv", "no text"]),
        ([good, books], title, ["good.csv", "alone"]),
        ([books, books], [], ["books.mrc", "twice"]),
        ([], [], ["file of records"]),
    ]:
        refused(lambda r=records, c=columns: scored.request("tfidf", r, columns=c), *names)


def test_results_never_replace_what_is_read(scored: Any, books: Path, tmp_path: Path) -> None:
    before = books.read_bytes()
    good = table(tmp_path / "good.csv", "Title\nA book of birds\n")
    (tmp_path / "folder").mkdir()
    both = tmp_path / "both"
    same_name = tmp_path / "folder" / "books.mrc"
    same_name.write_bytes(before)
    for records, changes, names in [
        (books, {"out": books}, ["books.mrc"]),
        (books, {"marc": books}, ["books.mrc"]),
        (books, {"marc": both, "out": both}, ["both"]),
        (books, {"marc": tmp_path / "folder"}, ["folder"]),
        (books, {"out": tmp_path / "folder"}, ["folder"]),
        (books, {"marc": tmp_path / "copy.xml"}, ["copy.xml", "binary"]),
        (good, {"marc": both, "columns": ["title=Title"]}, ["both", "table"]),
        ([books, same_name], {"marc": both}, ["both", "one name"]),
    ]:
        refused(lambda r=records, c=changes: scored.request("tfidf", r, **c), *names)
    assert books.read_bytes() == before
    assert not both.exists()


CODE = """
import numpy as np
from pathlib import Path

Path({marker!r}).write_text("imported")


class Lengths:
    def encode(self, texts, *, role):
        return np.array([[len(text), text.count(" ") + 1] for text in texts], dtype=np.float32)
"""


def test_code_is_run_only_if_the_user_names_it(
    scored: Any, books: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "marker"
    module = tmp_path / "apply_lengths.py"
    module.write_text(CODE.format(marker=str(marker)))
    monkeypatch.syspath_prepend(tmp_path)
    spec = "apply_lengths:Lengths"
    scored.folders["code"] = finished_runs(tmp_path, [spec], TASK)[spec]
    marker.unlink()
    monkeypatch.delitem(sys.modules, "apply_lengths")
    refused(lambda: scored.request("code", books), f"--model {spec}")
    assert not marker.exists()
    outcome = apply_run(scored.request("code", books, model=spec, store=tmp_path / "store"))
    assert outcome.classed == 1
    assert marker.exists()

    monkeypatch.delitem(sys.modules, "apply_lengths")
    module.write_text(CODE.format(marker=str(marker)) + "\n# changed\n")
    refused(lambda: scored.request("code", books, model=spec), "revision")


def test_a_model_that_has_moved_is_found_by_its_revision(scored: Any) -> None:
    run = read_run(scored.folders["wordllama"])
    moved = run.model.model_copy(update={"spec": "st:/no/longer/there", "name": "there"})
    found = same_model(moved, load_protocol(), "wordllama")
    assert (found.identity.spec, found.identity.name) == ("st:/no/longer/there", "there")
    with pytest.raises(ShelfError, match="kind"):
        same_model(moved, load_protocol(), "tfidf")


def test_a_csv_is_there_only_if_the_copies_are(
    scored: Any, books: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evaluate_shelf.application import marc_copies

    def fail(*_: object, **__: object) -> None:
        raise ShelfError("the disk is full")

    monkeypatch.setattr(marc_copies, "with_classes", fail)
    out = tmp_path / "out.csv"
    refused(
        lambda: scored.request("tfidf", books, out=out, marc=tmp_path / "copy.mrc"), "disk is full"
    )
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["books.mrc"]
