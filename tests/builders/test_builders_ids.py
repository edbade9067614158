"""Nothing but ids: a classifier that sees ids, their order and their use scores at chance."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from builders.build import build
from builders.request import BuildRequest
from builders.task_configs.pair_tasks import PAIR_TASKS
from evaluate_shelf.registry.generation import load_plan

SLICES = ("default", "v0_4_core", "all")
PAIRS = tuple(PAIR_TASKS)


@pytest.fixture(scope="module")
def release(tmp_path_factory) -> Path:
    """Documents enough that every pair task has a few hundred test pairs."""
    folder = tmp_path_factory.mktemp("ids") / "release"
    plan = load_plan("standard").sized(4000, load_plan("standard").slices)
    build(BuildRequest(("default", "v0_4_core", "all", *PAIRS), folder, "ids", plan))
    return folder


def table(folder: Path, config: str, split: str) -> pa.Table:
    return pq.read_table(folder / "data" / config / f"{split}-00000-of-00001.parquet")


def digits(ids: list[str]) -> np.ndarray:
    """An id as numbers: each hexadecimal digit, the whole, and the place in the file."""
    columns = [[int(character, 16) for character in identity] for identity in ids]
    whole = [int(identity, 16) / 16**16 for identity in ids]
    return np.column_stack([np.array(columns), whole, np.arange(len(ids)) / len(ids)])


def of_pairs(folder: Path, config: str, split: str) -> tuple[np.ndarray, np.ndarray]:
    rows = table(folder, config, split)
    sides = [rows[side].to_pylist() for side in ("doc_a_id", "doc_b_id")]
    uses = Counter(sides[0]) + Counter(sides[1])
    as_first = Counter(sides[0])
    use = np.array(
        [[uses[a], uses[b], as_first[a], as_first[b]] for a, b in zip(*sides, strict=True)]
    )
    places = [digits(side) for side in sides]
    apart = np.abs(places[0][:, -2] - places[1][:, -2])
    features = [digits(rows["id"].to_pylist()), *places, use, use[:, 0] + use[:, 1], apart]
    return np.column_stack(features), np.array(rows["label"].to_pylist()) > 0


@pytest.mark.slow
@pytest.mark.parametrize("config", SLICES)
@pytest.mark.parametrize("label", ["lcc_code", "lcgft_category", "register"])
def test_ids_of_documents_say_nothing_of_their_labels(release, config, label):
    from sklearn.ensemble import RandomForestClassifier

    train, test = table(release, config, "train"), table(release, config, "test")
    forest = RandomForestClassifier(100, min_samples_leaf=5, random_state=0)
    forest.fit(digits(train["id"].to_pylist()), train[label].to_pylist())
    right = forest.predict(digits(test["id"].to_pylist())) == np.array(test[label].to_pylist())
    # Documents of one specification share their labels: they count as one.
    groups = len(set(test["spec_id"].to_pylist())) if "spec_id" in test.column_names else len(right)
    shares = np.array(list(Counter(test[label].to_pylist()).values())) / test.num_rows
    most = float(shares.max())
    assert right.mean() <= most + 4 * np.sqrt(most * (1 - most) / groups)


@pytest.mark.slow
@pytest.mark.parametrize("config", PAIRS)
def test_ids_of_pairs_and_of_their_documents_say_nothing_of_their_labels(release, config):
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.metrics import roc_auc_score

    features, labels = of_pairs(release, config, "train")
    forest = RandomForestClassifier(100, min_samples_leaf=10, random_state=0).fit(features, labels)
    unseen, gold = of_pairs(release, config, "test")
    auc = roc_auc_score(gold, forest.predict_proba(unseen)[:, 1])
    positive, negative = int(gold.sum()), int((~gold).sum())
    deviation = np.sqrt((positive + negative + 1) / (12 * positive * negative))
    assert abs(auc - 0.5) <= 4 * deviation
