"""A model that is refused takes nothing from the others, and a model runs once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.evaluation import Evaluation, Plan, Reporter, evaluate, prepare
from evaluate_shelf.evaluation.refusals import RefusedModelsError
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.protocols import load_protocol

BROKEN = """
import numpy as np

class Nan:
    def encode(self, texts, *, role):
        return np.full((len(texts), 2), np.nan)

class Nothing:
    pass
"""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evaluation:
    (tmp_path / "refused_models.py").write_text(BROKEN)
    monkeypatch.chdir(tmp_path)
    return prepare(
        shipped_release(),
        "all",
        task_ids=["lcc_retrieval"],
        protocol=load_protocol(),
        runs=tmp_path / "runs",
    )


class Told(Reporter):
    def __init__(self) -> None:
        self.plans: list[str] = []
        self.models: list[str] = []

    def plan(self, plans: Sequence[Plan]) -> None:
        self.plans = [plan.model for plan in plans]

    def model(self, name: str, pending: Sequence[str]) -> None:
        self.models.append(name)


def test_every_reason_and_every_finished_run_is_in_the_error(asked: Evaluation) -> None:
    specs = ["refused_models:Nan", "bm25", "refused_models:Nothing", "tf"]
    with pytest.raises(RefusedModelsError) as refusal:
        evaluate(specs, asked)
    error = refusal.value
    assert [run.model.name for run in error.finished] == ["bm25", "tf"]
    assert isinstance(error, ShelfError)
    for spec, reason in zip(specs[::2], error.reasons, strict=True):
        assert spec in reason
        assert reason in str(error)


def test_a_model_that_is_named_twice_runs_once(asked: Evaluation) -> None:
    told = Told()
    runs = evaluate(["bm25", "tf", "bm25"], asked, told)
    assert [run.model.name for run in runs] == ["bm25", "tf"]
    assert told.plans == told.models == ["bm25", "tf"]
