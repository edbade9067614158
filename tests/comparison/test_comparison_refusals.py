"""Which runs are not compared, and that the message names what differs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from made_runs import run

from evaluate_shelf.comparison.refusals import check_comparable
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.reported.runs import reported_runs
from evaluate_shelf.runs.reading import Run

SCORES = {"lcc_retrieval": (0.5, 0.4, 0.6)}


def on_config(made: Run, config: str) -> Run:
    data = made.file.data.model_copy(update={"config": config})
    return replace(made, file=made.file.model_copy(update={"data": data}))


def test_models_on_the_same_data_are_compared() -> None:
    check_comparable([run("a", SCORES), run("b", SCORES), run("c", SCORES)])


@pytest.mark.parametrize(
    ("other", "names"),
    [
        (run("b", SCORES, release="bbbb"), ["aaaa", "bbbb", "'all'"]),
        (run("b", SCORES, protocol="shelf-1-balanced"), ["shelf-1,", "shelf-1-balanced"]),
        (run("b", SCORES, limit=40), ["all documents", "40 documents"]),
        (on_config(run("b", SCORES), "v0_4_core"), ["'all'", "'v0_4_core'"]),
    ],
    ids=["release", "protocol", "limit", "config"],
)
def test_the_two_that_differ_are_named(other: Run, names: list[str]) -> None:
    with pytest.raises(ShelfError) as raised:
        check_comparable([run("a", SCORES), run("a2", SCORES), other])
    # The last that agrees and the first that does not.
    for name in [str(Path("runs/a2")), str(Path("runs/b")), *names]:
        assert name in str(raised.value)


def test_two_releases_of_one_name_are_told_by_the_runs_on_them() -> None:
    other = run("b", SCORES)
    data = other.file.data.model_copy(update={"content_sha256": {"all": "other rows"}})
    other = replace(other, file=other.file.model_copy(update={"data": data}))
    with pytest.raises(ShelfError) as raised:
        check_comparable([run("a", SCORES), other])
    message = str(raised.value)
    for name in (str(Path("runs/a")), str(Path("runs/b")), "both called aaaa", "evaluate"):
        assert name in message


def test_other_settings_under_one_name_are_another_protocol() -> None:
    other = run("b", SCORES)
    protocol = other.file.protocol.model_copy(update={"key": "0123456789abcdef"})
    changed = replace(other, file=other.file.model_copy(update={"protocol": protocol}))
    with pytest.raises(ShelfError, match="0123456789ab"):
        check_comparable([run("a", SCORES), changed])


@pytest.mark.parametrize("runs", [[], [run("a", SCORES)]], ids=len)
def test_one_run_alone_is_refused(runs: list[Run]) -> None:
    with pytest.raises(ShelfError, match="two runs"):
        check_comparable(runs)


def test_the_same_run_twice_is_refused_wherever_it_lies() -> None:
    once = run("a", SCORES)
    for again in (once, replace(once, folder=Path("elsewhere"))):
        with pytest.raises(ShelfError, match="twice") as raised:
            check_comparable([once, run("b", SCORES), again])
        assert str(again.folder) in str(raised.value)


def test_reported_scores_are_compared_with_none() -> None:
    reported = reported_runs("all")
    with pytest.raises(ShelfError, match="reported"):
        check_comparable(reported)
    with pytest.raises(ShelfError, match=reported[0].file.model.name):
        check_comparable([run("a", SCORES), reported[0]])
