"""The sub-commands, gathered."""

from __future__ import annotations

from typing import Annotated

import typer

from evaluate_shelf import __version__
from evaluate_shelf.cli import (
    apply,
    build,
    doctor,
    evaluate,
    export,
    import_records,
    import_release,
    leaderboard,
    listings,
    publish,
    quickstart,
    rescore,
    space,
    verify,
)

app = typer.Typer(
    name="shelf",
    help="SHELF: score models on bibliographic work.",
    epilog="Begin with: shelf quickstart",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("quickstart")(quickstart.quickstart)
app.command("build")(build.build)
app.command("import-release")(import_release.import_release)
app.command("import-marc")(import_records.import_marc)
app.command("import-table")(import_records.import_table)
app.command("verify")(verify.verify)
app.command("publish")(publish.publish)
app.command("evaluate")(evaluate.evaluate)
app.command("apply")(apply.apply)
app.command("leaderboard")(leaderboard.leaderboard)
app.command("rescore")(rescore.rescore)
app.command("export-mteb")(export.export_mteb)
app.command("export-eval-results")(export.export_eval_results)
app.command("space")(space.space)
app.command("tasks")(listings.tasks)
app.command("models")(listings.models)
app.command("doctor")(doctor.doctor)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"evaluate-shelf {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show it.")
    ] = False,
) -> None:
    """SHELF: score models on bibliographic work."""
