"""Measure models on real books: builds `transfer_gutenberg` twice and writes gutenberg.md.

    SHELF_TEST_DATA=FOLDER python -m benchmarks.gutenberg

FOLDER holds natural/gutenberg/catalog.csv and natural/gutenberg/texts.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from builders.build import build
from builders.request import BuildRequest
from evaluate_shelf.evaluation import evaluate, prepare
from evaluate_shelf.leaderboard.boards import boards
from evaluate_shelf.leaderboard.forms import as_markdown
from evaluate_shelf.quickstart import quickstart_models
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.release.manifest import Manifest
from evaluate_shelf.runs.reading import load_runs

CONFIG = "transfer_gutenberg"
HEAD = """# Models on real books

`transfer_gutenberg` built from 128 books of Project Gutenberg, split by author and work, so that
no writer is on two sides of a split, once with 3 and once with 18 passages of a book. Made by

```sh
SHELF_TEST_DATA=FOLDER python -m benchmarks.gutenberg
```

Reported elsewhere for 3,016 passages of 1,008 other works, with passages of one book on both sides
of the split: `tfidf` macro-F1 0.446, and full TF-IDF 0.510 on a 70/30 split. The figures of
classification and retrieval here are lower, and have to be: no model can profit from recognising a
book or its writer.

What to keep in mind:

- With six to eight books a class, four of them to learn from and one or two to be tested on,
  intervals are wide, and those of macro-F1 and ARI are lopsided, because a resample loses classes.
  The unit that is resampled is the writer; for pairs it is the document.
- Most classes have one book in test, so `lcc_clustering` here asks in large part which passages
  are of one book. More passages of a book raise it.
- Pairs are drawn from all splits, as published, always of two writers.

## Run it again

```sh
python -m benchmarks.download_gutenberg FOLDER     # 128 books, one every two seconds or so
SHELF_TEST_DATA=FOLDER python -m benchmarks.gutenberg
```

The numbers of the books (`gutenberg_ids.txt`), the seed and the protocol are pinned; the texts and
the catalogue's rows are not, since Project Gutenberg corrects both: the figures below are of their
state of about 2018, and a corrected text, author or class gives another release id and may give
other figures.
"""


def section(passages_per_work: int, books: Path, folder: Path) -> str:
    """Build with so many passages a work, score every model, and say what came out."""
    request = BuildRequest(
        (CONFIG,),
        folder / "release",
        "books",
        load_plan("standard"),
        catalogue=books / "catalog.csv",
        texts=books / "texts",
        passages_per_work=passages_per_work,
    )
    manifest = build(request).manifest
    evaluation = prepare(
        request.out,
        CONFIG,
        facets=["subject"],
        protocol=load_protocol(),
        runs=folder / "runs",
        store=folder / "store",
    )
    evaluate(quickstart_models(), evaluation)
    (board,) = boards(load_runs(folder / "runs"), facet="subject")
    return "\n".join(
        [
            f"## {passages_per_work} passages of a book",
            "",
            f"{_sizes(manifest)}.",
            "",
            *(f"- {note}" for note in manifest.configs[CONFIG].notes),
            "",
            as_markdown(board),
        ]
    )


def _sizes(manifest: Manifest) -> str:
    rows = {f.split: f.rows for f in manifest.data_files.values() if f.config == CONFIG}
    return ", ".join(f"{count} passages in {split}" for split, count in rows.items())


def main() -> None:
    """Write gutenberg.md beside this file."""
    books = Path(os.environ.get("SHELF_TEST_DATA", "")) / "natural" / "gutenberg"
    if not (books / "catalog.csv").is_file():
        sys.exit("SHELF_TEST_DATA names no folder with natural/gutenberg/catalog.csv")
    sections = []
    for passages_per_work in (3, 18):
        with tempfile.TemporaryDirectory() as folder:
            sections.append(section(passages_per_work, books, Path(folder)))
    text = "\n".join([HEAD, *sections])
    (Path(__file__).parent / "gutenberg.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
