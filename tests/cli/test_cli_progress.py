"""Progress on standard error where that is no terminal."""

from __future__ import annotations

import re

import pytest

from evaluate_shelf.cli.terminal import Bar, TerminalReporter
from evaluate_shelf.runs.schema import EncodingRecord, TaskRecord

INSTRUCTION = "Instruct: Given a document, retrieve documents about the same. Query: text"


@pytest.fixture
def reporter(monkeypatch: pytest.MonkeyPatch) -> TerminalReporter:
    monkeypatch.setattr(Bar, "_SECONDS_BETWEEN_LINES", -1.0)
    reporter = TerminalReporter(Bar())
    reporter.model("a model", ["a_task"])
    reporter.task("a_task")
    return reporter


def test_every_line_says_what_is_left(
    reporter: TerminalReporter, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    for done, left in ((10, 600.0), (50, 3000.0), (90, 20.0)):
        reporter.encoding(done, 100, left)
    lines = capsys.readouterr().err.splitlines()
    assert [re.findall(r"(\d+ of \d+).* (\d+ \w+) left", line)[0] for line in lines] == [
        ("10 of 100", "10 min"),
        ("50 of 100", "50 min"),
        ("90 of 100", "20 s"),
    ]


def record(**changes: object) -> TaskRecord:
    encoding = {
        "config": "all",
        "field": "text",
        "role": "document",
        "texts": 200,
        "cut": 50,
        "seconds": 1.0,
        "from_store": False,
        **changes,
    }
    return TaskRecord(
        status="done", seconds=1.0, encodings=[EncodingRecord.model_validate(encoding)]
    )


@pytest.mark.parametrize(
    ("field", "role"),
    [
        ("text", "document"),
        ("text", "query"),
        ("title_and_body", "document"),
        (INSTRUCTION, "query"),
    ],
)
def test_the_share_that_was_cut_is_said_without_an_instruction_s_wording(
    reporter: TerminalReporter, capsys: pytest.CaptureFixture[str], field: str, role: str
) -> None:
    capsys.readouterr()
    reporter.ended("a_task", record(field=field, role=role))
    *_, line = capsys.readouterr().err.splitlines()
    assert "25.0 %" in line
    assert "Instruct:" not in line


def test_what_comes_from_the_store_is_not_said_again(
    reporter: TerminalReporter, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    reporter.ended("a_task", record(from_store=True))
    assert "%" not in capsys.readouterr().err


def test_a_measurement_of_the_rate_is_said(
    reporter: TerminalReporter, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    reporter.rate()
    assert "rate" in capsys.readouterr().err
