"""The sub-commands, gathered."""

from __future__ import annotations

from typing import Annotated

import typer

from evaluate_shelf import __version__
from evaluate_shelf.cli import (
    apply,
    attribution,
    breakdown,
    build,
    cards,
    check_numbers,
    compare,
    doctor,
    evaluate,
    export,
    gates,
    import_records,
    import_release,
    independence,
    label_terms,
    leaderboard,
    listings,
    masking,
    pack,
    plan,
    publish,
    quickstart,
    report,
    rescore,
    space,
    submissions,
    taxonomy,
    transfer,
    transfer_matrix,
    verify,
    worker,
    write,
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
app.add_typer(taxonomy.taxonomy)
app.command("plan")(plan.plan)
app.command("write")(write.write)
app.command("build")(build.build)
app.command("gates")(gates.gates)
app.command("import-release")(import_release.import_release)
app.command("import-marc")(import_records.import_marc)
app.command("import-table")(import_records.import_table)
app.command("independence")(independence.independence)
app.command("verify")(verify.verify)
app.command("publish")(publish.publish)
app.command("evaluate")(evaluate.evaluate)
app.command("apply")(apply.apply)
app.command("leaderboard")(leaderboard.leaderboard)
app.command("rescore")(rescore.rescore)
app.command("breakdown")(breakdown.breakdown)
app.command("attribution")(attribution.attribution)
app.command("compare")(compare.compare)
app.command("report")(report.report)
app.command("check-numbers")(check_numbers.check_numbers)
app.command("cards")(cards.cards)
app.command("transfer")(transfer.transfer)
app.command("transfer-matrix")(transfer_matrix.transfer_matrix)
app.command("masking")(masking.masking)
app.command("label-terms")(label_terms.label_terms)
app.command("export-mteb")(export.export_mteb)
app.command("export-eval-results")(export.export_eval_results)
app.command("space")(space.space)
app.command("pack")(pack.pack)
app.command("submissions")(submissions.submissions)
app.command("worker")(worker.worker)
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
