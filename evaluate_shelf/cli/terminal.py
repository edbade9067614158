"""Progress and messages on standard error; results go to standard output."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from typing import Any, Self

from evaluate_shelf.cli.messages import say
from evaluate_shelf.counts import counted
from evaluate_shelf.evaluation import Plan, Reporter
from evaluate_shelf.printable import escaped_in_json, one_line
from evaluate_shelf.runs.schema import EncodingRecord, TaskRecord

__all__ = ["Bar", "TerminalReporter", "say", "show_json"]


def show_json(value: Any) -> None:
    """Write a value to standard output as JSON."""
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    sys.stdout.write(f"{escaped_in_json(text)}\n")


class Bar:
    """A progress bar on standard error; a line every few seconds where that is no terminal."""

    _SECONDS_BETWEEN_LINES = 10.0

    def __init__(self) -> None:
        self._live: Any = None
        self._task: Any = None
        self._title = ""
        self._last_line = time.monotonic()

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeRemainingColumn,
            )

            self._live = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()

    def begin(self, title: str) -> None:
        """Show a stage of which nobody knows how far it is; a terminal's bar moves to and fro."""
        if self._live:
            self._show(title, None)

    def _show(self, title: str, total: int | None) -> None:
        if title != self._title:
            if self._task is not None:
                self._live.remove_task(self._task)
            self._task = self._live.add_task(one_line(title), total=total)
            self._title = title

    def update(self, title: str, done: int, total: int, seconds_left: float | None = None) -> None:
        """Show that `done` of `total` items of `title` are done, and how long the rest takes."""
        if self._live:
            self._show(title, total)
            self._live.update(self._task, completed=done, total=total)
        elif time.monotonic() - self._last_line > self._SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            left = "" if not seconds_left else f", about {_duration(seconds_left)} left"
            say(f"  {title}: {done:,} of {total:,}{left}")


class TerminalReporter(Reporter):
    """Tells of an evaluation, model by model and task by task."""

    _SECONDS_BEFORE_ESTIMATE = 5.0

    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._model = ""
        self._task = ""
        self._encoding_since = 0.0
        self._estimated = True

    def plan(self, plans: Sequence[Plan]) -> None:
        """Say how many tasks and texts there are, for models that have something to do."""
        for plan in plans:
            if not plan.tasks:
                continue
            texts = [
                counted(count, *what)
                for count, *what in (
                    (plan.documents, "document"),
                    (plan.pairs, "test pair"),
                    (plan.instructed, "query with an instruction", "queries with an instruction"),
                )
                if count
            ]
            say(f"plan, {plan.model}: {counted(len(plan.tasks), 'task')} over {', '.join(texts)}")

    def model(self, name: str, pending: Sequence[str]) -> None:
        """Name the model and how much there is to do."""
        self._model = name
        count = counted(len(pending), "task")
        say(f"{name}: {count} to run" if pending else f"{name}: nothing to do, the run is complete")

    def task(self, task: str) -> None:
        """Remember the task, for the bar's title."""
        self._task = task
        self._encoding_since = time.monotonic()
        self._estimated = False

    def stage(self, name: str) -> None:
        """Show the stage; only encoding knows how far it is."""
        self._bar.begin(f"{self._model}, {self._task}: {name}")

    def encoding(self, done: int, total: int, seconds_left: float) -> None:
        """Move the bar; say how long the encoding takes, as its first batches tell."""
        self._bar.update(f"{self._model}, {self._task}: texts", done, total, seconds_left)
        spent = time.monotonic() - self._encoding_since
        if not self._estimated and spent > self._SECONDS_BEFORE_ESTIMATE:
            self._estimated = True
            if seconds_left > 2 * self._SECONDS_BEFORE_ESTIMATE:
                say(f"  {self._task}: {total:,} texts to encode, about {_duration(seconds_left)}")

    def rate(self) -> None:
        """Say that documents are encoded again, for the clock alone."""
        self.task("rate")
        self._estimated = True
        say("  rate: encoding the first test documents again, two minutes at most")
        self._bar.begin(f"{self._model}: rate of encoding")

    def ended(self, task: str, record: TaskRecord) -> None:
        """Say how the task ended, and what the user has to know of it."""
        if record.status != "done":
            say(f"  {task}: {record.status}: {record.reason}")
            return
        say(f"  {task}: done in {record.seconds:.1f} s")
        for encoding in record.encodings:
            # What is in the store was cut, and said to be, when it was encoded.
            if encoding.cut and not encoding.from_store:
                share = 100 * encoding.cut / encoding.texts
                say(f"    {encoding.config}, {_texts(encoding)}: {share:.1f} % were cut")
        for fit in record.fits:
            if not fit.converged:
                say(f"    the probe of {fit.target} did not converge")


def _texts(encoding: EncodingRecord) -> str:
    """Which texts were encoded, in words."""
    if encoding.field.startswith("Instruct:"):
        # The field holds the whole wording.
        return "queries with an instruction"
    name = _FIELDS.get(encoding.field, encoding.field)
    return f"{name} as queries" if encoding.role == "query" else name


_FIELDS = {"text": "texts", "title_and_body": "texts of pairs"}


def _duration(seconds: float) -> str:
    """Seconds in words.

    Examples
    --------
    >>> _duration(40), _duration(600), _duration(9000)
    ('40 s', '10 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
