"""`shelf label-terms`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def label_terms(
    data: Annotated[str, typer.Argument(help="A release folder, or a Hub dataset id.")],
    config: Annotated[
        str | None, typer.Option(help="Config of documents; the release's default without it.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Count how often documents contain the names of their own labels.

    By facet, generation and generator, in the whole text and in its first 200 words; and what
    masking removes from them. Both arms are made of every document, and checked to have lost as
    many tokens.

    Example: shelf label-terms release --config transfer_gutenberg
    """
    from evaluate_shelf.cli.interrupted import beginning_anew
    from evaluate_shelf.cli.terminal import show_json
    from evaluate_shelf.diagnostics.masking.counts import label_term_values
    from evaluate_shelf.diagnostics.masking.counts import label_terms as counted
    from evaluate_shelf.diagnostics.masking.terminal_text import label_terms_text
    from evaluate_shelf.errors import ShelfError
    from evaluate_shelf.release.documents import Release
    from evaluate_shelf.release.needed import folder_to_evaluate

    release = Release.open(folder_to_evaluate(data, config))
    name = config or release.manifest.default_config
    kind = release.config(name).kind
    if kind != "documents":
        raise ShelfError(f"config {name!r} holds {kind}; a config of documents is needed")
    with beginning_anew("no count is kept, and the same command begins anew"):
        values = label_term_values(counted(release, name))
    if json:
        show_json({"release": release.manifest.release_id, "config": name, **values})
    else:
        sys.stdout.write(label_terms_text(values))
