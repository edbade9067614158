"""`shelf breakdown`."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class By(StrEnum):
    """What a score can be broken down by."""

    length = "length"
    words = "words"
    generator = "generator"
    model = "model"
    difficulty = "difficulty"
    relation = "relation"
    class_ = "class"


def breakdown(
    run: Annotated[Path, typer.Argument(help="A run's folder: runs/<model>/<run id>.")],
    data: Annotated[str, typer.Option(help="The release that it was scored on.")],
    by: Annotated[
        By,
        typer.Option(
            help="length (characters), words, generator (by family), model (by generator), "
            "difficulty, relation or class."
        ),
    ],
    task: Annotated[
        list[str] | None,
        typer.Option(help="Only this task; may be given several times. All of the run without it."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print every number as JSON.")] = False,
) -> None:
    """Show a run's scores in parts, each with its count and interval.

    A part is scored with the task's own metric on its own items; one with fewer than 30 items is
    counted and gets no value. Tasks that cannot be broken down that way are named with the reason.
    A run whose items do not give the score that it recorded is refused. Difficulty comes from a
    probe on words: for models that are one themselves the table says that it is circular.

    Example: shelf breakdown runs/tfidf/0123456789ab --data release --by length
    """
    from evaluate_shelf.cli.terminal import Bar, say, show_json
    from evaluate_shelf.diagnostics.breakdown.breakdown import Breakdowns, checked_by, tasks_of
    from evaluate_shelf.diagnostics.breakdown.results import as_values
    from evaluate_shelf.diagnostics.breakdown.words import breakdown_text
    from evaluate_shelf.errors import ShelfError, UnsupportedError
    from evaluate_shelf.release.documents import Release
    from evaluate_shelf.release.source import release_folder
    from evaluate_shelf.runs.reading import load_run

    loaded = load_run(run)
    asked = tasks_of(loaded, task or [])
    release = Release.open(release_folder(data, sorted(loaded.file.data.content_sha256)))
    breakdowns = Breakdowns(loaded, release)
    found, refused = [], []
    with Bar() as bar:
        for one in asked:
            bar.begin(f"{one.id} by {by.value}")
            try:
                found.append(breakdowns.of(one, checked_by(by.value)))
            except UnsupportedError as error:
                refused.append(f"{one.id}: {error}")
    if not found:
        raise ShelfError("\n".join([f"{run} by {by.value}: no task can be shown", *refused]))
    for reason in refused:
        say(f"left out, {reason}")
    if json:
        show_json([as_values(one) for one in found])
    else:
        sys.stdout.write("\n".join(map(breakdown_text, found)))
