"""The gate of seeds: from a run's items, against scikit-learn, and refused where it must be."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow.parquet as pq
import pytest
from finished_runs import finished_runs
from scipy.stats import spearmanr
from sklearn.metrics import adjusted_rand_score

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.tasks import task
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.reading import Run, load_run
from evaluate_shelf.transfer.scores import score_of
from evaluate_shelf.transfer.settings import load_transfer
from evaluate_shelf.transfer.stability import aris_of_seeds, computed_stability, seed_stability

TASK = task("lcc_clustering")
MODELS = ("wordllama", "wordllama,dim=64", "wordllama,dim=32", "wordllama,dim=16")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    folder = tmp_path_factory.mktemp("stability")
    return [load_run(place) for place in finished_runs(folder, MODELS, TASK.id).values()]


@pytest.fixture(scope="module")
def release() -> Release:
    return Release.open(shipped_release())


def test_the_scores_of_the_seeds_are_those_of_scikit_learn(
    runs: list[Run], release: Release
) -> None:
    test = release.documents("all", "test").table
    labels = test["lcc_code"].to_pylist()
    for run in runs:
        items = pq.read_table(run.folder / "items" / f"{TASK.id}.parquet").sort_by("row")
        expected = [
            adjusted_rand_score(labels, items[f"cluster_seed_{seed}"].to_pylist())
            for seed in range(5)
        ]
        found = aris_of_seeds(run, [release], TASK)
        assert found == pytest.approx(expected, abs=1e-12)
        assert np.median(found) == score_of(run, TASK.id, "ari_median_of_seeds")


def test_the_median_is_over_all_pairs_of_seeds(runs: list[Run], release: Release) -> None:
    (found,) = computed_stability(runs, [release], load_transfer())
    scores = np.array([aris_of_seeds(run, [release], TASK) for run in runs])
    expected = [spearmanr(scores[:, a], scores[:, b])[0] for a, b in combinations(range(5), 2)]
    assert (found.corpus, found.n_models, found.origin) == ("all", 4, "computed")
    assert found.pairs == pytest.approx(expected, abs=1e-12)
    assert found.median == pytest.approx(np.median(expected), abs=1e-12)
    assert found.lowest == pytest.approx(min(expected), abs=1e-12)


def test_another_release_is_refused(runs: list[Run]) -> None:
    with pytest.raises(ShelfError, match="none of the releases"):
        computed_stability(runs, [], load_transfer())


def test_changed_items_are_refused(runs: list[Run], release: Release) -> None:
    path = runs[0].folder / "items" / f"{TASK.id}.parquet"
    kept = path.read_bytes()
    try:
        path.write_bytes(kept + b"x")
        with pytest.raises(ShelfError, match=r"lcc_clustering\.parquet"):
            aris_of_seeds(runs[0], [release], TASK)
    finally:
        path.write_bytes(kept)


@pytest.mark.parametrize("scores", [np.ones((5, 5)), np.arange(15.0).reshape(3, 5)])
def test_a_stability_that_is_not_defined_has_no_median(scores: np.ndarray) -> None:
    found = seed_stability("all", scores)
    assert (found.median, found.lowest, found.pairs) == (None, None, ())
    assert found.passes(0.9) is None


def test_a_corpus_without_runs_has_no_stability(release: Release) -> None:
    assert computed_stability([], [release], load_transfer()) == []
