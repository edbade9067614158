"""A release with planted classes, generators and lengths, and a run of a model on it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import breakdown_oracles
import pytest
from planted_documents import CONFIG, document
from shelf_process import Shelf, shelf_in
from staged_releases import staged

from builders.corpora.columns import slice_schema
from builders.release.folder import write_release
from builders.task_configs.pair_tasks import PAIR_TASKS
from builders.task_configs.pairs import build_pairs
from evaluate_shelf.evaluation import evaluate, prepare, run_folder
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.reading import Run, load_run


class Made(NamedTuple):
    """A release, and a run of a model on it."""

    folder: Path
    release: Release
    run_folder: Path

    @property
    def run(self) -> Run:
        return load_run(self.run_folder)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The whole of it; no test may change it."""
    folder = tmp_path_factory.mktemp("breakdown")
    rows = [document(number) for number in range(900)]
    corpus = staged(folder, CONFIG, slice_schema(CONFIG), rows, group_column="spec_id")
    plan = load_plan("quickstart")
    pairs = [
        build_pairs(name, PAIR_TASKS[name], corpus, plan, seed=42, staging=folder)
        for name in ("same_lcc_pairs", "same_topic_pairs")
    ]
    write_release("made", [corpus, *pairs], folder / "release")
    asked = prepare(
        folder / "release",
        CONFIG,
        task_ids=(*breakdown_oracles.DOCUMENT_TASKS, *breakdown_oracles.PAIR_TASKS),
        protocol=load_protocol(),
        runs=folder / "runs",
        store=folder / "store",
    )
    (file,) = evaluate(["tfidf"], asked)
    assert {record.status for record in file.tasks.values()} == {"done"}
    place = run_folder(resolve_model("tfidf", asked.protocol), asked)
    return Made(folder / "release", Release.open(folder / "release"), place)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """Run `shelf` with arguments in an empty folder."""
    return shelf_in(tmp_path)
