"""The published table of the arms, and the comparison of runs that are made up."""

from __future__ import annotations

import csv
import os
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from made_runs import run as made_run
from scipy.stats import spearmanr

from evaluate_shelf.diagnostics.masking.arms import (
    ARMS,
    ArmScores,
    Masking,
    masking,
    masking_values,
)
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.reported.runs import reported_runs
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.runs.schema import SCORES_SCHEMA
from evaluate_shelf.transfer.settings import load_transfer

SETTINGS = load_transfer()
WEIGHTS = SETTINGS.panel("weights")

TABLE_11 = {
    "all": (0.7978, 0.7641, -0.0337, 0.7974, -0.0004, 0.987),
    "transfer_gutenberg": (0.4318, 0.4203, -0.0115, 0.4325, 0.0007, 0.988),
    "transfer_lcshbench": (0.5248, 0.5012, -0.0235, 0.5264, 0.0016, 0.983),
}


@pytest.fixture(scope="module")
def published() -> Masking:
    runs = [run for arm in ARMS for run in reported_runs(arm=arm)]
    return masking(runs, WEIGHTS, SETTINGS)


def row_of(found: Masking, corpus: str, task: str) -> ArmScores:
    [row] = [row for row in found.rows if (row.corpus, row.task) == (corpus, task)]
    return row


@pytest.mark.parametrize("corpus", TABLE_11)
def test_the_published_table(published: Masking, corpus: str) -> None:
    row = row_of(published, corpus, "lcc_classification")
    assert row.metric == "macro_f1"
    assert row.reported
    assert len(row.models) == row.masked_agreement.n == 21
    means = (row.unmasked, row.masked, row.masked_change, row.sham, row.sham_change)
    assert tuple(round(value, 4) for value in means) == TABLE_11[corpus][:5]
    assert row.masked_agreement.spearman is not None
    assert round(row.masked_agreement.spearman, 3) == TABLE_11[corpus][5]


def test_the_published_sentences_about_shelf(published: Masking) -> None:
    retrieval = row_of(published, "all", "lcc_retrieval")
    assert (round(retrieval.masked_change, 4), round(retrieval.sham_change, 4)) == (-0.0396, 0.0008)
    row = row_of(published, "all", "lcc_classification")
    sham = row.sham_agreement
    assert (sham.spearman, sham.low, sham.high) == (1.0, 1.0, 1.0)
    assert row.difference is not None
    assert round(row.difference.value, 3) == -0.013
    assert row.difference.low == pytest.approx(-0.063, abs=0.04)
    assert row.difference.high == pytest.approx(0.0, abs=0.04)


def test_what_does_not_follow_random_tokens_do_change_orders(published: Masking) -> None:
    """The paper says that the sham changes none of the orders: so it is on SHELF alone."""
    changed = {
        (row.corpus, row.task)
        for row in published.rows
        if row.sham_agreement.spearman is not None and row.sham_agreement.spearman < 1
    }
    natural = ("transfer_gutenberg", "transfer_lcshbench")
    assert changed == {
        (corpus, task) for corpus in natural for task in ("lcc_classification", "lcc_retrieval")
    }


def test_models_without_an_arm_are_named(published: Masking) -> None:
    assert {(row.corpus, row.task) for row in published.rows} == {
        (corpus, task) for corpus in TABLE_11 for task in ("lcc_classification", "lcc_retrieval")
    }
    for row in published.rows:
        assert {out.model for out in row.lacking} == {
            "EmbeddingGemma-300M",
            "GTE-ModernBERT-2k",
            "Granite-small-r2",
            "Qwen3-Embedding-0.6B",
        }
        assert {out.reason for out in row.lacking} == {"no score with masked texts and sham texts"}
    assert {out.model for out in published.left_out} == {
        "GTE-ModernBERT-8k",
        "OGBert-110M Sentence",
    }


@pytest.mark.skipif("SHELF_TEST_DATA" not in os.environ, reason="SHELF_TEST_DATA is not set")
def test_the_means_are_those_of_the_published_files(published: Masking) -> None:
    folder = Path(os.environ["SHELF_TEST_DATA"]) / "reference"
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for name in ("reported_scores_pooled.csv", "reported_scores_transfer.csv"):
        with (folder / name).open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                if (row["task"], row["metric"]) == ("lcc_classification", "macro_f1"):
                    scores[row["corpus"]][row["model"]] = float(row["score"])
    for corpus in ("all", "gutenberg", "lcshbench"):
        arms = [scores[corpus], scores[f"{corpus}_masked"], scores[f"{corpus}_sham"]]
        models = set.intersection(*map(set, arms)) - {"ogbert_110m_sentence"}
        own = row_of(
            published, corpus if corpus == "all" else f"transfer_{corpus}", "lcc_classification"
        )
        assert len(models) == len(own.models)
        means = [np.mean([arm[model] for model in models]) for arm in arms]
        assert [own.unmasked, own.masked, own.sham] == pytest.approx(means)


