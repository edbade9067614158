"""A sweep on Ray leaves the runs that its models leave alone."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.evaluation import Evaluation, Reporter, evaluate, prepare
from evaluate_shelf.evaluation.on_ray import Cell, evaluate_on_ray, run_cell
from evaluate_shelf.evaluation.refusals import RefusedModelsError
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.runs.reading import read_runs
from evaluate_shelf.runs.schema import TaskRecord

ray = pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytestmark = pytest.mark.slow
MODELS = ["tf", "wordllama", "bm25"]


@pytest.fixture(scope="module", autouse=True)
def _cluster() -> Iterator[None]:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(
        address="local",
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="error",
    )
    yield
    ray.shutdown()


def prepared(folder: Path) -> Evaluation:
    return prepare(
        shipped_release(),
        "all",
        task_ids=["lcc_classification", "lcc_retrieval", "same_lcc_pairs"],
        protocol=load_protocol(),
        runs=folder / "runs",
        store=folder / "store",
    )


def hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): sha256_of_file(path)
        for path in sorted((folder / "runs").rglob("*.parquet"))
    }


class Heard(Reporter):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.plans: list[str] = []
        self.ends: list[tuple[str, str]] = []
        self._model = ""

    def plan(self, plans: Sequence[object]) -> None:
        self.plans = [plan.model for plan in plans]

    def model(self, name: str, pending: Sequence[str]) -> None:
        self._model = name

    def ended(self, task: str, record: TaskRecord) -> None:
        self.ends.append((self._model, task))


def test_runs_are_byte_for_byte_those_of_each_model_alone(tmp_path: Path) -> None:
    heard, asked = Heard(), prepared(tmp_path / "ray")
    found = evaluate_on_ray([*MODELS, "tf"], asked, "ray", heard)
    assert [run.model.name for run in found] == MODELS
    assert heard.plans == MODELS
    assert sorted(heard.ends) == sorted((m, t.id) for m in MODELS for t in asked.tasks)
    evaluate(MODELS, prepared(tmp_path / "alone"))
    assert hashes(tmp_path / "ray") == hashes(tmp_path / "alone")
    assert len(hashes(tmp_path / "ray")) == 3 * 3 + 2  # bm25 has no classification
    again = Heard()
    assert evaluate_on_ray(MODELS, asked, "ray", again) == found
    assert again.ends == []


def test_cells_that_fail_do_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One gives NaN, one ends its process; both are found from the working directory."""
    (tmp_path / "broken_cells.py").write_text(
        "import os\n"
        "import numpy as np\n"
        "class Nan:\n"
        "    def encode(self, texts, *, role):\n"
        "        return np.full((len(texts), 2), np.nan)\n"
        "class Gone:\n"
        "    def encode(self, texts, *, role):\n"
        "        os._exit(3)\n"
    )
    monkeypatch.chdir(tmp_path)
    specs = ["broken_cells:Nan", "bm25", "broken_cells:Gone"]
    with pytest.raises(RefusedModelsError) as refusal:
        evaluate_on_ray(specs, prepared(Path()), "ray")
    nan, gone = refusal.value.reasons
    assert "broken_cells:Nan" in nan
    assert "broken_cells:Gone" in gone
    assert "worker" in gone
    assert [run.model.name for run in refusal.value.finished] == ["bm25"]
    runs, problems = read_runs(tmp_path / "runs")
    assert [run.file.model.name for run in runs] == ["bm25"]
    assert problems == []


def test_an_interrupt_cancels_and_a_later_sweep_goes_on(tmp_path: Path) -> None:
    class Interrupted(Reporter):
        def ended(self, task: str, record: TaskRecord) -> None:
            raise KeyboardInterrupt

    asked = prepared(tmp_path / "ray")
    with pytest.raises(KeyboardInterrupt):
        evaluate_on_ray(["bm25", "tf", "wordllama"], asked, "ray", Interrupted())
    evaluate_on_ray(MODELS, asked, "ray")
    evaluate(MODELS, prepared(tmp_path / "alone"))
    assert hashes(tmp_path / "ray") == hashes(tmp_path / "alone")


def test_nothing_begins_where_a_model_is_unknown(tmp_path: Path) -> None:
    with pytest.raises(ShelfError, match="no-such-model"):
        evaluate_on_ray(["bm25", "no-such-model"], prepared(tmp_path), "ray")
    assert not (tmp_path / "runs").exists()


def test_a_worker_of_another_version_is_named(tmp_path: Path) -> None:
    ended = run_cell(Cell("bm25", prepared(tmp_path), str(tmp_path), "0.0.0"))
    assert ended.run is None
    assert "0.0.0" in str(ended.refusal)


def test_an_evaluation_survives_pickling(tmp_path: Path) -> None:
    import pickle

    asked = prepared(tmp_path)
    assert pickle.loads(pickle.dumps(asked)) == asked
    np.testing.assert_equal(pickle.loads(pickle.dumps(asked)).contents(), asked.contents())
