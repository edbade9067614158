"""`shelf write` as processes of their own, against an endpoint in this one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PRICES = """
- model: m-1
  usd_per_million_input_tokens: 1
  usd_per_million_output_tokens: 10
  batch_discount: 0.5
  date: 2026-03-01
  source: https://example.org/prices
"""
# The command line, with so little patience that a test has it too.
MAIN = """
from builders.commands import write as command
from builders.writing.patience import Patience
from evaluate_shelf.cli import app, main, write

patience = Patience(first_wait=0.02, longest_wait=0.2, full_disk=20, first_poll=0.05,
                    longest_poll=0.2)
whole = command.write_corpus
command.write_corpus = lambda request, _: whole(request, patience)
app.app.command("write")(write.write)
main()
"""


class Writing:
    """Starts `shelf write factorial` on one corpus, with model `m-1` under any names."""

    def __init__(self, folder: Path) -> None:
        self.corpus = folder / "corpus"
        self.prices = folder / "prices.yaml"
        self.prices.write_text(PRICES)
        self.writers = folder / "writers.yaml"
        self.started: list[subprocess.Popen[str]] = []

    def generators(self, base: str, *names: str, **settings: Any) -> None:
        """Write the file of generators."""
        given = {"writer": "openai", "model": "m-1", "answer_seconds": 20.0, **settings}
        fields = ", ".join(f"{key}: {value}" for key, value in given.items())
        self.writers.write_text(
            "".join(f"- {{name: {name}, base_url: '{base}', {fields}}}\n" for name in names)
        )

    def start(
        self, *arguments: str, before: Callable[[], None] | None = None, plan: str = "factorial"
    ) -> subprocess.Popen[str]:
        options = ["--out", str(self.corpus), "--prices", str(self.prices)]
        options += ["--writers", str(self.writers), "--json"]
        process = subprocess.Popen(
            [sys.executable, "-c", MAIN, "write", plan, *options, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "SHELF_DEBUG": "1"},
            cwd=ROOT,
            preexec_fn=before,
        )
        self.started.append(process)
        return process

    def run(self, *arguments: str, **settings: Any) -> tuple[int, str, str]:
        """Status, standard output and standard error."""
        process = self.start(*arguments, **settings)
        out, said = process.communicate(timeout=240)
        return process.returncode, out, said


@pytest.fixture
def writing(tmp_path: Path) -> Iterator[Writing]:
    own = Writing(tmp_path)
    yield own
    for process in own.started:
        process.kill()
        process.communicate()
