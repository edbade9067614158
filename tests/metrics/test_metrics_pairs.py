"""Metrics of pairs: against other implementations, and whether their intervals are right."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.formulations import pairs
from evaluate_shelf.formulations.scores import Score
from evaluate_shelf.metrics.average_precision import average_precision
from evaluate_shelf.metrics.estimates import Estimate
from evaluate_shelf.metrics.pairs import auc_roc
from evaluate_shelf.metrics.rank_correlation import spearman
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.release.documents import Documents
from evaluate_shelf.statistics.dyadic import dyadic_variance, normal_interval

Metric = Callable[[Any, Any], Estimate]

PAIR_TASKS = [t for t in load_tasks().values() if t.formulation == "pair_classification"]

counts_and_scores = st.lists(
    st.tuples(st.integers(0, 3), st.integers(-4, 4)), min_size=2, max_size=60
).filter(lambda rows: 0 < sum(count > 0 for count, _ in rows) < len(rows))


def _made(seed: int, n: int, decimals: int) -> tuple[np.ndarray, np.ndarray]:
    """Counts and scores that rise with them; few decimals make many ties."""
    random = np.random.default_rng(seed)
    count = random.choice(4, size=n, p=[0.4, 0.3, 0.2, 0.1])
    return count, np.round(0.5 * count + random.normal(size=n), decimals)


def _auc(count: np.ndarray, score: np.ndarray) -> Estimate:
    return auc_roc(count > 0, score)


def _precision(count: np.ndarray, score: np.ndarray) -> Estimate:
    return average_precision(count > 0, score)


METRICS = pytest.mark.parametrize("metric", [_auc, _precision, spearman])


@given(counts_and_scores)
def test_average_precision_is_that_of_scikit_learn_ties_included(
    rows: list[tuple[int, int]],
) -> None:
    count, score = (np.array(column) for column in zip(*rows, strict=True))
    found = average_precision(count > 0, score / 7)
    assert found.value == pytest.approx(average_precision_score(count > 0, score / 7), abs=1e-12)
    assert found.influence.mean() == pytest.approx(0, abs=1e-12)


@given(counts_and_scores)
def test_spearman_is_that_of_scipy_ties_included(rows: list[tuple[int, int]]) -> None:
    count, score = (np.array(column) for column in zip(*rows, strict=True))
    found = spearman(count, score / 7)
    if len(set(score.tolist())) > 1:
        expected = stats.spearmanr(count, score).statistic
        assert found.value == pytest.approx(expected, abs=1e-12)
    assert found.influence.mean() == pytest.approx(0, abs=1e-12)
    assert -1 <= found.value <= 1


@METRICS
@given(counts_and_scores, st.integers(0, 2**32 - 1))
def test_the_order_of_the_pairs_decides_nothing(
    metric: Metric, rows: list[tuple[int, int]], seed: int
) -> None:
    count, score = (np.array(column) for column in zip(*rows, strict=True))
    order = np.random.default_rng(seed).permutation(len(count))
    found, moved = metric(count, score / 7), metric(count[order], score[order] / 7)
    assert moved.value == pytest.approx(found.value, abs=1e-12)
    np.testing.assert_allclose(moved.influence, found.influence[order], atol=1e-10)


@METRICS
@pytest.mark.parametrize("decimals", [0, 1, 6])
def test_influence_is_the_derivative_by_a_pair_s_weight(metric: Metric, decimals: int) -> None:
    """A pair that stands m times more among k copies of all moves the metric by its influence.

    With k copies of everything a pair's own share is m / (k n + m), which is small; the difference
    quotient then lies near the derivative, with no derivation behind it.
    """
    count, score = _made(11, 40, decimals)
    found = metric(count, score)
    copies, more = 400, 4
    step = more / (copies * len(count) + more)
    for pair in range(0, len(count), 3):
        often = np.full(len(count), copies)
        often[pair] += more
        moved = metric(np.repeat(count, often), np.repeat(score, often))
        assert (moved.value - found.value) / step == pytest.approx(found.influence[pair], abs=0.02)


@METRICS
def test_influence_agrees_with_leaving_a_pair_out(metric: Metric) -> None:
    count, score = _made(12, 400, 1)
    found = metric(count, score)
    everyone = np.arange(len(count))
    left_out = np.array(
        [metric(count[everyone != i], score[everyone != i]).value for i in everyone]
    )
    jackknife = (len(count) - 1) * (found.value - left_out)
    assert np.corrcoef(jackknife, found.influence)[0, 1] > 0.999
    assert jackknife.std() == pytest.approx(found.influence.std(), rel=0.01)


@METRICS
@pytest.mark.parametrize("decimals", [0, 6])
def test_variance_of_unshared_documents_is_that_of_a_bootstrap(
    metric: Metric, decimals: int
) -> None:
    count, score = _made(13, 300, decimals)
    ids = np.arange(len(count))
    variance = dyadic_variance(metric(count, score).influence, 2 * ids, 2 * ids + 1)
    random = np.random.default_rng(1)
    drawn = random.integers(len(count), size=(2000, len(count)))
    values = [metric(count[rows], score[rows]).value for rows in drawn]
    # 2,000 resamples give a standard deviation to 1.6 %; the rest is for the second order.
    assert variance**0.5 == pytest.approx(np.std(values), rel=0.06)


@METRICS
def test_interval_covers_where_pairs_share_documents(metric: Metric) -> None:
    """Pairs of a document move together; the interval covers what endless documents would give."""
    truth = metric(*_shared(np.random.default_rng(99), 400_000, 200_000)[:2]).value
    trials = 400
    covered = {"shared": 0, "apart": 0}
    for trial in range(trials):
        count, score, first, second = _shared(np.random.default_rng(trial), 400, 2000)
        found = metric(count, score)
        apart = np.arange(len(count))
        for name, sides in (("shared", (first, second)), ("apart", (apart, apart + len(apart)))):
            variance = dyadic_variance(found.influence, *sides)
            low, high = normal_interval(found.value, variance, 0.95, (-1.0, 1.0))
            covered[name] += low <= truth <= high
    # Three standard errors of a share of 0.95 in 400 trials are 0.033.
    assert 0.917 <= covered["shared"] / trials <= 0.983
    # Pairs taken for independent give intervals that are too narrow.
    assert covered["apart"] < covered["shared"]


def _shared(
    random: np.random.Generator, n_documents: int, n_pairs: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Pairs whose counts and scores rise with what a document brings to all its pairs."""
    first = random.integers(0, n_documents, n_pairs)
    second = (first + random.integers(1, n_documents, n_pairs)) % n_documents
    topics, style = random.normal(size=(2, n_documents))
    latent = 0.5 * (topics[first] + topics[second]) + random.normal(size=n_pairs)
    count = np.searchsorted([0.2, 0.9, 1.6], latent)
    score = 0.8 * latent + 0.6 * (style[first] + style[second]) + random.normal(size=n_pairs)
    return count, np.round(score, 2), first, second


