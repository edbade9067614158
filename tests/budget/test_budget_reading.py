"""A corpus is read as it was written, and not at all when it was edited."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from small_ledger import TERMS, answer_to

from builders.budget.entries import Reservation
from builders.budget.folder import ledger_file, plan_file
from builders.budget.ledger import Ledger
from builders.budget.reading import read_answers, read_plan
from builders.writers.protocol import Answer
from evaluate_shelf.errors import ShelfError

OpenLedger = Callable[..., Ledger]


@pytest.fixture
def written(open_small: OpenLedger, tmp_path: Path) -> tuple[Path, dict[str, tuple[Answer, int]]]:
    """A corpus with five answers, and what they are."""
    ledger = open_small()
    kept: dict[str, tuple[Answer, int]] = {}
    with ledger.transaction():
        for number, name in enumerate(("a", "b", "a", "b", "a")):
            own = ledger.reserve(name, lambda order: 100, TERMS)
            assert isinstance(own, Reservation)
            answer = answer_to(own.order, f"Título {number}\n\nBody \u2028 {number}")
            if number == 3:
                answer = Answer(**{**vars(answer), "usage": None, "flags": ("empty", "usage")})
            ledger.settle(own.attempt, answer, 10 * number)
            kept[own.order.id] = (answer, 10 * number)
    ledger.close()
    return tmp_path / "corpus", kept


def test_answers_come_back_with_their_orders_in_the_order_of_ids(written: object) -> None:
    corpus, kept = written  # type: ignore[misc]
    read = list(read_answers(corpus))
    assert [own.order.id for own in read] == sorted(kept)
    for order, answer, nano_usd in read:
        assert (answer, nano_usd) == kept[order.id]
        assert answer.order_id == order.id
        assert order.prompt is not None


def test_it_is_read_while_it_is_written(written: object, open_small: OpenLedger) -> None:
    corpus, kept = written  # type: ignore[misc]
    ledger = open_small()
    answers = read_answers(corpus)
    next(answers)
    with ledger.transaction():
        own = ledger.reserve("a", lambda order: 1, TERMS)
        assert isinstance(own, Reservation)
        ledger.settle(own.attempt, answer_to(own.order), 1)
    assert len(list(answers)) == len(kept) - 1
    assert len(list(read_answers(corpus))) == len(kept) + 1
    ledger.close()


def test_reading_changes_nothing(written: object) -> None:
    corpus, _ = written  # type: ignore[misc]
    before = {own.name: own.read_bytes() for own in corpus.iterdir()}
    list(read_answers(corpus))
    assert {own.name: own.read_bytes() for own in corpus.iterdir()} == before


def edit(corpus: Path, statement: str) -> None:
    connection = sqlite3.connect(ledger_file(corpus))
    connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE orders SET content = replace(content, 'v0_4_core', 'v0_4_bore') WHERE place = 1",
        "DELETE FROM orders WHERE state = 'waiting'",
        "UPDATE answers SET flags = 'none'",
        "UPDATE answers SET raw = X'00'",
        "UPDATE answers SET text = X'00'",
        "UPDATE answers SET input_tokens = -1",
        "PRAGMA user_version = 9",
        "PRAGMA application_id = 9",
    ],
)
def test_an_edited_ledger_is_refused(written: object, statement: str) -> None:
    corpus, _ = written  # type: ignore[misc]
    edit(corpus, statement)
    with pytest.raises(ShelfError, match=r"ledger\.sqlite"):
        list(read_answers(corpus))


def test_a_plan_of_other_orders_is_refused(written: object) -> None:
    corpus, _ = written  # type: ignore[misc]
    plan = json.loads(plan_file(corpus).read_text())
    plan["orders_sha256"] = "0" * 64
    plan_file(corpus).write_text(json.dumps(plan))
    with pytest.raises(ShelfError, match=r"plan\.json"):
        next(read_answers(corpus))


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": "other"}', "\xff", "{" * 10_000])
def test_a_damaged_plan_file(written: object, text: str) -> None:
    corpus, _ = written  # type: ignore[misc]
    plan_file(corpus).write_text(text, encoding="latin-1")
    with pytest.raises(ShelfError, match=r"plan\.json"):
        read_plan(corpus)


def test_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(ShelfError, match=r"plan\.json"):
        list(read_answers(tmp_path))


def test_a_plan_without_its_ledger(written: object) -> None:
    corpus, _ = written  # type: ignore[misc]
    ledger_file(corpus).unlink()
    with pytest.raises(ShelfError, match=r"ledger\.sqlite"):
        list(read_answers(corpus))


READING = """
import os
import sys
from pathlib import Path
from builders.budget.reading import read_answers
if len(sys.argv) > 2:
    os.setgroups([])
    os.setuid(int(sys.argv[2]))
print(len(list(read_answers(Path(sys.argv[1])))))
"""


def test_a_corpus_that_can_only_be_read(written: object) -> None:
    source, kept = written  # type: ignore[misc]
    # The folder of the tests may be closed to others.
    folder = Path(tempfile.mkdtemp(prefix="shelf-read-only-"))
    corpus = folder / "corpus"
    shutil.copytree(source, corpus)
    other = ["65534"] if os.getuid() == 0 else []
    try:
        corpus.chmod(0o555)
        folder.chmod(0o755)
        done = subprocess.run(
            [sys.executable, "-c", READING, str(corpus), *other],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        corpus.chmod(0o755)
        shutil.rmtree(folder)
    assert (done.stdout, done.stderr) == (f"{len(kept)}\n", "")
