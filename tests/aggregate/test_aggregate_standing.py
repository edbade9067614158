"""Who stands for a row, and whose word is taken for what no score tells."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from made_runs import run

from evaluate_shelf.aggregate.building import aggregate_of
from evaluate_shelf.aggregate.evidence import Evidence
from evaluate_shelf.aggregate.facts import facts_of
from evaluate_shelf.aggregate.registry_entries import task_entries
from evaluate_shelf.aggregate.schema.facts import Facts
from evaluate_shelf.registry.panel import load_panel
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.runs.schema import RateRecord

SCORES = {"lcc_retrieval": (0.5, 0.45, 0.55)}
LIE: dict[str, Any] = {
    "name": "0 impostor",
    "parameters": 7,
    "dimension": 3_000,
    "max_tokens": 1,
    "kind": "sparse",
    "settings": {"dim": 1},
}
RATE = RateRecord(
    documents_per_second=9e6,
    low=9e6,
    high=9e6,
    level=0.95,
    documents=1000,
    repeats=3,
    max_tokens=None,
    batch_size=8,
)


def made(name: str = "one", run_id: str = "1" * 12, **model: Any) -> Run:
    own = run(name, SCORES)
    file = own.file.model_copy(
        update={"run_id": run_id, "model": own.file.model.model_copy(update=model)}
    )
    return replace(own, file=file)


def placed(own: Run, folder: str, **changes: Any) -> Run:
    file = own.file.model_copy(update=changes)
    return replace(own, folder=Path("sent") / folder, file=file)


@pytest.mark.parametrize("field", LIE)
@pytest.mark.parametrize("status", ["computed", "verified"])
def test_an_unverified_run_never_tells_of_the_model_of_a_ranked_row(
    status: Any, field: str
) -> None:
    trusted = made()
    stranger = placed(made(run_id="2" * 12, **{field: LIE[field]}), "stranger")
    statuses = {trusted.file.run_id: status, str(stranger.folder): "unverified"}
    reruns = {str(trusted.folder): facts_of(trusted.file)}
    alone = aggregate_of(Evidence((trusted,), statuses=statuses, reruns=reruns))
    both = aggregate_of(Evidence((stranger, trusted), statuses=statuses, reruns=reruns))
    [entry] = alone.models
    assert entry in both.models
    assert len({model.key for model in both.models}) == 2
    of_row = {row.run_id: both.models[row.model] for row in both.boards[0].rows}
    assert of_row[trusted.file.run_id] == entry
    assert of_row[stranger.file.run_id].key != entry.key


def test_an_unverified_run_that_says_the_same_belongs_to_the_model() -> None:
    trusted, other = made(), placed(made(run_id="2" * 12), "stranger")
    found = aggregate_of(Evidence((trusted, other), statuses={str(other.folder): "unverified"}))
    assert len(found.models) == 1


KNOWN = "st:minilm"


@pytest.mark.parametrize("status", ["computed", "verified"])
def test_what_is_known_of_a_model_is_told_of_one_that_was_computed(status: Any) -> None:
    own = placed(made(spec=KNOWN), "sent")
    found = aggregate_of(Evidence((own,), statuses={str(own.folder): status}))
    [model] = found.models
    panel = load_panel()[KNOWN]
    assert (model.licence, model.checkpoint) == (panel.licence, panel.checkpoint)
    assert model.open_weights
    assert panel.cutoff is not None
    assert (model.cutoff, model.released) == (panel.cutoff.date, panel.released)


@pytest.mark.parametrize("spec", [KNOWN, f"{KNOWN},dim=64", "tfidf"])
@pytest.mark.parametrize("kind", ["encoder", "sparse"])
def test_nothing_is_known_of_a_claimed_model(spec: str, kind: str) -> None:
    own = placed(made(spec=spec, kind=kind), "sent")
    found = aggregate_of(Evidence((own,), statuses={str(own.folder): "unverified"}))
    [model], [row] = found.models, found.boards[0].rows
    facts = (model.licence, model.open_weights, model.released, model.checkpoint)
    assert {*facts, model.cutoff, model.cutoff_of, model.cutoff_source} == {None}
    assert (row.facts_from, row.seen) == ("claim", "unknown")


def test_two_unverified_runs_that_differ_have_two_entries_in_whatever_order() -> None:
    first = placed(made(), "a")
    second = placed(made(run_id="2" * 12, parameters=7), "b")
    statuses: dict[str, Any] = dict.fromkeys(map(str, (first.folder, second.folder)), "unverified")
    found = aggregate_of(Evidence((first, second), statuses=statuses))
    assert found == aggregate_of(Evidence((second, first), statuses=statuses))
    assert len({model.key for model in found.models}) == 2
    # The key does not depend on what stands beside it.
    [alone] = aggregate_of(Evidence((first,), statuses=statuses)).models
    assert alone in found.models


def test_an_unverified_run_of_the_same_name_renames_nobody() -> None:
    trusted, other = made(), placed(made(run_id="2" * 12), "stranger")
    found = aggregate_of(Evidence((trusted, other), statuses={str(other.folder): "unverified"}))
    by_id = {row.run_id: row.name for row in found.boards[0].rows}
    assert by_id[trusted.file.run_id] == "one"
    assert by_id[other.file.run_id] != "one"


def test_of_unverified_runs_with_one_id_the_first_received_is_shown() -> None:
    """Whatever is in them, so that nothing a sender chooses decides."""
    for price in (0.0, 1.0, 2.0, 3.0):
        first = placed(made(), "a", money_usd=7.0)
        later = placed(made(), "b", money_usd=price)
        evidence = Evidence(
            (later, first),
            statuses={"1" * 12: "unverified"},
            received={str(first.folder): 10.0, str(later.folder): 11.0},
        )
        found = aggregate_of(evidence)
        [row] = found.boards[0].rows
        assert row.money_usd == 7.0
        [line] = found.left_out
        assert "1 more" in line
        assert "unverified" in line


def test_computed_comes_before_verified_before_unverified() -> None:
    runs = [placed(made(), name, money_usd=float(n)) for n, name in enumerate("abc")]
    order: tuple[Any, ...] = ("computed", "verified", "unverified")
    for given in permutations(order):
        statuses = {str(own.folder): status for own, status in zip(runs, given, strict=True)}
        [row] = aggregate_of(Evidence(tuple(runs), statuses=statuses)).boards[0].rows
        assert row.status == "computed"
        assert row.money_usd == float(given.index("computed"))


def claimed() -> Run:
    own = placed(made(parameters=7, max_tokens=1), "sent", money_usd=0.0, rate=RATE)
    return replace(own, file=own.file.model_copy(update={"hardware": {"machine": "fast"}}))


def test_facts_of_a_verified_row_are_those_of_the_rerun() -> None:
    sent = claimed()
    measured = Facts(
        kind="encoder", parameters=33, dimension=3, documents_per_second=12.0, machine="slow"
    )
    place = str(sent.folder)
    evidence = Evidence((sent,), statuses={place: "verified"}, reruns={place: measured})
    found = aggregate_of(evidence)
    [row], [model] = found.boards[0].rows, found.models
    assert row.facts_from == "re-run"
    assert (row.documents_per_second, row.machine, row.money_usd) == (12.0, "slow", None)
    assert (model.parameters, model.max_tokens) == (33, None)


def test_without_a_rerun_nothing_that_was_claimed_is_shown() -> None:
    sent = claimed()
    found = aggregate_of(Evidence((sent,), statuses={str(sent.folder): "verified"}))
    [row], [model] = found.boards[0].rows, found.models
    assert row.facts_from == "nobody"
    shown = (row.documents_per_second, row.rate_low, row.rate_high, row.machine, row.money_usd)
    assert set(shown) == {None}
    assert (model.parameters, model.dimension, model.max_tokens) == (None, None, None)


@pytest.mark.parametrize(("status", "word"), [("computed", "run"), ("unverified", "claim")])
def test_others_have_what_their_run_says(status: Any, word: str) -> None:
    sent = claimed()
    found = aggregate_of(Evidence((sent,), statuses={str(sent.folder): status}))
    [row] = found.boards[0].rows
    assert (row.facts_from, row.documents_per_second) == (word, 9e6)


def test_every_task_asks_something_of_its_own_facet_and_formulation() -> None:
    entries = task_entries()
    assert all(entry.question.endswith((".", "?")) for entry in entries)
    assert all("_" not in entry.question for entry in entries)
    of_choice: dict[tuple[str, str], set[str]] = {}
    for entry in entries:
        of_choice.setdefault((entry.facet, entry.formulation), set()).add(entry.question)
    questions = [question for own in of_choice.values() for question in own]
    assert len(set(questions)) == len(questions)
