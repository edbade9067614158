"""`shelf build`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evaluate_shelf.cli.checkout import checkout_module


def build(
    configs: Annotated[
        list[str] | None,
        typer.Argument(
            help="Configs, for example all same_lcc_pairs lcc_retrieval; or quickstart. Without "
            "any, all that the given inputs allow."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The release folder; a release that is there is replaced.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of every draw.")] = 42,
    documents: Annotated[
        int | None,
        typer.Option(min=1, help="About how many documents to write, in place of the plan's."),
    ] = None,
    catalog: Annotated[
        Path | None, typer.Option(help="Project Gutenberg's pg_catalog.csv, plain or gzip.")
    ] = None,
    texts: Annotated[Path | None, typer.Option(help="Folder of Project Gutenberg's texts.")] = None,
    passages_per_work: Annotated[
        int | None, typer.Option(min=1, help="The most passages of one book (3).")
    ] = None,
    mirror: Annotated[
        str | None,
        typer.Option(
            help="Address of a mirror of Project Gutenberg: download what --catalog and --texts "
            "lack, one file at a time."
        ),
    ] = None,
    works_per_class: Annotated[
        int, typer.Option(min=2, help="The most books of a class that --mirror downloads.")
    ] = 48,
    lcshbench: Annotated[
        Path | None, typer.Option(help="Folder with LCSHBench's dev and test files.")
    ] = None,
    written: Annotated[
        Path | None,
        typer.Option(
            metavar="CORPUS",
            help="Folder that `shelf write` was given as --out: its documents in place of composed "
            "ones, those that pass every gate.",
        ),
    ] = None,
    taxonomy: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Other labels than SHELF's, as `shelf taxonomy import` writes them; the release "
            "brings them along.",
        ),
    ] = None,
) -> None:
    """Build configs into a release folder.

    A config brings the configs that it needs. An interrupted build goes on where it stopped. What
    the gates say of every document stands in `reports/gates.*` of the release.

    Example: shelf build transfer_gutenberg --catalog pg_catalog.csv --texts books --out release
    """
    command = checkout_module("builders.commands.build")
    command.build_from_command_line(
        configs or [],
        out=out,
        seed=seed,
        documents=documents,
        catalog=catalog,
        texts=texts,
        passages_per_work=passages_per_work,
        mirror=mirror,
        works_per_class=works_per_class,
        lcshbench=lcshbench,
        written=written,
        taxonomy=taxonomy,
    )