def test_a_constant_scorer_gets_chance() -> None:
    count = np.array([0, 0, 0, 1, 2])
    same = np.full(5, 0.3)
    assert _auc(count, same).value == 0.5
    assert _precision(count, same).value == pytest.approx(0.4)
    assert spearman(count, same).value == 0
    # Its average precision moves with the share of positive pairs alone, the others not at all.
    np.testing.assert_allclose(_precision(count, same).influence, (count > 0) - 0.4, atol=1e-12)
    assert not _auc(count, same).influence.any()
    assert not spearman(count, same).influence.any()


@METRICS
@pytest.mark.parametrize("count", [[0, 0, 0], [2, 2, 2]])
def test_pairs_of_one_label_are_refused(metric: Metric, count: list[int]) -> None:
    with pytest.raises(ValueError, match="all pairs have one"):
        metric(np.array(count), np.array([0.1, 0.2, 0.3]))


@METRICS
@pytest.mark.parametrize("score", [[0.1, np.nan], [0.1, np.inf], [0.1], [[0.1, 0.2]]])
def test_scores_that_cannot_be_ordered_are_refused(metric: Metric, score: list[Any]) -> None:
    with pytest.raises(ValueError, match=r"finite|shape"):
        metric(np.array([0, 1]), np.array(score))


@given(st.floats(-1, 1), st.floats(0, 4))
def test_an_interval_stays_within_its_bounds(value: float, variance: float) -> None:
    low, high = normal_interval(value, variance, 0.95, (-1.0, 1.0))
    assert -1 <= low <= value <= high <= 1


