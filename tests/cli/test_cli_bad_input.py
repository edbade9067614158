"""Bad input: a message that names the place, status 2, no traceback, nothing written."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from release_forgery import Release
from shelf_process import Shelf

from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.release.manifest import read_manifest

CATALOGUE = "Text#,Type,Issued,Title,Language,Authors,Subjects,LoCC,Bookshelves\n"
BOOK = "The keeper lit the lamp and wrote down the hour of the tide. " * 400


def refused(result: subprocess.CompletedProcess[str], *names: str) -> None:
    """The user is told what was wrong, and nothing else."""
    assert result.returncode == 2, result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    for name in names:
        assert name in result.stderr, result.stderr


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["nosuchmodel", "--data", "DATA"], ["nosuchmodel"]),
        (["st:no/such folder", "--data", "DATA"], ["no/such folder"]),
        (["nosuchmodule:Model", "--data", "DATA"], ["nosuchmodule"]),
        (["tfidf", "--data", "DATA", "--config", "nosuch"], ["nosuch", "v0_4_core"]),
        (["tfidf", "--data", "DATA", "--config", "same_lcc_pairs"], ["same_lcc_pairs", "all"]),
        (["tfidf", "--data", "DATA", "--task", "lcc_clasification"], ["lcc_classification"]),
        (
            ["tfidf", "--data", "DATA", "--task", "lcc_subclass_classification"],
            ["lcc_subclass_classification"],
        ),
        (["--data", "DATA"], ["--panel"]),
        (["tfidf"], ["--data"]),
        (["tfidf", "--data", "DATA", "--panel", "nosuch.yaml"], ["nosuch.yaml"]),
        (["tfidf", "--data", "DATA", "--prompts", "mine"], ["mine", "model-card"]),
        (["tfidf", "--data", "DATA", "--max-tokens", "0"], ["--max-tokens"]),
        (["tfidf", "--data", "DATA", "--memory", "0"], ["--memory"]),
        (["wordllama,dim=1000", "--data", "DATA"], ["1000", "256"]),
        (["wordllama,colour=red", "--data", "DATA"], ["colour"]),
        (["npy:nosuch.npy", "--data", "DATA"], ["nosuch.npy"]),
        (["hybrid:bm25", "--data", "DATA"], ["hybrid:bm25"]),
        (["tfidf", "--data", "DATA", "--facet", "colour"], ["colour", "subject"]),
        (["tfidf", "--data", "DATA", "--protocol", "shelf-9"], ["shelf-9", "shelf-1"]),
        (["tfidf", "--data", "DATA", "--limit", "0"], ["0"]),
        (["tfidf", "--data", "nosuchfolder"], ["nosuchfolder"]),
        (["tfidf", "--data", "."], ["manifest.json"]),
        (["tfidf", "nosuchmodel", "--data", "DATA"], ["nosuchmodel"]),
    ],
)
def test_evaluate_refuses(
    shelf: Shelf, tmp_path: Path, arguments: list[str], names: list[str]
) -> None:
    given = [str(shipped_release()) if a == "DATA" else a for a in arguments]
    refused(shelf("evaluate", *given), *names)
    assert not (tmp_path / "runs").exists()


def forged_release(folder: Path, change: Callable[[str, pa.Table], pa.Table | None]) -> Path:
    """The shipped release with changed rows and a manifest that agrees with them."""
    forged = Release.copy_of(shipped_release(), folder)
    for path in read_manifest(folder).data_files:
        table = change(path, pq.read_table(folder / path))
        if table is not None:
            pq.write_table(table, folder / path)
    forged.rehash()
    return folder


def with_value(table: pa.Table, field: str, value: object, row: int = 3) -> pa.Table:
    rows = table.to_pylist()
    rows[row][field] = value
    return pa.Table.from_pylist(rows, schema=table.schema)


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (lambda t: t.slice(0, 0), ["test", "empty"]),
        (lambda t: with_value(t, "id", t["id"][0].as_py()), ["row 3", "'id'", "row 0"]),
        (lambda t: with_value(t, "text", "  "), ["row 3", "'text'"]),
        (lambda t: with_value(t, "id", None), ["row 3", "'id'"]),
    ],
    ids=["empty test split", "two rows with one id", "empty text", "no id"],
)
def test_evaluate_refuses_documents(
    shelf: Shelf, tmp_path: Path, change: Callable[[pa.Table], pa.Table], names: list[str]
) -> None:
    data = forged_release(
        tmp_path / "data", lambda path, table: change(table) if "all/test" in path else None
    )
    refused(shelf("evaluate", "tfidf", "--data", data, "--config", "all"), *names)
    assert not any((tmp_path / "runs").rglob("*.json"))


def test_evaluate_skips_tasks_that_have_one_class_left(shelf: Shelf, tmp_path: Path) -> None:
    def one_class(path: str, table: pa.Table) -> pa.Table | None:
        if "/all/" not in path:
            return None
        kept = [row for row in table.to_pylist() if row["lcc_code"] == "Q"]
        return pa.Table.from_pylist(kept, schema=table.schema)

    data = forged_release(tmp_path / "data", one_class)
    result = shelf(
        "evaluate", "wordllama", "--data", data, "--config", "all", "--facet", "subject", "--json"
    )
    assert result.returncode == 0, result.stderr
    (run,) = json.loads(result.stdout)
    for task in ("lcc_classification", "lcc_clustering", "lcc_retrieval"):
        assert run["tasks"][task]["status"] == "skipped"
        assert "class is left, 'Q'" in run["tasks"][task]["reason"]
    assert run["tasks"]["same_lcc_pairs"]["status"] == "done"


def test_evaluate_refuses_changed_bytes(shelf: Shelf, tmp_path: Path) -> None:
    shutil.copytree(shipped_release(), tmp_path / "data")
    file = next((tmp_path / "data" / "data" / "all").glob("test-*"))
    damaged = bytearray(file.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    file.write_bytes(damaged)
    refused(shelf("evaluate", "bm25", "--data", tmp_path / "data", "--config", "all"), file.name)


MODEL = """
import numpy as np

