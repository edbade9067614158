"""What a report holds of a document is a fraction of its text."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator, Sequence

import pyarrow as pa
from planted_corpora import corpus, words

from builders.draws import Draws
from builders.quality import quality_of

TEXT_WORDS = 640
BATCH = 300


def peak_of(documents: int) -> int:
    """Bytes that Python, NumPy and Arrow hold at most while a corpus is reported on."""
    stock = words(Draws(1, "stock"), 20_000)

    def batches(columns: Sequence[str], /) -> Iterator[pa.Table]:
        for start in range(0, documents, BATCH):
            texts = []
            for number in range(start, start + BATCH):
                first = (number * 97) % (len(stock) - TEXT_WORDS)
                # No two documents share a shingle, since every fourth word is the document's own.
                own = stock[first : first + TEXT_WORDS]
                own[::4] = [f"{word}n{number}" for word in own[::4]]
                texts.append(" ".join(own))
            table = corpus(texts)
            ids = pa.array([f"{number:016}" for number in range(start, start + BATCH)])
            yield (
                table.set_column(0, "id", ids)
                .append_column("spec_id", ids)
                .select([name for name in columns if name in (*table.column_names, "spec_id")])
            )

    pool = pa.proxy_memory_pool(pa.default_memory_pool())
    default = pa.default_memory_pool()
    pa.set_memory_pool(pool)
    tracemalloc.start()
    try:
        quality_of("stream", batches, group_column="spec_id", seed=1)
        return tracemalloc.get_traced_memory()[1] + pool.max_memory()
    finally:
        tracemalloc.stop()
        pa.set_memory_pool(default)


def test_memory_grows_by_a_fraction_of_the_text() -> None:
    few, many = 3 * BATCH, 6 * BATCH
    peak_of(BATCH)  # what libraries set up once is no growth
    growth = (peak_of(many) - peak_of(few)) / (many - few)
    text = TEXT_WORDS * len("w1234 ")
    assert growth < text / 4
