"""`shelf evaluate`."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Annotated

import typer


def evaluate(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            help="tf, tfidf, bm25, wordllama, st:<path or Hub id>, and more: see `shelf models`."
        ),
    ] = None,
    data: Annotated[str, typer.Option(help="A release folder, or a Hub dataset id.")] = "",
    config: Annotated[
        str | None, typer.Option(help="Config of documents; the release's default without it.")
    ] = None,
    panel: Annotated[
        Path | None, typer.Option(help="Also all models of this file, as configs/panel.yaml.")
    ] = None,
    task: Annotated[
        list[str] | None, typer.Option(help="Only this task; may be given several times.")
    ] = None,
    facet: Annotated[
        list[str] | None, typer.Option(help="Only tasks of this facet; may be given several times.")
    ] = None,
    runs: Annotated[Path, typer.Option(help="Folder of runs.")] = Path("runs"),
    protocol: Annotated[str | None, typer.Option(help="shelf-1 or shelf-1-balanced.")] = None,
    prompts: Annotated[
        str | None, typer.Option(help="none or model-card: with the prompts that a model names.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(help="Cut every text there, for models that have a limit.")
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(
            help="full, masked (without a document's own label terms) or sham (without as many "
            "tokens chosen at random)."
        ),
    ] = None,
    rates: Annotated[
        bool, typer.Option(help="Measure how many documents a second the model takes.")
    ] = True,
    memory: Annotated[
        int, typer.Option(help="MiB that a ranking may hold at a time, besides the vectors.")
    ] = 512,
    on: Annotated[
        str | None, typer.Option(help="ray, or the address of a Ray cluster: a job a model.")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(help="Only so many documents a split: a smoke run, comparable with no other."),
    ] = None,
    all_metrics: Annotated[
        bool, typer.Option("--all-metrics", help="Show every metric, not the primary ones alone.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the runs as JSON.")] = False,
) -> None:
    """Score models on a release and leave a run for each.

    Tasks that are done already are not run again; an interrupted run goes on where it stopped.
    Module:attribute runs that module's code. Prompts, max-tokens and text make another protocol,
    whose scores stand in tables of their own.

    Example: shelf evaluate tfidf bm25 --data release --config transfer_gutenberg --facet subject
    """
    from evaluate_shelf.cli.score_table import show_scores
    from evaluate_shelf.cli.terminal import Bar, TerminalReporter, say, show_json
    from evaluate_shelf.errors import ShelfError
    from evaluate_shelf.evaluation import default_store, prepare
    from evaluate_shelf.evaluation import evaluate as run
    from evaluate_shelf.evaluation.refusals import RefusedModelsError
    from evaluate_shelf.printable import one_line
    from evaluate_shelf.registry.conditions import conditioned
    from evaluate_shelf.registry.panel import panel_specs
    from evaluate_shelf.registry.protocols import load_protocol
    from evaluate_shelf.release.needed import folder_to_evaluate
    from evaluate_shelf.runs.names import safe_name

    specs = [*(models or []), *(panel_specs(panel) if panel else [])]
    if not specs:
        raise ShelfError("no model: name at least one, or a file of models with --panel")
    if not data:
        raise ShelfError("--data is missing: a release folder, or a Hub dataset id")
    if memory < 1:
        raise ShelfError(f"--memory {memory}: at least 1 MiB is needed")
    chosen = conditioned(load_protocol(protocol), prompts, max_tokens, text)
    evaluation = prepare(
        folder_to_evaluate(data, config),
        config,
        task_ids=task or [],
        facets=facet or [],
        protocol=chosen,
        runs=runs,
        limit=limit,
        store=default_store(),
        memory_bytes=memory * 2**20,
        rates=rates,
    )
    refused: tuple[str, ...] = ()
    # Standard output is for results; what a model prints goes to standard error.
    with Bar() as bar, contextlib.redirect_stdout(sys.stderr):
        reporter = TerminalReporter(bar)
        try:
            if on is None:
                finished = run(specs, evaluation, reporter)
            else:
                from evaluate_shelf.evaluation.on_ray import evaluate_on_ray

                finished = evaluate_on_ray(specs, evaluation, on, reporter)
        except RefusedModelsError as error:
            if not error.finished:
                raise
            finished, refused = list(error.finished), error.reasons
    if limit is not None:
        say(f"smoke run over {limit} documents a split: not comparable with any other run")
    folders = [runs / safe_name(file.model.name) / file.run_id for file in finished]
    for folder in folders:
        say(f"run: {folder}")
    if json:
        show_json([file.model_dump(mode="json") for file in finished])
    else:
        show_scores(folders, {task.id for task in evaluation.tasks}, all_metrics)
    failed = [
        t for file in finished for t, record in file.tasks.items() if record.status == "failed"
    ]
    if failed:
        say(f"failed: {', '.join(failed)}; the reasons are in run.json")
    for reason in refused:
        say(f"shelf: {one_line(reason)}")
    if refused or failed:
        raise typer.Exit(2 if refused else 1)
