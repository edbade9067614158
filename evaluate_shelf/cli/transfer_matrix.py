"""`shelf transfer-matrix`."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from evaluate_shelf.transfer_matrix import Matrix


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
        Unit,
        typer.Option(
            help="Whether a group, as the release has it, stays on one side of the split."
        ),
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

    All documents of a corpus are pooled and split anew, 70 to 30, as in the paper: not as the
    release splits them, so that a score on the corpus itself is not that of `shelf evaluate`.
    Without --model it is TF-IDF of the words of what is learned from. Cells that are done are not
    computed again; module:attribute runs that module's code.

    Example: shelf transfer-matrix texts=release:all books=books --size equal --out matrix.json
    """
    from evaluate_shelf.cli.terminal import Bar, say
    from evaluate_shelf.evaluation import default_store
    from evaluate_shelf.transfer_matrix import LineReporter, corpora_named, settings_for
    from evaluate_shelf.transfer_matrix import transfer_matrix as computed
    from evaluate_shelf.transfer_matrix.cell_store import default_work
    from evaluate_shelf.transfer_matrix.destination import check_destination
    from evaluate_shelf.transfer_matrix.forms import as_json, as_text, check_suffix

    kept = work or default_work()
    if out is not None:
        check_suffix(out)
        check_destination(out, "--out")
    check_destination(kept / "cell.json", "--work")
    settings = settings_for(size.value, words, split.value)
    named = corpora_named(corpora)
    # Standard output is for results; what a model prints goes to standard error.
    with Bar() as bar, contextlib.redirect_stdout(sys.stderr):
        matrix = computed(
            named,
            model,
            settings,
            work=kept,
            store=default_store(),
            reporter=LineReporter(say, bar.begin, bar.update),
        )
    # Printed first: a disk that is full by now takes no file, and the work was not for nothing.
    with _written_at_the_end(out, matrix):
        sys.stdout.write(as_json(matrix) if json else as_text(matrix))
        sys.stdout.flush()


@contextlib.contextmanager
def _written_at_the_end(out: Path | None, matrix: Matrix) -> Iterator[None]:
    """Write the file the user named, also where nobody reads what is printed any more."""
    from evaluate_shelf.cli.terminal import say
    from evaluate_shelf.transfer_matrix.forms import write_matrix

    try:
        yield
    finally:
        if out is not None:
            try:
                write_matrix(out, matrix)
            except OSError:
                say(f"{out}: not written; the same command writes it and computes nothing again")
                raise
            say(f"written: {out}")
