"""What `shelf independence` does: from its options to numbers, as text or JSON."""

from __future__ import annotations

import sys

from builders.independence.corpus import corpus_of
from builders.independence.measured import independence_of, values_of
from builders.independence.words import independence_text
from evaluate_shelf.cli.terminal import Bar, show_json
from evaluate_shelf.text_columns import terminal_width

_WIDTH = 80


def independence_from_command_line(
    release: str, *, config: str | None, seed: int, json: bool
) -> None:
    """Print what a config's generators have to do with its labels and texts.

    Raises
    ------
    ShelfError
        If the release cannot be read, or the config has no two generators.
    """
    with Bar() as bar:
        bar.begin("reading documents")
        corpus = corpus_of(release, config)
        bar.begin("setting labels against generators, and telling generators apart")
        found = independence_of(corpus, seed)
    if json:
        show_json(values_of(found))
    else:
        sys.stdout.write(independence_text(found, terminal_width(_WIDTH)))