class Encoder:
    def encode(self, texts, *, role):
        vectors = np.ones((len(texts), 3), dtype=np.float32)
        vectors[-1, 0] = {value}
        return vectors

class Short:
    def encode(self, texts, *, role):
        return np.ones((len(texts) - 1, 3), dtype=np.float32)

class Nothing:
    pass
"""


@pytest.mark.parametrize(
    ("model", "value", "names"),
    [
        ("Encoder", "np.nan", ["document", "NaN"]),
        ("Encoder", "np.inf", ["document"]),
        ("Short", "1", ["shape"]),
        ("Nothing", "1", ["encode"]),
        ("Missing", "1", ["Missing"]),
    ],
)
def test_evaluate_refuses_what_a_model_gives(
    shelf: Shelf, tmp_path: Path, model: str, value: str, names: list[str]
) -> None:
    (tmp_path / "mymodel.py").write_text(MODEL.format(value=value))
    refused(shelf("evaluate", f"mymodel:{model}", "--data", shipped_release()), *names)
    assert not any((tmp_path / "runs").rglob("*.json"))


def test_a_run_of_another_release_is_refused(shelf: Shelf, tmp_path: Path) -> None:
    task = ["--task", "lcc_retrieval", "--config", "all"]
    assert shelf("evaluate", "bm25", "--data", shipped_release(), *task).returncode == 0
    (run,) = (tmp_path / "runs" / "bm25").iterdir()
    other = forged_release(
        tmp_path / "other",
        lambda path, table: with_value(table, "lcc_code", "Q") if "all/test" in path else None,
    )
    refused(shelf("rescore", run, "--data", other), run.name, "release")
    assert shelf("rescore", run, "--data", shipped_release()).returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["--task", "topic_classification", "--facet", "subject"],
        ["--task", "lcc_retrieval", "--facet", "form"],
    ],
)
def test_a_choice_that_leaves_no_task_is_refused(shelf: Shelf, arguments: list[str]) -> None:
    refused(
        shelf("evaluate", "bm25", "--data", shipped_release(), *arguments),
        arguments[-1],
    )


@pytest.mark.parametrize("command", ["evaluate", "quickstart"])
def test_a_file_in_the_place_of_runs_is_refused(shelf: Shelf, tmp_path: Path, command: str) -> None:
    (tmp_path / "runs").write_text("not a folder")
    given = (
        ["bm25", "--data", shipped_release(), "--config", "all"] if command == "evaluate" else []
    )
    result = shelf(command, *given)
    assert result.returncode == 2, result.stderr
    assert "Traceback" not in result.stderr
    assert "fault of the program" not in result.stderr


@pytest.mark.parametrize("command", [["leaderboard", "nosuch"], ["leaderboard", "."]])
def test_leaderboard_refuses_a_folder_without_runs(shelf: Shelf, command: list[str]) -> None:
    refused(shelf(*command), command[1])


@pytest.fixture
def books(tmp_path: Path) -> Path:
    """A catalogue of eight works in two classes, and their texts."""
    folder = tmp_path / "books"
    folder.mkdir()
    lines = []
    for n in range(1, 9):
        author, locc = f'"Writer{n}, Ann, 1850-1910"', "QL" if n % 2 else "ML"
        lines.append(f"{n},Text,2003-10-01,Title {n},en,{author},Subject,{locc},")
    (folder / "catalog.csv").write_text(CATALOGUE + "\n".join(lines) + "\n", encoding="utf-8")
    for n in range(1, 9):
        text = BOOK.replace("keeper", f"keeper{n}")
        (folder / f"{n}.txt").write_text(text, encoding="utf-8")
    return folder


def build_books(shelf: Shelf, books: Path) -> subprocess.CompletedProcess[str]:
    return shelf(
        "build",
        "transfer_gutenberg",
        "--catalog",
        books / "catalog.csv",
        "--texts",
        books,
        "--out",
        "release",
    )


def test_books_build(shelf: Shelf, books: Path, tmp_path: Path) -> None:
    assert build_books(shelf, books).returncode == 0
    assert shelf("verify", tmp_path / "release").returncode == 0


@pytest.mark.parametrize(
    ("name", "content", "names"),
    [
        ("catalog.csv", b"Text#,Type,Title\n1,Text,A\n", ["catalog.csv", "LoCC"]),
        ("catalog.csv", b"", ["catalog.csv"]),
        ("3.txt", BOOK.encode("utf-16"), ["3.txt", "UTF-16"]),
        ("3.txt", b"  \n\n ", ["3.txt"]),
        ("3.txt.gz", gzip.compress(BOOK.encode(), mtime=0)[:-40], ["3.txt.gz"]),
        ("3.txt.gz", b"not gzip at all", ["3.txt.gz"]),
    ],
    ids=["no LoCC", "empty catalogue", "UTF-16", "blank text", "cut gzip", "no gzip"],
)
def test_build_refuses_damaged_books(
    shelf: Shelf, books: Path, tmp_path: Path, name: str, content: bytes, names: list[str]
) -> None:
    if name.endswith(".gz"):
        (books / name.removesuffix(".gz")).unlink()
    (books / name).write_bytes(content)
    before = sorted(tmp_path.iterdir())
    refused(build_books(shelf, books), *names)
    assert sorted(tmp_path.iterdir()) == before


def test_build_says_where_it_looked_for_texts(shelf: Shelf, books: Path, tmp_path: Path) -> None:
    for file in books.glob("*.txt"):
        file.rename(file.with_suffix(".text"))
    refused(build_books(shelf, books), "N.txt", "8")
    assert not (tmp_path / "release").exists()


def test_build_deletes_no_file_of_the_user(shelf: Shelf, books: Path, tmp_path: Path) -> None:
    assert build_books(shelf, books).returncode == 0
    (tmp_path / "release" / "notes.txt").write_text("mine")
    refused(build_books(shelf, books), "notes.txt")
    assert (tmp_path / "release" / "notes.txt").read_text() == "mine"


def test_build_refuses_books_of_one_class(shelf: Shelf, books: Path, tmp_path: Path) -> None:
    catalogue = books / "catalog.csv"
    catalogue.write_text(catalogue.read_text().replace("ML", "QL"))
    refused(build_books(shelf, books), "class")
    assert not (tmp_path / "release").exists()


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["nosuchconfig", "--out", "release"], ["nosuchconfig"]),
        (["v0_4_core"], ["--out"]),
        (["transfer_gutenberg", "--out", "release"], ["--catalog"]),
        (["quickstart", "all", "--out", "release"], ["quickstart"]),
        (["v0_4_core", "--out", "release", "--documents", "0"], ["--documents"]),
        (["v0_4_core", "--out", "occupied"], ["occupied"]),
    ],
)
def test_build_refuses(
    shelf: Shelf, tmp_path: Path, arguments: list[str], names: list[str]
) -> None:
    (tmp_path / "occupied").mkdir()
    (tmp_path / "occupied" / "thesis.txt").write_text("mine")
    refused(shelf("build", *arguments), *names)
    assert not (tmp_path / "release").exists()
    assert (tmp_path / "occupied" / "thesis.txt").read_text() == "mine"
