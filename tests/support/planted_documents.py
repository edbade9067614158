"""Documents with planted classes, generators and lengths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from staged_releases import row_of, staged

from builders.corpora.columns import slice_schema
from builders.release.folder import write_release
from evaluate_shelf.registry.taxonomy import load_taxonomy
from evaluate_shelf.statistics.streams import stream

CONFIG = "v0_4_core"
CLASSES = 4
GENERATORS = ("openai/gpt-9", "gpt-9-mini", "claude-x", "unheard-of")


def document(number: int, **fields: Any) -> dict[str, Any]:
    """A document; two of one specification stand in one split, five apart."""
    spec = number // 10
    draws = stream(11, "document", number)
    letter = spec % CLASSES
    subject = load_taxonomy().classes[letter]
    category = load_taxonomy().categories[spec % 3]
    generator = GENERATORS[int(draws.integers(4))]
    words = int(draws.choice([8, 30, 80]))
    # Long words: every length bucket is filled with few of them.
    said = letter if draws.random() < 0.6 else int(draws.integers(CLASSES))
    own = [f"c{said}w{draws.integers(10)}" for _ in range(max(1, words // 10))]
    style = [f"{generator[:3]}style{draws.integers(9)}" for _ in range(2)]
    common = [f"{'common' * 5}{draws.integers(40)}" for _ in range(words)]
    text = " ".join([*own, *style, *common])
    topics = [f"topic {draws.integers(8)}" for _ in range(int(draws.integers(4)))]
    return row_of(
        number,
        **{
            "text": text,
            "body": text,
            "word_count": len(text.split()),
            "lcc_code": subject.code,
            "lcc_name": subject.name,
            "lcc_uri": subject.uri,
            "lcgft_category": category.name,
            "lcgft_form": category.forms[int(draws.integers(3))],
            "topics": sorted(set(topics)),
            "geographic": [("France", "Japan", "Brazil")[int(draws.integers(3))]],
            "model": None if number % 40 == 1 else generator,
            "spec_id": f"s{number % 5}-{spec}",
            **fields,
        },
    )


def write_documents(folder: Path, rows: list[dict[str, Any]], **info: Any) -> Path:
    """A release of one config."""
    options = {"group_column": "spec_id", **info}
    config = staged(folder / "staged", CONFIG, slice_schema(CONFIG), rows, **options)
    write_release("made", [config], folder / "release")
    return folder / "release"
