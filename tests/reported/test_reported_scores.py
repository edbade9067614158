"""The published panel: loaded as it was published, shown apart, refused where it is damaged."""

from __future__ import annotations

import csv
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from made_runs import run

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.leaderboard.boards import boards
from evaluate_shelf.leaderboard.forms import as_csv, as_markdown, as_values
from evaluate_shelf.leaderboard.terminal_table import for_terminal
from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.reported.runs import reported_runs
from evaluate_shelf.reported.source import Arm, load_reported

DATA = os.environ.get("SHELF_TEST_DATA")
# Left out of the published tables of the 25: weights that stand in the panel twice, and a model
# that the published figures leave out.
NOT_AMONG_25 = {"ogbert_110m_sentence", "ogbert_2m_sentence"}


def scores_of(task: str, metric: str, corpus: str = "all") -> dict[str, float]:
    return {
        found.file.model.spec: row["value"]
        for found in reported_runs(corpus)
        if found.file.model.spec not in NOT_AMONG_25
        for row in found.scores.to_pylist()
        if (row["task"], row["metric"]) == (task, metric)
    }


@pytest.mark.parametrize(
    ("task", "metric", "best", "best_score", "middle"),
    [
        # The paper's Tables 4 and 5.
        ("lcc_clustering", "ari", "qwen3_embed_600m", 0.5152, 0.3439),
        ("lcgft_clustering", "ari", "embeddinggemma_300m", 0.0921, 0.0484),
        ("register_clustering", "ari", "roberta", 0.0678, 0.0110),
        ("geographic_clustering", "ari", "gtr_t5_base", 0.0068, 0.0025),
        ("lcc_retrieval", "ndcg_at_10", "qwen3_embed_600m", 0.7104, 0.5988),
        ("form_retrieval", "ndcg_at_10", "e5_base", 0.1173, 0.0947),
        ("category_retrieval", "ndcg_at_10", "roberta", 0.4968, 0.4247),
        # The caption of Table 4: under the median over seeds.
        ("lcc_clustering", "ari_median_of_seeds", "qwen3_embed_600m", 0.5247, 0.3456),
    ],
)
def test_best_and_median_of_the_published_tables(
    task: str, metric: str, best: str, best_score: float, middle: float
) -> None:
    scores = scores_of(task, metric)
    assert len(scores) == 25
    assert max(scores, key=lambda model: scores[model]) == best
    assert round(max(scores.values()), 4) == best_score
    assert round(median(scores.values()), 4) == middle


def test_bm25_of_the_published_table_5() -> None:
    for task, score in (
        ("lcc_retrieval", 0.4533),
        ("form_retrieval", 0.0585),
        ("category_retrieval", 0.2704),
    ):
        scores = scores_of(task, "ndcg_at_10")
        assert round(scores["bm25"], 4) == score
        assert sum(value > scores["bm25"] for value in scores.values()) >= 22


def test_subject_and_form_differ_as_published() -> None:
    subject, form = (scores_of(f"{facet}_classification", "macro_f1") for facet in ("lcc", "form"))
    assert len(subject) == len(form) == 25
    assert sum(subject.values()) / 25 == pytest.approx(0.8226, abs=5e-5)
    assert sum(form.values()) / 25 == pytest.approx(0.1698, abs=5e-5)
    differences = [subject[model] - form[model] for model in subject]
    assert (round(min(differences), 3), round(max(differences), 3)) == (0.598, 0.701)


ARMS: tuple[Arm, ...] = ("none", "masked", "sham")


def subject_of_arm(corpus: str, arm: Arm) -> dict[str, float]:
    return {
        found.file.model.spec: row["value"]
        for found in reported_runs(corpus, arm=arm)
        for row in found.scores.to_pylist()
        if row["task"] == "lcc_classification" and row["primary"]
    }


def test_masked_and_sham_means_of_the_published_table_11() -> None:
    published = {
        "all": (0.7978, 0.7641, 0.7974),
        "transfer_gutenberg": (0.4318, 0.4203, 0.4325),
        "transfer_lcshbench": (0.5248, 0.5012, 0.5264),
    }
    excluded = {"ogbert_110m_sentence"}
    for corpus, means in published.items():
        arms = [subject_of_arm(corpus, arm) for arm in ARMS]
        shared = set.intersection(*(set(own) for own in arms)) - excluded
        assert len(shared) == 21
        found_means = tuple(round(sum(own[m] for m in shared) / 21, 4) for own in arms)
        assert found_means == means


