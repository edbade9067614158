"""What `shelf gates` does: what the gates say of a release, as text or JSON."""

from __future__ import annotations

import sys

from builders.gates.outliers import outliers
from builders.gates.rates import gate_rates
from builders.gates.rates_terminal import rates_text
from builders.gates.rates_words import MEANING
from builders.gates.reading import check_release, read_gate_table
from builders.gates.report import DOCUMENTS
from evaluate_shelf.cli.terminal import show_json
from evaluate_shelf.release.manifest import MANIFEST, read_manifest
from evaluate_shelf.release.source import folder_here, snapshot
from evaluate_shelf.release.taxonomy import TAXONOMY, taxonomy_of
from evaluate_shelf.text_columns import terminal_width

_SHOWN = ("generator", "length")
_WIDTH = 100


def gates_from_command_line(source: str, *, by: str | None, json: bool) -> None:
    """Print the rates of a release.

    Raises
    ------
    ShelfError
        If the source is no release, or its table of verdicts is missing or wrong.
    """
    folder = folder_here(source)
    if folder is None:
        folder = snapshot(source, [MANIFEST, DOCUMENTS, f"{TAXONOMY}/*"])
    check_release(folder)
    manifest = read_manifest(folder)
    table = read_gate_table(folder, manifest)
    rates = gate_rates(table, taxonomy_of(folder, manifest))
    found = outliers(table) if by in (None, "generator") else None
    dimensions = _SHOWN if by is None else (by,)
    if not json:
        width = terminal_width(_WIDTH)
        sys.stdout.write(rates_text(manifest.name, rates, found, dimensions, width))
        return
    values = rates.model_dump(mode="json")
    if by is not None:
        values["by"] = {by: values["by"][by]}
    told = {"outliers": {"meaning": MEANING, **found.model_dump(mode="json")}} if found else {}
    show_json({"release": manifest.release_id, "rates": values, **told})
