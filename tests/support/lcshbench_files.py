"""Files in the form of LCSHBench's `dev.jsonl` and `test.jsonl`, in its field names."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Fields = dict[str, Any]


def record(number: int, *, letter: str = "Q", **changes: Any) -> Fields:
    """A record as the dev file has it; each number is a work of its own."""
    return {
        "id": f"{number:016x}",
        "language_code": "eng",
        "language": "English",
        "lc_class": letter,
        "title": f"The keeper's almanac, volume {number} :",
        "title_vernacular": "",
        "authors": [f"Writer{number}, Ann,", "Helper, Bo"],
        "authors_vernacular": [],
        "date": "1998",
        "publisher": "Harbour Press,",
        "physical_description": "210 p. ; 24 cm.",
        "abstract": f"What was seen from lighthouse {number}, day by day.",
        "toc": "The lamp -- The tide -- The fog.",
        "notes": "",
        "field_provenance": {"title": "harvard"},
        "catalogs": ["columbia", "harvard"],
        "catalog_count": 2,
        "n_agencies": 2,
        "ground_truth_lcsh": {"columbia": ["Lighthouses"], "harvard": ["Lighthouses"]},
        "ground_truth_lcsh_merged": ["Lighthouses"],
        "ground_truth_lcsh_unanimous": ["Lighthouses"],
        "heading_types": {"Lighthouses": {"type": "topical", "tag": "650"}},
        **changes,
    }


def held_out(fields: Fields) -> Fields:
    """The record as the test file has it: without the subject headings."""
    return {
        name: value
        for name, value in fields.items()
        if not name.startswith("ground_truth") and name != "heading_types"
    }


def write_jsonl(path: Path, lines: Iterable[Fields | bytes]) -> Path:
    """Write records, and bytes that are none, one a line; compressed if the name ends in `.gz`."""
    data = b"".join(
        (line if isinstance(line, bytes) else json.dumps(line, ensure_ascii=False).encode()) + b"\n"
        for line in lines
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return path
