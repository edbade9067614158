"""A classifier that sees only documents' ids, places and uses scores at chance."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from made_sides import made_columns, made_sides, uses_of
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict

from builders.task_configs.drawing.hard import hard_negative_pairs
from builders.task_configs.drawing.hashed import HashStream
from builders.task_configs.drawing.matched import matched_pairs
from builders.task_configs.drawing.matched_topics import matched_topic_pairs
from builders.task_configs.drawing.overlap import topic_overlap_pairs
from builders.task_configs.drawing.sides import sides_of
from builders.task_configs.drawing.stratified import stratified_pairs

N, WANTED = 12_000, 6_000
# Where uses of documents depend on each other, an AUC of chance spreads somewhat more.
DEVIATIONS = 4.5


def read(positions):
    """Texts of a few words that have nothing to do with where a document stands."""
    return [
        " ".join(str(byte) for byte in hashlib.sha256(b"%d" % position).digest()[:12])
        for position in positions.tolist()
    ]


def draw(scheme, seed):
    """Pairs of one scheme, and whether each is of the higher half of its levels."""
    if scheme == "books":
        columns = made_columns(3000, group_size=5, seed=seed)
        sides = sides_of(**{**columns, "subclass": None}, label=columns["lcc"])
        drawn = matched_pairs(sides, wanted=WANTED, seed=seed, key=scheme)
        return sides, drawn, drawn.level == 1
    sides = made_sides(N, seed=seed)
    wishes = {"wanted": WANTED, "seed": seed, "key": scheme}
    if scheme == "hard":
        drawn = hard_negative_pairs(sides, read, **wishes, most_documents=1500)
    else:
        schemes = {
            "matched": matched_pairs,
            "topics": matched_topic_pairs,
            "overlap": topic_overlap_pairs,
            "strata": stratified_pairs,
        }
        drawn = schemes[scheme](sides, **wishes)
    positive = {"overlap": drawn.level >= 1, "strata": drawn.level <= 2}
    return sides, drawn, positive.get(scheme, drawn.level == 1)


def features_of(drawn, key):
    """What is to be seen without labels or texts: a row a pair."""
    first, second = drawn.first, drawn.second
    uses = uses_of(drawn)
    degree = np.array([[uses[one], uses[two]] for one, two in zip(first, second, strict=True)])
    hashed = np.array(
        [
            [int(hashlib.md5(f"{key}{document}".encode()).hexdigest()[:8], 16) for document in pair]
            for pair in zip(first.tolist(), second.tolist(), strict=True)
        ]
    )
    return {
        "first": first,
        "second": second,
        "lower": np.minimum(first, second),
        "higher": np.maximum(first, second),
        "distance": np.abs(first - second),
        "sum": first + second,
        "parity": (first + second) % 2,
        "orientation": first < second,
        "row": np.arange(len(first)),
        "uses of first": degree[:, 0],
        "uses of second": degree[:, 1],
        "uses": degree.sum(axis=1),
        "difference of uses": np.abs(degree[:, 0] - degree[:, 1]),
        "hash of first": hashed[:, 0],
        "hash of second": hashed[:, 1],
        "distance of hashes": np.abs(hashed[:, 0] - hashed[:, 1]),
    }


def deviations(positive, scores):
    """How many standard deviations an AUC is from a half, as for independent pairs."""
    good = int(positive.sum())
    bad = len(positive) - good
    deviation = ((len(positive) + 1) / (12 * good * bad)) ** 0.5
    return (roc_auc_score(positive, scores) - 0.5) / deviation


SCHEMES = ["matched", "topics", "books", "hard", "overlap", "strata"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_feature_tells_the_label(scheme):
    _, drawn, positive = draw(scheme, 1)
    assert len(drawn.first) >= 0.95 * WANTED
    for name, values in features_of(drawn, scheme).items():
        assert abs(deviations(positive, values)) < DEVIATIONS, name


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_forest_tells_no_label_of_the_same_draw_nor_of_another_one(scheme):
    _, drawn, positive = draw(scheme, 1)
    _, other, other_positive = draw(scheme, 2)
    table, other_table = (
        np.column_stack(list(features_of(each, scheme).values())) for each in (drawn, other)
    )
    # Leaves of a hundred pairs learn no document by heart. If they did, of a document's last pair
    # they would know the label, since the numbers of either are equal.
    forest = RandomForestClassifier(30, min_samples_leaf=100, random_state=0)
    within = cross_val_predict(forest, table, positive, cv=3, method="predict_proba")[:, 1]
    across = forest.fit(table, positive).predict_proba(other_table)[:, 1]
    assert abs(roc_auc_score(positive, within) - 0.5) < 0.035
    assert abs(roc_auc_score(other_positive, across) - 0.5) < 0.035


def test_uses_that_tell_the_label_are_found():
    """The measure itself: negatives over all documents, positives over few of them."""
    draws = HashStream(1, "leak")
    first = draws.below(np.repeat([1000, 3000], 2000))
    second = draws.below(np.repeat([1000, 3000], 2000))
    levels = np.repeat([1, 0], 2000)
    uses = np.bincount(np.concatenate([first, second]))
    assert deviations(levels == 1, uses[first] + uses[second]) > 20
    assert roc_auc_score(levels, uses[first] + uses[second]) > 0.68


@pytest.mark.parametrize("scheme", ["matched", "books", "hard", "strata"])
def test_the_classes_of_the_two_documents_one_by_one_do_not_tell_the_label(scheme):
    sides, drawn, positive = draw(scheme, 3)
    one_hot = np.eye(int(sides.lcc.max()) + 1)
    table = one_hot[sides.lcc[drawn.first]] + one_hot[sides.lcc[drawn.second]]
    model = LogisticRegression().fit(table, positive)
    # Fitted and scored on the same pairs: whatever there is to find would be found.
    assert abs(roc_auc_score(positive, model.decision_function(table)) - 0.5) < 0.01


def test_the_number_of_topics_does_not_tell_the_overlap_where_documents_suffice():
    sides = made_sides(N, seed=4)
    drawn = topic_overlap_pairs(sides, wanted=2500, fewest_topics=3, seed=4, key="x")
    counts = sides.topics.counts
    both = counts[drawn.first] + counts[drawn.second]
    for level in (1, 2, 3):
        assert abs(roc_auc_score(drawn.level >= level, both) - 0.5) < 0.06, level
