"""The rate of encoding: measured once a model, long enough to mean something, and not too long."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_shelf.evaluation import Evaluation, Reporter, evaluate, prepare, rates, running
from evaluate_shelf.evaluation.rates import (
    DOCUMENTS,
    LONGEST_SECONDS,
    REPEATS,
    SHORTEST_SECONDS,
    timed,
)
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.runs.schema import RunFile

TEXTS = ["text"] * DOCUMENTS


class Machine:
    """A clock that a model's work moves on: so long a text, and a start that takes its time."""

    def __init__(self, per_text: float, start: float = 0.0) -> None:
        self.now = 0.0
        self._per_text = per_text
        self._start = start

    def run(self, texts: Sequence[str]) -> None:
        self.now += self._per_text * len(texts) + self._start
        self._start = 0.0

    def clock(self) -> float:
        return self.now


@given(st.floats(1e-7, 10.0), st.floats(0.0, 60.0))
def test_it_is_neither_too_long_nor_too_short(per_text: float, start: float) -> None:
    machine = Machine(per_text, start)
    documents, seconds = timed(machine.run, TEXTS, machine.clock)
    assert sum(seconds) <= LONGEST_SECONDS
    assert sum(seconds) >= SHORTEST_SECONDS or len(seconds) == rates.MOST_REPEATS
    assert len(seconds) >= REPEATS
    # The warm-up's last step takes at most twice the five seconds that ended the one before.
    assert machine.now <= start + LONGEST_SECONDS + 30 + per_text
    assert np.allclose(documents / np.array(seconds), 1 / per_text, rtol=1e-4)


@given(st.floats(1e-4, 0.02), st.floats(0.0, 60.0))
def test_a_model_that_is_quick_enough_takes_all_documents(per_text: float, start: float) -> None:
    machine = Machine(per_text, start)
    documents, _ = timed(machine.run, TEXTS, machine.clock)
    assert documents == DOCUMENTS


def test_documents_that_take_longer_than_the_first_end_it_early() -> None:
    class Growing(Machine):
        def run(self, texts: Sequence[str]) -> None:
            # Behind the warm-up's texts a text takes thirty times as long.
            self.now += 0.03 * min(len(texts), 64) + 0.9 * max(len(texts) - 64, 0)

    machine = Growing(1)
    _, seconds = timed(machine.run, TEXTS, machine.clock)
    assert len(seconds) == 1


def test_a_handful_of_documents_is_repeated() -> None:
    machine = Machine(0.001)
    documents, seconds = timed(machine.run, TEXTS[:9], machine.clock)
    assert documents == 9
    assert sum(seconds) == pytest.approx(SHORTEST_SECONDS, abs=0.01)


class Told(Reporter):
    def __init__(self) -> None:
        self.measured: list[str] = []
        self._model = ""

    def model(self, name: str, pending: Sequence[str]) -> None:
        self._model = name

    def rate(self) -> None:
        self.measured.append(self._model)


def prepared(folder: Path, **changes: Any) -> Evaluation:
    settings = {"runs": folder / "runs", "store": folder / "store", "rates": True, **changes}
    return prepare(
        shipped_release(), "all", task_ids=["lcc_retrieval"], protocol=load_protocol(), **settings
    )


def measured(specs: Sequence[str], asked: Evaluation) -> tuple[list[RunFile], list[str]]:
    told = Told()
    return evaluate(specs, asked, told), told.measured


VIEWS = ["wordllama,dim=64", "wordllama,precision=int8", "wordllama", "wordllama,dim=32"]


@pytest.fixture
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "SHORTEST_SECONDS", 0.0)
    monkeypatch.setattr(rates, "DOCUMENTS", 16)


@pytest.mark.usefixtures("_short")
def test_views_of_one_model_share_one_measurement(tmp_path: Path) -> None:
    runs, names = measured([*VIEWS, "bm25"], prepared(tmp_path))
    assert names == ["wordllama, dim 64", "bm25"]
    of_views = [run.rate for run in runs[: len(VIEWS)]]
    assert of_views[0] is not None
    assert of_views[1:] == of_views[:-1]
    assert runs[-1].rate is not None
    assert runs[-1].rate != of_views[0]
    assert of_views[0].documents == 16
    assert of_views[0].repeats == REPEATS


@pytest.mark.usefixtures("_short")
def test_a_finished_run_of_this_machine_is_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (base,), _ = measured(["wordllama"], prepared(tmp_path))
    (view,), names = measured(["wordllama,dim=64"], prepared(tmp_path))
    assert names == []
    assert view.rate == base.rate
    monkeypatch.setattr(running, "hardware", lambda: {"machine": "another"})
    assert measured(["wordllama,dim=32"], prepared(tmp_path))[1] == ["wordllama, dim 32"]


@pytest.mark.usefixtures("_short")
def test_what_computes_nothing_has_no_rate(tmp_path: Path) -> None:
    from evaluate_shelf.release.documents import Release

    release = Release.open(shipped_release())
    ids = [i for s in ("train", "validation", "test") for i in release.documents("all", s).ids]
    vectors = np.random.default_rng(0).normal(size=(len(ids), 4)).astype(np.float32)
    np.save(tmp_path / "v.npy", vectors)
    (tmp_path / "v.ids.txt").write_text("\n".join(ids))
    specs = [f"npy:{tmp_path / 'v.npy'}", "hybrid:bm25+wordllama"]
    runs, names = measured(specs, prepared(tmp_path))
    assert names == []
    assert [run.rate for run in runs] == [None, None]


def test_without_rates_none_is_measured(tmp_path: Path) -> None:
    runs, names = measured(["bm25"], prepared(tmp_path, rates=False))
    assert (runs[0].rate, names) == (None, [])
