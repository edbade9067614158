"""`shelf evaluate`."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Annotated

import typer


def evaluate(
    models: Annotated[
        list[str],
        typer.Argument(
            help="tf, tfidf, bm25, wordllama, st:<path or Hub id>, st:minilm, module:attribute."
        ),
    ],
    data: Annotated[str, typer.Option(help="A release folder, or a Hub dataset id.")],
    config: Annotated[
        str | None, typer.Option(help="Config of documents; the release's default without it.")
    ] = None,
    task: Annotated[
        list[str] | None, typer.Option(help="Only this task; may be given several times.")
    ] = None,
    facet: Annotated[
        list[str] | None, typer.Option(help="Only tasks of this facet; may be given several times.")
    ] = None,
    runs: Annotated[Path, typer.Option(help="Folder of runs.")] = Path("runs"),
    protocol: Annotated[str | None, typer.Option(help="shelf-1 or shelf-1-balanced.")] = None,
    limit: Annotated[
        int | None,
        typer.Option(help="Only so many documents a split: a smoke run, comparable with no other."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the runs as JSON.")] = False,
) -> None:
    """Score models on a release and leave a run for each.

    Tasks that are done already are not run again; an interrupted run goes on where it stopped.
    Module:attribute runs that module's code.

    Example: shelf evaluate tfidf bm25 --data release --config transfer_gutenberg --facet subject
    """
    from evaluate_shelf.cli.terminal import Bar, TerminalReporter, say, show_json
    from evaluate_shelf.evaluation import default_store, prepare
    from evaluate_shelf.evaluation import evaluate as run
    from evaluate_shelf.registry.protocols import load_protocol
    from evaluate_shelf.release.manifest import read_manifest
    from evaluate_shelf.release.source import release_folder
    from evaluate_shelf.runs.names import safe_name

    chosen = load_protocol(protocol)
    manifest = read_manifest(release_folder(data))
    name = config or manifest.default_config
    needed = [
        own
        for own, entry in manifest.configs.items()
        if own == name or (entry.kind == "pairs" and entry.derived_from == name)
    ]
    evaluation = prepare(
        release_folder(data, needed),
        config,
        task_ids=task or [],
        facets=facet or [],
        protocol=chosen,
        runs=runs,
        limit=limit,
        store=default_store(),
    )
    # Standard output is for results; what a model prints goes to standard error.
    with Bar() as bar, contextlib.redirect_stdout(sys.stderr):
        finished = run(models, evaluation, TerminalReporter(bar))
    if limit is not None:
        say(f"smoke run over {limit} documents a split: not comparable with any other run")
    for file in finished:
        say(f"run: {runs / safe_name(file.model.name) / file.run_id}")
    if json:
        show_json([file.model_dump(mode="json") for file in finished])
    failed = [
        t for file in finished for t, record in file.tasks.items() if record.status == "failed"
    ]
    if failed:
        say(f"failed: {', '.join(failed)}; the reasons are in run.json")
        raise typer.Exit(1)