def runs_of_arms(
    scores: dict[str, np.ndarray], task: str = "lcc_classification", **changes: Any
) -> list[Run]:
    """Runs of as many models as there are scores, in each of the arms."""
    metric = load_tasks()[task].primary_metric
    found = []
    for arm, values in scores.items():
        protocol = "shelf-1" if arm == "none" else f"shelf-1+text-{arm}"
        for number, value in enumerate(values.tolist()):
            one = made_run(
                f"model-{number}",
                {task: (value, value, value)},
                **{"protocol": protocol, **changes},
            )
            rows = [{**row, "metric": metric} for row in one.scores.to_pylist()]
            found.append(replace(one, scores=pa.Table.from_pylist(rows, schema=SCORES_SCHEMA)))
    return found


WHOLE = np.array([0.3, 0.5, 0.4, 0.7, 0.6, 0.2])
MASKED = np.array([0.2, 0.5, 0.3, 0.45, 0.6, 0.1])
SHAM = WHOLE - 0.01


def test_runs_that_were_computed() -> None:
    runs = runs_of_arms({"none": WHOLE, "masked": MASKED, "sham": SHAM})
    [row] = masking(runs, WEIGHTS, SETTINGS).rows
    # All have one revision: a panel that takes weights once takes encoders once.
    assert len(row.models) == 1
    [row] = masking(runs, SETTINGS.panel("all"), SETTINGS).rows
    assert (row.reported, row.protocol, row.corpus) == (None, "shelf-1", "all")
    assert row.models == tuple(f"model-{number}" for number in range(6))
    assert row.unmasked == pytest.approx(WHOLE.mean())
    assert row.masked_change == pytest.approx(MASKED.mean() - WHOLE.mean())
    assert row.sham_change == pytest.approx(-0.01)
    assert row.masked_agreement.spearman == pytest.approx(spearmanr(MASKED, WHOLE).statistic)
    assert row.sham_agreement.spearman == 1.0
    assert row.difference is not None
    assert row.difference.value == pytest.approx(spearmanr(MASKED, WHOLE).statistic - 1)
    assert row.difference.low is not None
    assert row.difference.low <= row.difference.value <= (row.difference.high or 0)
    values = masking_values(masking(runs, SETTINGS.panel("all"), SETTINGS))
    assert values["rows"][0]["masked_change"] == row.masked_change


def test_too_few_models_have_means_and_no_correlation() -> None:
    runs = runs_of_arms({"none": WHOLE[:3], "masked": MASKED[:3], "sham": SHAM[:3]})
    [row] = masking(runs, SETTINGS.panel("all"), SETTINGS).rows
    assert row.masked == pytest.approx(MASKED[:3].mean())
    assert row.masked_agreement.spearman is None
    assert row.difference is None


def test_what_lacks_an_arm_is_said() -> None:
    panel = SETTINGS.panel("all")
    found = masking(runs_of_arms({"none": WHOLE, "masked": MASKED}), panel, SETTINGS)
    assert not found.rows
    [out] = found.left_out
    assert out == ("all/lcc_classification/macro_f1", "no run with sham texts")
    whole = masking(runs_of_arms({"none": WHOLE}), panel, SETTINGS)
    assert (whole.rows, whole.left_out) == ((), ())
    smoke = runs_of_arms({"none": WHOLE, "masked": MASKED, "sham": SHAM}, limit=5)
    found = masking(smoke, panel, SETTINGS)
    assert not found.rows
    assert {out.reason for out in found.left_out} == {"a smoke run of 5 documents a split"}


def test_means_are_over_models_with_every_arm() -> None:
    runs = runs_of_arms({"none": WHOLE, "masked": MASKED[:5], "sham": SHAM[:4]})
    [row] = masking(runs, SETTINGS.panel("all"), SETTINGS).rows
    assert len(row.models) == 4
    assert row.unmasked == pytest.approx(WHOLE[:4].mean())
    assert row.lacking == (
        ("model-4", "no score with sham texts"),
        ("model-5", "no score with masked texts and sham texts"),
    )


def test_other_protocols_and_reported_scores_are_rows_of_their_own(published: Masking) -> None:
    arms = {"none": WHOLE, "masked": MASKED, "sham": SHAM}
    balanced = [
        replace(run, file=run.file.model_copy(update={"protocol": protocol}))
        for run in runs_of_arms(arms)
        for protocol in [
            run.file.protocol.model_copy(
                update={"id": run.file.protocol.id.replace("shelf-1", "shelf-1-balanced")}
            )
        ]
    ]
    reported = [run for arm in ARMS for run in reported_runs("all", arm=arm)]
    found = masking([*reported, *balanced, *runs_of_arms(arms)], SETTINGS.panel("all"), SETTINGS)
    kinds = [(bool(row.reported), row.protocol) for row in found.rows]
    assert kinds[:2] == [(False, "shelf-1"), (False, "shelf-1-balanced")]
    assert all(reported for reported, _ in kinds[2:])


def test_arms_on_two_releases_are_refused() -> None:
    runs = [
        *runs_of_arms({"none": WHOLE}),
        *runs_of_arms({"masked": MASKED, "sham": SHAM}, release="bbbb"),
    ]
    with pytest.raises(ShelfError, match=r"aaaa.*bbbb"):
        masking(runs, SETTINGS.panel("all"), SETTINGS)
