"""What decides nothing: constant vectors, the order of rows and tasks, the process, a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from release_forgery import Release as Forged
from sklearn.metrics import f1_score

import evaluate_shelf
from evaluate_shelf import evaluate
from evaluate_shelf.evaluation.rescore import rescored_differences
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.metrics.ranking import ndcg_at
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.reading import Run

TASKS = [
    "lcc_retrieval",
    "instruction_same_subject_diff_form",
    "register_classification",
    "x_audience_classification",
    "topic_classification",
    "register_clustering",
    "same_lcc_pairs",
]
MODELS = ["tf", "tfidf-full", "bm25", "wordllama"]


class Constant:
    """One vector for all texts."""

    def encode(self, texts: Sequence[str], *, role: str) -> np.ndarray:
        return np.tile(np.array([0.6, -0.8, 0.1], dtype=np.float32), (len(texts), 1))


def evaluated(
    models: Any, folder: Path, release: Path | None = None, tasks: Sequence[str] = TASKS
) -> list[Run]:
    return evaluate(
        models,
        release or shipped_release(),
        tasks=list(tasks),
        runs=folder / "runs",
        store=folder / "store",
    )


def bytes_of(folder: Path) -> dict[str, str]:
    """Hashes of the scores and items of all runs in a folder."""
    return {
        path.relative_to(folder).as_posix(): sha256_of_file(path)
        for path in sorted(folder.rglob("*.parquet"))
    }


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Run]]:
    folder = tmp_path_factory.mktemp("reference")
    return folder, evaluated(MODELS, folder)


@pytest.fixture(scope="module")
def constant(tmp_path_factory: pytest.TempPathFactory) -> Run:
    [run] = evaluated(Constant(), tmp_path_factory.mktemp("constant"))
    assert all(record.status == "done" for record in run.file.tasks.values())
    return run


def primary(run: Run, task: str) -> dict[str, Any]:
    (row,) = [row for row in run.scores.to_pylist() if row["task"] == task and row["primary"]]
    return row


def items(run: Run, task: str) -> pa.Table:
    return pq.read_table(run.folder / f"items/{task}.parquet")


def test_a_constant_encoder_tells_no_pair_and_no_cluster(constant: Run) -> None:
    pairs = primary(constant, "same_lcc_pairs")
    assert (pairs["value"], pairs["chance_level"]) == (0.5, 0.5)
    clusters = primary(constant, "register_clustering")
    assert clusters["value"] == pytest.approx(0, abs=1e-12)
    assert clusters["chance_level"] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("task", "field"),
    [("register_classification", "register"), ("x_audience_classification", "audience")],
)
def test_a_constant_encoder_predicts_the_most_frequent_label(
    constant: Run, task: str, field: str
) -> None:
    release = Release.open(shipped_release())
    train, test = (release.documents("all", split).column(field) for split in ("train", "test"))
    labels = [label for label in train if label]
    counts = {label: labels.count(label) for label in sorted(set(labels))}
    predicted = set(items(constant, task)["predicted"].to_pylist())
    assert len(predicted) == 1
    (best,) = predicted
    assert counts[best] == max(counts.values())
    gold = [label for label in test if label]
    expected = f1_score(
        gold, [best] * len(gold), labels=sorted(set(gold)), average="macro", zero_division=0
    )
    assert primary(constant, task)["value"] == pytest.approx(expected, abs=1e-12)
    assert primary(constant, task)["chance_level"] == pytest.approx(expected, abs=1e-12)


def test_a_constant_encoder_ranks_by_id_and_scores_as_any_order_would(constant: Run) -> None:
    release = Release.open(shipped_release())
    splits = {s: release.documents("all", s) for s in ("train", "validation", "test")}
    ids = splits["train"].ids + splits["validation"].ids
    by_id = sorted(range(len(ids)), key=ids.__getitem__)[:100]
    found = items(constant, "lcc_retrieval")
    assert all(ranked == by_id for ranked in found["ranked"].to_pylist())
    assert len({score for row in found["scores"].to_pylist() for score in row}) == 1

    labels = {s: np.array(documents.column("lcc_code")) for s, documents in splits.items()}
    corpus = np.concatenate([labels["train"], labels["validation"]])
    same = labels["test"][:, None] == corpus
    draw = np.random.default_rng(0)
    any_order = []
    for _ in range(300):
        order = draw.permutation(len(corpus))[:10]
        any_order.append(np.nanmean(ndcg_at(10, same[:, order], same.sum(axis=1))))
    row = primary(constant, "lcc_retrieval")
    for value in (row["value"], row["chance_level"]):
        assert min(any_order) <= value <= max(any_order)


def test_equal_documents_tie(reference: tuple[Path, list[Run]], tmp_path: Path) -> None:
    """Two documents of the corpus with one text have one score, and the lower id comes first."""
    forged = Forged.copy_of(shipped_release(), tmp_path / "release")
    train = forged.rows("all", "train")
    copies = {row["id"]: train[number % 7]["text"] for number, row in enumerate(train)}
    forged.change_rows(
        "all", "train", lambda rows: [row | {"text": copies[row["id"]]} for row in rows]
    )
    forged.rehash()
    for run in evaluated(MODELS, tmp_path, forged.folder, ["lcc_retrieval"]):
        found = items(run, "lcc_retrieval")
        ties = 0
        for ranked, scores in zip(
            found["ranked"].to_pylist(), found["scores"].to_pylist(), strict=True
        ):
            score_of: dict[str, float] = {}
            last: dict[str, str] = {}
            for number, score in zip(ranked, scores, strict=True):
                if number >= len(train):
                    continue
                identity = train[number]["id"]
                text = copies[identity]
                assert score_of.setdefault(text, score) == score
                assert last.get(text, "") < identity
                ties += text in last
                last[text] = identity
        assert ties > 1000


@pytest.mark.slow
def test_the_order_of_a_release_s_rows_decides_nothing(
    reference: tuple[Path, list[Run]], tmp_path: Path
) -> None:
    draw = np.random.default_rng(1)
    forged = Forged.copy_of(shipped_release(), tmp_path / "release")
    place: dict[tuple[str, str], np.ndarray] = {}
    for config in ("all", "v0_4_core", "same_lcc_pairs"):
        for split in ("train", "validation", "test"):
            order = draw.permutation(len(forged.rows(config, split)))
            place[config, split] = np.argsort(order)
            forged.change_rows(config, split, lambda rows, o=order: [rows[i] for i in o])
    forged.rehash()
    n_train = len(place["all", "train"])
    of_corpus = np.concatenate([place["all", "train"], n_train + place["all", "validation"]])

    for run, other in zip(reference[1], evaluated(MODELS, tmp_path, forged.folder), strict=True):
        assert run.file.run_id != other.file.run_id
        assert rescored_differences(other.folder, forged.folder) == []
        assert other.scores.equals(run.scores)
        for task, record in run.file.tasks.items():
            if record.status != "done":
                continue
            ours, theirs = items(run, task), items(other, task)
            config = "same_lcc_pairs" if task == "same_lcc_pairs" else "all"
            rows = place[config, "test"][ours["row"].to_numpy()]
            np.testing.assert_array_equal(theirs["row"].to_numpy(), rows)
            if "ranked" in ours.column_names:
                moved = of_corpus[np.array(ours["ranked"].to_pylist())]
                np.testing.assert_array_equal(np.array(theirs["ranked"].to_pylist()), moved)
            rest = [name for name in ours.column_names if name not in ("row", "ranked")]
            assert theirs.select(rest).equals(ours.select(rest)), task


@pytest.mark.slow
def test_one_task_alone_and_any_order_of_tasks_give_the_same_bytes(
    reference: tuple[Path, list[Run]], tmp_path: Path
) -> None:
    """Each task in an evaluation of its own, tasks and models the last one first."""
    for task in TASKS[::-1]:
        evaluated(MODELS[::-1], tmp_path, tasks=[task])
    assert bytes_of(tmp_path / "runs") == bytes_of(reference[0] / "runs")


def shelf(folder: Path, hash_seed: str, models: Sequence[str] = MODELS) -> subprocess.Popen[bytes]:
    """`evaluate` in a process of its own."""
    code = (
        "import sys, evaluate_shelf\n"
        "from pathlib import Path\n"
        "release, folder, tasks, models = sys.argv[1:]\n"
        "evaluate_shelf.evaluate(models.split(), release, tasks=tasks.split(),\n"
        "    runs=Path(folder) / 'runs', store=Path(folder) / 'store')\n"
    )
    arguments = [str(shipped_release()), str(folder), " ".join(TASKS), " ".join(models)]
    root = Path(evaluate_shelf.__file__).parents[1]
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(root)},
        stderr=subprocess.DEVNULL,
    )


@pytest.mark.slow
@pytest.mark.parametrize("hash_seed", ["0", "4711"])
def test_another_process_gives_the_same_bytes(
    reference: tuple[Path, list[Run]], tmp_path: Path, hash_seed: str
) -> None:
    assert shelf(tmp_path, hash_seed).wait(timeout=300) == 0
    assert bytes_of(tmp_path / "runs") == bytes_of(reference[0] / "runs")


@pytest.mark.slow
def test_killed_at_any_moment_and_gone_on_gives_the_same_bytes(
    reference: tuple[Path, list[Run]], tmp_path: Path
) -> None:
    """Kills come later and later, until an evaluation ends before its own."""
    draw = np.random.default_rng(11)
    killed = 0
    for attempt in range(40):
        process = shelf(tmp_path, str(attempt))
        try:
            assert process.wait(timeout=1.5 + 0.8 * attempt + draw.uniform(0, 1.5)) == 0
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            killed += 1
            continue
        break
    assert killed >= 2
    assert process.returncode == 0
    assert bytes_of(tmp_path / "runs") == bytes_of(reference[0] / "runs")
    for run in reference[1]:
        again = tmp_path / "runs" / run.folder.relative_to(reference[0] / "runs")
        assert rescored_differences(again, shipped_release()) == []
