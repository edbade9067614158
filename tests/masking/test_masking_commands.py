"""`shelf evaluate --text`, `shelf masking` and `shelf label-terms` as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shelf_process import Shelf

from evaluate_shelf.diagnostics.masking.counts import label_term_values, label_terms
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.release.documents import Release

RELEASE = str(shipped_release())


@pytest.mark.slow
def test_from_the_arms_to_their_comparison(shelf: Shelf, tmp_path: Path) -> None:
    ids = []
    for text in ("full", "masked", "sham"):
        done = shelf(
            *("evaluate", "bm25", "--data", RELEASE, "--task", "lcc_retrieval", "--no-rates"),
            *("--text", text, "--json"),
        )
        assert done.returncode == 0, done.stderr
        [run] = json.loads(done.stdout)
        assert ("removed" in run) == (text != "full")
        ids.append(run["protocol"]["id"])
        folder = tmp_path / "runs" / "bm25" / run["run_id"]
        assert shelf("rescore", folder, "--data", RELEASE).returncode == 0
    assert ids == ["shelf-1", "shelf-1+text-masked", "shelf-1+text-sham"]
    found = json.loads(shelf("masking", "runs", "--no-reported", "--json").stdout)
    [row] = found["rows"]
    assert (row["corpus"], row["task"], row["models"]) == ("all", "lcc_retrieval", ["bm25"])
    assert row["masked_change"] == row["masked"] - row["unmasked"]
    assert row["masked_agreement"]["spearman"] is None
    both = shelf("masking", "runs")
    assert both.returncode == 0
    assert both.stdout.index("Computed here") < both.stdout.index("REPORTED")
    board = shelf("leaderboard", "runs", "--no-reported", "--format", "json")
    assert len(json.loads(board.stdout)) == 3


def test_masking_without_runs_is_the_published_table(shelf: Shelf) -> None:
    found = json.loads(shelf("masking", "--json").stdout)
    of_shelf = next(
        row
        for row in found["rows"]
        if (row["corpus"], row["task"]) == ("all", "lcc_classification")
    )
    assert round(of_shelf["masked"], 4) == 0.7641
    assert len(of_shelf["models"]) == 21
    text = shelf("masking").stdout
    assert "0.7641  -0.0337" in text


def test_label_terms_of_the_shipped_release(shelf: Shelf) -> None:
    found = json.loads(shelf("label-terms", RELEASE, "--config", "all", "--json").stdout)
    values = label_term_values(label_terms(Release.open(shipped_release()), "all"))
    assert {name: found[name] for name in values} == values
    assert found["config"] == "all"
    text = shelf("label-terms", RELEASE)
    assert text.returncode == 0
    assert f"{100 * found['names'][0]['share_in_text']:.1f} %" in text.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("evaluate", "tf", "--data", RELEASE, "--text", "blank"), "--text blank: known are"),
        (("masking", "--no-reported"), "nothing to show"),
        (("masking", "nowhere"), "nowhere"),
        (("masking", "--panel", "none"), "none"),
        (("label-terms", "nowhere"), "nowhere"),
        (("label-terms", RELEASE, "--config", "same_lcc_pairs"), "holds pairs"),
        (("label-terms", RELEASE, "--config", "nothing"), "nothing"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_line(
    shelf: Shelf, arguments: tuple[str, ...], told: str
) -> None:
    done = shelf(*arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout
