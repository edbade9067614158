"""From made-up records to a release that loads, verifies and can be scored on."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made_library import WORDS, shelved
from sklearn.linear_model import LogisticRegression

from evaluate_shelf.evaluation import evaluate, prepare
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.release.manifest import SPLITS, read_manifest
from evaluate_shelf.release.verification import verify_release
from evaluate_shelf.runs.reading import load_runs

COLUMNS = [
    "id", "title", "text", "body", "word_count", "lcc_code", "lcc_name", "lcc_uri", "lcc_subclass",
    "lcsh", "genres", "language", "author", "year", "corpus", "is_synthetic", "control_number",
    "source_file", "source_position", "group_id",
]  # fmt: skip
CONFIGS = [
    "catalogue",
    "catalogue_same_lcc_pairs",
    "catalogue-corpus",
    "catalogue_lcc_retrieval-queries",
    "catalogue_lcc_retrieval-qrels",
]
SUBJECT_TASKS = {"lcc_classification", "lcc_retrieval", "lcc_clustering", "same_lcc_pairs"}


def split_rows(release: Path) -> dict[str, list[dict[str, Any]]]:
    return {
        split: pq.read_table(release / f"data/catalogue/{split}-00000-of-00001.parquet").to_pylist()
        for split in SPLITS
    }


@pytest.fixture(scope="module")
def rows(release: Path) -> dict[str, dict[str, Any]]:
    """Every row by its control number, with its split."""
    return {
        row["control_number"]: {**row, "split": split}
        for split, own in split_rows(release).items()
        for row in own
    }


@pytest.fixture(scope="module")
def report(release: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((release / "reports/records.json").read_text("utf-8"))
    return read


def test_the_release_verifies_and_has_what_a_natural_corpus_comes_with(release: Path) -> None:
    manifest = verify_release(release)
    assert list(manifest.configs) == CONFIGS
    assert manifest.default_config == "catalogue"
    assert manifest.aliases == {"catalogue_lcc_retrieval-corpus": "catalogue-corpus"}
    assert list(manifest.configs["catalogue"].columns) == COLUMNS
    assert manifest.configs["catalogue"].group_column == "group_id"
    assert "The library of Arkham" in manifest.configs["catalogue"].source
    assert any("CC0 1.0" in note for note in manifest.configs["catalogue"].notes)


@pytest.mark.parametrize("streaming", [False, True])
def test_every_config_loads(release: Path, tmp_path: Path, *, streaming: bool) -> None:
    datasets.disable_progress_bars()
    for config in [*CONFIGS, "catalogue_lcc_retrieval-corpus"]:
        loaded = datasets.load_dataset(
            str(release), config, cache_dir=str(tmp_path / "cache"), streaming=streaming
        )
        folder = release / "data" / config.replace("_lcc_retrieval-corpus", "-corpus")
        files = {path.name.split("-")[0]: path for path in folder.iterdir()}
        assert set(loaded) == set(files)
        for split, path in files.items():
            table = pq.read_table(path)
            assert loaded[split].features == datasets.Features.from_arrow_schema(table.schema)
            assert list(loaded[split]) == table.to_pylist()


def test_the_subject_tasks_run_and_the_others_are_skipped_with_the_missing_column(
    release: Path, tmp_path: Path
) -> None:
    evaluation = prepare(
        release,
        None,
        protocol=load_protocol(),
        runs=tmp_path / "runs",
        store=tmp_path / "store",
    )
    (finished,) = evaluate(["tfidf"], evaluation)
    by_status = defaultdict(set)
    for task, record in finished.tasks.items():
        by_status[record.status].add(task)
    assert by_status["done"] == SUBJECT_TASKS
    assert set(by_status) == {"done", "skipped"}
    assert "instruction_same_subject_diff_form" in by_status["skipped"]
    for task in by_status["skipped"]:
        lacking = "no pairs" if task.endswith("_pairs") else "no column"
        assert lacking in (finished.tasks[task].reason or ""), task
    (run,) = load_runs(tmp_path / "runs")
    units = {score["unit"] for score in run.scores.to_pylist() if "pairs" not in score["task"]}
    assert units == {"group_id"}


def test_rows_say_what_the_records_say(rows: dict[str, dict[str, Any]]) -> None:
    row = rows["q3"]
    assert row["title"] == "The theorem and the galaxy, part 3"
    assert row["text"] == row["body"] == f"{row['title']}\n\nOn {WORDS['Q']} in 3 chapters."
    assert row["word_count"] == 16
    assert (row["lcc_code"], row["lcc_name"], row["lcc_subclass"]) == ("Q", "Science", "QA")
    assert row["lcc_uri"].startswith("http")
    assert row["lcsh"] == ["Theorem--History"]
    assert row["genres"] == ["Handbooks"]
    assert (row["language"], row["author"], row["year"]) == ("eng", "Writer Q 3", 1984)
    assert (row["corpus"], row["is_synthetic"]) == ("catalogue", False)
    assert (row["source_file"], row["source_position"]) == ("one.mrc", 4)
    assert row["id"] == hashlib.sha256(b"one.mrc\nq3").hexdigest()[:16]
    assert rows["e2"]["lcsh"] == []
    assert rows["e1"]["language"] == "ger"


def test_editions_stay_together_and_other_works_do_not(rows: dict[str, dict[str, Any]]) -> None:
    for one, other in (("q0", "e1"), ("h1", "e2"), ("p0", "e3")):
        assert rows[one]["group_id"] == rows[other]["group_id"]
        assert rows[one]["split"] == rows[other]["split"]
    groups = Counter(row["group_id"] for row in rows.values())
    assert sorted(groups.values()) == [1] * (len(rows) - 6) + [2] * 3


def test_every_class_is_split_60_20_20(rows: dict[str, dict[str, Any]]) -> None:
    for code in "QHPN":
        own = Counter(row["split"] for row in rows.values() if row["lcc_code"] == code)
        assert set(own) == set(SPLITS)
        assert abs(own["train"] - 0.6 * own.total()) <= 2


def test_what_is_read_is_in_the_corpus_or_in_the_report(
    rows: dict[str, dict[str, Any]], report: dict[str, Any]
) -> None:
    left_out = {reason: own["count"] for reason, own in report["left_out"].items()}
    assert left_out == {
        "no LCC number": 1,
        "not an LCC number": 2,
        "class outside the 21": 1,
        "no text": 1,
        "repeated id": 1,
        "repeated text": 1,
    }
    assert sum(own["count"] for own in report["unread"].values()) >= 1
    assert all(example["file"] == "one.mrc" for own in report["unread"].values()
               for example in own["examples"])  # fmt: skip
    (repeated,) = report["left_out"]["repeated text"]["examples"]
    assert (repeated["file"], repeated["id"]) == ("two.xml", "x6")
    assert report["read"] == report["kept"] + sum(left_out.values()) == 51
    in_classes = sum(own["kept"] for own in report["classes"])
    in_thin = sum(own["kept"] for own in report["too_thin"])
    assert report["kept"] == in_classes + in_thin
    assert report["in_corpus"] == in_classes == len(rows)
    for own in report["classes"]:
        of_class = [row for row in rows.values() if row["lcc_code"] == own["code"]]
        assert own["kept"] == sum(own[split] for split in SPLITS) == len(of_class)
        assert own["works"] == len({row["group_id"] for row in of_class})
        assert Counter(row["split"] for row in of_class) == {s: own[s] for s in SPLITS}
    assert sum(report["languages"].values()) == report["read"]
    assert report["languages"] == {"eng": 50, "ger": 1}


def test_thin_classes_are_named_with_the_reason(report: dict[str, Any]) -> None:
    thin = {own["code"]: own for own in report["too_thin"]}
    assert set(thin) == {"V", "Z"}
    assert (thin["V"]["read"], thin["V"]["kept"], thin["V"]["works"]) == (4, 3, 3)
    assert (thin["Z"]["kept"], thin["Z"]["works"]) == (6, 1)
    assert "5 records" in thin["V"]["reason"]
    assert "two works" in thin["Z"]["reason"]


def test_the_table_has_the_counts_of_the_json(release: Path, report: dict[str, Any]) -> None:
    lines = (release / "reports/records.tsv").read_text("utf-8").splitlines()
    cells = [line.split("\t") for line in lines]
    assert {len(own) for own in cells} == {4}
    counts = {(part, name): count for part, name, count, _ in cells[1:]}
    assert counts["records", "read"] == str(report["read"])
    assert counts["left_out", "not an LCC number"] == "2"
    assert counts["language", "eng"] == "50"
    assert counts["class", "Q"] == "10"
    assert counts["too_thin", "V"] == "3"


def test_ids_and_their_order_tell_nothing_of_the_class(tmp_path: Path, import_marc: Any) -> None:
    """Control numbers that follow the shelves, and a classifier that sees ids alone."""
    path = tmp_path / "shelved.mrc"
    path.write_bytes(shelved(400))
    import_marc([path], tmp_path / "shelved")
    found = split_rows(tmp_path / "shelved")
    for rows in found.values():
        assert [row["id"] for row in rows] == sorted(row["id"] for row in rows)

    def features(rows: list[dict[str, Any]]) -> list[list[float]]:
        places = range(len(rows))
        digits = [[int(digit, 16) / 15 for digit in row["id"]] for row in rows]
        return [[place / len(rows), *own] for place, own in zip(places, digits, strict=True)]

    labels = {split: [row["lcc_code"] for row in rows] for split, rows in found.items()}
    model = LogisticRegression(max_iter=2000).fit(features(found["train"]), labels["train"])
    accuracy = model.score(features(found["test"]), labels["test"])
    # Four equal classes and 80 test rows: three standard deviations above a quarter.
    assert accuracy < 0.25 + 3 * (0.25 * 0.75 / 80) ** 0.5


def test_the_schema_of_empty_lists_is_that_of_full_ones(release: Path) -> None:
    for split in SPLITS:
        schema = pq.read_schema(release / f"data/catalogue/{split}-00000-of-00001.parquet")
        assert schema.field("lcsh").type == pa.list_(pa.string())
    assert read_manifest(release).configs["catalogue"].columns["lcsh"] == "list<string>"
