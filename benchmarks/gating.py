"""Measure writing by rules and all gates at two sizes or more, and write gating.md.

    python -m benchmarks.gating 62899 125798

Each size runs in a process of its own, which starts one more for each core. Memory is the sum over
all of them, read twice a second from /proc, so this runs on Linux alone.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.builds import Measured, measured
from benchmarks.measuring import machine, table, told
from builders.corpora.synthetic.gated import gated
from builders.corpora.synthetic.pieces import written_pieces
from builders.corpora.synthetic.rows import LexicalRows, row_of
from builders.gates.counts import gate_counts
from builders.gates.language import english_probability
from builders.gates.refusal import refusals
from builders.gates.self_label import self_labels
from builders.gates.topic_coverage import topic_coverage
from builders.gates.verdict import labels_of
from builders.orders import Order, orders_of_slice
from builders.writers.derived_words import lexicon_for
from builders.writers.lexical import LexicalWriter
from builders.writers.protocol import WrittenDocument
from evaluate_shelf.files import replacing
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.registry.taxonomy import load_taxonomy

SLICE, SEED = "v0_4_core", 42
SAMPLE = 2000

PAGE = """# Gates

Documents of the lexical writer, put through every gate and compared with each other, as a build
does it before it splits them. Made by

```sh
python -m benchmarks.gating {sizes}
```

{runs}

62,899 documents should take less than 240 seconds on two idle cores, in less than 2 GiB, and twice
as many at most 2.2 times as long. Where other work shares the cores, processor seconds say more
than the clock.

What each step takes in one process, in processor seconds for 62,899 documents, measured on
{sample:,}:

{steps}

G1, G3 and the model that was served take no time to speak of. G6 is in the first table alone.

{machine}
"""


def work(documents: int, folder: Path) -> None:
    """Write and judge so many documents."""
    plan = load_plan("standard").sized(documents, [SLICE])
    pieces = written_pieces(
        orders_of_slice(SLICE, plan, load_taxonomy(), SEED),
        LexicalRows(SEED),
        count=plan.documents([SLICE]),
        folder=folder,
    )
    counts = gate_counts(gated(SLICE, pieces).gate_table(SLICE))
    sys.stdout.write(counts.model_dump_json())


def run(documents: int) -> Measured:
    """Measure `work` in a process of its own."""
    told(f"{documents} documents")
    with tempfile.TemporaryDirectory() as folder:
        return measured(
            [sys.executable, "-m", "benchmarks.gating", "--work", str(documents), folder]
        )


def run_table(sizes: Sequence[int]) -> str:
    """Time and memory of each size, and each next to the one before it."""
    own = [run(size) for size in sizes]
    ratios = ["", *(f"{b.cpu_seconds / a.cpu_seconds:.2f}" for a, b in itertools.pairwise(own))]
    rows = [
        [
            f"{size:,}",
            f"{one.seconds:.0f}",
            f"{one.cpu_seconds:.0f}",
            f"{one.peak_gib:.2f}",
            ratio,
        ]
        for size, one, ratio in zip(sizes, own, ratios, strict=True)
    ]
    head = ["documents", "seconds", "processor seconds", "GiB", "processor seconds / row above"]
    return table(head, rows)


def sample() -> list[tuple[Order, WrittenDocument]]:
    """Some documents, each with what was ordered."""
    taxonomy = load_taxonomy()
    lexicon = lexicon_for(taxonomy)
    writers = {
        f"lexical-writer/{name}": LexicalWriter(name, style, lexicon, taxonomy)
        for name, style in lexicon.styles.items()
    }
    plan = load_plan("standard").sized(SAMPLE, [SLICE])
    orders = orders_of_slice(SLICE, plan, taxonomy, SEED)
    return [(own, writers[own.generator].write(own.spec, SEED)) for own in orders]


def step_table() -> str:
    """Processor seconds of each step for 62,899 documents."""
    start = time.process_time()
    documents = sample()
    rows = [["writing", _scaled(start, len(documents))]]
    english_probability("The model is loaded.")
    steps: dict[str, Callable[[Order, WrittenDocument], object]] = {
        "G2 language": lambda _, own: english_probability(own.body),
        "G4 self-label": lambda order, own: self_labels(own.title, own.body, labels_of(order.spec)),
        "G5 topic coverage": lambda order, own: topic_coverage(own.body, order.spec.topics),
        "G7 refusal, truncation": lambda _, own: refusals(own.title, own.body),
        "a whole row": lambda order, own: row_of(order, own, run_id="r", code_version="c"),
    }
    for name, step in steps.items():
        start = time.process_time()
        for order, document in documents:
            step(order, document)
        rows.append([name, _scaled(start, len(documents))])
    return table(["step", "processor seconds"], rows)


def _scaled(start: float, documents: int) -> str:
    return f"{(time.process_time() - start) * 62_899 / documents:.0f}"


def main(arguments: list[str]) -> None:
    """Measure, and write the page beside this file."""
    if arguments[:1] == ["--work"]:
        work(int(arguments[1]), Path(arguments[2]))
        return
    sizes = [int(size) for size in arguments]
    page = PAGE.format(
        sizes=" ".join(map(str, sizes)),
        runs=run_table(sizes),
        sample=SAMPLE,
        steps=step_table(),
        machine=machine("py3langid"),
    )
    with replacing(Path(__file__).with_suffix(".md")) as temporary:
        temporary.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
