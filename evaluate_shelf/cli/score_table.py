"""The table that `shelf evaluate` ends with."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from evaluate_shelf.printable import one_line
from evaluate_shelf.runs.reading import Run, load_run
from evaluate_shelf.runs.schema import cut_texts, distinct_encodings
from evaluate_shelf.text_columns import aligned


def show_scores(folders: Sequence[Path], tasks: Collection[str], all_metrics: bool = False) -> None:
    """Write the scores of runs on some tasks to standard output; see `score_table`."""
    for folder in folders:
        sys.stdout.write(score_table(load_run(folder), tasks, all_metrics))


def score_table(run: Run, tasks: Collection[str], all_metrics: bool = False) -> str:
    """A run's scores with interval, chance and time, and what they cost.

    Parameters
    ----------
    run : Run
        A finished run.
    tasks : collection of str
        Which of its tasks are shown.
    all_metrics : bool, default=False
        Whether every metric is shown, not the primary one alone.

    Returns
    -------
    str
        Lines of text, a blank one at the end.
    """
    rows = [("TASK", "METRIC", "SCORE", "INTERVAL", "CHANCE", "N", "SECONDS")]
    for row in run.scores.to_pylist():
        if row["task"] not in tasks or not (row["primary"] or all_metrics):
            continue
        # Of the whole task, so they stand once.
        seconds = run.file.tasks[row["task"]].seconds if row["primary"] else None
        bounds = "" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}"
        rows.append(
            (
                one_line(row["task"]),
                one_line(row["metric"]),
                f"{row['value']:.4f}",
                bounds,
                "" if row["chance_level"] is None else f"{row['chance_level']:.4f}",
                f"{row['n']:,}",
                "" if seconds is None else f"{seconds:.1f}",
            )
        )
    title = f"{one_line(run.file.model.name)} on {one_line(run.file.data.config)}"
    lines = [
        f"{title}, {one_line(run.file.protocol.id)}",
        *aligned(rows, left=(0, 1)),
        *_skipped(run, tasks),
        *_costs(run, tasks),
        "",
    ]
    return "\n".join(lines) + "\n"


def _skipped(run: Run, tasks: Collection[str]) -> list[str]:
    skipped = [t for t, r in run.file.tasks.items() if t in tasks and r.status == "skipped"]
    names = ", ".join(map(one_line, skipped))
    return [f"skipped: {names}; the reasons are in run.json"] if skipped else []


def _costs(run: Run, tasks: Collection[str]) -> list[str]:
    lines = []
    encodings = distinct_encodings(
        record for task, record in run.file.tasks.items() if task in tasks
    )
    if encodings:
        texts = sum(encoding.texts for encoding in encodings)
        seconds = sum(encoding.seconds for encoding in encodings)
        took = f"{texts:,} texts in {seconds:,.1f} s"
        if all(encoding.from_store for encoding in encodings):
            took = f"{texts:,} texts from the store, encoded before in {seconds:,.1f} s"
        lines.append(f"encoding: {took}")
        cut = cut_texts(encodings)
        if cut:
            limit = run.file.model.max_tokens
            at = f" at {limit} tokens" if limit else ""
            lines.append(f"cut{at}: {100 * cut.share:.1f} % of {cut.texts:,} texts")
    rate = run.file.rate
    if rate is not None:
        bounds = "" if rate.low is None else f" ({rate.low:,.1f} to {rate.high:,.1f})"
        cap = f", {rate.max_tokens} tokens at most" if rate.max_tokens else ", whole texts"
        over = f", {rate.repeats} x {rate.documents:,} documents"
        lines.append(
            f"rate: {rate.documents_per_second:,.1f} documents a second{bounds}{over}{cap}"
        )
    if run.file.tokens is not None:
        money = run.file.money_usd
        cost = (
            "" if money is None else f", {money:.4f} USD ({one_line(run.file.price_source or '')})"
        )
        lines.append(f"tokens: {run.file.tokens:,}{cost}")
    return lines
