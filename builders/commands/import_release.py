"""What `shelf import-release` does: from its options to a request, and the report in words."""

from __future__ import annotations

import sys
from pathlib import Path

from builders.build import build
from builders.commands.summary import say_configs
from builders.published.recipes import corpora_for, imported_recipes
from builders.published.release import open_published, remarks
from builders.release.folder import check_destination, resolved
from builders.request import BuildRequest
from evaluate_shelf.bounded import one_line
from evaluate_shelf.cli.terminal import Bar, say
from evaluate_shelf.registry.generation import load_plan


def import_from_command_line(
    source: str, *, out: Path, configs: list[str], seed: int, accept_counts: bool
) -> None:
    """Import a published release, and say what was taken over and what was not."""
    out = resolved(out)
    # Before anything is downloaded.
    check_destination(out)
    release = open_published(source, corpora_for(configs), accept_counts=accept_counts)
    known = imported_recipes(release)
    for remark in remarks(release, tuple(known)):
        say(one_line(remark))
    wanted = tuple(configs) or tuple(known)
    request = BuildRequest(wanted, out, out.name, load_plan("standard"), seed)
    with Bar() as bar:
        report = build(request, bar.update, known)
    for message in report.messages:
        say(message)
    say_configs(report.manifest)
    sys.stdout.write(f"{out}: release {report.manifest.release_id}\n")
