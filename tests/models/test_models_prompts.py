"""Prompts stand in a run to the letter, or the model is refused before it encodes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from evaluate_shelf.bounded import Prompt
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.prompts import kept_prompts

LONGEST = 10_000
REFUSED = [
    "\x1b[2J",
    "a\rb",
    "\0",
    "\x7f",
    "\x85",
    "\u202eabc",
    "\u2066",
    "\ud800",
    "x" * (LONGEST + 1),
    7,
    None,
    ["query: "],
]


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Cf"]) | st.sampled_from("\n\t ")))
def test_a_printable_prompt_is_kept_to_the_letter(prompt: str) -> None:
    assert kept_prompts({"query": prompt}, "m") == {"query": prompt}
    assert TypeAdapter(Prompt).validate_json(json.dumps(prompt)) == prompt


@pytest.mark.parametrize("prompt", REFUSED, ids=ascii)
def test_what_a_terminal_cannot_show_is_refused(prompt: object) -> None:
    with pytest.raises(ShelfError, match="query") as caught:
        kept_prompts({"document": "fine", "query": prompt}, "m")
    assert len(str(caught.value).splitlines()) == 1
    with pytest.raises(ValidationError):
        TypeAdapter(Prompt).validate_python(prompt)


def test_the_run_says_exactly_what_stood_before_the_texts(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    from tiny_bert import tiny_encoder

    from evaluate_shelf import evaluate
    from evaluate_shelf.quickstart import shipped_release
    from evaluate_shelf.runs.reading import load_run

    prompts = {"query": "Instruct: find  ships\n\tQuery: ", "document": " passage: "}
    settings = {"tasks": "lcc_retrieval", "limit": 20, "prompts": "model-card", "store": None}
    model = f"st:{tiny_encoder(tmp_path / 'encoder', prompts=prompts)}"
    [run] = evaluate(model, shipped_release(), runs=tmp_path / "runs", **settings)
    assert load_run(run.folder).file.model.prompts == prompts

    hostile = f"st:{tiny_encoder(tmp_path / 'hostile', prompts={'query': REFUSED[0]})}"
    with pytest.raises(ShelfError, match="prompt 'query'"):
        evaluate(hostile, shipped_release(), runs=tmp_path / "other", **settings)
    assert not list((tmp_path / "other").rglob("*.json"))
