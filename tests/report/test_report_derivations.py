"""Derivations against the published figures, and what they refuse."""

from __future__ import annotations

import csv
from statistics import median

import pytest

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.report.numbers.derivations import DERIVATIONS, derived
from evaluate_shelf.report.numbers.panels import panel_of

OF_25 = "distinct+gte_modernbert_8k"


@pytest.mark.parametrize(
    ("words", "published", "decimals"),
    [
        # The published figures: counts, Tables 4, 5, 11, 14 and 15, sections 4.5.1 and 4.5.2.
        ("models", 28, 0),
        ("corpora", 3, 0),
        ("panel_models restricted", 22, 0),
        ("labels form_retrieval", 133, 0),
        (f"best lcc_clustering all {OF_25}", 0.5152, 4),
        (f"median lcc_clustering all {OF_25}", 0.3439, 4),
        (f"median lcc_clustering/ari_median_of_seeds all {OF_25}", 0.3456, 4),
        (f"best category_retrieval all {OF_25}", 0.4968, 4),
        (f"median form_retrieval all {OF_25}", 0.0947, 4),
        (f"count form_retrieval all {OF_25}", 25, 0),
        (f"rank lcc_retrieval all bm25 {OF_25}", 23, 0),
        ("score lcc_retrieval all bm25", 0.4533, 4),
        (f"mean lcc_classification all {OF_25}", 0.8226, 4),
        (f"difference lcc_classification form_classification all smallest {OF_25}", 0.598, 3),
        (f"difference lcc_classification form_classification all largest {OF_25}", 0.701, 3),
        ("agreement classification all transfer_gutenberg spearman", 0.870, 3),
        ("agreement classification transfer_gutenberg all kendall", 0.761, 3),
        ("agreement retrieval all transfer_lcshbench spearman", 0.898, 3),
        ("agreement classification transfer_gutenberg transfer_lcshbench spearman", 0.958, 3),
        ("agreement pairs all transfer_gutenberg n", 25, 0),
        ("agreement classification all transfer_lcshbench spearman restricted", 0.655, 3),
        ("agreement_of all/lcc_classification all/form_classification spearman", 0.815, 3),
        ("formulations_passed", 4, 0),
        ("cells_passed restricted", 8, 0),
        ("masking_models all", 21, 0),
        ("masking_mean all none", 0.7978, 4),
        ("masking_mean transfer_gutenberg masked", 0.4203, 4),
        ("masking_mean transfer_lcshbench sham", 0.5264, 4),
        ("masking_change all masked", -0.0337, 4),
        ("masking_agreement transfer_lcshbench masked spearman", 0.983, 3),
        ("masking_agreement all sham spearman", 1.0, 3),
        ("reported_stability transfer_gutenberg lowest", 0.892, 3),
    ],
)
def test_published_figures(words: str, published: float, decimals: int) -> None:
    assert round(derived(words.split()), decimals) == published


def test_scores_are_those_of_the_committed_file() -> None:
    file = config_folder() / "reported" / "scores.csv"
    rows = list(csv.DictReader(file.open(encoding="utf-8")))
    own = [
        float(row["value"])
        for row in rows
        if (row["config"], row["task"], row["metric"]) == ("all", "lcc_retrieval", "ndcg_at_10")
    ]
    assert derived(["scores"]) == len(rows)
    assert derived(["scores", "all"]) == sum(row["config"] == "all" for row in rows)
    assert derived(["tasks", "all_masked"]) == 2
    for statistic, value in (("best", max(own)), ("worst", min(own)), ("median", median(own))):
        assert derived([statistic, "lcc_retrieval", "all", "all"]) == value


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("agrement a b", "unknown derivation 'agrement'; did you mean agreement"),
        ("__import__ os", "unknown derivation"),
        ("best lcc_retrieval", r"must be best TASK CONFIG \[PANEL\]"),
        ("models all more", r"must be models \[CONFIG\]"),
        ("best lcc_retreival all", "unknown task 'lcc_retreival'; did you mean lcc_retrieval"),
        ("best lcc_retrieval books", "unknown config 'books'"),
        ("best lcc_retrieval all nobody", "unknown panel 'nobody'"),
        ("best lcc_retrieval all distinct+", "must be a panel's name"),
        ("best lcc_retrieval all distinct+bm25", "bm25 is in already"),
        ("best lcc_retrieval all distinct-nobody", "unknown model 'nobody'"),
        ("best lcc_retrieval/f2 all", "no model of 'distinct' has a score on lcc_retrieval, f2"),
        ("best form_retrieval transfer_gutenberg", "no model"),
        ("score lcc_retrieval all gpt", "unknown model 'gpt'"),
        ("agreement classification all all spearman", "not two of the corpora"),
        ("agreement classification all transfer_gutenberg r2", "unknown statistic 'r2'"),
        ("agreement summary all transfer_gutenberg n", "unknown formulation 'summary'"),
        ("masking_mean all blanked", "unknown arm 'blanked'"),
        ("masking_mean books masked", "no reported scores of books"),
        ("reported_stability all lowest", "was not reported"),
        ("labels instruction_same_topic_diff_subject", "open"),
        ("registered wishes", "unknown kind 'wishes'"),
    ],
)
def test_what_names_nothing_is_refused(words: str, said: str) -> None:
    with pytest.raises(ShelfError, match=said):
        derived(words.split())


def test_a_panel_is_changed_by_name() -> None:
    plain = {out.model for out in panel_of("distinct").left_out}
    changed = {out.model for out in panel_of("distinct+ogbert_2m_sentence-bm25").left_out}
    assert changed == plain - {"ogbert_2m_sentence"} | {"bm25"}


def test_every_derivation_says_what_it_gives() -> None:
    for name, row in DERIVATIONS.items():
        assert name.islower()
        assert row.gives
        # An argument that may be absent stands behind those that may not.
        optional = [word.startswith("[") for word in row.arguments.split()]
        assert optional == sorted(optional)
