"""Records of a library and composed texts, where `SHELF_TEST_DATA` names the records."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from builders.build import build
from builders.corpora.catalogue.recipes import catalogue_recipes
from builders.corpora.catalogue.request import Choice, table_request
from builders.request import BuildRequest
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.records.column_mapping import parse_mapping
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.transfer_matrix import Corpus, Settings, corpora_named, transfer_matrix
from evaluate_shelf.transfer_matrix.samples import Sample, samples

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif("SHELF_TEST_DATA" not in os.environ, reason="SHELF_TEST_DATA is not set"),
]
COLUMNS = ["id=id", "title=title", "lcc=lcc", "year=year", "text=abstract"]


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> tuple[Corpus, ...]:
    """The release that ships, and the TIB's records with their abstracts."""
    natural = Path(os.environ["SHELF_TEST_DATA"]) / "natural"
    request = table_request(
        natural / "subject_indexing/tib_sid_en/lcc_by_class.jsonl",
        parse_mapping(COLUMNS),
        Choice(name="tib", source="TIB, from TIB-SID", licence="CC BY-SA 4.0"),
    )
    known, out = catalogue_recipes(request), tmp_path_factory.mktemp("tib") / "release"
    build(BuildRequest(tuple(known), out, "tib", load_plan("standard")), None, known)
    return corpora_named([f"quick={shipped_release()}:all", f"tib={out}"])


def by_scikit_learn(train: Sample, test: Sample) -> float:
    counter = TfidfVectorizer(max_features=50_000, sublinear_tf=True)
    vectors = counter.fit_transform(train.texts_of("train"))
    probe = LogisticRegression(max_iter=2000, tol=1e-8).fit(vectors, train.labels_of("train"))
    gold = test.labels_of("test")
    predicted = probe.predict(counter.transform(test.texts_of("test")))
    names = sorted(set(gold))
    return float(f1_score(gold, predicted, average="macro", labels=names, zero_division=0))


def test_real_corpora(real, tmp_path: Path) -> None:
    """From composed texts to records, by scikit-learn too; records learn best from records."""
    matrix = transfer_matrix(real, work=tmp_path / "work")
    quick, tib = samples(real, Settings())
    assert len(tib.corpus.documents) == 2546
    assert matrix.cell("quick", "tib").macro_f1 == pytest.approx(
        by_scikit_learn(quick, tib), abs=1e-12
    )
    assert all(cell.fit.converged and not cell.repeated for cell in matrix.cells)
    own, other = matrix.cell("tib", "tib"), matrix.cell("quick", "tib")
    assert own.low > other.high > other.chance
    (gap,) = [difference for difference in matrix.differences if difference.test == "tib"]
    assert gap.high < 0