@pytest.mark.skipif(not DATA, reason="SHELF_TEST_DATA is not set")
def test_every_score_is_the_one_that_was_published() -> None:
    place = Path(DATA or "") / "reference"
    names = {"all": "all", "gutenberg": "transfer_gutenberg", "lcshbench": "transfer_lcshbench"}
    published: dict[tuple[str, ...], float] = {}
    for file in ("reported_scores_pooled", "reported_scores_transfer", "clustering_medians"):
        for row in csv.DictReader((place / f"{file}.csv").open(encoding="utf-8")):
            corpus, _, arm = row["corpus"].partition("_")
            # The pooled file's rows of this task are of two pair sets.
            if (file, row["task"]) == ("reported_scores_pooled", "same_lcc_pairs"):
                continue
            config = names[corpus] + (f"_{arm}" if arm else "")
            published[config, row["model"], row["task"], row["metric"]] = float(row["score"])
    ours = load_reported().scores
    assert len(ours) == len(published)
    renamed = {"ari_median_of_seeds": "ari_median_seeds_0_4"}
    for score in ours:
        metric = renamed.get(score.metric, score.metric.replace("_at_", "@"))
        if score.task == "geographic_clustering_conditional":
            metric = metric.removesuffix("_pooled")
        assert published[score.config, score.model, score.task, metric] == score.value


def test_reported_scores_are_on_boards_of_their_own_and_have_no_ranks() -> None:
    computed = run("computed", {"lcc_retrieval": (0.6, 0.55, 0.65)})
    found = boards([*reported_runs("all"), computed], facet="subject")
    assert [(board.reported is None, len(board.rows)) for board in found] == [
        (True, 1),
        (False, 28),
    ]
    of_panel = found[1]
    for row in of_panel.rows:
        for cell in row.cells.values():
            assert (cell.low, cell.high, cell.rank, cell.tied) == (None, None, None, False)
    assert as_values(of_panel)["reported"] == of_panel.reported
    for text in (as_markdown(of_panel), for_terminal([of_panel])):
        assert "REPORTED" in text
        assert "#1" not in text
    lines = list(csv.DictReader(as_csv(found).splitlines()))
    assert {line["origin"] for line in lines if line["model"] == "computed"} == {"computed"}
    assert {line["origin"] for line in lines if line["model"] != "computed"} == {"reported"}


def test_a_reported_run_has_no_items() -> None:
    with pytest.raises(ShelfError, match="no items"):
        reported_runs("all")[0].checked("items/lcc_retrieval.parquet")


Damage = Callable[[str], str]


@pytest.mark.parametrize(
    ("file", "damage", "field"),
    [
        ("scores.csv", lambda text: text.replace("all,bert,", "all,burt,", 1), "model"),
        ("scores.csv", lambda text: text.replace("all,bert,", "al,bert,", 1), "config"),
        ("scores.csv", lambda text: text.replace("lcc_retrieval", "lc_retrieval", 1), "task"),
        ("scores.csv", lambda text: text.replace("0.48719", "1.48719", 1), "value"),
        ("scores.csv", lambda text: text.replace("0.4871919933630136", "nan", 1), "value"),
        ("scores.csv", lambda text: text.replace("0.4871919933630136", "", 1), "value"),
        ("scores.csv", lambda text: text.replace("value", "score", 1), "columns"),
        ("scores.csv", lambda text: text + text.splitlines()[1] + "\n", "twice"),
        ("models.csv", lambda text: text + text.splitlines()[1] + "\n", "twice"),
        ("models.csv", lambda text: text.replace(",109482240,", ",-1,", 1), "parameters"),
        ("source.yaml", lambda text: text.replace("arm: sham", "arm: shame", 1), "arm"),
    ],
)
def test_damaged_reported_scores_are_refused_by_name(
    file: str, damage: Damage, field: str, tmp_path: Path
) -> None:
    folder: Any = shutil.copytree(config_folder(), tmp_path / "configs")
    place = folder / "reported" / file
    before = place.read_text(encoding="utf-8")
    after = damage(before)
    assert after != before
    place.write_text(after, encoding="utf-8")
    with pytest.raises(ShelfError, match=field) as caught:
        reported_runs(folder=folder)
    assert file in str(caught.value)
