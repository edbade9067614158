"""Build configs into a release folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from builders.corpora.books import build_gutenberg
from builders.corpora.built import BuiltConfig
from builders.corpora.pool import build_pool
from builders.corpora.synthetic import build_core
from builders.release.folder import check_destination, write_release
from builders.task_configs.pairs import build_pairs
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import restore_folder
from evaluate_shelf.locks import sole_use
from evaluate_shelf.registry.corpora import corpus
from evaluate_shelf.registry.generation import Plan, load_plan
from evaluate_shelf.registry.lookup import found
from evaluate_shelf.release.manifest import Manifest

# What each config needs before it; a needed config becomes part of the release too.
NEEDS: dict[str, tuple[str, ...]] = {
    "v0_4_core": (),
    "all": ("v0_4_core",),
    "same_lcc_pairs": ("all",),
    "transfer_gutenberg": (),
    "transfer_gutenberg_same_lcc_pairs": ("transfer_gutenberg",),
}
# A natural corpus comes with its pairs, so that it can be asked in every formulation.
COMPANIONS = {"transfer_gutenberg": "transfer_gutenberg_same_lcc_pairs"}
QUICKSTART = ("v0_4_core", "all", "same_lcc_pairs")

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class BuildRequest:
    """What to build and from what.

    Attributes
    ----------
    configs : tuple of str
        Names of `NEEDS`.
    out : pathlib.Path
        The release folder.
    name : str
        Of the release.
    plan : Plan
        How much is written.
    seed : int
        Of every draw.
    catalogue, texts : pathlib.Path or None
        Project Gutenberg's.
    passages_per_work : int or None
        In place of the corpus's own number.
    """

    configs: tuple[str, ...]
    out: Path
    name: str
    plan: Plan
    seed: int = 42
    catalogue: Path | None = None
    texts: Path | None = None
    passages_per_work: int | None = None


@dataclass
class BuildReport:
    """What was built, and what was refused by name."""

    manifest: Manifest
    refused: list[tuple[int, str, str]] = field(default_factory=list)


def quickstart_request(out: Path, seed: int = 42) -> BuildRequest:
    """The small release that ships with the package."""
    return BuildRequest(QUICKSTART, out, "quickstart", load_plan("quickstart"), seed)


def with_needed(names: Sequence[str]) -> tuple[str, ...]:
    """The configs with all that they need before them, and with their companions.

    Raises
    ------
    ShelfError
        If a name is not a config that can be built.

    Examples
    --------
    >>> with_needed(["same_lcc_pairs"])
    ('v0_4_core', 'all', 'same_lcc_pairs')
    """
    wanted: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        found(NEEDS, name, "config")
        if name not in wanted:
            wanted.add(name)
            todo.extend(NEEDS[name])
            if name in COMPANIONS:
                todo.append(COMPANIONS[name])
    return tuple(name for name in NEEDS if name in wanted)


def build(request: BuildRequest, progress: Progress | None = None) -> BuildReport:
    """Build a release folder.

    Written pieces are kept beside the folder until it is complete, so that the same request goes
    on where an interrupted one stopped.

    Parameters
    ----------
    request : BuildRequest
        What to build.
    progress : callable, default=None
        Called with the config's name, the number of items done and in all.

    Returns
    -------
    BuildReport
        The manifest, and the works that were refused.

    Raises
    ------
    ShelfError
        If an input is wrong; nothing is written then.
    """
    names = with_needed(request.configs)
    if "transfer_gutenberg" in names:
        _books_of(request)
    request = replace(request, out=request.out.resolve())
    with sole_use(request.out, "choose another --out"):
        restore_folder(request.out)
        check_destination(request.out)
        staging = request.out.with_name(f".{request.out.name}.pieces")
        try:
            report = _built(request, names, staging, progress)
        except ShelfError:
            # The same request would be refused again: its pieces are of no use.
            shutil.rmtree(staging, ignore_errors=True)
            raise
        shutil.rmtree(staging, ignore_errors=True)
    return report


def _built(
    request: BuildRequest, names: Sequence[str], staging: Path, progress: Progress | None
) -> BuildReport:
    built: dict[str, BuiltConfig] = {}
    report_files: dict[str, str] = {}
    refused: list[tuple[int, str, str]] = []
    for name in names:
        on_item = _of_config(progress, name)
        if name == "v0_4_core":
            built[name] = build_core(
                request.plan, seed=request.seed, staging=staging, progress=on_item
            )
        elif name == "all":
            built[name] = build_pool([built["v0_4_core"]])
        elif name == "transfer_gutenberg":
            catalogue, texts = _books_of(request)
            built[name], books = build_gutenberg(
                corpus(name),
                catalogue,
                texts,
                seed=request.seed,
                passages_per_work=request.passages_per_work,
                staging=staging / "books",
                progress=on_item,
            )
            refused = books.refused
            report_files["reports/transfer_gutenberg_refused.tsv"] = _table_of_refused(refused)
        else:
            source = built[NEEDS[name][0]]
            built[name] = build_pairs(source, request.plan, field="lcc_code", seed=request.seed)
    # The pool comes first and so is the default config: the pairs are drawn from it.
    ordered = sorted(names, key=lambda name: name != "all")
    manifest = write_release(
        request.name, [built[name] for name in ordered], request.out, extra_files=report_files
    )
    return BuildReport(manifest, refused)


def _books_of(request: BuildRequest) -> tuple[Path, Path]:
    if request.catalogue is None or request.texts is None:
        raise ShelfError("transfer_gutenberg needs --catalog FILE and --texts DIR")
    return request.catalogue, request.texts


def _of_config(progress: Progress | None, name: str) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    return lambda done, total: progress(name, done, total)


def _table_of_refused(refused: Sequence[tuple[int, str, str]]) -> str:
    lines = ["number\ttitle\treason"]
    for number, title, reason in refused:
        lines.append(f"{number}\t{' '.join(title.split())}\t{' '.join(reason.split())}")
    return "\n".join(lines) + "\n"
