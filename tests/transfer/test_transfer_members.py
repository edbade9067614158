"""Which runs are compared: one condition, models by name and revision, weights once."""

from __future__ import annotations

from typing import Any

import pytest
from transfer_runs import scored

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.reported.runs import reported_runs
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer.comparison import compare
from evaluate_shelf.transfer.members import members
from evaluate_shelf.transfer.scores import measure
from evaluate_shelf.transfer.settings import load_transfer

SETTINGS = load_transfer()
SCORES = {("lcc_retrieval", "ndcg_at_10"): 0.5}


def one(model: str, corpus: str = "all", **changes: Any) -> Run:
    return scored(model, corpus, SCORES, **changes)


def test_a_model_is_matched_by_name_and_revision() -> None:
    runs = [
        one("same", "a"),
        one("same", "b"),
        one("moved", "a", revision="1"),
        one("moved", "b", revision="2"),
    ]
    x, y = (measure(f"{corpus}/lcc_retrieval", SETTINGS) for corpus in "ab")
    found = compare(runs, x, y, SETTINGS.resampling)
    assert [model.name for model in found.models] == ["same"]
    assert [out.model for out in found.lacking] == ["moved", "moved"]


def test_of_equal_weights_the_plainest_model_is_kept() -> None:
    runs = [
        one("small", spec="st:x,dim=64", settings={"dim": 64}, revision="w"),
        one("plain", spec="st:x", revision="w"),
        one("plain", "b", spec="st:x", revision="w"),
        one("other", spec="st:y", revision="v"),
    ]
    found = members(runs, SETTINGS.panel("distinct"))
    assert [run.file.model.name for run in found.runs] == ["plain", "plain", "other"]
    assert found.left_out == (("small", "the same weights as plain"),)
    assert len(members(runs, SETTINGS.panel("all")).runs) == 4


def test_a_version_of_a_library_is_no_weight() -> None:
    runs = [one(name, kind="sparse", revision="scikit-learn 1") for name in ("tf", "tfidf")]
    assert len(members(runs, SETTINGS.panel("distinct")).runs) == 2


@pytest.mark.parametrize(
    ("spec", "kept"),
    [
        ("st:FacebookAI/roberta-base", False),
        ("st:FacebookAI/roberta-base@abc,pooling=mean", False),
        ("st:roberta-base", False),
        ("st:FacebookAI/roberta-large", True),
        ("roberta", True),
    ],
)
def test_a_computed_model_is_left_out_by_its_checkpoint(spec: str, kept: bool) -> None:
    runs = [one("m", spec=spec)]
    assert bool(members(runs, SETTINGS.panel("restricted")).runs) is kept
    assert members(runs, SETTINGS.panel("distinct")).runs


def test_smoke_runs_are_left_out_by_name() -> None:
    found = members([one("whole"), one("smoke", limit=30)], SETTINGS.panel())
    assert [run.file.model.name for run in found.runs] == ["whole"]
    assert [out.model for out in found.left_out] == ["smoke on all"]
    assert "30" in found.left_out[0].reason


def test_of_two_protocols_the_default_is_taken_and_another_can_be_named() -> None:
    runs = [one("a"), one("b", protocol="shelf-1-balanced")]
    found = members(runs, SETTINGS.panel())
    assert [run.file.model.name for run in found.runs] == ["a"]
    [(left_out, why)] = found.left_out
    assert left_out == "b on all"
    assert "--protocol shelf-1-balanced" in why
    found = members(runs, SETTINGS.panel(), "shelf-1-balanced")
    assert [run.file.model.name for run in found.runs] == ["b"]
    assert [name for name, _ in found.left_out] == ["a on all"]
    with pytest.raises(ShelfError, match="no run of it"):
        members(runs, SETTINGS.panel(), "shelf-2")


def test_two_protocols_of_which_none_is_the_default_are_refused() -> None:
    runs = [one("a", protocol="shelf-2"), one("b", protocol="shelf-1-balanced")]
    with pytest.raises(ShelfError, match=r"shelf-1-balanced, shelf-2"):
        members(runs, SETTINGS.panel())


def test_two_releases_of_one_config_are_refused() -> None:
    with pytest.raises(ShelfError, match="two releases"):
        members([one("a"), one("b", release="bbbb")], SETTINGS.panel())
    members([one("a"), one("a", "other", release="bbbb")], SETTINGS.panel())


def test_reported_and_computed_scores_are_never_mixed() -> None:
    with pytest.raises(ShelfError, match="reported"):
        members([one("a"), *reported_runs("all")], SETTINGS.panel())