def test_numbers_and_ids_of_documents_give_one_variance() -> None:
    random = np.random.default_rng(4)
    first, second = random.integers(0, 9, 30), random.integers(9, 20, 30)
    influence = random.normal(size=30)
    ids = [[f"d{number:02d}" for number in side] for side in (first, second)]
    assert dyadic_variance(influence, *ids) == dyadic_variance(influence, first, second)


def _task_data(count: np.ndarray, first: np.ndarray, second: np.ndarray) -> Any:
    table = pa.table(
        {
            "id": [f"p{number}" for number in range(len(count))],
            "doc_a_id": [f"d{number}" for number in first],
            "doc_b_id": [f"d{number}" for number in second],
            "label": pa.array(np.minimum(count, 3), pa.int32()),
            "overlap_count": pa.array(count, pa.int32()),
        }
    )
    return SimpleNamespace(config="made", test=Documents(table, None))


def _items(score: np.ndarray) -> pa.Table:
    return pa.table({"row": pa.array(range(len(score)), pa.int32()), "score": score})


def _scored(task: Any, data: Any, score: np.ndarray) -> dict[str, Score]:
    rows = pairs.score(task, data, _items(score), load_protocol())
    return {row.metric: row for row in rows}


@pytest.mark.parametrize("task", PAIR_TASKS, ids=lambda task: task.id)
def test_every_pair_task_has_its_metrics_with_intervals(task: Any) -> None:
    count, score, first, second = _shared(np.random.default_rng(5), 60, 300)
    count = count + (count == 3)  # an overlap of four, which the label takes for three
    found = _scored(task, _task_data(count, first, second), score)
    expected = {
        "auc_roc": roc_auc_score(count > 0, score),
        "average_precision": average_precision_score(count > 0, score),
        "spearman_overlap": stats.spearmanr(count, score).statistic,
    }
    if task.id != "topic_overlap_pairs":
        del expected["spearman_overlap"]
    assert task.available
    assert {name: row.value for name, row in found.items()} == pytest.approx(expected, abs=1e-12)
    assert task.primary_metric in found
    for row in found.values():
        assert row.low < row.value < row.high
        assert (row.n, row.n_units) == (300, len({*first, *second}))


def test_chance_is_the_mean_of_scores_dealt_out_anew() -> None:
    task = load_tasks()["topic_overlap_pairs"]
    count, score, first, second = _shared(np.random.default_rng(6), 400, 3000)
    data = _task_data(count, first, second)
    found = pairs.chance(task, data, _items(score), load_protocol())
    assert found == pairs.chance(task, data, _items(score), load_protocol())
    assert found.keys() == _scored(task, data, score).keys()
    # Means of five permutations of 3,000 pairs: within four standard errors.
    assert found["auc_roc"] == pytest.approx(0.5, abs=0.02)
    assert found["average_precision"] == pytest.approx((count > 0).mean(), abs=0.02)
    assert found["spearman_overlap"] == pytest.approx(0, abs=0.035)


def test_a_constant_scorer_and_its_control_are_the_same() -> None:
    task = load_tasks()["topic_overlap_pairs"]
    count, score, first, second = _shared(np.random.default_rng(7), 60, 300)
    data = _task_data(count, first, second)
    same = np.full_like(score, 0.25)
    found = {name: row.value for name, row in _scored(task, data, same).items()}
    assert pairs.chance(task, data, _items(same), load_protocol()) == pytest.approx(found)
    assert (found["auc_roc"], found["spearman_overlap"]) == (0.5, 0)


@pytest.mark.parametrize("labels", [[0, 0], [1, 1], [None, 1]])
def test_a_config_whose_labels_tell_nothing_is_refused(labels: list[int | None]) -> None:
    data = _task_data(np.array([0, 1]), np.array([0, 1]), np.array([2, 3]))
    column = data.test.table.schema.get_field_index("label")
    table = data.test.table.set_column(column, "label", pa.array(labels, pa.int32()))
    data.test = Documents(table, None)
    with pytest.raises(ShelfError, match="made"):
        pairs.score(load_tasks()["same_form_pairs"], data, _items(np.zeros(2)), load_protocol())
