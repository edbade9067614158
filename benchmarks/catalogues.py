"""Measure models on libraries' own records: imports real catalogues and writes catalogues.md.

    SHELF_TEST_DATA=FOLDER python -m benchmarks.catalogues

FOLDER holds natural/marc and natural/subject_indexing/tib_sid_en.
"""

from __future__ import annotations

import itertools
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from builders.build import build
from builders.corpora.catalogue.recipes import catalogue_recipes
from builders.corpora.catalogue.request import (
    CatalogueRequest,
    Choice,
    marc_request,
    table_request,
)
from builders.request import BuildRequest
from evaluate_shelf.evaluation import evaluate, prepare
from evaluate_shelf.leaderboard.boards import Board, Cell, boards
from evaluate_shelf.leaderboard.forms import as_markdown
from evaluate_shelf.quickstart import CONFIG, FACET
from evaluate_shelf.records.column_mapping import parse_mapping
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.release.documents import Release
from evaluate_shelf.release.manifest import SPLITS
from evaluate_shelf.runs.reading import load_runs

MODELS = ("tfidf", "bm25", "wordllama")
RELEASE = "release"
UNDECIDED = "="
OUTCOMES = (
    (
        "How many comparisons are decided on the release and on the catalogue, in the same way or "
        "the other way round, on one of the two alone, or on neither:"
    ),
    "",
    (
        "| catalogue | same way | other way | on the catalogue alone | on the release alone "
        "| neither |"
    ),
    "| --- | --: | --: | --: | --: | --: |",
)
CONFIGS = ("v0_4_core", "all", "same_lcc_pairs")
HEAD = """# Models on libraries' own records

The question: does the ranking of models on the release hold on a library's own catalogue? Three
models that need no download are scored on a release as `shelf build v0_4_core all same_lcc_pairs`
makes it, whose texts are composed by fixed rules, and on real records, imported as
`shelf import-marc` and `shelf import-table` import them. Made by

```sh
SHELF_TEST_DATA=FOLDER python -m benchmarks.catalogues
```

The records are not in this repository: 2,000 of the University of Virginia Library, 100 of the
Library of Congress (most of around 1900), 2,546 of the TIB in Hannover (TIB-SID, CC BY-SA 4.0).

What to keep in mind:

- Three models, of which two have vectors, say little of a ranking of many models, and nothing of
  encoders.
- A comparison is *decided* where the two intervals do not overlap; where they do, the models
  cannot be told apart with these records, which is no sign that they are equal.
- A title has few words. Scores on titles and on abstracts answer different questions.
- The line *chance* is that of 21 classes of equal size. A catalogue has fewer classes, of very
  unequal size, so chance is higher there: in the Library of Congress file every second record is
  of class P.
- The Library of Congress file leaves 15 records to test on. It shows that the import works, and
  decides nothing.
- Records are split by work (title and main author), and the work is what is resampled; for pairs
  it is the document. Classes with fewer than 5 records are left out, and named below.
- The class is the first letter of the class number in the record. In the TIB's records, which
  have an author in no field, works are told by their titles alone.
"""


@dataclass(frozen=True)
class Catalogue:
    """Records to measure on: how the report calls them, and what they are."""

    key: str
    title: str
    request: Callable[[Path], CatalogueRequest]


def _tib(*columns: str) -> Callable[[Path], CatalogueRequest]:
    return lambda data: table_request(
        data / "subject_indexing/tib_sid_en/lcc_by_class.jsonl",
        parse_mapping(["id=id", "title=title", "lcc=lcc", "year=year", *columns]),
        Choice(name="tib", source="TIB, from TIB-SID", licence="CC BY-SA 4.0"),
    )


CATALOGUES = (
    Catalogue(
        "Virginia",
        "University of Virginia Library: English records, most with a title alone",
        lambda data: marc_request(
            [data / "marc/uva_001_2000.mrc"],
            Choice(name="virginia", language="eng", source="University of Virginia Library"),
        ),
    ),
    Catalogue(
        "Congress",
        "Library of Congress: English records, most with a title alone",
        lambda data: marc_request(
            [data / "marc/BooksAll.2014.part01-0001.mrc"],
            Choice(name="congress", language="eng", source="Library of Congress"),
        ),
    ),
    Catalogue("TIB abstracts", "TIB: titles and abstracts", _tib("text=abstract")),
    Catalogue("TIB titles", "TIB: titles alone", _tib()),
)


def scored(release: Path, config: str | None, folder: Path) -> Board:
    """Score the models on the subject tasks of a release."""
    evaluation = prepare(
        release,
        config,
        facets=[FACET],
        protocol=load_protocol(),
        runs=folder / "runs",
        store=folder / "store",
    )
    evaluate(list(MODELS), evaluation)
    (board,) = boards(load_runs(folder / "runs"), facet=FACET)
    return board


