"""The published rank correlations follow from the reported scores, and four figures do not."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from statistics import median

import numpy as np
import pytest

from evaluate_shelf.reported.runs import reported_runs
from evaluate_shelf.reported.source import Arm
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer.agreement import model_copies, resampled_spearman
from evaluate_shelf.transfer.comparison import Comparison, compare
from evaluate_shelf.transfer.members import members
from evaluate_shelf.transfer.preregistered import Outcome, outcome
from evaluate_shelf.transfer.scores import measure, scores_by_model
from evaluate_shelf.transfer.settings import load_transfer
from evaluate_shelf.transfer.stability import reported_stability

DATA = os.environ.get("SHELF_TEST_DATA")
SETTINGS = load_transfer()
ARMS: tuple[Arm, ...] = ("none", "masked", "sham")
# The interval moves with the generator of random numbers.
TOLERANCE = 0.04

G, L = "transfer_gutenberg", "transfer_lcshbench"


def panel(name: str) -> list[Run]:
    runs = [run for arm in ARMS for run in reported_runs(arm=arm)]
    return list(members(runs, SETTINGS.panel(name)).runs)


def compared(x: str, y: str, of_panel: str = "distinct") -> Comparison:
    measures = (measure(text, SETTINGS) for text in (x, y))
    return compare(panel(of_panel), *measures, SETTINGS.resampling)


def applied(of_panel: str) -> Outcome:
    stability = [reported_stability(row) for row in SETTINGS.stability.reported]
    return outcome(panel(of_panel), SETTINGS, stability)


@pytest.mark.parametrize(
    ("task", "x", "y", "n", "spearman", "kendall", "low", "high"),
    [
        # Table 14.
        ("lcc_classification", "all", G, 24, 0.870, 0.761, 0.61, 0.98),
        ("lcc_classification", "all", L, 24, 0.765, 0.645, 0.43, 0.96),
        ("lcc_classification", G, L, 24, 0.958, 0.841, 0.86, 0.99),
        # Table 15; Kendall's are not in it.
        ("lcc_retrieval", "all", G, 24, 0.813, 0.616, 0.59, 0.91),
        ("lcc_retrieval", "all", L, 24, 0.898, 0.739, 0.75, 0.96),
        ("lcc_clustering", "all", G, 24, 0.916, 0.775, 0.78, 0.97),
        ("lcc_clustering", "all", L, 24, 0.950, 0.819, 0.85, 0.98),
        ("same_lcc_pairs", "all", G, 25, 0.907, 0.740, 0.74, 0.96),
        ("same_lcc_pairs", "all", L, 25, 0.942, 0.820, 0.82, 0.98),
    ],
)
def test_rank_agreement_of_tables_14_and_15(
    task: str, x: str, y: str, n: int, spearman: float, kendall: float, low: float, high: float
) -> None:
    found = compared(f"{x}/{task}", f"{y}/{task}").agreement
    assert found.n == n
    assert (round(found.spearman or 0, 3), round(found.kendall or 0, 3)) == (spearman, kendall)
    assert found.low == pytest.approx(low, abs=TOLERANCE)
    assert found.high == pytest.approx(high, abs=TOLERANCE)
    assert found.undefined == 0


def test_subject_and_form_order_models_as_in_section_4_5_2() -> None:
    found = compared("all/lcc_classification", "all/form_classification").agreement
    assert (found.n, round(found.spearman or 0, 3)) == (24, 0.815)
    assert found.low == pytest.approx(0.58, abs=TOLERANCE)
    assert found.high == pytest.approx(0.94, abs=TOLERANCE)


def test_the_preregistered_rule_is_met_in_all_eight_cells() -> None:
    found = applied("distinct")
    assert found.verdict == "supported"
    assert found.passed == ("classification", "retrieval", "clustering", "pairs")
    assert [cell.passes for cell in found.cells] == [True] * 8
    assert (found.failed, found.undecided) == ((), ())


def test_the_restricted_panel_of_section_6_2() -> None:
    found = applied("restricted")
    assert found.verdict == "supported"
    assert [cell.passes for cell in found.cells] == [True] * 8
    weakest = found.weakest()
    assert weakest is not None
    assert (weakest.formulation, weakest.corpus) == ("classification", L)
    agreement = weakest.comparison.agreement
    assert round(agreement.spearman or 0, 3) == 0.655
    assert agreement.low == pytest.approx(0.22, abs=TOLERANCE)
    assert agreement.high == pytest.approx(0.93, abs=TOLERANCE)


def test_models_are_left_out_by_name_and_with_a_reason() -> None:
    runs = reported_runs()
    names = {
        name: {out.model for out in members(runs, SETTINGS.panel(name)).left_out}
        for name in SETTINGS.panels
    }
    assert names["all"] == set()
    assert names["weights"] == {"OGBert-110M Sentence", "GTE-ModernBERT-8k"}
    assert names["distinct"] == names["weights"] | {"ogbert-2m-sentence"}
    assert names["restricted"] == names["distinct"] | {
        "OGBert-110M Base",
        "ogbert-v1-mlm",
        "RoBERTa",
    }
    assert all(out.reason for out in members(runs, SETTINGS.panel("restricted")).left_out)


def test_the_reported_stability_of_clustering_passes_its_gate() -> None:
    medians = {row.corpus: row.median for row in SETTINGS.stability.reported}
    assert medians == {"all": 0.991, G: 0.932, L: 0.962}
    assert SETTINGS.stability.floor == 0.9


# Table 11 keeps ogbert_2m_sentence: its 21 models are those of the panel `weights`.


@pytest.mark.parametrize(("corpus", "masked"), [("all", 0.987), (G, 0.988), (L, 0.983)])
def test_masked_against_unmasked_order(corpus: str, masked: float) -> None:
    task = "lcc_classification"
    found = compared(f"{corpus}/{task}", f"{corpus}_masked/{task}", "weights").agreement
    assert (found.n, round(found.spearman or 0, 3)) == (21, masked)


@pytest.mark.parametrize(("corpus", "value"), [(G, 0.831), (L, 0.748)])
def test_masked_order_against_natural_corpora(corpus: str, value: float) -> None:
    task = "lcc_classification"
    found = compared(f"all_masked/{task}", f"{corpus}_masked/{task}", "weights").agreement
    assert (found.n, round(found.spearman or 0, 3)) == (21, value)


def test_the_difference_of_masked_and_sham_order_on_the_reference() -> None:
    runs = panel("weights")
    full, masked, sham = (
        scores_by_model(runs, measure(f"{corpus}/lcc_classification", SETTINGS))
        for corpus in ("all", "all_masked", "all_sham")
    )
    shared = [key for key in masked if key in full and key in sham]
    columns = [np.array([own[key] for key in shared]) for own in (full, masked, sham)]
    copies = model_copies(len(shared), seed=42, replicates=2000)
    of_masked, of_sham = (resampled_spearman(columns[0], other, copies) for other in columns[1:])
    difference = of_masked - of_sham
    low, high = np.quantile(difference, [0.025, 0.975])
    once = np.ones((1, len(shared)))
    whole = resampled_spearman(columns[0], columns[1], once)[0]
    assert round(whole - resampled_spearman(columns[0], columns[2], once)[0], 3) == -0.013
    assert low == pytest.approx(-0.063, abs=TOLERANCE)
    assert high == pytest.approx(0.0, abs=TOLERANCE)


@pytest.mark.parametrize(("corpus", "value"), [(G, 0.858), (L, 0.751)])
def test_the_agreement_before_masking_of_the_models_that_were_masked(
    corpus: str, value: float
) -> None:
    # The paper sets 0.870 and 0.765 beside it, which are over other models.
    runs = panel("weights")
    x, y, masked = (
        measure(f"{name}/lcc_classification", SETTINGS) for name in ("all", corpus, "all_masked")
    )
    among = scores_by_model(runs, masked)
    found = compare(runs, x, y, SETTINGS.resampling, among.keys()).agreement
    assert (found.n, round(found.spearman or 0, 3)) == (21, value)


def test_how_far_the_weakest_agreement_hangs_on_one_model() -> None:
    found = compared("all/lcc_classification", f"{L}/lcc_classification")
    model = found.most_influential()
    assert model is not None
    assert (model.name, round(model.without or 0, 3)) == ("TF-IDF+SVD", 0.890)
    assert model.rank_x == 3
    assert model.rank_y > 12


@pytest.mark.parametrize(
    ("name", "n"), [("all", 28), ("weights", 26), ("distinct", 25), ("restricted", 22)]
)
def test_sizes_of_the_panels(name: str, n: int) -> None:
    assert len({run.file.model.spec for run in panel(name)}) == n


@pytest.mark.skipif(not DATA, reason="SHELF_TEST_DATA is not set")
def test_the_pooled_file_mixes_two_sets_of_pairs() -> None:
    file = Path(DATA or "") / "reference" / "reported_scores_pooled.csv"
    pooled = {
        row["model"]: float(row["score"])
        for row in csv.DictReader(file.open(encoding="utf-8"))
        if (row["task"], row["metric"]) == ("same_lcc_pairs", "auc_roc")
    }
    rebuilt = primary("same_lcc_pairs", frozenset())
    assert sum(pooled[model] == score for model, score in rebuilt.items()) == 5
    assert len(pooled) == len(rebuilt) == 28


def primary(task: str, leaving_out: frozenset[str]) -> dict[str, float]:
    return {
        run.file.model.spec: row["value"]
        for run in reported_runs("all")
        if run.file.model.spec not in leaving_out
        for row in run.scores.to_pylist()
        if row["task"] == task and row["primary"]
    }


@pytest.mark.parametrize(
    ("task", "published", "reported"),
    [
        ("instruction_same_subject_diff_form", (0.5496, 0.4724), (0.6474, 0.4964)),
        ("instruction_same_topic_diff_subject", (0.2030, 0.1771), (0.2030, 0.1786)),
        ("instruction_same_form_diff_subject", (0.0764, 0.0439), (0.0764, 0.0433)),
        ("instruction_same_audience_diff_register", (0.0680, 0.0507), (0.0805, 0.0573)),
    ],
)
def test_the_published_instruction_table_does_not_follow(
    task: str, published: tuple[float, float], reported: tuple[float, float]
) -> None:
    scores = primary(task, frozenset({"ogbert_110m_sentence", "ogbert_2m_sentence"}))
    assert len(scores) == 25
    found = (round(max(scores.values()), 4), round(median(scores.values()), 4))
    assert found == reported
    assert found != published


def test_what_the_paper_calls_genre_form_clustering_is_of_the_category() -> None:
    from evaluate_shelf.registry.tasks import task

    clustered = task("lcgft_clustering")
    assert (clustered.label_field, clustered.n_labels) == ("lcgft_category", 14)


@pytest.mark.parametrize("corpus", [G, L])
def test_tokens_taken_out_at_random_do_change_the_order_on_natural_corpora(corpus: str) -> None:
    # The paper's text says that they change none of the orders; that holds on `all` alone.
    task = "lcc_classification"
    kept = compared(f"all/{task}", f"all_sham/{task}", "weights").agreement
    found = compared(f"{corpus}/{task}", f"{corpus}_sham/{task}", "weights").agreement
    assert kept.spearman == 1.0
    assert round(found.spearman or 0, 3) == 0.990
