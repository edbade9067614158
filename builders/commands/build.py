"""What `shelf build` does: from its options to a request, and the report in words."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from builders.build import build, with_needed
from builders.commands.summary import say_configs
from builders.corpora.synthetic.written import written_corpus
from builders.recipes import recipes
from builders.release.folder import check_destination, resolved
from builders.request import BuildRequest, quickstart_request
from evaluate_shelf.cli.terminal import Bar, say
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import cache_folder
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.generation import Plan, load_plan


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
    lcshbench: Path | None = None,
    written: Path | None = None,
    taxonomy: Path | None = None,
) -> None:
    """Build, and say what was built and what was refused."""
    if configs == ["quickstart"]:
        if written is not None or taxonomy is not None:
            raise ShelfError("quickstart takes neither --written nor --taxonomy")
        request = quickstart_request(out or shipped_release(), seed)
    else:
        if "quickstart" in configs:
            raise ShelfError("quickstart is a whole release; build it alone")
        if out is None:
            raise ShelfError("--out DIR is missing: where should the release go?")
        if written is not None and documents is not None:
            raise ShelfError("--documents has no meaning with --written: all that was written")
        corpus = None if written is None else written_corpus(written, taxonomy)
        request = BuildRequest(
            configs=tuple(configs),
            out=out,
            name=resolved(out).name,
            plan=load_plan("standard") if corpus is None else corpus.plan,
            written=corpus,
            taxonomy=taxonomy,
            seed=seed,
            catalogue=catalog,
            texts=texts,
            passages_per_work=passages_per_work,
            lcshbench=lcshbench,
        )
        wanted = tuple(configs) or buildable(request, has_mirror=mirror is not None)
        request = replace(request, configs=wanted)
        if documents is not None:
            request = replace(request, plan=_sized(request.plan, wanted, documents))
    if mirror is not None:
        check_destination(request.out)
        request = _fetch_books(request, mirror, works_per_class)
    with Bar() as bar:
        report = build(request, bar.update)
    for message in report.messages:
        say(message)
    say_configs(report.manifest)
    sys.stdout.write(f"{request.out}: release {report.manifest.release_id}\n")


def buildable(request: BuildRequest, *, has_mirror: bool = False) -> tuple[str, ...]:
    """Every config that the given inputs allow, for a request that names none."""
    has_books = has_mirror or (request.catalogue is not None and request.texts is not None)
    natural = {
        "transfer_gutenberg": has_books,
        "transfer_lcshbench": request.lcshbench is not None,
    }
    lacking = tuple(name for name, is_there in natural.items() if not is_there)
    return tuple(name for name in recipes(request.plan) if not name.startswith(lacking))


def _sized(plan: Plan, configs: Sequence[str], documents: int) -> Plan:
    """The plan with about so many written documents in the slices that are built.

    Says so where it has to be many more.
    """
    slices = [name for name in with_needed(configs, recipes(plan)) if name in plan.slices]
    if not slices:
        raise ShelfError(f"--documents {documents}: {', '.join(configs)} has no written documents")
    sized = plan.sized(documents, slices)
    planned = sized.documents(slices)
    if planned > 1.1 * documents:
        say(
            f"{planned} documents, not {documents}: each slice needs some for its classes to be in "
            "every split"
        )
    return sized


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
