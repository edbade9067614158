"""`shelf taxonomy import`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from evaluate_shelf.cli.checkout import checkout_module


class _Format(StrEnum):
    SKOS = "skos"
    TSV = "tsv"
    MARC = "marc"


class _Facet(StrEnum):
    SUBJECT = "subject"
    FORMS = "forms"
    TOPICS = "topics"
    PLACES = "places"
    AUDIENCE = "audience"
    REGISTER = "register"


taxonomy = typer.Typer(
    name="taxonomy", help="Labels of your own in the place of SHELF's.", no_args_is_help=True
)


@taxonomy.callback()
def _group() -> None:
    """Labels of your own in the place of SHELF's."""


@taxonomy.command("import")
def import_taxonomy(
    file: Annotated[
        Path,
        typer.Argument(
            help="SKOS (Turtle or RDF/XML), a tab-separated table, or MARC 21 authority records "
            "(binary or MARCXML), plain or compressed by gzip."
        ),
    ],
    form: Annotated[_Format, typer.Option("--format", help="What the file is.")],
    facet: Annotated[_Facet, typer.Option(help="The facet that it becomes.")],
    out: Annotated[
        Path, typer.Option(help="The taxonomy folder to write; an imported one is replaced.")
    ],
    lang: Annotated[
        str,
        typer.Option(
            help="Language of SKOS labels and notes; also its varieties, and texts without one."
        ),
    ] = "en",
    scheme: Annotated[
        str | None,
        typer.Option(
            help="URI or name of the SKOS concept scheme, where there are several; or all."
        ),
    ] = None,
    under: Annotated[
        str | None,
        typer.Option(help="Take what lies below this concept: its id, notation or label."),
    ] = None,
    level: Annotated[
        int | None,
        typer.Option(
            help="Subject: the level whose concepts are the classes, 1 being the top. Others: the "
            "last level that is taken."
        ),
    ] = None,
    most: Annotated[
        int | None,
        typer.Option(help="Take so many labels at most, drawn by the hash of their ids."),
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option(help="The taxonomy to add the facet to; else SHELF's own."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(help="Name of the vocabulary, where the file does not say it: for the card."),
    ] = None,
    licence: Annotated[
        str | None,
        typer.Option(help="Terms of the labels, where the file does not say them: for the card."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Import a vocabulary as one facet of a taxonomy; the other facets stay as they are.

    Descriptions that name their own label or a neighbour's are cleaned. What was left out,
    repaired or cleaned is counted on standard error and listed in import.json.

    Example: shelf taxonomy import unesco.ttl --format skos --facet topics --out ours
    """
    importing = checkout_module("builders.taxonomies.importing")
    command = checkout_module("builders.taxonomies.command")
    request = importing.ImportRequest(
        file=file,
        format=form.value,
        facet=facet.value,
        out=out,
        language=lang,
        scheme=scheme,
        under=under,
        level=level,
        most=most,
        base=base,
        licence=licence,
        name=name,
    )
    command.import_from_command_line(request, as_json=json)
