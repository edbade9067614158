"""`shelf quickstart`."""

from __future__ import annotations

import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer


def quickstart(
    runs: Annotated[Path, typer.Option(help="Folder of runs.")] = Path("runs"),
    build: Annotated[
        bool, typer.Option("--build", help="Build the release anew first (needs a checkout).")
    ] = False,
) -> None:
    """Verify and load the release that ships with SHELF, score models on it, show a leaderboard.

    Needs no network. A second call finds everything done.

    Example: shelf quickstart --runs runs
    """
    from evaluate_shelf.cli.terminal import Bar, TerminalReporter, say
    from evaluate_shelf.evaluation import default_store, evaluate, prepare, run_folder
    from evaluate_shelf.installation import encoder_commands, install_command, is_checkout
    from evaluate_shelf.leaderboard.boards import boards
    from evaluate_shelf.leaderboard.terminal_table import for_terminal
    from evaluate_shelf.models.resolve import resolve_model
    from evaluate_shelf.quickstart import (
        CONFIG,
        FACET,
        load_with_datasets,
        quickstart_models,
        shipped_release,
    )
    from evaluate_shelf.registry.protocols import load_protocol
    from evaluate_shelf.release.verification import verify_release
    from evaluate_shelf.runs.reading import load_run

    release = shipped_release()
    if build:
        say("1. Building the release anew ...")
        _build_and_compare()
    say("1. Verifying the release that ships with SHELF ...")
    manifest = verify_release(release)
    say(f"   {release}: release {manifest.release_id} is whole")
    say(f'2. load_dataset("{release}", "{CONFIG}") ...')
    rows = load_with_datasets(release, CONFIG)
    say(f"   {', '.join(f'{count} {split}' for split, count in rows.items())} documents")
    say("3. Scoring models on the subject facet, in five formulations ...")
    evaluation = prepare(
        release, CONFIG, facets=[FACET], protocol=load_protocol(), runs=runs, store=default_store()
    )
    models = quickstart_models()
    with Bar() as bar:
        evaluate(models, evaluation, TerminalReporter(bar))
    folders = [
        run_folder(resolve_model(model, evaluation.protocol), evaluation) for model in models
    ]
    found = boards([load_run(folder) for folder in folders], facet=FACET)
    sys.stdout.write(for_terminal(found))
    if "st:minilm" not in models:
        say(f"A sentence encoder joins in after {encoder_commands()}")
    place = "" if is_checkout() else "in a checkout, "
    first = "" if find_spec("gradio") else f"{install_command('space')}, then "
    say(f"To see it in a browser: {place}{first}shelf space {runs}")


def _build_and_compare() -> None:
    from evaluate_shelf.cli.checkout import checkout_module
    from evaluate_shelf.cli.terminal import Bar, say
    from evaluate_shelf.quickstart import check_same_contents, shipped_release
    from evaluate_shelf.release.manifest import read_manifest

    builder = checkout_module("builders.build")
    with tempfile.TemporaryDirectory() as folder, Bar() as bar:
        requests = checkout_module("builders.request")
        request = requests.quickstart_request(Path(folder) / "quickstart")
        report = builder.build(request, bar.update)
        check_same_contents(report.manifest, read_manifest(shipped_release()))
    say("   built anew, its contents are those of the release that ships")
