"""`shelf attribution`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def attribution(
    data: Annotated[str, typer.Argument(help="A release folder or a Hub dataset id.")],
    config: Annotated[
        str | None, typer.Option(help="A config of documents; the release's default without it.")
    ] = None,
    families: Annotated[
        bool, typer.Option("--families", help="Tell families of generators apart.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print every number as JSON.")] = False,
) -> None:
    """Tell by their words alone which generator wrote a release's test documents.

    A probe on TF-IDF learns from the training split; no group is on both sides. A high accuracy
    says that a model could learn who wrote a text instead of what it is about.

    Example: shelf attribution release --config v0_4_core
    """
    from evaluate_shelf.cli.terminal import Bar, show_json
    from evaluate_shelf.diagnostics.breakdown.attribution import as_values
    from evaluate_shelf.diagnostics.breakdown.attribution import attribution as told
    from evaluate_shelf.diagnostics.breakdown.words import attribution_text
    from evaluate_shelf.release.documents import Release
    from evaluate_shelf.release.needed import folder_to_evaluate

    release = Release.open(folder_to_evaluate(data, config))
    with Bar() as bar:
        bar.begin("attribution: fitting the probe")
        found = told(release, config, families=families)
    if json:
        show_json(as_values(found))
    else:
        sys.stdout.write(attribution_text(found))
