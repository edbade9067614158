"""Compare the search for near duplicates with datasketch: writes near_duplicates.md.

pip install datasketch==2.0.0
shelf build v0_4_core --documents 5000 --out RELEASE
python -m benchmarks.near_duplicates RELEASE
"""

from __future__ import annotations

import gc
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from builders.draws import Draws
from builders.quality.candidates import candidate_pairs
from builders.quality.fingerprints import fingerprints_of
from builders.quality.near_duplicates import THRESHOLD
from builders.quality.rows import folded
from builders.quality.shingles import jaccard, shingles
from builders.quality.stream import batches_of
from evaluate_shelf.files import replacing

CONFIG = "v0_4_core"
EVERY = 20
PERMUTATIONS = 128
Pairs = set[tuple[int, int]]
Proposer = Callable[[list[str]], tuple[Pairs, object]]

PAGE = """# Near duplicates, beside datasketch

{documents:,} documents of the lexical writer, {planted} of them near copies that were added. Both
propose pairs with a Jaccard similarity of word 5-grams of {threshold:g} or more; datasketch
{version} with `MinHash` of {permutations} permutations, made in bulk, and `MinHashLSH`. One
process, one thread each. Made by

```sh
pip install datasketch=={version}
shelf build v0_4_core --documents 5000 --out RELEASE
python -m benchmarks.near_duplicates RELEASE
```

| | SHELF | datasketch | datasketch / SHELF |
|---|--:|--:|--:|
| processor seconds | {own_time:.2f} | {peer_time:.2f} | {time_ratio:.1f} |
| bytes held, a document more | {own_memory:,.0f} | {peer_memory:,.0f} | {memory_ratio:.1f} |
| candidates | {own_candidates:,} | {peer_candidates:,} | |
| pairs of {threshold:g} or more that either proposes | {both:,} | {both:,} | |
| of these, proposed | {own_found:,} | {peer_found:,} | |

Bytes held are those of what finds the pairs, without texts: fingerprints in SHELF (with ids and
SHA-256, which find exact duplicates), the index in datasketch.
"""


def planted(texts: list[str]) -> list[str]:
    """The texts, and behind them a near copy of one in twenty."""
    copies = []
    for number in range(0, len(texts), EVERY):
        draws = Draws(42, "near copy", number)
        words = texts[number].split()
        for place in draws.sample(range(len(words)), len(words) // 100):
            words[place] = f"changed{draws.integer(10**6)}"
        copies.append(" ".join([*words, "end"]))
    return texts + copies


def own_pairs(texts: list[str]) -> tuple[Pairs, object]:
    """Candidates of SHELF, and what it holds."""
    table = pa.table(
        {
            "id": [f"{number:016}" for number in range(len(texts))],
            "text": texts,
            "split": ["train"] * len(texts),
        }
    )
    kept = fingerprints_of(CONFIG, batches_of(table), seed=42)
    pairs = candidate_pairs(kept, THRESHOLD).pairs.tolist()
    return {(first, second) for first, second in pairs}, kept


def peer_pairs(texts: list[str]) -> tuple[Pairs, object]:
    """Candidates of datasketch, and what it holds."""
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)
    found: Pairs = set()
    sets = ([" ".join(gram).encode() for gram in shingles(folded(text))] for text in texts)
    for number, sketch in enumerate(MinHash.generator(sets, num_perm=PERMUTATIONS)):
        found.update((other, number) for other in index.query(sketch))
        index.insert(number, sketch)
    return found, index


def measured(propose: Proposer, texts: list[str]) -> tuple[Pairs, float]:
    """What is proposed, and in how many processor seconds."""
    start = time.process_time()
    pairs, _ = propose(texts)
    return pairs, time.process_time() - start


def held_a_document(propose: Proposer, texts: list[str]) -> float:
    """Bytes by which what is held grows with a document: from half of the texts to all."""
    half = len(texts) // 2
    return (held(propose, texts) - held(propose, texts[:half])) / (len(texts) - half)


def held(propose: Proposer, texts: list[str]) -> int:
    """Bytes that Python, NumPy and Arrow hold after a run."""
    arrow = pa.total_allocated_bytes()
    tracemalloc.start()
    kept = propose(texts)[1]
    gc.collect()
    size = tracemalloc.get_traced_memory()[0] + pa.total_allocated_bytes() - arrow
    tracemalloc.stop()
    del kept
    return size


def page(release: Path) -> str:
    """Measure both and say what came out."""
    from datasketch import __version__ as version

    files = sorted((release / "data" / CONFIG).glob("*.parquet"))
    own_texts = pa.concat_tables([pq.read_table(file, columns=["text"]) for file in files])
    texts = planted(own_texts["text"].to_pylist())
    own, own_time = measured(own_pairs, texts)
    peer, peer_time = measured(peer_pairs, texts)
    own_memory, peer_memory = held_a_document(own_pairs, texts), held_a_document(peer_pairs, texts)
    sets = {n: shingles(folded(texts[n])) for n in {end for pair in own | peer for end in pair}}
    both = {(a, b) for a, b in own | peer if jaccard(sets[a], sets[b]) >= THRESHOLD}
    return PAGE.format(
        documents=len(texts),
        planted=len(texts) - len(own_texts),
        threshold=THRESHOLD,
        permutations=PERMUTATIONS,
        version=version,
        own_time=own_time,
        peer_time=peer_time,
        time_ratio=peer_time / own_time,
        own_memory=own_memory,
        peer_memory=peer_memory,
        memory_ratio=peer_memory / own_memory,
        own_candidates=len(own),
        peer_candidates=len(peer),
        both=len(both),
        own_found=len(both & own),
        peer_found=len(both & peer),
    )


def main() -> None:
    """Write the page beside this file."""
    text = page(Path(sys.argv[1]))
    with replacing(Path(__file__).with_suffix(".md")) as temporary:
        temporary.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
