"""Strata of difficulty of a model that reads what the probe reads."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from shelf_process import Shelf

from evaluate_shelf.diagnostics.breakdown.breakdown import breakdown
from evaluate_shelf.diagnostics.breakdown.circularity import why_circular
from evaluate_shelf.models.lexical import VARIANTS
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.runs.schema import RunModel


def model_of(spec: str) -> RunModel:
    """What a run keeps of a model."""
    identity = asdict(resolve_model(spec, load_protocol()).identity)
    return RunModel.model_validate(
        {**identity, "parameters": None, "dimension": None, "max_tokens": None}
    )


@pytest.mark.parametrize("spec", ["tf", "tfidf", "tf-full", "tfidf-full", "bm25", *VARIANTS])
def test_every_model_of_counts_of_words_is_circular(spec: str) -> None:
    told = why_circular(model_of(spec))
    assert told is not None
    assert spec in told


@pytest.mark.parametrize("spec", ["hybrid:bm25+wordllama", "hybrid:wordllama+tfidf"])
def test_so_is_what_one_is_part_of(spec: str) -> None:
    assert "a part of" in (why_circular(model_of(spec)) or "")


@pytest.mark.parametrize("first", ["bm25", "hybrid:bm25+wordllama"])
def test_so_is_what_reranks_the_documents_of_one(first: str) -> None:
    part = model_of(first)
    settings = {"first": {"spec": part.spec, "kind": part.kind, **part.settings}, "depth": 100}
    reranker = model_of("wordllama").model_copy(update={"kind": "reranker", "settings": settings})
    assert why_circular(reranker)


@pytest.mark.parametrize("spec", ["wordllama", "wordllama,precision=int8"])
def test_a_model_that_reads_otherwise_is_not(spec: str) -> None:
    assert why_circular(model_of(spec)) is None


def test_a_name_alone_makes_nothing_circular() -> None:
    named = model_of("wordllama").model_copy(update={"name": "tfidf", "spec": "tfidf"})
    assert why_circular(named) is None
    assert why_circular(model_of("tfidf").model_copy(update={"name": "mine", "spec": "mine"}))


@pytest.mark.parametrize("task", ["lcc_classification", "lcc_retrieval", "same_lcc_pairs"])
def test_difficulty_says_it_and_nothing_else_does(made, shelf: Shelf, task: str) -> None:
    for by in ("difficulty", "length"):
        found = breakdown(made.run, made.release, task, by)
        assert found.circular == (by == "difficulty")
        assert any(note.startswith("circular") for note in found.notes) == found.circular
    asked = ("breakdown", made.run_folder, "--data", made.folder, "--by", "difficulty")
    assert "circular" in shelf(*asked, "--task", task).stdout
    [values] = json.loads(shelf(*asked, "--task", task, "--json").stdout)
    assert values["circular"] is True
