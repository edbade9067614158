"""What `shelf taxonomy import` does: from options to a folder, in words."""

from __future__ import annotations

import sys

from builders.taxonomies.importing import ImportRequest, import_taxonomy
from builders.taxonomies.report import report_lines
from evaluate_shelf.cli.terminal import say, show_json


def import_from_command_line(request: ImportRequest, *, as_json: bool) -> None:
    """Import, and say what was done; the whole report is in `import.json`."""
    record = import_taxonomy(request)
    say("\n".join(report_lines(record)))
    if as_json:
        show_json(record)
    else:
        sys.stdout.write(f"{request.out}: {record['labels']:,} labels, facet {record['facet']}\n")
