"""Arms that runs lack: who lacks them, and the command that makes them."""

from __future__ import annotations

import itertools
import json
import shlex
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from made_runs import run as made_run
from shelf_process import Shelf

from evaluate_shelf.diagnostics.masking.arms import ARMS, Masking, masking, masking_values
from evaluate_shelf.diagnostics.masking.terminal_text import masking_text
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.reported.runs import reported_runs
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer.settings import load_transfer

SETTINGS = load_transfer()
USUAL = [task.id for task in load_tasks().values() if task.available and not task.optional]
SUBJECT = [task for task in USUAL if load_tasks()[task].facet == "subject"]


def made(
    name: str, arm: str, tasks: Collection[str] = SUBJECT, *, runs: str = "runs", **changes: Any
) -> Run:
    """A run of a model in an arm, with a score on some tasks."""
    base = changes.pop("base", "shelf-1")
    changes["tasks"] = changes.pop("others", {})
    kind = {key: changes.pop(key) for key in ("kind", "settings") if key in changes}
    protocol = base if arm == "none" else f"{base}+text-{arm}"
    ranked = {row.task: row.metric for row in SETTINGS.formulations.values()}
    one = made_run(name, dict.fromkeys(tasks, (0.5, 0.4, 0.6)), protocol=protocol, **changes)
    rows = [
        {**row, "metric": ranked.get(row["task"], load_tasks()[row["task"]].primary_metric)}
        for row in one.scores.to_pylist()
    ]
    return replace(
        one,
        folder=Path(runs) / name / arm,
        file=one.file.model_copy(update={"model": one.file.model.model_copy(update=kind)}),
        scores=pa.Table.from_pylist(rows, schema=one.scores.schema),
    )


def compared(runs: list[Run], releases: dict[str, str] | None = None) -> Masking:
    return masking(runs, SETTINGS.panel("all"), SETTINGS, releases or {})


def options(command: str | None) -> dict[str, list[str]]:
    """Options of a command, each with its values; the models under nothing."""
    assert command is not None
    first, second, *words = shlex.split(command)
    assert (first, second) == ("shelf", "evaluate")
    found: dict[str, list[str]] = {"": []}
    option = ""
    for word in words:
        if word.startswith("--"):
            option = word
        else:
            found.setdefault(option, []).append(word)
    return found


@pytest.mark.parametrize(
    "present", [own for n in (1, 2, 3) for own in itertools.combinations(ARMS, n)]
)
def test_every_arm_that_is_missing_is_named_with_its_command(present: tuple[str, ...]) -> None:
    found = compared([made(name, arm) for name in ("a", "b") for arm in present])
    assert [one.arm for one in found.missing] == [arm for arm in ARMS if arm not in present]
    assert bool(found.rows) == (set(present) == set(ARMS))
    text = masking_text(found)
    for one in found.missing:
        assert (one.corpus, one.models) == ("all", ("a", "b"))
        assert one.runs == tuple(f"runs/{name}/{present[0]}" for name in ("a", "b"))
        given = options(one.command)
        assert given.pop("--text", ["none"]) == [one.arm]
        assert given == {
            "": ["a", "b"], "--data": ["RELEASE"], "--config": ["all"], "--facet": ["subject"],
        }  # fmt: skip
        assert f"  {one.command}\n" in text
        assert all(folder in text for folder in one.runs)
    values = masking_values(found)["missing"]
    assert [one["command"] for one in values] == [one.command for one in found.missing]
    json.dumps(values)


def test_what_a_command_needs_to_make_the_same_is_in_it() -> None:
    folder = "my runs; rm -rf"
    run = made("a", "none", USUAL, runs=folder, base="shelf-1-balanced+max-tokens-512")
    (masked, _) = compared([run], {"aaaa": "my release"}).missing
    assert options(masked.command) == {
        "": ["a"], "--data": ["my release"], "--config": ["all"],
        "--protocol": ["shelf-1-balanced+max-tokens-512"], "--runs": [folder],
        "--text": ["masked"],
    }  # fmt: skip


def test_tasks_that_an_arm_lacks_are_named_one_by_one() -> None:
    runs = [made("a", "none"), made("a", "masked"), made("a", "sham", SUBJECT[2:])]
    (sham,) = compared(runs).missing
    assert options(sham.command)["--task"] == SUBJECT[:2]
    few = compared([made("a", "none", SUBJECT[:1])]).missing
    assert {tuple(options(one.command)["--task"]) for one in few} == {(SUBJECT[0],)}


def test_what_was_tried_in_an_arm_is_not_missing() -> None:
    skipped = {SUBJECT[0]: {"status": "skipped", "reason": "no vectors"}}
    runs = [
        made("a", "none"),
        made("a", "masked", SUBJECT[1:], others=skipped),
        made("a", "sham"),
    ]
    assert compared(runs).missing == ()


def test_models_that_lack_different_things_have_commands_of_their_own() -> None:
    runs = [
        *(made("a", arm) for arm in ("none", "masked")),
        *(made("b", arm) for arm in ("none", "sham")),
    ]
    assert [(one.arm, one.models) for one in compared(runs).missing] == [
        ("masked", ("b",)), ("sham", ("a",)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "model",
    [
        {"kind": "precomputed"},
        {"kind": "hybrid", "settings": {"first": {"kind": "precomputed"}, "constant": 60}},
    ],
)
def test_vectors_from_a_file_have_no_other_arm(model: dict[str, Any]) -> None:
    found = compared([made("a", "none", **model)])
    assert [one.command for one in found.missing] == [None, None]
    assert " ".join(masking_text(found).split()).count("cannot be masked") == 2


def test_reported_models_and_smoke_runs_have_nothing_to_run() -> None:
    runs = [run for arm in ARMS for run in reported_runs(arm=arm)]
    assert compared(runs).missing == ()
    assert compared([made("a", "none", limit=5)]).missing == ()


def test_another_metric_than_the_leaderboards_is_said() -> None:
    found = compared([made("a", arm) for arm in ARMS])
    (row,) = [row for row in found.rows if row.metric != row.primary_metric]
    assert (row.task, row.metric, row.primary_metric) == (
        "lcc_clustering", "ari_median_of_seeds", "ari",
    )  # fmt: skip
    assert "lcc_clustering is compared by ari_median_of_seeds" in masking_text(found)
    others = compared([made("a", arm, ["lcc_classification"]) for arm in ARMS])
    assert "is compared by" not in masking_text(others)
    assert {row["primary_metric"] for row in masking_values(others)["rows"]} == {"macro_f1"}


@pytest.mark.slow
def test_the_commands_make_what_is_missing(shelf: Shelf) -> None:
    release = str(shipped_release())
    scored = shelf(
        *("evaluate", "bm25", "tf", "--data", release, "--config", "all", "--no-rates"),
        *("--task", "lcc_retrieval", "--runs", "my runs"),
    )
    assert scored.returncode == 0, scored.stderr
    found = json.loads(shelf("masking", "my runs", "--no-reported", "--json").stdout)
    assert not found["rows"]
    assert [one["arm"] for one in found["missing"]] == ["masked", "sham"]
    for one in found["missing"]:
        _, *words = shlex.split(one["command"])
        done = shelf(*words, "--no-rates")
        assert done.returncode == 0, done.stderr
    found = json.loads(shelf("masking", "my runs", "--no-reported", "--json").stdout)
    assert not found["missing"]
    [row] = found["rows"]
    assert sorted(row["models"]) == ["bm25", "tf"]
