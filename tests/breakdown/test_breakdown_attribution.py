"""Generators told apart by their words."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from breakdown_oracles import naive_interval
from planted_documents import document, write_documents
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from staged_releases import books

from builders.release.folder import write_release
from evaluate_shelf.diagnostics.breakdown.attribution import ONE, attribution
from evaluate_shelf.errors import ShelfError, UnsupportedError
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.release.documents import Release


@pytest.fixture(scope="module")
def told(made):
    return attribution(made.release)


def written(made, split: str) -> list[dict]:
    """Documents of a split that name a generator."""
    rows = made.release.documents("v0_4_core", split)
    names = ("model", "text", "spec_id")
    columns = (rows.column(name) for name in names)
    return [
        dict(zip(names, row, strict=True))
        for row in zip(*columns, strict=True)
        if row[0] is not None
    ]


def test_it_is_what_scikit_learn_tells(made, told) -> None:
    protocol = load_protocol()
    train, test = written(made, "train"), written(made, "test")
    weights = TfidfVectorizer(**protocol.tfidf.model_dump())
    probe = LogisticRegression(C=protocol.probe.C, max_iter=5000, tol=1e-8)
    probe.fit(weights.fit_transform([r["text"] for r in train]), [r["model"] for r in train])
    predicted = probe.predict(weights.transform([r["text"] for r in test]))
    gold = [r["model"] for r in test]
    assert told.accuracy.value == pytest.approx(accuracy_score(gold, predicted))
    assert told.macro_f1.value == pytest.approx(f1_score(gold, predicted, average="macro"))
    names = [writer.name for writer in told.writers]
    counts = Counter(zip(gold, predicted, strict=True))
    assert told.confusion == tuple(tuple(counts[a, b] for b in names) for a in names)
    right = np.array([a == b for a, b in zip(gold, predicted, strict=True)], dtype=float)
    low, high = naive_interval(
        lambda drawn: right[drawn].mean(), [r["spec_id"] for r in test], "attribution"
    )
    assert (told.accuracy.low, told.accuracy.high) == pytest.approx((low, high), abs=1e-9)


def test_what_was_planted_is_found_and_chance_stands_beside_it(made, told) -> None:
    gold = Counter(row["model"] for row in written(made, "test"))
    assert {writer.name: writer.n_test for writer in told.writers} == gold
    assert told.accuracy.low > told.accuracy_of_most_frequent
    assert told.accuracy_of_most_frequent == gold[told.most_frequent] / told.n_test
    assert told.accuracy_of_shuffled < told.accuracy.low
    assert told.converged
    assert told.reason is None


def test_documents_without_a_generator_are_counted(made, told) -> None:
    sizes = {split: len(made.release.documents("v0_4_core", split)) for split in ("train", "test")}
    assert told.unnamed == sum(sizes.values()) - told.n_train - told.n_test > 0


def test_families_pool_generators(made) -> None:
    by_family = attribution(made.release, families=True)
    assert [writer.name for writer in by_family.writers] == ["anthropic", "openai", "unheard-of"]
    assert by_family.n_test == attribution(made.release).n_test


def test_the_release_that_ships_has_two_generators_of_one_family() -> None:
    release = Release.open(shipped_release())
    found = attribution(release, "all")
    assert found.accuracy.low > found.accuracy_of_most_frequent == 0.5
    assert attribution(release, "all", families=True).accuracy is None


def release_of(folder: Path, count: int, *models: str | None, **fields) -> Release:
    rows = [document(n, model=models[n % len(models)], **fields) for n in range(count)]
    return Release.open(write_documents(folder, rows))


def test_one_generator_leaves_nothing_to_tell_apart(tmp_path: Path) -> None:
    found = attribution(release_of(tmp_path, 200, "claude-x"))
    assert (found.reason, found.accuracy, found.confusion) == (ONE, None, ())
    assert found.n_test == 40


def test_no_value_stands_for_fewer_than_thirty_documents(tmp_path: Path) -> None:
    found = attribution(release_of(tmp_path, 145, "claude-x", "gpt-9"))
    assert found.n_test == 29
    assert found.accuracy is None
    assert found.reason


def test_a_group_on_both_sides_is_not_learned_from(tmp_path: Path) -> None:
    rows = [document(n, model=("claude-x", "gpt-9", "z")[n % 3]) for n in range(200)]
    release = Release.open(write_documents(tmp_path / "apart", rows, group_column=None))
    alone = attribution(release)
    assert (alone.straddling, alone.unit, alone.n_units) == (0, "document", alone.n_test)
    for number, row in enumerate(rows):
        row["spec_id"] = f"s{number // 2}"
    straddling = attribution(Release.open(write_documents(tmp_path / "across", rows)))
    tested = {row["spec_id"] for number, row in enumerate(rows) if number % 5 == 1}
    # Of five rows in turn, the first, third and fifth are trained on.
    expected = sum(rows[n]["spec_id"] in tested for n in range(200) if n % 5 in (0, 2, 4))
    assert straddling.straddling == expected > 0
    assert straddling.n_train == alone.n_train - expected


def test_a_generator_that_training_lacks_is_told_wrong(tmp_path: Path) -> None:
    rows = [
        document(n, model="new" if n % 5 == 1 and n % 2 else ("claude-x", "gpt-9")[n % 2])
        for n in range(400)
    ]
    found = attribution(Release.open(write_documents(tmp_path, rows)))
    number = [writer.name for writer in found.writers].index("new")
    assert found.writers[number].n_train == 0
    assert found.confusion[number][number] == 0
    assert sum(found.confusion[number]) == found.writers[number].n_test == 40


def test_books_say_nothing_of_a_generator(tmp_path: Path) -> None:
    write_release("books", [books(tmp_path / "staged")], tmp_path / "release")
    with pytest.raises(UnsupportedError, match="who wrote"):
        attribution(Release.open(tmp_path / "release"))


def test_pairs_are_no_documents(made) -> None:
    with pytest.raises(ShelfError, match="same_lcc_pairs"):
        attribution(made.release, "same_lcc_pairs")


def test_it_is_the_same_again(made, told) -> None:
    assert asdict(attribution(made.release)) == asdict(told)
