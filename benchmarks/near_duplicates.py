"""Compare the search for near duplicates with datasketch: writes near_duplicates.md.

pip install datasketch==2.0.0
shelf build v0_4_core --documents 5000 --out RELEASE
python -m benchmarks.near_duplicates RELEASE
"""

from __future__ import annotations

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

PAGE = """# Near duplicates, beside datasketch

{documents:,} documents of the lexical writer, to {planted} of which a near copy was added. Both
propose pairs of a Jaccard similarity of word 5-grams of {threshold:g} or more; datasketch {version}
with `MinHash` of {permutations} permutations, made in bulk, and `MinHashLSH`. One process, one core,
one run. Made by

```sh
pip install datasketch=={version}
shelf build v0_4_core --documents 5000 --out RELEASE
python -m benchmarks.near_duplicates RELEASE
```

| | SHELF | datasketch | ratio |
|---|--:|--:|--:|
| processor seconds | {own_time:.2f} | {peer_time:.2f} | {time_ratio:.0f} |
| peak memory, kB a document | {own_memory:.2f} | {peer_memory:.2f} | {memory_ratio:.0f} |
| candidates | {own_candidates:,} | {peer_candidates:,} | |
| pairs of {threshold:g} or more that either proposes | {both:,} | {both:,} | |
| of these, proposed | {own_found:,} | {peer_found:,} | |

The memory of SHELF includes the texts of one batch of 1,000 documents, which does not grow with
the corpus; that of datasketch does not include texts.
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


def own_pairs(texts: list[str]) -> Pairs:
    """Candidates of SHELF."""
    table = pa.table(
        {
            "id": [str(number) for number in range(len(texts))],
            "text": texts,
            "split": ["train"] * len(texts),
        }
    )
    kept = fingerprints_of(CONFIG, batches_of(table), seed=42)
    return {(first, second) for first, second in candidate_pairs(kept, THRESHOLD).pairs.tolist()}


def peer_pairs(texts: list[str]) -> Pairs:
    """Candidates of datasketch."""
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)
    found: Pairs = set()
    sets = ([" ".join(gram).encode() for gram in shingles(folded(text))] for text in texts)
    for number, sketch in enumerate(MinHash.generator(sets, num_perm=PERMUTATIONS)):
        found.update((other, number) for other in index.query(sketch))
        index.insert(number, sketch)
    return found


def measured(propose: Callable[[list[str]], Pairs], texts: list[str]) -> tuple[Pairs, float, int]:
    """What is proposed, in how many processor seconds, and the peak of memory of a second run."""
    start = time.process_time()
    pairs = propose(texts)
    seconds = time.process_time() - start
    tracemalloc.start()
    propose(texts)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return pairs, seconds, peak


def page(release: Path) -> str:
    """Measure both and say what came out."""
    from datasketch import __version__ as version

    files = sorted((release / "data" / CONFIG).glob("*.parquet"))
    own_texts = pa.concat_tables([pq.read_table(file, columns=["text"]) for file in files])
    texts = planted(own_texts["text"].to_pylist())
    own, own_time, own_memory = measured(own_pairs, texts)
    peer, peer_time, peer_memory = measured(peer_pairs, texts)
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
        own_memory=own_memory / len(texts) / 1000,
        peer_memory=peer_memory / len(texts) / 1000,
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
