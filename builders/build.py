"""Build configs into a release folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from builders.gates.report import gate_reports
from builders.quality.of_release import (
    absent_in_slices,
    label_signal_of,
    quality_reports,
    relevance_reports,
)
from builders.quality.tables import markdown
from builders.quality.writing import as_json
from builders.recipes import Recipe, companions, recipes
from builders.release.folder import check_destination, resolved, write_release
from builders.release.taxonomy import taxonomy_files
from builders.release.templates import require_templates
from builders.request import Bench, BuildRequest, Progress
from builders.staging.config import StagedConfig
from builders.taxonomies.foreign import foreign_labels
from builders.writing.report import writing_reports
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import restore_folder
from evaluate_shelf.locks import sole_use
from evaluate_shelf.registry.lookup import found
from evaluate_shelf.registry.taxonomy import load_taxonomy
from evaluate_shelf.release.manifest import MANIFEST, Manifest, read_manifest


@dataclass
class BuildReport:
    """What was built, and what the user should be told."""

    manifest: Manifest
    messages: list[str] = field(default_factory=list)


def with_needed(names: Sequence[str], known: Mapping[str, Recipe]) -> tuple[str, ...]:
    """The configs with all that they need before them, and with their companions.

    Raises
    ------
    ShelfError
        If a name is not a config that can be built.

    Examples
    --------
    >>> from evaluate_shelf.registry.generation import load_plan
    >>> with_needed(["same_lcc_pairs"], recipes(load_plan("quickstart")))
    ('v0_4_core', 'all', 'same_lcc_pairs')
    """
    wanted: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        found(dict(known), name, "config")
        if name not in wanted:
            wanted.add(name)
            todo.extend(known[name].needs)
            if name.startswith("transfer_"):
                todo.extend(own for own in companions(name) if own in known)
    return tuple(name for name in known if name in wanted)


def build(
    request: BuildRequest,
    progress: Progress | None = None,
    known: Mapping[str, Recipe] | None = None,
) -> BuildReport:
    """Build a release folder.

    Written pieces and finished configs are kept beside the folder until it is complete, so that
    the same request goes on where an interrupted one stopped.

    Parameters
    ----------
    request : BuildRequest
        What to build.
    progress : callable, default=None
        Called with the config's name, the number of items done and in all.
    known : mapping of str to Recipe, default=None
        How configs are made, in place of the recipes of the request's plan.

    Returns
    -------
    BuildReport
        The manifest, and what the user should be told.

    Raises
    ------
    ShelfError
        If an input is wrong; nothing is written then.
    """
    require_templates()
    if known is None:
        known = recipes(request.plan)
        check_inputs(request, with_needed(request.configs, known))
    names = with_needed(request.configs, known)
    request = replace(request, out=resolved(request.out))
    with sole_use(request.out, "choose another --out"):
        restore_folder(request.out)
        check_destination(request.out)
        if progress and (request.out / MANIFEST).is_file():
            old = read_manifest(request.out)
            messages = [f"{request.out}: took the place of release {old.release_id}"]
        else:
            messages = []
        staging = request.out.with_name(f".{request.out.name}.pieces")
        was_there = staging.exists()
        try:
            report = _built(request, {name: known[name] for name in names}, staging, progress)
        except ShelfError:
            # The same request would be refused again, so its pieces are of no use; those of an
            # interrupted request before it are.
            if not was_there:
                shutil.rmtree(staging, ignore_errors=True)
            raise
        shutil.rmtree(staging, ignore_errors=True)
    report.messages.extend(messages)
    return report


def check_inputs(request: BuildRequest, names: Sequence[str]) -> None:
    """Refuse a request that lacks what its configs are made from."""
    if "transfer_gutenberg" in names and (request.catalogue is None or request.texts is None):
        raise ShelfError("transfer_gutenberg needs --catalog FILE and --texts DIR")
    if "transfer_lcshbench" in names and request.lcshbench is None:
        raise ShelfError("transfer_lcshbench needs --lcshbench DIR, with its dev and test files")
    natural = [name for name in names if name.startswith("transfer_")]
    if natural and load_taxonomy(request.taxonomy).classes != load_taxonomy().classes:
        raise ShelfError(
            f"{natural[0]} has the classes of the Library of Congress, and {request.taxonomy} has "
            "others; build it without --taxonomy"
        )


def _built(
    request: BuildRequest,
    wanted: Mapping[str, Recipe],
    staging: Path,
    progress: Progress | None,
) -> BuildReport:
    built: dict[str, StagedConfig] = {}
    aliases: dict[str, str] = {}
    reports: dict[str, bytes] = {}
    messages: list[str] = []
    gate_tables: list[Path] = []
    for name, recipe in wanted.items():
        if progress:
            progress(name, 0, 1)
        made = recipe.make(Bench(request, built, staging, _of_config(progress, name)))
        built.update({config.name: config for config in made.configs})
        aliases.update(made.aliases)
        reports.update(made.reports)
        messages.extend(made.messages)
        gate_tables.extend(made.gate_tables)
    # The pool comes first and so is the default config: pairs are drawn from it.
    ordered = sorted(built.values(), key=lambda config: config.name != "all")
    quality = quality_reports(ordered, seed=request.seed, staging=staging, progress=progress)
    relevance = relevance_reports(ordered, aliases)
    manifest = write_release(
        request.name,
        ordered,
        request.out,
        aliases=aliases,
        label_signal=label_signal_of(quality),
        extra_files={
            **reports,
            **gate_reports(gate_tables, load_taxonomy(request.taxonomy)),
            **taxonomy_files(request.taxonomy),
            **({} if request.written is None else writing_reports(request.written.folder)),
            "reports/quality.json": as_json(quality, relevance).encode("utf-8"),
            "reports/quality.md": (markdown(quality, relevance) + absent_in_slices(ordered)).encode(
                "utf-8"
            ),
        },
        taxonomy=load_taxonomy(request.taxonomy),
        foreign=foreign_labels(request.taxonomy),
    )
    return BuildReport(manifest, messages)


def _of_config(progress: Progress | None, name: str) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    return lambda done, total: progress(name, done, total)
