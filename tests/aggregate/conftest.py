"""Real runs of four models on the release that ships, and the aggregate of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluate_shelf.aggregate.building import aggregate_of
from evaluate_shelf.aggregate.evidence import Evidence
from evaluate_shelf.aggregate.schema import Aggregate, Board
from evaluate_shelf.evaluation import evaluate, prepare
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.release.documents import Release
from evaluate_shelf.reported.runs import reported_runs
from evaluate_shelf.runs.reading import Run, load_runs

MODELS = ("tfidf", "bm25", "wordllama", "wordllama,dim=64")
TASKS = (
    "lcc_retrieval",
    "form_retrieval",
    "lcc_classification",
    "lcgft_category_classification",
    "same_lcc_pairs",
    "lcc_clustering",
    "lcc_clustering_hdbscan",
)


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of runs."""
    folder = tmp_path_factory.mktemp("aggregated")
    asked = prepare(
        shipped_release(),
        "all",
        task_ids=list(TASKS),
        protocol=load_protocol(),
        runs=folder / "runs",
        store=folder / "store",
    )
    evaluate(list(MODELS), asked)
    return folder / "runs"


@pytest.fixture(scope="session")
def release() -> Release:
    return Release.open(shipped_release())


@pytest.fixture(scope="session")
def runs(finished: Path) -> list[Run]:
    return load_runs(finished)


@pytest.fixture(scope="session")
def aggregate(runs: list[Run], release: Release) -> Aggregate:
    """Of the runs, their release and the reported scores."""
    return aggregate_of(
        Evidence(computed=tuple(runs), reported=tuple(reported_runs()), releases=(release,))
    )


@pytest.fixture(scope="session")
def board(aggregate: Aggregate) -> Board:
    """The board of the runs."""
    [found] = [own for own in aggregate.boards if not own.reported]
    return found
