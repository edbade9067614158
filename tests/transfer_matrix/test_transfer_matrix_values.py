"""Values: scikit-learn's pipeline on the same split, planted corpora, shared resamples."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import GroupShuffleSplit

from evaluate_shelf.probes import Fit
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.statistics.bootstrap import bootstrap_weights, units
from evaluate_shelf.transfer_matrix import Matrix, Settings, corpora_named, transfer_matrix
from evaluate_shelf.transfer_matrix.cell import scored_cell
from evaluate_shelf.transfer_matrix.samples import samples
from evaluate_shelf.transfer_matrix.settings import matrix_protocol

PROTOCOL = matrix_protocol()
FIT = Fit(1, 0.0, 1.0, converged=True)


def by_scikit_learn(words: int | None = None) -> tuple[float, float]:
    """Macro-F1 and accuracy of the shipped release on itself, as the published script has it."""
    files = [shipped_release() / f"data/all/{split}-00000-of-00001.parquet" for split in SPLITS]
    rows = [row for file in files for row in pq.read_table(file).to_pylist()]
    texts = [" ".join(row["text"].split()[:words]) for row in rows]
    labels = np.array([row["lcc_code"] for row in rows])
    groups = [row["group_id"] for row in rows]
    split = GroupShuffleSplit(n_splits=1, test_size=0.3, random_state=42)
    train, test = next(split.split(texts, groups=groups))
    counter = TfidfVectorizer(max_features=50_000, sublinear_tf=True)
    vectors = counter.fit_transform([texts[row] for row in train])
    # At its default of 1e-4 a document or two of a corpus have another class.
    probe = LogisticRegression(max_iter=2000, tol=1e-9).fit(vectors, labels[train])
    predicted = probe.predict(counter.transform([texts[row] for row in test]))
    gold = labels[test]
    f1 = f1_score(gold, predicted, average="macro", labels=np.unique(gold), zero_division=0)
    return float(f1), float(accuracy_score(gold, predicted))


SPLITS = ("train", "validation", "test")


@pytest.mark.parametrize("words", [None, 40])
def test_a_cell_is_what_scikit_learn_gives(shipped, tmp_path: Path, words: int | None) -> None:
    matrix = transfer_matrix(shipped, settings=Settings(words=words), work=tmp_path / "work")
    macro_f1, accuracy = by_scikit_learn(words)
    (cell,) = matrix.cells
    assert cell.macro_f1 == pytest.approx(macro_f1, abs=1e-12)
    assert cell.accuracy == pytest.approx(accuracy, abs=1e-12)
    assert cell.fit.converged
    assert cell.low < cell.macro_f1 < cell.high
    assert matrix.differences == ()


@pytest.fixture(scope="module")
def matrix(corpora, tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return transfer_matrix(corpora, work=tmp_path_factory.mktemp("cells"))


def test_words_that_corpora_do_not_share_transfer_nothing(matrix: Matrix) -> None:
    assert matrix.cell("fish", "fish").macro_f1 == 1.0
    assert matrix.cell("bird", "bird").macro_f1 > 0.9
    for train, test in (("fish", "bird"), ("bird", "fish")):
        # Nothing is known of any text, so every document gets one class.
        cell = matrix.cell(train, test)
        assert cell.macro_f1 == pytest.approx(cell.chance, abs=1e-12)
        assert cell.low <= cell.macro_f1 <= cell.high


def test_a_class_that_training_lacks_is_named_and_scores_nothing(matrix: Matrix) -> None:
    cell = matrix.cell("fish", "bird")
    fourth = set(matrix.corpora[1].classes) - set(matrix.corpora[0].classes)
    assert set(cell.unknown) == fourth
    assert matrix.cell("bird", "fish").unknown == matrix.cell("bird", "bird").unknown == ()
    # The mean over four classes, one of which is 0.
    assert 4 * cell.macro_f1 == pytest.approx(3 * cell.macro_f1_of_known, abs=1e-12)
    own = matrix.cell("bird", "bird")
    assert own.macro_f1_of_known == pytest.approx(own.macro_f1, abs=1e-12)


def test_a_matrix_of_no_common_class_has_scores_of_zero(release, made, tmp_path: Path) -> None:
    other = [row for row in made(160, 4, "wasp") if row["lcc_code"] in {"C", "D"}]
    named = corpora_named(
        [f"ab={release('ab', made(60, 2, 'wasp'))}", f"cd={release('cd', other)}"]
    )
    cell = transfer_matrix(named, work=tmp_path / "work").cell("ab", "cd")
    assert (cell.macro_f1, cell.accuracy, cell.chance) == (0.0, 0.0, 0.0)
    assert cell.macro_f1_of_known is None
    assert set(cell.unknown) == {"C", "D"}


def test_replicates_are_scikit_learns_f1_with_the_groups_multiplicities(corpora) -> None:
    train, test = samples(corpora, Settings())
    gold = test.labels_of("test")
    predicted = [gold[0] if number % 3 else own for number, own in enumerate(gold)]
    groups = test.groups[test.parts.test].tolist()
    found = scored_cell(train, test, predicted, fit=FIT, repeated=0, protocol=PROTOCOL)
    draws = bootstrap_weights(
        units(groups),
        task=f"transfer matrix {test.corpus.data.content_sha256}",
        seed=42,
        replicates=25,
    )
    for weights, value in zip(draws, found.replicates[:25], strict=True):
        drawn = sorted({label for label, weight in zip(gold, weights, strict=True) if weight})
        expected = f1_score(
            gold, predicted, average="macro", labels=drawn, sample_weight=weights, zero_division=0
        )
        assert value == pytest.approx(expected, abs=1e-12)
    assert len(found.replicates) == PROTOCOL.bootstrap.replicates
    low, high = np.quantile(found.replicates, [0.025, 0.975])
    score = found.cell.macro_f1
    # F1 is biased downwards in a resample, so that its interval is reflected at the score.
    assert found.cell.low == pytest.approx(max(0, min(score, 2 * score - high)))
    assert found.cell.high == pytest.approx(min(1, max(score, 2 * score - low)))
    assert found.cell.n_units == len(set(groups))


def test_chance_is_that_of_predictions_without_a_document(corpora) -> None:
    train, test = samples(corpora, Settings())
    gold = test.labels_of("test")
    right = scored_cell(train, test, gold, fit=FIT, repeated=0, protocol=PROTOCOL).cell
    assert right.macro_f1 == right.accuracy == 1.0
    share = 1 / len(set(gold))
    assert abs(right.chance - share) < 0.15


def test_differences_in_a_column_are_paired(matrix: Matrix) -> None:
    assert [(own.test, own.first, own.second) for own in matrix.differences] == [
        ("fish", "fish", "bird"),
        ("bird", "fish", "bird"),
    ]
    for own in matrix.differences:
        first, second = matrix.cell(own.first, own.test), matrix.cell(own.second, own.test)
        assert own.value == first.macro_f1 - second.macro_f1
        assert own.low <= own.value <= own.high
        # The same draws of the same documents: never wider than what the two intervals allow.
        # An interval that ends at 0 or 1 was cut and says nothing of it.
        widths = (first.high - first.low) + (second.high - second.low)
        cut = {0.0, 1.0} & {first.low, first.high, second.low, second.high}
        assert cut or own.high - own.low <= widths + 1e-12


def test_two_equal_corpora_have_equal_rows_and_no_difference(release, made, tmp_path: Path) -> None:
    folder = release("one", made(80, 4, "bird"))
    matrix = transfer_matrix(corpora_named([f"a={folder}", f"b={folder}"]), work=tmp_path / "work")
    assert len({cell.macro_f1 for cell in matrix.cells}) == 1
    assert [(own.value, own.low, own.high) for own in matrix.differences] == [(0.0, 0.0, 0.0)] * 2


def test_texts_on_both_sides_are_counted(release, made, tmp_path: Path) -> None:
    rows = made(80, 4, "bird")
    shouted = [{**row, "id": f"x{row['id']}", "text": f" {row['text'].upper()}"} for row in rows]
    named = corpora_named(
        [f"plain={release('plain', rows)}", f"loud={release('loud', shouted[:60])}"]
    )
    matrix = transfer_matrix(named, work=tmp_path / "work")
    plain, loud = samples(named, Settings())
    for train, test in ((plain, loud), (loud, plain)):
        learned = {" ".join(text.lower().split()) for text in train.texts_of("train")}
        tested = [" ".join(text.lower().split()) for text in test.texts_of("test")]
        expected = sum(text in learned for text in tested)
        assert expected
        assert matrix.cell(train.name, test.name).repeated == expected
    assert matrix.cell("plain", "plain").repeated == 0
