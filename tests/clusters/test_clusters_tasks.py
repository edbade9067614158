"""Clustering tasks from vectors to scores, without a release."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.metrics import adjusted_rand_score, v_measure_score

from evaluate_shelf.errors import ShelfError, UnsupportedError
from evaluate_shelf.formulations import clustering, conditional_clustering
from evaluate_shelf.registry import load_tasks

TASKS = load_tasks()
Made = Callable[..., tuple[Any, Any]]
N = 240
REGIONS = ["Texas", "Brazil", "Japan"]
KMEANS = TASKS["lcc_clustering"]


def classes(n_classes: int = 4) -> list[str]:
    return [f"{'ABCDEFGH'[row % n_classes]}" for row in range(N)]


def values(scores: list[Any]) -> dict[str, float]:
    return {score.metric: score.value for score in scores}


@pytest.fixture
def near(planted: Callable[..., np.ndarray]) -> np.ndarray:
    return planted(np.arange(N) % 4, spread=0.1)


def test_separate_classes_get_full_marks(made: Made, near: np.ndarray) -> None:
    data, work = made(near, lcc_code=classes())
    items = clustering.predict(KMEANS, data, work)
    scores = clustering.score(KMEANS, data, items, work.protocol)
    assert items.column_names[0] == "row"
    assert scores[0].metric == KMEANS.primary_metric
    assert set(values(scores).values()) == {1.0}
    assert (scores[0].low, scores[0].high) == (1.0, 1.0)
    assert all(score.low is None for score in scores if not score.metric.startswith("ari"))
    assert work.notes.left_out == 0


def test_scores_are_scikit_learns(made: Made, planted: Callable[..., np.ndarray]) -> None:
    data, work = made(planted(np.arange(N) % 7, spread=1.5), lcc_code=classes())
    items = clustering.predict(KMEANS, data, work)
    found = values(clustering.score(KMEANS, data, items, work.protocol))
    gold = data.test.column("lcc_code")
    at_seed = items["cluster_seed_42"].to_pylist()
    assert found["ari"] == pytest.approx(adjusted_rand_score(gold, at_seed), abs=1e-9)
    assert found["v_measure"] == pytest.approx(v_measure_score(gold, at_seed), abs=1e-9)
    of_seeds = [
        adjusted_rand_score(gold, items[f"cluster_seed_{seed}"].to_pylist()) for seed in range(5)
    ]
    assert found["ari_median_of_seeds"] == pytest.approx(np.median(of_seeds), abs=1e-9)


@pytest.mark.parametrize("algorithm", ["", "_hdbscan", "_agglomerative"])
def test_a_constant_encoder_gets_nothing(made: Made, algorithm: str) -> None:
    task = TASKS[f"lcc_clustering{algorithm}"]
    data, work = made(np.ones((N, 8), dtype=np.float32), lcc_code=classes())
    items = clustering.predict(task, data, work)
    found = values(clustering.score(task, data, items, work.protocol))
    assert found["ari"] == pytest.approx(0, abs=0.01)
    if not algorithm:
        assert found["ari"] == 0


@pytest.mark.parametrize("algorithm", ["_hdbscan", "_agglomerative"])
def test_the_optional_algorithms_find_separate_classes(
    made: Made, near: np.ndarray, algorithm: str
) -> None:
    task = TASKS[f"lcc_clustering{algorithm}"]
    assert task.available
    assert task.optional
    data, work = made(near, lcc_code=classes())
    items = clustering.predict(task, data, work)
    assert items.column_names == ["row", "cluster", "outcome"]
    found = values(clustering.score(task, data, items, work.protocol))
    assert found["ari"] == 1
    if algorithm == "_hdbscan":
        assert (found["noise_ratio"], found["cluster_k_error"]) == (0, 0)


def test_nothing_but_noise_gets_nothing(made: Made) -> None:
    task = TASKS["lcc_clustering_hdbscan"]
    data, work = made(np.eye(N, dtype=np.float32), lcc_code=classes())
    columns = {"row": pa.array(range(N), pa.int32()), "cluster": pa.array([-1] * N, pa.int16())}
    found = values(clustering.score(task, data, pa.table(columns), work.protocol))
    assert (found["ari"], found["v_measure"], found["noise_ratio"]) == (0, 0, 1)
    assert found["cluster_k_error"] == -4


@pytest.mark.parametrize("algorithm", ["_hdbscan", "_agglomerative"])
def test_sparse_vectors_are_for_k_means_alone(made: Made, near: np.ndarray, algorithm: str) -> None:
    from scipy.sparse import csr_matrix

    data, work = made(csr_matrix(near), lcc_code=classes())
    items = clustering.predict(KMEANS, data, work)
    assert values(clustering.score(KMEANS, data, items, work.protocol))["ari"] == 1
    with pytest.raises(UnsupportedError, match="dense"):
        clustering.predict(TASKS[f"lcc_clustering{algorithm}"], data, work)


def test_chance_of_unrelated_clusters_is_zero(made: Made, near: np.ndarray) -> None:
    data, work = made(near, lcc_code=classes())
    items = clustering.predict(KMEANS, data, work)
    found = clustering.chance(KMEANS, data, items, work.protocol)
    assert list(found) == list(values(clustering.score(KMEANS, data, items, work.protocol)))
    assert found["ari"] == pytest.approx(0, abs=0.02)
    assert 0 < found["v_measure"] < 0.1
    assert found == clustering.chance(KMEANS, data, items, work.protocol)


def test_only_documents_of_one_region_are_clustered(made: Made, near: np.ndarray) -> None:
    task = TASKS["geographic_clustering"]
    places = [[REGIONS[row % 3]] if row % 4 else ["Texas", "Japan"] for row in range(N)]
    places[1] = []
    data, work = made(near, geographic=places)
    items = clustering.predict(task, data, work)
    part = [len(own) == 1 for own in places]
    assert items.num_rows == N
    assert [c is not None for c in items["cluster_seed_42"].to_pylist()] == part
    assert work.notes.left_out == N - sum(part) == N // 4 + 1
    scores = clustering.score(task, data, items, work.protocol)
    assert {score.n for score in scores} == {sum(part)}
    gold = [own[0] for own in places if len(own) == 1]
    kept = [c for c in items["cluster_seed_42"].to_pylist() if c is not None]
    assert scores[0].value == pytest.approx(adjusted_rand_score(gold, kept), abs=1e-9)


def test_without_a_region_there_is_no_task(made: Made, near: np.ndarray) -> None:
    data, work = made(near, geographic=[["Australia"]] * N)
    with pytest.raises(UnsupportedError, match="no test document has a geographic_region"):
        clustering.predict(TASKS["geographic_clustering"], data, work)


@pytest.mark.parametrize("change", ["taken out", "put in"])
def test_items_of_other_documents_are_refused(made: Made, near: np.ndarray, change: str) -> None:
    task = TASKS["geographic_clustering"]
    places = [[REGIONS[row % 3]] if row % 4 else [] for row in range(N)]
    data, work = made(near, geographic=places)
    items = clustering.predict(task, data, work)
    clusters = items["cluster_seed_42"].to_pylist()
    row = 5 if change == "taken out" else 4
    clusters[row] = None if change == "taken out" else 0
    position = items.column_names.index("cluster_seed_42")
    forged = items.set_column(position, "cluster_seed_42", pa.array(clusters, pa.int16()))
    with pytest.raises(ShelfError, match=f"row {row}, field 'cluster_seed_42'"):
        clustering.score(task, data, forged, work.protocol)


CONDITIONAL = TASKS["geographic_clustering_conditional"]


def conditional_data(made: Made, planted: Callable[..., np.ndarray], spread: float) -> Any:
    """Regions that follow the class in part; class D has one region and is skipped."""
    random = np.random.default_rng(8)
    subject = classes()
    region = [0 if c == "D" else int(random.integers(0, 2 + (c == "A"))) for c in subject]
    vectors = planted(np.array(region), spread=spread)
    return made(vectors, lcc_code=subject, geographic=[[REGIONS[r]] for r in region])


def test_regions_are_found_inside_each_class(
    made: Made, planted: Callable[..., np.ndarray]
) -> None:
    data, work = conditional_data(made, planted, 0.1)
    items = conditional_clustering.predict(CONDITIONAL, data, work)
    scores = conditional_clustering.score(CONDITIONAL, data, items, work.protocol)
    found = values(scores)
    assert scores[0].metric == CONDITIONAL.primary_metric
    assert found["ari_macro"] == found["v_measure_macro"] == 1
    assert found["n_classes_skipped"] == 1
    # Pooled, a region that several classes have lies in several clusters.
    assert 0 < found["ari_pooled"] < 1
    assert work.notes.left_out == N // 4
    assert {score.n for score in scores} == {N - N // 4}


def test_conditional_scores_are_scikit_learns(
    made: Made, planted: Callable[..., np.ndarray]
) -> None:
    data, work = conditional_data(made, planted, 2.0)
    items = conditional_clustering.predict(CONDITIONAL, data, work)
    found = values(conditional_clustering.score(CONDITIONAL, data, items, work.protocol))
    subject = np.array(data.test.column("lcc_code"))
    region = np.array([places[0] for places in data.test.column("geographic")])
    clusters = np.array(items["cluster_seed_42"].to_pylist(), dtype=object)
    part = subject != "D"
    pooled = adjusted_rand_score(region[part], clusters[part].astype(int))
    assert found["ari_pooled"] == pytest.approx(pooled, abs=1e-9)
    of_classes = [
        adjusted_rand_score(region[subject == c], clusters[subject == c].astype(int)) for c in "ABC"
    ]
    assert found["ari_macro"] == pytest.approx(np.mean(of_classes), abs=1e-9)
    v_pooled = v_measure_score(region[part], clusters[part].astype(int))
    assert found["v_measure_pooled"] == pytest.approx(v_pooled, abs=1e-9)


def test_conditional_chance_keeps_what_the_class_tells(
    made: Made, planted: Callable[..., np.ndarray]
) -> None:
    """With one region in each half of the classes, clusters dealt anew still tell the class."""
    subject = classes()
    region = [int(c in "AB") if row % 10 else 2 for row, c in enumerate(subject)]
    vectors = planted(np.array(region), spread=0.1)
    data, work = made(vectors, lcc_code=subject, geographic=[[REGIONS[r]] for r in region])
    items = conditional_clustering.predict(CONDITIONAL, data, work)
    found = conditional_clustering.chance(CONDITIONAL, data, items, work.protocol)
    assert found["ari_macro"] == pytest.approx(0, abs=0.1)
    assert found["ari_pooled"] > 0.1


def test_where_every_class_is_skipped_there_is_no_task(made: Made, near: np.ndarray) -> None:
    many = [f"{row:03d}" for row in range(N)]
    data, work = made(near, lcc_code=many, geographic=[[REGIONS[row % 3]] for row in range(N)])
    with pytest.raises(UnsupportedError, match="20 test documents"):
        conditional_clustering.predict(CONDITIONAL, data, work)
