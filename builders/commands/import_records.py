"""What `shelf import-marc` and `shelf import-table` do: from options to a release, in words."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from builders.build import build
from builders.commands.summary import say_configs
from builders.corpora.catalogue.recipes import REPORT, catalogue_recipes
from builders.corpora.catalogue.request import (
    CatalogueRequest,
    Choice,
    marc_request,
    table_request,
)
from builders.release.folder import check_destination, resolved
from builders.request import BuildRequest, Progress
from evaluate_shelf.cli.terminal import Bar, say, show_json
from evaluate_shelf.records.column_mapping import parse_mapping
from evaluate_shelf.registry.generation import load_plan

_SECONDS_BETWEEN_LINES = 10.0


def import_marc_from_command_line(
    files: Sequence[Path], *, out: Path, seed: int, as_json: bool, **choice: object
) -> None:
    """Import MARC records; `choice` has the fields of `Choice`."""
    _import(lambda own: marc_request(files, own), out, seed, as_json, choice)


def import_table_from_command_line(
    file: Path,
    columns: Sequence[str],
    *,
    out: Path,
    seed: int,
    as_json: bool,
    **choice: object,
) -> None:
    """Import a table; `choice` has the fields of `Choice`."""
    mapping = parse_mapping(columns)
    _import(lambda own: table_request(file, mapping, own), out, seed, as_json, choice)


def _import(
    request_for: Callable[[Choice], CatalogueRequest],
    out: Path,
    seed: int,
    as_json: bool,
    choice: dict[str, object],
) -> None:
    out = resolved(out)
    # Before anything is read.
    check_destination(out)
    known = catalogue_recipes(request_for(Choice(**choice)))  # type: ignore[arg-type]
    request = BuildRequest(tuple(known), out, out.name, load_plan("standard"), seed)
    with Bar() as bar:
        report = build(request, _progress(bar), known)
    for message in report.messages:
        say(message)
    say_configs(report.manifest)
    if as_json:
        own = json.loads((out / REPORT).read_text(encoding="utf-8"))
        show_json({"release": str(out), "release_id": report.manifest.release_id, **own})
    else:
        sys.stdout.write(f"{out}: release {report.manifest.release_id}\n")


def _progress(bar: Bar) -> Progress:
    """A bar, and while nobody knows how many records there are, a line now and then."""
    last = time.monotonic()

    def update(name: str, done: int, total: int) -> None:
        nonlocal last
        if total:
            bar.update(name, done, total)
        elif time.monotonic() - last > _SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            say(f"  {name}: {done} records read")

    return update
