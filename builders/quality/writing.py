"""`quality.json` and `quality.md` of a release."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from builders.quality.leaks import Relevance
from builders.quality.report import QualityReport
from builders.quality.tables import markdown
from evaluate_shelf.files import replacing


def as_json(reports: Sequence[QualityReport], relevance: Sequence[Relevance] = ()) -> str:
    """Reports as JSON with sorted keys; the same reports give the same bytes.

    Parameters
    ----------
    reports : sequence of QualityReport
        One a corpus.
    relevance : sequence of Relevance, default=()
        One a config of relevance rows.

    Returns
    -------
    str
        An object with the lists `corpora` and `relevance`.

    Examples
    --------
    >>> json.loads(as_json([]))
    {'corpora': [], 'relevance': []}
    """
    value = {
        "corpora": [report.model_dump(mode="json") for report in reports],
        "relevance": [entry.model_dump(mode="json") for entry in relevance],
    }
    return json.dumps(value, sort_keys=True, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def write_quality(
    folder: Path, reports: Sequence[QualityReport], relevance: Sequence[Relevance] = ()
) -> list[Path]:
    """Write `quality.json` and `quality.md`.

    Parameters
    ----------
    folder : pathlib.Path
        Usually `reports` in the release.
    reports : sequence of QualityReport
        One a corpus.
    relevance : sequence of Relevance, default=()
        One a config of relevance rows.

    Returns
    -------
    list of pathlib.Path
        What was written.
    """
    texts = {
        folder / "quality.json": as_json(reports, relevance),
        folder / "quality.md": markdown(reports, relevance),
    }
    for path, text in texts.items():
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return list(texts)
