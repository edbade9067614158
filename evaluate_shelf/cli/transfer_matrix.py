"""`shelf transfer-matrix`."""

from __future__ import annotations

import contextlib
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Size(StrEnum):
    """How many documents of each corpus."""

    full = "full"
    equal = "equal"


class Unit(StrEnum):
    """What a split keeps together."""

    groups = "groups"
    documents = "documents"


def transfer_matrix(
    corpora: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME=RELEASE[:CONFIG]...",
            help="A name, a release folder or Hub dataset id, and a config of documents.",
        ),
    ],
    model: Annotated[
        str, typer.Option(help="What has vectors: see `shelf models`.")
    ] = "tfidf-full",
    size: Annotated[
        Size, typer.Option(help="All documents, or as many of each corpus as the smallest has.")
    ] = Size.full,
    words: Annotated[int | None, typer.Option(help="Read only so many words of each text.")] = None,
    split: Annotated[
        Unit, typer.Option(help="Whether a group of the release stays on one side.")
    ] = Unit.groups,
    out: Annotated[
        Path | None, typer.Option(help="Also write it to this .json, .md, .csv or .txt file.")
    ] = None,
    work: Annotated[
        Path | None, typer.Option(help="Folder of finished cells; in the cache without it.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Train a subject probe on each corpus and test it on all of them.

    Each corpus is split 70 to 30. Cells that are done are not computed again; module:attribute
    runs that module's code. Without --model it is TF-IDF of the words of what is learned from.

    Example: shelf transfer-matrix texts=release:all books=books --size equal --out matrix.json
    """
    from evaluate_shelf.cli.terminal import Bar, say
    from evaluate_shelf.evaluation import default_store
    from evaluate_shelf.transfer_matrix import LineReporter, corpora_named, settings_for
    from evaluate_shelf.transfer_matrix import transfer_matrix as computed
    from evaluate_shelf.transfer_matrix.cell_store import default_work
    from evaluate_shelf.transfer_matrix.forms import as_json, as_text, check_suffix, write_matrix

    if out is not None:
        check_suffix(out)
    settings = settings_for(size.value, words, split.value)
    named = corpora_named(corpora)
    # Standard output is for results; what a model prints goes to standard error.
    with Bar() as bar, contextlib.redirect_stdout(sys.stderr):
        matrix = computed(
            named,
            model,
            settings,
            work=work or default_work(),
            store=default_store(),
            reporter=LineReporter(say, bar.begin, bar.update),
        )
    if out is not None:
        write_matrix(out, matrix)
        say(f"written: {out}")
    sys.stdout.write(as_json(matrix) if json else as_text(matrix))
