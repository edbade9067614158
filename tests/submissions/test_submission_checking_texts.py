"""No text gets in that a page, a spreadsheet or a terminal takes for more than text."""

from __future__ import annotations

import csv
import html
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from evaluate_shelf.printable import one_line
from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.spreadsheets import guarded
from evaluate_shelf.submissions.texts import (
    LONGEST_NAME,
    MARKS,
    fault_in_name,
    fault_in_prompt,
    fault_in_sentence,
)

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "x' onmouseover='alert(1)",
    'x" onfocus="alert(1)',
    "javascript:alert(1)",
    "see [this](https://evil.example)",
    "data:text/html,x",
    "=1+1",
    '=HYPERLINK("x")',
    "+1",
    "-1+cmd|' /C calc'!A0",
    "@SUM(1)",
    "\t=1",
    "＝1",
    "x\x1b[2J",
    "x\x00",
    "x\u202ey",
    "x\u2028y",
    "x\ud800",
    "x\ue000",
    "${7*7}",
    "{{7*7}}",
    "`id`",
    "&lt;b&gt;",
    "x\\y",
    "<<s>script>",
    "x" * 20_000,
]

SOME = st.text(alphabet="aZ0 _.-+:/@,=()[]~#%<>&\"'`$\\{}|é\u202e\x1b\n", max_size=30)


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:20]))
@pytest.mark.parametrize("rule", [fault_in_name, fault_in_sentence, fault_in_prompt])
def test_hostile_texts_are_refused_wherever_they_stand(rule: object, text: str) -> None:
    fault = rule(text)  # type: ignore[operator]
    assert fault
    assert fault == one_line(fault)


@given(st.text(max_size=40) | SOME)
def test_a_name_means_itself_everywhere(name: str) -> None:
    if fault_in_name(name) is not None:
        return
    bare = name.replace(" > ", " ")
    assert html.escape(bare, quote=True) == bare
    assert guarded(name) == name
    assert name.isascii()
    assert name.isprintable()
    assert len(name) <= LONGEST_NAME


@given(st.text(max_size=40) | SOME)
def test_a_sentence_is_one_line_without_a_tag_or_a_formula(text: str) -> None:
    if fault_in_sentence(text) is not None:
        return
    assert not set(text) & set('<>&"`\\{}$|')
    assert guarded(text) == text
    assert not any(own in text for own in "\n\r\t\x1b\u202e")


@given(st.text(max_size=40) | SOME)
def test_a_prompt_has_no_tag_but_a_known_mark(text: str) -> None:
    if fault_in_prompt(text) is not None:
        return
    for mark in MARKS:
        text = text.replace(mark, "")
    assert not set(text) & set("<>&`\\{}$")


def test_names_of_known_models_pass(tmp_path: Path) -> None:
    panel = yaml.safe_load((config_folder() / "panel.yaml").read_text())
    with (config_folder() / "reported" / "models.csv").open() as stream:
        reported = [value for row in csv.DictReader(stream) for value in row.values()]
    names = [str(value) for row in panel for key, value in row.items() if key in ("id", "model")]
    for name in [
        *names,
        *reported,
        "all-MiniLM-L6-v2, dim 128, int8",
        "bm25 > cross-encoder/ms-marco-MiniLM-L6-v2, 500 queries",
        "bm25 + wordllama",
        "hybrid:bm25+st:minilm",
        "rerank:models/x,first=bm25,queries=500",
        "openai:text-embedding-3-small@https://api.openai.com/v1",
        "st:intfloat/e5-small@0123456789abcdef",
    ]:
        assert fault_in_name(name) is None, name


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "query: ",
        "search_document: ",
        "task: search result | query: ",
        "title: none | text: ",
        "Represent this sentence for searching relevant passages: ",
        "Instruct: Given a web search query, retrieve relevant passages that answer it\nQuery: ",
        '<instruct>Find documents on the "same" subject.\n<query>',
        "为这个句子生成表示以用于检索相关文章：",
    ],
)
def test_prompts_of_known_models_pass(prompt: str) -> None:
    assert fault_in_prompt(prompt) is None
