"""What `shelf build` does: from its options to a request, and the report in words."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from builders.build import BuildReport, BuildRequest, build, quickstart_request
from builders.release.folder import check_destination
from evaluate_shelf.cli.terminal import Bar, say
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import cache_folder
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.generation import Plan, load_plan

_SHOWN_REFUSALS = 20


def build_from_command_line(
    configs: list[str],
    *,
    out: Path | None,
    seed: int,
    documents: int | None,
    catalog: Path | None,
    texts: Path | None,
    passages_per_work: int | None,
    mirror: str | None,
    works_per_class: int,
) -> None:
    """Build, and say what was built and what was refused."""
    if configs == ["quickstart"]:
        request = quickstart_request(out or shipped_release(), seed)
    else:
        request = _request(configs, out, seed, documents, catalog, texts, passages_per_work)
    if mirror is not None:
        check_destination(request.out)
        request = _fetch_books(request, mirror, works_per_class)
    with Bar() as bar:
        report = build(request, bar.update)
    _say_refused(report)
    for name, config in report.manifest.configs.items():
        rows = sum(f.rows for f in report.manifest.data_files.values() if f.config == name)
        classes = {
            label for counts in config.counts.values() for label in counts.get("lcc_code", {})
        }
        in_classes = f" in {len(classes)} classes" if classes else ""
        say(f"{name}: {rows} {config.kind}{in_classes}")
        for note in config.notes:
            say(f"  {note}")
    sys.stdout.write(f"{request.out}: release {report.manifest.release_id}\n")


def _request(
    configs: list[str],
    out: Path | None,
    seed: int,
    documents: int | None,
    catalog: Path | None,
    texts: Path | None,
    passages_per_work: int | None,
) -> BuildRequest:
    if "quickstart" in configs:
        raise ShelfError("quickstart is a whole release; build it alone")
    if out is None:
        raise ShelfError("--out DIR is missing: where should the release go?")
    plan = load_plan("standard")
    return BuildRequest(
        configs=tuple(configs),
        out=out,
        name=out.resolve().name,
        plan=plan if documents is None else _sized(plan, documents),
        seed=seed,
        catalogue=catalog,
        texts=texts,
        passages_per_work=passages_per_work,
    )


def _sized(plan: Plan, documents: int) -> Plan:
    """The plan with about so many documents: every style writes every specification."""
    per_block = -(-documents // (plan.blocks * plan.styles))
    return plan.model_copy(update={"specifications_per_block": per_block})


def _fetch_books(request: BuildRequest, mirror: str, works_per_class: int) -> BuildRequest:
    """Fetch the books that the folder of texts lacks; each is kept as soon as it is whole."""
    from builders.corpora.gutenberg.catalogue import read_catalogue
    from builders.corpora.gutenberg.download import Mirror, download_catalogue, download_texts
    from builders.corpora.gutenberg.selection import works_to_fetch

    source = Mirror(mirror)
    texts = request.texts or cache_folder() / "gutenberg"
    texts.mkdir(parents=True, exist_ok=True)
    catalogue = request.catalogue or download_catalogue(texts, source)
    works = read_catalogue(catalogue)
    numbers = works_to_fetch(works, per_class=works_per_class, seed=request.seed)
    done = 0

    def on_book(number: int) -> None:
        nonlocal done
        done += 1
        bar.update("books", done, len(numbers))

    with Bar() as bar:
        fetched = download_texts(numbers, texts, source, progress=on_book)
    say(f"books: {len(fetched.fetched)} fetched, {len(fetched.present)} were there")
    for number, reason in fetched.refused:
        say(f"not fetched: {number}: {reason}")
    return replace(request, catalogue=catalogue, texts=texts)


def _say_refused(report: BuildReport) -> None:
    for number, title, reason in report.refused[:_SHOWN_REFUSALS]:
        say(f"refused: {number}, {' '.join(title.split())[:60]}: {reason}")
    left = len(report.refused) - _SHOWN_REFUSALS
    if left > 0:
        say(f"and {left} more; reports/transfer_gutenberg_refused.tsv names them all")
