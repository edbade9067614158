"""Measure `tfidf` from texts to the scores of the 23 published tasks, and print Markdown.

    python -m benchmarks.tfidf_run --data RELEASE > benchmarks/tfidf_run.md

RELEASE is a folder that `shelf build` made. Nothing is stored: TF-IDF is fitted and applied anew.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.full_run import sentence, sizes
from benchmarks.measuring import machine, table
from benchmarks.staged import PUBLISHED, Asked, Staged, stage_table, staged
from evaluate_shelf.release.documents import Release

PAGE = """# `tfidf` from texts to scores

{count} tasks on config `{config}`: {sizes}, k-means with {seeds}. One fresh process, with its start
and its imports. Made by

```sh
python -m benchmarks.tfidf_run --data RELEASE
```

{summary}

## By task and stage

Seconds. *Fit the encoder* counts words, weighs and reduces the texts that it is fitted on, and
gives their vectors; *encode* does so for texts that it was not fitted on. Each pair of fitted and
transformed texts is computed in the first task that needs it. {notes}

{stages}

{machine}
"""


def summary(run: Staged) -> str:
    """Time, memory, and in how many tasks something is fitted or encoded."""
    fits = sum("fit the encoder" in record.stages for record in run.tasks.values())
    encodes = sum("encode" in record.stages for record in run.tasks.values())
    return table(
        ["", "measured"],
        [
            ["process, s", f"{run.seconds:.1f}"],
            ["of these the shuffled-label controls, s", f"{run.uncounted:.1f}"],
            ["memory, GiB", f"{run.peak_gib:.2f}"],
            ["tasks that fit", f"{fits}"],
            ["tasks that encode what was not fitted on", f"{encodes}"],
        ],
    )


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of a release")
    parser.add_argument("--config", help="its default config without it")
    parser.add_argument("--limit", type=int, help="documents a split, for a trial")
    parser.add_argument("--one-seed", action="store_true", help="k-means at the score's seed alone")
    given = parser.parse_args()
    data = given.data.resolve()
    config = given.config or Release.open(data).manifest.default_config
    with tempfile.TemporaryDirectory() as runs:
        asked = Asked(
            "tfidf", data, Path(runs), None, config, one_seed=given.one_seed, limit=given.limit
        )
        run = staged(asked)
    print(
        PAGE.format(
            count=len(PUBLISHED),
            config=config,
            sizes=sizes(data, config, given.limit),
            seeds="the score's seed alone" if given.one_seed else "all seeds of the protocol",
            summary=summary(run),
            notes=sentence(run.undone),
            stages=stage_table(run),
            machine=machine(),
        )
    )


if __name__ == "__main__":
    main()