def measured(catalogue: Catalogue, data: Path, folder: Path) -> tuple[Board, str]:
    """Import a catalogue, score the models on it, and say what came out."""
    request = catalogue.request(data)
    known = catalogue_recipes(request)
    out = folder / "release"
    report = build(
        BuildRequest(tuple(known), out, request.choice.name, load_plan("standard")), None, known
    )
    board = scored(out, None, folder)
    notes = [
        note
        for note in report.manifest.configs[request.choice.name].notes
        if note.startswith("dropped") or "records read" in note
    ]
    lines = [
        f"## {catalogue.title}",
        "",
        f"{sizes(out, request.choice.name)}.",
        "",
        *(f"- {note}" for note in notes),
        "",
        as_markdown(board),
    ]
    return board, "\n".join(lines)


def sizes(folder: Path, config: str) -> str:
    """Documents of each split, classes and groups of a config."""
    release = Release.open(folder)
    entry = release.config(config)
    rows = release.manifest.rows_of(config)
    classes = {label for own in entry.counts.values() for label in own["lcc_code"]}
    groups = Counter(
        group
        for split in SPLITS
        if split in rows
        for group in release.documents(config, split).groups
    )
    parts = ", ".join(f"{count} in {split}" for split, count in rows.items())
    return (
        f"{sum(rows.values())} documents ({parts}) in {len(classes)} classes and {len(groups)} "
        f"groups, the largest of {max(groups.values())}"
    )


def compared(found: dict[str, Board]) -> str:
    """Which of two models is better, by task, on the release and on each catalogue."""
    lines = [f"| task | models | {' | '.join(found)} |", "| --- " * (len(found) + 2) + "|"]
    outcomes: dict[str, Counter[str]] = {key: Counter() for key in found if key != RELEASE}
    asked = [{task.id for task in board.tasks} for board in found.values()]
    for task in (task.id for task in found[RELEASE].tasks if task.id in set.intersection(*asked)):
        for pair in itertools.combinations(MODELS, 2):
            on = {key: better(board, task, pair) for key, board in found.items()}
            if "" in on.values():
                continue
            lines.append(f"| {task} | {', '.join(pair)} | {' | '.join(on.values())} |")
            for key, own in outcomes.items():
                own[_outcome(on[RELEASE], on[key])] += 1
    kinds = ("same", "reversed", "here", "there", "nowhere")
    counts = [
        f"| {key} | {' | '.join(str(own[kind]) for kind in kinds)} |"
        for key, own in outcomes.items()
    ]
    return "\n".join([*lines, "", *OUTCOMES, *counts])


def better(board: Board, task: str, pair: Sequence[str]) -> str:
    """The better of two models, "=" where they cannot be told apart, "" without both scores."""
    cells = {row.name: row.cells[task] for row in board.rows}
    if any(cells[name].value is None for name in pair):
        return ""
    for name, other in (pair, pair[::-1]):
        if _low(cells[name]) > _high(cells[other]):
            return name
    return UNDECIDED


def _outcome(on_release: str, on_catalogue: str) -> str:
    if on_catalogue == UNDECIDED:
        return "nowhere" if on_release == UNDECIDED else "there"
    if on_release == UNDECIDED:
        return "here"
    return "same" if on_catalogue == on_release else "reversed"


def _low(cell: Cell) -> float:
    return (cell.value or 0.0) if cell.low is None else cell.low


def _high(cell: Cell) -> float:
    return (cell.value or 0.0) if cell.high is None else cell.high


def main() -> None:
    """Write catalogues.md beside this file."""
    data = Path(os.environ.get("SHELF_TEST_DATA", "")) / "natural"
    if not (data / "marc").is_dir():
        sys.exit("SHELF_TEST_DATA names no folder with natural/marc")
    found: dict[str, Board] = {}
    sections = []
    with tempfile.TemporaryDirectory() as folder:
        release = Path(folder) / RELEASE
        build(BuildRequest(CONFIGS, release, "composed", load_plan("standard")))
        found[RELEASE] = scored(release, CONFIG, Path(folder))
        title = "## The release: composed texts"
        size = f"{sizes(release, CONFIG)}."
        sections.append("\n".join([title, "", size, "", as_markdown(found[RELEASE])]))
    for catalogue in CATALOGUES:
        with tempfile.TemporaryDirectory() as folder:
            found[catalogue.key], text = measured(catalogue, data, Path(folder))
            sections.append(text)
    comparison = "\n".join(
        [
            "## Does the ranking hold?",
            "",
            "The better model where the intervals do not overlap, = where they do.",
            "",
            compared(found),
            "",
        ]
    )
    text = "\n".join([HEAD, comparison, *sections])
    (Path(__file__).parent / "catalogues.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
