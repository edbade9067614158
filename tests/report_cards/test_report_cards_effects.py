"""One scale for all metrics: what an effect is, against simulation and against itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, cohen_kappa_score, roc_auc_score

from evaluate_shelf.report_cards.effects import effect_of, score_with
from evaluate_shelf.report_cards.settings import Scale

SCALES = st.sampled_from(["shift", "odds", "pair_odds"])
EFFECTS = st.floats(-2, 2)
CHANCES = st.floats(0.001, 0.9)
LABELS = st.integers(2, 200)


@given(SCALES, EFFECTS, CHANCES, LABELS)
def test_effect_and_score_are_inverses(
    scale: Scale, effect: float, chance: float, labels: int
) -> None:
    score = score_with(scale, effect, chance=chance, n_labels=labels)
    assert effect_of(scale, score, chance=chance, n_labels=labels) == pytest.approx(
        effect, abs=1e-6
    )


@given(SCALES, CHANCES, LABELS)
def test_chance_is_no_effect_and_a_higher_score_is_a_greater_one(
    scale: Scale, chance: float, labels: int
) -> None:
    level = {"shift": 0.5, "odds": chance, "pair_odds": 0.0}[scale]
    assert effect_of(scale, level, chance=chance, n_labels=labels) == pytest.approx(0, abs=1e-9)
    scores = np.linspace(level, 1, 20)
    effects = [effect_of(scale, score, chance=chance, n_labels=labels) for score in scores]
    assert all(np.diff(effects) > 0)
    assert np.isfinite(effects).all()


@pytest.mark.parametrize("shift", [0.2, 0.5, 0.8])
def test_the_auc_of_shifted_scores(shift: float) -> None:
    rng = np.random.default_rng(1)
    scores = np.concatenate([rng.normal(size=200_000), rng.normal(shift, size=200_000)])
    auc = roc_auc_score(np.repeat([0, 1], 200_000), scores)
    assert effect_of("shift", auc, chance=0.5, n_labels=2) == pytest.approx(shift, abs=0.01)


@pytest.mark.parametrize("labels", [8, 21])
def test_the_share_of_pairs_behind_an_ari(labels: int) -> None:
    """Clusters as big as the classes, of which a part of the documents is placed rightly."""
    rng = np.random.default_rng(2)
    gold = np.repeat(np.arange(labels), 100)
    found = np.where(rng.random(len(gold)) < 0.4, gold, rng.permutation(gold))
    pairs = np.triu_indices(len(gold), 1)
    same_label = gold[pairs[0]] == gold[pairs[1]]
    same_cluster = found[pairs[0]] == found[pairs[1]]
    ari = adjusted_rand_score(gold, found)
    # What the scale stands on: ARI is Cohen's kappa of pairs.
    assert ari == pytest.approx(cohen_kappa_score(same_label, same_cluster), abs=1e-9)
    share = same_label[same_cluster].mean()
    assert share == pytest.approx(1 / labels + ari * (1 - 1 / labels), abs=0.01)


def test_a_clustering_needs_its_number_of_labels() -> None:
    with pytest.raises(ValueError, match="number of labels"):
        effect_of("pair_odds", 0.1, chance=0.0, n_labels=None)
