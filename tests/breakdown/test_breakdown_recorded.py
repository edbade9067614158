"""Items that do not give the score that their run recorded."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from breakdown_oracles import DOCUMENT_TASKS, PAIR_TASKS, forge_items, forge_score, score_of
from shelf_process import Shelf

from evaluate_shelf.diagnostics.breakdown import breakdown as module
from evaluate_shelf.diagnostics.breakdown.breakdown import breakdown
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.runs.reading import load_run


@pytest.fixture
def copied(made, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made.run_folder, tmp_path / "run"))


@pytest.mark.parametrize("task", [*DOCUMENT_TASKS, *PAIR_TASKS])
def test_a_recorded_score_that_does_not_follow_is_refused(made, copied: Path, task: str) -> None:
    before = score_of(copied, task)
    after = before - 2e-9
    forge_score(copied, task, after)
    with pytest.raises(ShelfError) as error:
        breakdown(load_run(copied), made.release, task, "length")
    told = str(error.value)
    files = (copied / "items" / f"{task}.parquet", copied / "scores.parquet")
    values = (f"{before:.12g}", f"{after:.12g}")
    assert all(part in told for part in (*map(str, files), *values))
    assert "evaluate tfidf again" in told


def test_another_order_of_adding_is_no_other_score(made, copied: Path) -> None:
    forge_score(copied, "lcc_classification", score_of(copied, "lcc_classification") - 5e-10)
    breakdown(load_run(copied), made.release, "lcc_classification", "length")


def test_a_score_that_is_not_recorded_is_refused(made, copied: Path) -> None:
    forge_score(copied, "lcc_retrieval", None)
    with pytest.raises(ShelfError, match=r"scores\.parquet has none"):
        breakdown(load_run(copied), made.release, "lcc_retrieval", "length")


def test_forged_answers_are_refused(made, copied: Path, shelf: Shelf) -> None:
    """Better predictions, with hashes that agree: no part of their score is shown."""
    task = "lcc_classification"
    table = pq.read_table(copied / "items" / f"{task}.parquet")
    column = table.column_names.index("predicted")
    same = pa.array([table["predicted"][0].as_py()] * len(table), table["predicted"].type)
    forge_items(copied, task, table.set_column(column, "predicted", same))
    result = shelf("breakdown", copied, "--data", made.folder, "--by", "class", "--task", task)
    assert result.returncode == 2
    assert not result.stdout
    assert f"{task}.parquet" in result.stderr
    assert "Traceback" not in result.stderr


def test_few_items_are_compared_as_well(
    made, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whole that is too small to be shown is not too small to be wrong."""
    monkeypatch.setattr(module, "LEAST_ITEMS", 10**6)
    found = breakdown(load_run(copied), made.release, "lcc_classification", "length")
    assert found.whole.value is None
    forge_score(copied, "lcc_classification", 0.5)
    with pytest.raises(ShelfError, match="does not follow"):
        breakdown(load_run(copied), made.release, "lcc_classification", "length")
